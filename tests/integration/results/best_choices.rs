//! What is called best: by the direction of the metric, with what is equal to it, and what replicas can't tell from it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{here, hetsim, printed};

/// A farm of four unequal workers whose policies are far apart.
const FARM: &str = r#"version = 1
[platform.cluster]
server = { nodes = 1, speed = "1Gop/s", network = { model = "ideal" } }
slow = { nodes = 2, speed = "1Gop/s", network = { model = "ideal" } }
fast = { nodes = 2, speed = "4Gop/s", network = { model = "ideal" } }
[platform.between]
network = { model = "ideal" }
[workload]
kind = "independent"
tasks = 100
task = { distribution = "constant", operations = "0.1Gop" }
[workload.farm]
policy = "adaptive"
task_size = "1KiB"
result_size = "100B"
server = 0
[sweep]
"workload.farm.policy" = ["static_equal", "static_nominal"]
"workload.tasks" = [100, 1000]
"#;

/// Broadcasts between two nodes: all trees are the same message.
const PAIR: &str = r#"version = 1
[platform.cluster.lab]
nodes = 2
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[sweep]
"workload.algorithm" = ["linear", "binomial", "binary"]
"workload.size" = ["1KiB", "8KiB"]
"#;

/// What a scenario says, and the folder that holds its results.
#[track_caller]
fn run(text: &str) -> (String, TempDir) {
    let folder = here(&[("it.toml", text)]);
    (printed(hetsim(&folder).arg("it.toml")), folder)
}

