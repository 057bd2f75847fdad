//! When two runs are the same: however a scenario is written, and as soon as anything in it changes.

use std::fs;
use std::path::Path;

use hetsim::batch::identity::RunId;
use tempfile::TempDir;

use super::{BROADCAST, LAB, TWO, id, lab, microseconds, points, read_in};
use crate::support::{ids, near, read};

#[test]
fn the_same_run_however_it_is_written() {
    let plain = id(&lab(""));
    let same = [
        format!("version = 1\n{LAB}{}", BROADCAST.replace("8KiB", "8192B")),
        format!("version = 1\n{LAB}{}", BROADCAST.replace("8KiB", "8.192kB")),
        format!("version = 1\n{}{BROADCAST}", LAB.replace("50us", "0.05ms").replace("1Gbit/s", "125MB/s")),
        // Defaults written out.
        format!(
            "version = 1\nseed = 0\nreplicas = 1\n{LAB}cores = 1\nspeed = \"1Gop/s\"\njitter = 0\nload = []\n{BROADCAST}root = 0\nplacement = \"cluster\"\nsegment = \"16KiB\"\ncandidates = []\n"
        ),
        format!(
            "version = 1\nplatform.tick = \"1ps\"\nplatform.ports = \"single\"\nplatform.sharing = \"one_at_a_time\"\n{LAB}{BROADCAST}"
        ),
        // Another order, and comments.
        format!("# a comment\n{BROADCAST}\n# another\n{LAB}").replace("[workload]", "version = 1\n[workload]"),
        format!(
            "version = 1\n{LAB}[workload]\nalgorithm = \"binomial\" # fast\nsize = \"8KiB\"\nkind = \"broadcast\"\n"
        ),
        // What does not reach the run.
        format!(
            "version = 1\nquestion = \"?\"\nnotes = \"!\"\n{LAB}{BROADCAST}[[chart]]\nname = \"g\"\nkind = \"gantt\"\n[[expect]]\nmetric = \"messages\"\nvalue = 3\nsource = \"P - 1\"\n"
        ),
        // A sweep over the value that it has anyway, or over a default.
        format!("version = 1\n{LAB}{BROADCAST}[sweep]\n\"workload.size\" = [\"8KiB\"]\n"),
        format!(
            "version = 1\n{LAB}{BROADCAST}[sweep]\n\"workload.root\" = [0]\n\"workload.placement\" = [\"cluster\"]\n\"workload.segment\" = [\"16384B\"]\n"
        ),
        format!("version = 1\n{LAB}{}[sweep]\n\"workload.size\" = [\"8KiB\"]\n", BROADCAST.replace("8KiB", "1B")),
    ];
    for text in &same {
        assert_eq!(id(&read(text)), plain, "{text}");
    }
    // The result is the same, too.
    let records: Vec<_> = same.iter().map(|text| read(text).run(0, 0).expect("a run")).collect();
    assert!(records.iter().all(|record| *record == records[0]));
}

#[test]
fn another_run_as_soon_as_anything_changes() {
    let base = format!("version = 1\n{LAB}{BROADCAST}");
    let texts = [
        base.clone(),
        base.replace("8KiB", "8KB"),
        base.replace("nodes = 4", "nodes = 5"),
        base.replace("50us", "51us"),
        base.replace("hockney", "delay"),
        base.replace("lab", "hall"),
        base.replace("version = 1", "version = 1\nseed = 1"),
        base.replace("version = 1", "version = 1\nplatform.tick = \"1ns\""),
        base.replace("version = 1", "version = 1\nplatform.diversity = 0"),
        base.replace("version = 1", "version = 1\noutput.tables = [\"nodes\"]"),
        format!("{base}root = 1\n"),
        format!("{base}segment = \"best\"\n"),
        format!("{base}candidates = [\"linear\", \"chain\"]\n"),
        format!("{base}candidates = [\"chain\", \"linear\"]\n"),
    ];
    let mut seen: Vec<RunId> = Vec::new();
    for text in &texts {
        let run = id(&read(text));
        assert!(!seen.contains(&run), "{text}");
        seen.push(run);
    }
    let scenario = read(&base.replace("version = 1", "version = 1\nreplicas = 2"));
    assert_ne!(RunId::of(&scenario, 0, 0), RunId::of(&scenario, 0, 1));
    assert_eq!(RunId::of(&scenario, 0, 0), id(&read(&base)), "more replicas leave the first alone");
}

/// Nodes are numbered in the order of the clusters, so another order is another machine.
#[test]
fn the_order_of_clusters_is_part_of_a_run() {
    let between = "[platform.between]\nnetwork = { model = \"ideal\" }\n";
    let two = TWO.replace("cluster.b]\nnodes = 2", "cluster.b]\nnodes = 3");
    let (a, b) = two.split_at(two.find("[platform.cluster.b]").expect("there"));
    let [one, other] = [format!("{a}{b}"), format!("{b}{a}")]
        .map(|platform| read(&format!("version = 1\n{platform}{between}{BROADCAST}")));
    assert_ne!(id(&one), id(&other));
}

/// A key of a link that has the model's default overrides that of `between`, so it must be seen.
#[test]
fn the_defaults_of_a_model_count_where_they_override() {
    let text = |link: &str| {
        format!(
            "version = 1\n{TWO}[platform.between]\nnetwork = {{ model = \"loggp\", latency = \"1ms\", overhead = \"1us\", gap = \"1us\", gap_per_byte = \"1ns/B\", receiver_busy = true }}\n\
             [[platform.link]]\nbetween = [\"a\", \"b\"]\n{link}\n{BROADCAST}"
        )
    };
    assert_ne!(id(&read(&text(""))), id(&read(&text("network = { receiver_busy = false }"))));
}

