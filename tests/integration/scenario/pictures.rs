//! What the charts of a scenario show.

use hetsim::record::Record;
use hetsim::report::chart::{Picture, draw};
use hetsim::report::{Reported as _, Results};
use hetsim::scenario::Scenario;

use super::{BROADCAST, LAB, TWO, lab, made_up, texts};
use crate::support::read;

/// The pictures of a scenario, all of it run.
#[track_caller]
fn pictures(scenario: &Scenario) -> Vec<String> {
    let runs = (0..scenario.points.len())
        .flat_map(|point| (0..scenario.file.replicas.most()).map(move |replica| (point, replica)));
    let records = runs.map(|(point, replica)| (point, replica, scenario.run(point, replica).expect("a run")));
    let results = Results::new(scenario, records);
    let drawn = draw(&results, &scenario.report().chart, &[]).unwrap_or_else(|error| panic!("{error}"));
    drawn.into_iter().map(|picture| picture.svg).collect()
}

/// What varies in the charts below.
const SWEEP: &str =
    "[sweep]\n\"workload.size\" = [\"1KiB\", \"4KiB\"]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n";

#[test]
fn a_line_for_each_metric() {
    let chart = "[[chart]]\nname = \"c\"\nx = \"size\"\ny = [\"completion_s\", \"predicted_s\"]\n";
    let one = lab(&format!(
        "{SWEEP}{chart}labels = {{ completion_s = \"simulated\" }}\nwhere = {{ algorithm = \"linear\" }}\n"
    ));
    let found = texts(&pictures(&one)[0]);
    assert!(
        ["simulated", "predicted", "simulated, predicted"].iter().all(|name| found.contains(&(*name).to_owned())),
        "{found:?}"
    );
    let both = lab(&format!("{SWEEP}{chart}series = \"algorithm\"\n"));
    let found = texts(&pictures(&both)[0]);
    for name in ["linear, completion", "linear, predicted", "binomial, completion", "binomial, predicted"] {
        assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
    }
}

#[test]
fn stacks_hang_below_zero_and_say_their_sum() {
    let chart = "[[derive]]\nname = \"less_s\"\nhow = \"difference\"\nmetric = \"completion_s\"\nto = { algorithm = \"linear\" }\n\
        [[chart]]\nname = \"c\"\nkind = \"stacked\"\nx = \"algorithm\"\ny = [\"completion_s\", \"less_s\"]\nwhere = { size = \"4KiB\" }\n";
    let svg = &pictures(&lab(&format!("{SWEEP}{chart}")))[0];
    insta::assert_snapshot!("stacked", svg);
    let found = texts(svg);
    // Three sends of 82.768 µs one after the other, and two rounds of one.
    for text in ["sum", "completion", "less", "248 µs", "166 µs", "−82.8 µs"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
}

#[test]
fn quantiles_and_marks() {
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n\
         [[derive]]\nname = \"standing\"\nhow = \"quantile\"\nmetric = \"completion_s\"\nof = \"2500ms\"\n\
         [[chart]]\nname = \"c\"\nkind = \"histogram\"\nx = \"completion_s\"\nseries = \"algorithm\"\n\
         [[chart.mark]]\nvalue = \"2.5s\"\nlabel = \"printed\"\n\
         [[chart.mark]]\nvalue = 4\nlabel = \"measured\"\nseries = \"binomial\"\n"
    ));
    let results = made_up(&scenario);
    assert_eq!([0, 1].map(|point| results.numbers(point, "standing")), [vec![0.75; 4], vec![0.5; 4]]);
    let svg = draw(&results, &scenario.report().chart, &[]).expect("pictures").remove(0).svg;
    let found = texts(&svg);
    for text in ["2.5 s printed: quantile 0.75", "2.5 s printed: quantile 0.5", "4 s measured: quantile 0.75", "n = 4"]
    {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
    assert_eq!(found.iter().filter(|text| text.contains("measured")).count(), 1, "{found:?}");
    insta::assert_snapshot!("histogram", svg);
}

#[test]
fn boxes_of_ratios_to_the_best() {
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n\
         [[derive]]\nname = \"to_best\"\nhow = \"ratio_to_best\"\nmetric = \"completion_s\"\nover = \"algorithm\"\n\
         [[chart]]\nname = \"c\"\nkind = \"box\"\nx = \"algorithm\"\ny = \"to_best\"\nnames = {{ linear = \"in a row\" }}\n"
    ));
    let results = made_up(&scenario);
    // Replica by replica: (r + 1.5) / (r + 0.5).
    let ratios = [3.0, 5.0 / 3.0, 7.0 / 5.0, 9.0 / 7.0].to_vec();
    assert_eq!([0, 1].map(|point| results.numbers(point, "to_best")), [vec![1.0; 4], ratios]);
    let svg = draw(&results, &scenario.report().chart, &[]).expect("pictures").remove(0).svg;
    let found = texts(&svg);
    for text in ["in a row", "binomial", "to best"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
    assert!(found.iter().any(|text| text.ends_with("n = 4 a box")), "{found:?}");
    assert!(!found.contains(&"linear".to_owned()), "{found:?}");
}

