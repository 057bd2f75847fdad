//! What scenarios say of power, and the metrics and tables of what runs take. Expected values are closed forms: each
//! power times how long it is drawn.

use std::fs;
use std::path::Path;

use hetsim::cluster::NodePower;
use hetsim::record::{Table, Value};

use crate::support::{metric, read, refused};

fn column(table: &Table, name: &str) -> Vec<f64> {
    let place = table.columns.iter().position(|column| column == name).unwrap();
    table.rows.iter().map(|row| row[place].number().unwrap()).collect()
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-9), "{a} is not {b}");
}

/// The example of the documentation: a binomial broadcast of 1 MiB over a star of 8 nodes.
fn example() -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/energy.md")).unwrap();
    text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap().to_owned()
}

#[test]
fn the_example_of_the_documentation_is_right() {
    let scenario = read(&format!("{}[output]\ntables = [\"power\", \"links\"]\n", example()));
    let power = NodePower { idle: 95.0, active: 97.0, per_core: 12.5, off: 5.0 };
    assert_eq!(scenario.first_platform().unwrap().node_power(hetsim::cluster::NodeId(7)), Some(&power));
    let record = scenario.run(0, 0).unwrap();
    let time = metric(&record, "completion_s");
    // Nobody computes; each of seven messages takes a link up and a link down, of 16 links.
    near(metric(&record, "energy_nodes_j"), 8.0 * 95.0 * time);
    near(metric(&record, "energy_links_j"), 16.0 * time + 0.5 * 14.0 * 1_048_576.0 / 125e6);
    near(metric(&record, "energy_idle_j"), (8.0 * 95.0 + 16.0) * time);
    let total = metric(&record, "energy_nodes_j") + metric(&record, "energy_links_j");
    near(metric(&record, "energy_j"), total);
    near(metric(&record, "mean_power_w"), total / time);
    near(metric(&record, "energy_delay_js"), total * time);
    let [nodes, links] = &record.tables[..] else { panic!("two tables") };
    near(column(nodes, "energy_j").iter().sum(), metric(&record, "energy_nodes_j"));
    // Four nodes send and seven receive; the other links are idle.
    assert_eq!(links.rows.len(), 11);
    near(column(links, "energy_j").iter().sum::<f64>() + 5.0 * time, metric(&record, "energy_links_j"));
}

#[test]
fn power_changes_nothing_else() {
    let whole = example();
    let bare: String =
        whole.lines().filter(|line| !line.contains("power")).fold(String::new(), |all, line| all + line + "\n");
    let (with, without) = (read(&whole).run(0, 0).unwrap(), read(&bare).run(0, 0).unwrap());
    let rest: Vec<_> = with.metrics.iter().filter(|(name, _)| without.get(name).is_some()).cloned().collect();
    assert_eq!(rest, without.metrics);
    assert_eq!(with.metrics.len(), without.metrics.len() + 6);
    // The tables are there, without anything to tell.
    let tables = read(&format!("{bare}[output]\ntables = [\"power\", \"links\"]\n")).run(0, 0).unwrap().tables;
    assert!(tables[0].rows.is_empty() && tables[1].rows.iter().all(|row| row.last() == Some(&Value::Blank)));
}

#[test]
fn links_between_clusters_may_draw_what_their_tables_say() {
    let fair = "{ model = \"fair\", latency = \"1ms\", bandwidth = \"1MB/s\" }";
    let cluster = |name: &str| format!("[platform.cluster.{name}]\nnodes = 2\nnetwork = {fair}\n");
    let power = |watts: u32| format!("network_power = {{ idle = \"{watts}W\", full = \"{watts}W\" }}\n");
    let text = format!(
        "version = 1\n{}{}{}[platform.between]\nnetwork = {fair}\n{}[platform.site.s]\nclusters = [\"a\", \"b\"]\nnetwork = {fair}\n{}\
         [[platform.link]]\nbetween = [\"a\", \"c\"]\none_way = true\n{}\
         [workload]\nkind = \"broadcast\"\nsize = \"1MB\"\nalgorithm = \"linear\"\n",
        cluster("a"),
        cluster("b"),
        cluster("c"),
        power(1),
        power(10),
        power(100)
    );
    // Between a and b twice what the site says, a to c what the link says, and three links by `between`.
    near(read(&text).first_platform().unwrap().idle_power_of_links(), 2.0 * 10.0 + 100.0 + 3.0);
}

#[test]
fn a_simgrid_host_draws_what_its_manual_says() {
    // SimGrid's manual, plugin host_energy: Idle:Epsilon:AllCores = 100:120:200 W on four cores are 100 W idle and
    // 140, 160, 180, 200 W on one to four.
    let text = |tasks: u32| {
        format!(
            "version = 1\n[platform.cluster.host]\nnodes = 1\ncores = 4\nspeed = \"1Gop/s\"\n\
             power = {{ idle = \"100W\", active = \"120W\", per_core = \"20W\", off = \"10W\" }}\nnetwork = {{ model = \"ideal\" }}\n\
             [workload]\nkind = \"taskgraph\"\nscheduler = \"heft\"\n[workload.generate]\noperations = {{ distribution = \"constant\", value = \"10Gop\" }}\n\
             shape = {{ family = \"fork_join\", branches = {tasks} }}\n"
        )
    };
    for (tasks, watts) in [(1, 140.0), (2, 160.0), (3, 180.0), (4, 200.0)] {
        let record = read(&text(tasks)).run(0, 0).unwrap();
        // The tasks at the ends are alone.
        near(metric(&record, "completion_s"), 30.0);
        near(metric(&record, "energy_j"), 20.0 * 140.0 + 10.0 * watts);
    }
}

#[test]
fn nodes_of_a_cluster_may_differ() {
    let powers = |keys: &str| {
        format!(
            "version = 1\n[platform.cluster.a]\nnodes = 2\nnetwork = {{ model = \"ideal\" }}\n{keys}\n[platform.cluster.b]\n\
             nodes = 1\nnetwork = {{ model = \"ideal\" }}\npower = {{ idle = \"3W\" }}\n[platform.between]\n\
             network = {{ model = \"hockney\", latency = \"1s\", bandwidth = \"1GB/s\" }}\n\
             [workload]\nkind = \"broadcast\"\nsize = \"0B\"\nalgorithm = \"linear\"\n"
        )
    };
    let record = read(&powers("node_power = [{ idle = \"10W\" }, { idle = \"20W\" }]")).run(0, 0).unwrap();
    near(metric(&record, "energy_nodes_j"), 33.0 * metric(&record, "completion_s"));
    for (keys, message) in [
        ("node_power = [{ idle = \"10W\" }]", "`node_power` needs an entry for each node: it has 1 for 2"),
        ("power = { idle = \"1W\" }\nnode_power = [{ idle = \"1W\" }, { idle = \"1W\" }]", "give one of them"),
    ] {
        refused(&powers(keys), message);
    }
}