#[test]
fn files_count_by_their_content() {
    let folder = TempDir::new().expect("a folder");
    let text =
        format!("version = 1\n{LAB}load = [{{ profile = {{ kind = \"trace\", file = \"t.csv\" }} }}]\n{BROADCAST}");
    let with = |content: &str| {
        fs::write(folder.path().join("t.csv"), content).expect("a file");
        id(&read_in(folder.path(), &text, &[]))
    };
    let first = with("0,1\n1,0.5\n");
    assert_ne!(with("0,1\n1,0.25\n"), first);
    assert_eq!(with("0,1\n1,0.5\n"), first);
    fs::rename(folder.path().join("t.csv"), folder.path().join("u.csv")).expect("renamed");
    assert_eq!(id(&read_in(folder.path(), &text.replace("t.csv", "u.csv"), &[])), first, "not by its name");
}

#[test]
fn included_platforms() {
    let folder = TempDir::new().expect("a folder");
    let below =
        format!("tick = \"1ns\"\n{}[between]\nnetwork = {{ model = \"ideal\" }}\n", TWO.replace("platform.", ""));
    fs::write(folder.path().join("p.toml"), &below).expect("a file");
    let text = format!("version = 1\n[platform]\ninclude = \"p.toml\"\n[platform.cluster.b]\nnodes = 7\n{BROADCAST}");
    let scenario = read_in(folder.path(), &text, &[]);
    let nodes: Vec<u32> = scenario.first_platform().unwrap().clusters().iter().map(|group| group.nodes).collect();
    assert_eq!(nodes, [2, 7]);
    near(scenario.first_platform().unwrap().tick().seconds(hetsim::units::Time(1)), 1e-9);
    // The same platform written out is the same run.
    let whole = format!(
        "version = 1\nplatform.tick = \"1ns\"\n{}[platform.between]\nnetwork = {{ model = \"ideal\" }}\n{BROADCAST}",
        TWO.replace("cluster.b]\nnodes = 2", "cluster.b]\nnodes = 7")
    );
    assert_eq!(id(&scenario), id(&read(&whole)));
    // The command line reaches what the file holds, and may name another one.
    let set = read_in(folder.path(), &text, &["platform.cluster.a.network.latency=1ms", "platform.cluster.a.nodes=3"]);
    near(microseconds(&set, 0, 1), 1000.0);
    assert_eq!(set.first_platform().unwrap().nodes(), 10);
    let other = folder.path().join("q.toml");
    fs::write(&other, below.replace("tick = \"1ns\"\n", "")).expect("a file");
    let other = read_in(folder.path(), &text, &[&format!("platform.include={}", other.display())]);
    near(other.first_platform().unwrap().tick().seconds(hetsim::units::Time(1)), 1e-12);
}

#[test]
fn values_of_the_command_line_go_over_all() {
    let text = format!("version = 1\n{LAB}{BROADCAST}");
    let set = |overrides: &[&str]| read_in(Path::new("."), &text, overrides);
    assert_eq!(id(&set(&["workload.size=1KiB"])), id(&read(&text.replace("8KiB", "1KiB"))));
    assert_eq!(id(&set(&["workload.size=\"1KiB\""])), id(&set(&["workload.size=1KiB"])));
    assert_eq!(
        set(&["workload.size=1KiB", "workload.size=2KiB"]).resolved().unwrap().matches("2KiB").count(),
        1,
        "the last one"
    );
    assert_eq!(set(&["seed=5"]).file.seed, 5);
    assert_eq!(set(&["question=why = not"]).file.question.as_deref(), Some("why = not"));
    let swept = set(&["sweep={ \"workload.root\" = [0, 1, 2] }"]);
    assert_eq!(swept.points.len(), 3);
    let named = set(&["platform.cluster.lab.network={ model = \"ideal\" }"]);
    near(microseconds(&named, 0, 1) + 1.0, 1.0);
}

#[test]
fn resolved_scenarios_have_the_same_runs() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("t.csv"), "0,1\n1,0.5\n").expect("a file");
    fs::create_dir(folder.path().join("platforms")).expect("a folder");
    let below = format!(
        "{}[between]\nlatency = \"m.csv\"\nnetwork = {{ model = \"delay\", bandwidth = \"1GB/s\" }}\n",
        TWO.replace("platform.", "")
    );
    fs::write(folder.path().join("platforms/p.toml"), below).expect("a file");
    fs::write(folder.path().join("platforms/m.csv"), ",a,b\na,,1ms\nb,1ms,\n").expect("a file");
    let text = format!(
        "version = 1\nreplicas = 2\n[platform]\ninclude = \"platforms/p.toml\"\n[platform.cluster.b]\nload = [{{ profile = {{ kind = \"trace\", file = \"t.csv\" }} }}]\n{BROADCAST}\
         [[sweep]]\n\"workload.size\" = [\"1KiB\", \"2KiB\"]\n[[sweep]]\n\"workload.algorithm\" = [\"ecef+best\"]\n[[expect]]\nmetric = \"messages\"\nwhere = {{ size = \"1KiB\" }}\nvalue = 3\nsource = \"P - 1\"\n"
    );
    let scenario = read_in(folder.path(), &text, &["seed=9", "workload.root=1"]);
    // It can be read from anywhere.
    let again = read(&scenario.resolved().unwrap());
    assert_eq!((ids(&again), again.runs(), points(&again)), (ids(&scenario), 6, points(&scenario)));
    assert_eq!(again.resolved().unwrap(), scenario.resolved().unwrap());
}