/// Why a scenario is refused.
#[track_caller]
fn refused(text: &str) -> String {
    let folder = here(&[("it.toml", text)]);
    let assert = hetsim(&folder).args(["check", "it.toml"]).assert().code(2);
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn read(folder: &TempDir, file: &str) -> String {
    fs::read_to_string(folder.path().join("output/it").join(file)).unwrap()
}

/// The cells of a column of a CSV file.
fn column(csv: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let at = reader.headers().unwrap().iter().position(|own| own == name).unwrap_or_else(|| panic!("{name} in {csv}"));
    reader.records().map(|record| record.unwrap()[at].to_owned()).collect()
}

#[test]
fn the_best_of_a_metric_is_by_its_direction() {
    let table = |metric: &str, more: &str| {
        format!("{FARM}[[table]]\nrows = \"tasks\"\nbest = \"policy\"\nmetric = \"{metric}\"\n{more}")
    };
    for (metric, more, best) in [
        ("completion_s", "", "static_nominal"),
        ("speedup", "", "static_nominal"),
        ("efficiency", "", "static_nominal"),
        ("lost_to_distribution", "", "static_nominal"),
        ("speedup", "least = true\n", "static_equal"),
        ("completion_s", "largest = true\n", "static_equal"),
    ] {
        let (_, folder) = run(&table(metric, more));
        assert_eq!(column(&read(&folder, "best.csv"), "best"), [best, best], "{metric} {more}");
    }
}

#[test]
fn derived_metrics_and_expectations_know_the_direction() {
    let text = format!(
        "{FARM}[[derive]]\nname = \"fastest\"\nhow = \"best_of\"\nmetric = \"speedup\"\nover = \"policy\"\n\
         [[derive]]\nname = \"faster\"\nhow = \"speedup\"\nmetric = \"completion_s\"\nto = {{ policy = \"static_equal\" }}\n\
         [[derive]]\nname = \"most\"\nhow = \"best\"\nmetric = \"faster\"\nover = \"policy\"\n\
         [[expect]]\nmetric = \"faster\"\nbest = \"static_nominal\"\nover = \"policy\"\nsource = \"it is\"\n"
    );
    let (said, folder) = run(&text);
    assert!(said.contains("Expectations: 2 of 2 met"), "{said}");
    let summary = read(&folder, "summary.csv");
    assert_eq!(column(&summary, "fastest"), ["static_nominal"; 4]);
    for (most, faster) in column(&summary, "most_mean").iter().zip(column(&summary, "faster_mean")) {
        let [most, faster]: [f64; 2] = [most.parse().unwrap(), faster.parse().unwrap()];
        assert!(most > 1.0 && most >= faster, "{summary}");
    }
}

#[test]
fn an_error_is_the_distance_from_another_metric_of_the_same_run() {
    let derive = |truth: &str| {
        format!("{FARM}[[derive]]\nname = \"off\"\nhow = \"error\"\nmetric = \"messages\"\ntruth = \"{truth}\"\n")
    };
    let (_, folder) = run(&derive("events"));
    let summary = read(&folder, "summary.csv");
    let numbers =
        |name: &str| -> Vec<f64> { column(&summary, name).iter().map(|cell| cell.parse().unwrap()).collect() };
    let (value, truth) = (numbers("messages_mean"), numbers("events_mean"));
    let off = numbers("off_mean");
    for (off, (value, truth)) in off.iter().zip(value.iter().zip(&truth)) {
        // There are fewer messages than events: with a sign the error would be negative.
        assert!((off - (truth - value) / truth).abs() < 1e-12, "{off}: {value} and {truth}");
    }
    assert!(off.iter().any(|off| *off > 0.1), "{off:?}");
    assert!(refused(&derive("event")).contains("event"));
    assert!(refused(&derive("policy")).contains("policy"));
}

#[test]
fn a_metric_without_direction_has_no_best_unless_the_file_says() {
    let table =
        |more: &str| format!("{FARM}[[table]]\nrows = \"tasks\"\nbest = \"policy\"\nmetric = \"messages\"\n{more}");
    let said = refused(&table(""));
    assert!(said.contains("neither less nor more of `messages` is better") && said.contains("─"), "{said}");
    assert!(said.contains("metric = \"messages\""), "{said}");
    assert!(refused(&table("least = true\nlargest = true\n")).contains("either `largest` or `least`"));
    run(&table("least = true\n"));
    let derive = "[[derive]]\nname = \"x\"\nhow = \"best_of\"\nmetric = \"events\"\nover = \"policy\"\n";
    assert!(refused(&format!("{FARM}{derive}")).contains("neither less nor more of `events`"));
    let of_derived = format!(
        "{FARM}[[derive]]\nname = \"x\"\nhow = \"ratio\"\nmetric = \"events\"\nto = {{ policy = \"static_equal\" }}\n\
         [[expect]]\nmetric = \"x\"\nbest = \"static_equal\"\nover = \"policy\"\nsource = \"nobody\"\n"
    );
    assert!(refused(&of_derived).contains("neither less nor more of `x`"));
    let without =
        format!("{FARM}[[table]]\nrows = \"tasks\"\ncolumns = \"policy\"\nmetric = \"messages\"\nleast = true\n");
    assert!(refused(&without).contains("nothing best is sought"));
}

#[test]
fn equal_values_are_all_named_in_whatever_order_they_are_swept() {
    let table = "[[table]]\nrows = \"size\"\nbest = \"algorithm\"\nmetric = \"completion_s\"\n\
                 [[derive]]\nname = \"fastest\"\nhow = \"best_of\"\nmetric = \"completion_s\"\nover = \"algorithm\"\n\
                 [[expect]]\nmetric = \"completion_s\"\nbest = \"linear\"\nover = \"algorithm\"\nsource = \"all are\"\n";
    let reversed = PAIR.replace(r#"["linear", "binomial", "binary"]"#, r#"["binary", "binomial", "linear"]"#);
    let runs = [PAIR, &reversed].map(|text| run(&format!("{text}{table}")));
    for (said, folder) in &runs {
        assert_eq!(said.matches("binary\u{a0}= binomial\u{a0}= linear").count(), 2, "{said}");
        assert!(said.contains("= joins what is equal.") && said.contains("Expectations: 2 of 2 met"), "{said}");
        assert_eq!(column(&read(folder, "best.csv"), "best"), ["binary, binomial, linear"; 2]);
        assert!(column(&read(folder, "summary.csv"), "fastest").iter().all(|best| best == "binary, binomial, linear"));
        assert!(read(folder, "report.html").contains("<td>binary\u{a0}= binomial\u{a0}= linear</td>"));
    }
    let tables = runs.each_ref().map(|(said, _)| said.lines().take(6).collect::<Vec<_>>().join("\n"));
    assert_eq!(tables[0], tables[1]);
}

#[test]
fn replicas_that_do_not_tell_two_choices_apart_name_both() {
    let sweep = "\"workload.farm.policy\" = [\"weighted_factoring\", \"adaptive_factoring\", \"static_equal\"]\n\"workload.tasks\" = [100]\n";
    let text = FARM.replace("version = 1\n", "version = 1\nreplicas = 10\n").replace(
        "distribution = \"constant\", operations = \"0.1Gop\"",
        "distribution = \"gamma\", mean = \"0.1Gop\", deviation = \"0.1Gop\"",
    );
    let (before, _) = text.split_once("[sweep]\n").unwrap();
    let table = "[[table]]\nrows = \"tasks\"\nbest = \"policy\"\nmetric = \"completion_s\"\nalso = [\"speedup\"]\n";
    let (said, folder) = run(&format!("{before}[sweep]\n{sweep}{table}"));
    let best = read(&folder, "best.csv");
    let named = [column(&best, "best"), column(&best, "not_told_apart")].concat().join(", ");
    assert!(
        named.contains("adaptive_factoring") && named.contains("weighted_factoring") && !named.contains("static_equal"),
        "{best}"
    );
    assert!(said.contains("\u{a0}≈ ") && said.contains("paired t tests") && said.contains("n = 10"), "{said}");
    assert!(said.contains("\u{a0}±\u{a0}"), "{said}");
}

/// A tick apart is equal where a tick is a rounding, and not where it is all that a result has.
#[test]
fn a_whole_coarse_tick_is_no_tie() {
    let latencies = |tick: &str, latencies: &str| {
        let text = PAIR
            .split_once("[sweep]")
            .unwrap()
            .0
            .replace("version = 1\n", &format!("version = 1\nplatform.tick = \"{tick}\"\n"));
        format!(
            "{text}[sweep]\n\"platform.cluster.lab.network.latency\" = {latencies}\n\"workload.size\" = [\"8KiB\"]\n\
             [[table]]\nrows = \"size\"\nbest = \"latency\"\nmetric = \"completion_s\"\n\
             [[derive]]\nname = \"fastest\"\nhow = \"best_of\"\nmetric = \"completion_s\"\nover = \"latency\"\n\
             [[expect]]\nmetric = \"completion_s\"\nbest = {second}\nover = \"latency\"\nsource = \"nobody\"\n",
            second = latencies.trim_matches(['[', ']']).split_once(", ").unwrap().1
        )
    };
    let (said, folder) = run(&latencies("1s", "[\"2s\", \"3s\"]"));
    assert_eq!(column(&read(&folder, "best.csv"), "best"), ["2s"], "{said}");
    assert_eq!(column(&read(&folder, "summary.csv"), "fastest"), ["2s"; 2]);
    assert!(said.contains("Expectations: 0 of 1 met"), "{said}");
    let (said, folder) = run(&latencies("1us", "[\"2s\", \"2000001us\"]"));
    assert_eq!(column(&read(&folder, "best.csv"), "best"), ["2s, 2000001us"], "{said}");
    assert!(said.contains("Expectations: 1 of 1 met"), "{said}");
}

/// A swept tick is that of each point.
#[test]
fn the_tick_is_that_of_the_point() {
    let (before, _) = PAIR.split_once("[sweep]").unwrap();
    let (_, folder) = run(&format!(
        "{before}[sweep]\n\"platform.tick\" = [\"1us\", \"1s\"]\n\
         \"platform.cluster.lab.network.latency\" = [\"2s\", \"2000001us\"]\n\
         [[table]]\nrows = \"tick\"\nbest = \"latency\"\nmetric = \"completion_s\"\n"
    ));
    assert_eq!(column(&read(&folder, "best.csv"), "best"), ["2s, 2000001us", "2s"]);
}

/// Where some runs have no such metric, its mean is over the others, which is counted and said.
#[test]
fn replicas_without_the_metric_are_not_counted() {
    let output = hetsim(Path::new(".")).args(["new", "island"]).output().unwrap();
    let starter = String::from_utf8(output.stdout).unwrap();
    let (before, _) = starter.split_once("[sweep]").unwrap();
    let text = before.replace("target = 18 ", "target = 7 ");
    let (said, folder) = run(&format!(
        "{text}[sweep]\n\"workload.topology\" = [\"none\", \"ring\", \"complete\"]\n\"workload.synchronous\" = [true]\n\
         [[table]]\nrows = \"synchronous\"\nbest = \"topology\"\nmetric = \"target_s\"\n"
    ));
    let found: usize = column(&read(&folder, "best.csv"), "n")[0].parse().unwrap();
    assert!((1..10).contains(&found), "{said}");
    assert!(said.contains("Some runs have no target"), "{said}");
    // Where no point has it, there is nothing to compare.
    let (said, folder) = run(&format!(
        "{}[sweep]\n\"workload.topology\" = [\"none\", \"ring\"]\n\"workload.synchronous\" = [true]\n\
         [[table]]\nrows = \"synchronous\"\nbest = \"topology\"\nmetric = \"target_s\"\n",
        text.replace("target = 7 ", "target = 1e-9 ")
    ));
    assert!(said.contains("No point has a value of target."), "{said}");
    assert!(column(&read(&folder, "best.csv"), "best").is_empty());
}

/// The template asks which policy is best; where intervals overlap it names several.
#[test]
fn the_template_of_farms_names_what_is_not_told_apart() {
    let output = hetsim(Path::new(".")).args(["new", "independent"]).output().unwrap();
    let (said, folder) = run(&String::from_utf8(output.stdout).unwrap());
    let best = read(&folder, "best.csv");
    let untold = column(&best, "not_told_apart");
    assert!(untold.iter().any(|others| !others.is_empty()), "{best}\n{said}");
    let number = |name: &str| -> Vec<f64> { column(&best, name).iter().map(|cell| cell.parse().unwrap()).collect() };
    assert!(number("low95").iter().zip(number("high95")).all(|(low, high)| *low < high), "{best}");
}

/// Several keys whose best values are sought together: all that ran compete.
#[test]
fn the_best_of_several_keys_is_over_all_that_ran() {
    let sweep = "[[sweep]]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n\"workload.root\" = [0, 1]\n\
        \"workload.size\" = [\"1KiB\", \"8KiB\"]\n";
    let (platform, _) = PAIR.split_once("[sweep]").unwrap();
    let table = "[[table]]\nrows = \"size\"\nbest = [\"algorithm\", \"root\"]\nmetric = \"completion_s\"\nnote = \"On two nodes.\"\n";
    let text = format!("{platform}{sweep}{table}").replace("nodes = 2", "nodes = 3");
    let (said, folder) = run(&text);
    // Three nodes: either tree sends twice from its root, and the first values stand for all.
    assert!(said.contains("best algorithm/root"), "{said}");
    assert!(said.contains("binomial/0\u{a0}= 3\u{a0}others"), "{said}");
    assert!(said.contains("On two nodes.\n") && said.contains("best.csv names the others."), "{said}");
    let csv = read(&folder, "best.csv");
    assert_eq!(column(&csv, "over"), ["algorithm/root"; 2]);
    assert_eq!(column(&csv, "best"), ["binomial/0, binomial/1, linear/0, linear/1"; 2]);
    let one = text.replace("[\"algorithm\", \"root\"]", "\"algorithm\"");
    assert!(refused(&one).contains("`root` varies as well"), "{}", refused(&one));
    assert!(refused(&text.replace("[\"algorithm\", \"root\"]", "[]")).contains("has no best"));
    assert!(refused(&text.replace("[\"algorithm\", \"root\"]", "[\"algorithm\", \"bytes\"]")).contains("`bytes`"));
}

/// A table without a title says what it shows.
#[test]
fn a_table_without_a_title_names_its_metric_and_its_points() {
    let table = |keys: &str| run(&format!("{PAIR}[[table]]\nmetric = \"completion_s\"\n{keys}")).0;
    for (keys, title) in [
        ("rows = \"size\"\ncolumns = \"algorithm\"", "Completion by size and algorithm\n"),
        ("rows = \"size\"\nwhere = { algorithm = \"linear\" }", "Completion by size, algorithm = linear\n"),
        (
            "rows = \"size\"\nbest = \"algorithm\"\nwhere = { algorithm = [\"linear\", \"binary\"] }",
            "Best algorithm by completion, for each size\n",
        ),
        ("rows = \"size\"\nbest = \"algorithm\"\nleast = true", "Best algorithm by completion, for each size\n"),
        ("rows = \"size\"\nbest = \"algorithm\"\nlargest = true", "Largest completion by algorithm, for each size\n"),
    ] {
        let said = table(keys);
        assert!(said.contains(title), "{title}: {said}");
    }
}

/// What one chooses is compared, not what happens to one, such as machines.
#[test]
fn no_best_is_sought_among_platforms() {
    let table = |rows: &str, columns: &str| {
        let sweep = "\"platform.cluster.lab.network\" = { near = { model = \"hockney\", latency = \"1us\", bandwidth = \"1Gbit/s\" }, \
            far = { model = \"hockney\", latency = \"1ms\", bandwidth = \"1Gbit/s\" } }\n";
        let text = PAIR.replace("nodes = 2", "nodes = 5");
        let keys = format!("[[table]]\nrows = \"{rows}\"\ncolumns = \"{columns}\"\nmetric = \"completion_s\"\n");
        let chosen = if columns == "size" {
            "algorithm = \"linear\""
        } else {
            "size = \"8KiB\", algorithm = [\"linear\", \"binomial\"]"
        };
        run(&format!("{text}{sweep}{keys}where = {{ {chosen} }}\n")).1
    };
    let bold = |folder: &TempDir| read(folder, "report.html").matches("<td class=\"number best\">").count();
    // One of two algorithms on each of two networks, wherever they stand.
    assert_eq!(bold(&table("network", "algorithm")), 2);
    assert_eq!(bold(&table("algorithm", "network")), 2);
    assert!(!read(&table("network", "size"), "report.html").contains("Bold is best"));
}