#[test]
fn a_mean_over_a_key_is_that_of_each_replica() {
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n\
         [[derive]]\nname = \"both\"\nhow = \"mean\"\nmetric = \"completion_s\"\nover = \"algorithm\"\n"
    ));
    let results = made_up(&scenario);
    // Replica r has r + 0.5 and r + 1.5.
    let means = [1.0, 2.0, 3.0, 4.0].to_vec();
    assert_eq!([0, 1].map(|point| results.numbers(point, "both")), [means.clone(), means]);
}

/// A graph of three tasks on two nodes, one of them under load, as a Gantt chart and as a graph.
#[test]
fn a_task_graph_in_pictures() {
    let scenario = read(
        "version = 1\n[platform.cluster.lab]\nnodes = 2\nspeed = \"1op/s\"\n\
         network = { model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\" }\n\
         load = [{ nodes = [1], profile = { kind = \"constant\", tasks = 1 } }]\n\
         [workload]\nkind = \"taskgraph\"\nmapping = [0, 1, 0]\n\
         generate = { shape = { family = \"chain\", tasks = 3 }, operations = { distribution = \"constant\", value = \"8op\" } }\n\
         [[chart]]\nname = \"g\"\nkind = \"gantt\"\n[[chart]]\nname = \"t\"\nkind = \"graph\"\n",
    );
    let drawn = pictures(&scenario);
    let found = texts(&drawn[0]);
    for text in ["computes", "message", "others use the node (the darker, the more)", "0", "1", "2"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
    let found = texts(&drawn[1]);
    for text in ["node 0", "node 1", "message", "8 op", "1 B", "0", "1", "2"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
}

#[test]
fn points_of_a_paper_beside_lines() {
    let chart = "[[chart]]\nname = \"c\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n\
        mark = [{ label = \"printed\", x = \"2KiB\", y = \"200us\" }, { label = \"printed\", x = 1024, y = 1e-4, series = \"linear\" }]\n";
    let svg = &pictures(&lab(&format!("{SWEEP}{chart}")))[0];
    // A black one, and one in the colour of a line: rings, which are named once.
    assert_eq!(texts(svg).iter().filter(|text| *text == "printed").count(), 1, "{:?}", texts(svg));
    let rings = |colour: &str| svg.matches(&format!("r=\"50\" opacity=\"1\" fill=\"{colour}\"")).count();
    assert_eq!((rings("#000000"), rings("#0072B2")), (2, 1), "{svg}");
}

#[test]
fn rows_of_a_table_are_points() {
    let chart = |more: &str| format!("[[chart]]\nname = \"c\"\ntable = \"nodes\"\ny = \"completed_s\"\n{more}");
    let of = |more: &str| {
        let between =
            "[platform.between]\nnetwork = { model = \"hockney\", latency = \"1ms\", bandwidth = \"1Gbit/s\" }\n";
        let text =
            format!("version = 1\n{TWO}{between}{BROADCAST}[output]\ntables = [\"nodes\"]\n{SWEEP}{}", chart(more));
        texts(&pictures(&read(&text))[0])
    };
    // Each value of a swept key, or each cluster of the table, has a line of its own.
    let by_key = of("x = \"node\"\nseries = \"algorithm\"\nwhere = { size = \"1KiB\" }\nstep = true\n");
    assert!(
        ["linear", "binomial", "node", "completed"].iter().all(|name| by_key.contains(&(*name).to_owned())),
        "{by_key:?}"
    );
    let by_column = of("x = \"node\"\nseries = \"cluster\"\nwhere = { size = \"1KiB\", algorithm = \"linear\" }\n");
    assert!(["a", "b"].iter().all(|name| by_column.contains(&(*name).to_owned())), "{by_column:?}");
    // Linear: after 58.192 µs inside the cluster two sends of 1008.192 µs follow, so b has the message after 1.066 ms
    // and 2.075 ms: on average 1.57 ms.
    let stacked = of("kind = \"stacked\"\nx = \"cluster\"\nwhere = { size = \"1KiB\", algorithm = \"linear\" }\n");
    assert!(["a", "b", "1.57 ms"].iter().all(|text| stacked.contains(&(*text).to_owned())), "{stacked:?}");
}

/// The only picture of a scenario with these completions, by point and replica.
#[track_caller]
fn of_completions((replicas, text): (u32, &str), completion: impl Fn(usize, u32) -> Option<f64>) -> Picture {
    let scenario = read(&format!("version = 1\nreplicas = {replicas}\n{LAB}{BROADCAST}{text}"));
    let runs = (0..scenario.points.len())
        .flat_map(|point| (0..scenario.file.replicas.most()).map(move |replica| (point, replica)));
    let records = runs.map(|(point, replica)| {
        let mut record = Record::default();
        if let Some(completion) = completion(point, replica) {
            record.metric("completion_s", completion);
        }
        (point, replica, record)
    });
    let results = Results::new(&scenario, records);
    draw(&results, &scenario.report().chart, &[]).unwrap().remove(0)
}

/// The name of one replica is not that of all.
#[test]
fn a_map_of_names_shows_the_usual_one() {
    let map = "[[derive]]\nname = \"fastest\"\nhow = \"best_of\"\nmetric = \"completion_s\"\nover = \"algorithm\"\n\
        [[chart]]\nname = \"c\"\nkind = \"heatmap\"\nx = \"size\"\ny = \"algorithm\"\nvalue = \"fastest\"\n";
    // The first of two algorithms needs 2 s, the other one less, but for its first replica at the first size.
    let time = |point: usize, replica| {
        if point.is_multiple_of(2) {
            2.0
        } else if point == 1 && replica == 0 {
            3.0
        } else {
            1.0
        }
    };
    let picture = of_completions((3, &format!("{SWEEP}{map}")), |point, replica| Some(time(point, replica)));
    let found = texts(&picture.svg);
    assert!(found.contains(&"binomial (2 of 3)".to_owned()), "{found:?}");
    assert_eq!(picture.notes, ["replicas differ in 2 cells: each shows the name that most of them have"]);
}

/// Where a metric is undefined the line has a gap.
#[test]
fn blank_values_leave_a_gap() {
    let text = "[sweep]\n\"workload.size\" = [\"1KiB\", \"2KiB\", \"3KiB\", \"4KiB\", \"5KiB\"]\n\
        [[chart]]\nname = \"c\"\nx = \"size\"\ny = \"completion_s\"\n";
    let pieces = |blank: usize| {
        let picture = of_completions((1, text), |point, _| (point != blank).then_some(1.0));
        picture.svg.matches("stroke=\"#0072B2\" stroke-width=\"18\"").count()
    };
    assert_eq!(pieces(2), pieces(9) + 1);
}

/// Words beyond the data are shown, also by bars and boxes.
#[test]
fn axes_reach_words() {
    for kind in ["line", "bar", "box"] {
        let chart = format!(
            "[[chart]]\nname = \"c\"\nkind = \"{kind}\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n"
        );
        let words = "annotate = [{ text = \"limit\", y = \"9s\" }]\n";
        let picture = of_completions((2, &format!("{SWEEP}{chart}{words}")), |_, _| Some(1.0));
        assert!(texts(&picture.svg).contains(&"limit".to_owned()), "{kind}");
    }
}

/// A border that lies beside all columns is spoken of.
#[test]
fn a_border_beside_the_cells_is_said() {
    let map = "[[chart]]\nname = \"c\"\nkind = \"heatmap\"\nx = \"size\"\ny = \"algorithm\"\nvalue = \"completion_s\"\n\
        mark = [{ label = \"printed\", x = \"1KiB\" }, { label = \"measured\", x = \"9KiB\" }]\n";
    let picture = of_completions((1, &format!("{SWEEP}{map}")), |point, _| Some(point as f64));
    let found = texts(&picture.svg);
    assert!(found.contains(&"printed".to_owned()) && !found.contains(&"measured".to_owned()), "{found:?}");
    assert_eq!(picture.notes, ["1 border beside all columns"]);
}

/// A chart with nothing to show says why, and the others are drawn all the same.
#[test]
fn what_has_nothing_to_show_says_why() {
    let text = "[output]\ntables = [\"path\"]\n[sweep]\n\"workload.size\" = [\"1KiB\", \"4KiB\"]\n\
        [[chart]]\nname = \"p\"\nkind = \"path\"\nx = \"size\"\n\
        [[chart]]\nname = \"c\"\nkind = \"bar\"\ntable = \"path\"\nx = \"part\"\ny = \"end_s\"\nwhere = { size = \"1KiB\" }\n";
    let scenario = lab(text);
    let results = Results::new(&scenario, [(0, 0, Record::default())]);
    let drawn = draw(&results, &scenario.report().chart, &[]).unwrap();
    let reasons = ["no run has a critical path of any length", "has no table `path`"];
    for (picture, reason) in drawn.iter().zip(reasons) {
        assert!(texts(&picture.svg).contains(&"no data".to_owned()), "{}", picture.name);
        assert!(matches!(&picture.notes[..], [note] if note.ends_with(reason)), "{:?}", picture.notes);
    }
}

/// A chart of one run says which of several replicas it shows.
#[test]
fn a_chart_of_one_run_says_which_replica_it_shows() {
    let notes = |replicas: u32, chart: &str| {
        let output = "[output]\ntables = [\"path\"]\n[[chart]]\nname = \"c\"\n";
        let scenario = read(&format!("version = 1\nreplicas = {replicas}\n{LAB}{BROADCAST}{output}{chart}"));
        let records = (0..replicas).map(|replica| (0, replica, scenario.run(0, replica).expect("a run")));
        let results = Results::new(&scenario, records);
        draw(&results, &scenario.report().chart, &[]).unwrap().remove(0).notes
    };
    for chart in ["kind = \"gantt\"\n", "kind = \"bar\"\ntable = \"path\"\nx = \"part\"\ny = \"end_s\"\n"] {
        assert_eq!(notes(3, chart), ["the first of 3 replicas"], "{chart}");
        assert!(notes(1, chart).is_empty(), "{chart}");
    }
}
