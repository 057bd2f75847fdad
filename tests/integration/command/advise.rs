//! `hetsim advise`, as a shell and its user see it, and the rules that it writes, read as Open MPI reads them.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{self, entries, hetsim, printed};

/// Two clusters; 20 µs and 1 Gbit/s within, 1 ms between.
const PLATFORM: &str = r#"
[cluster.near]
nodes = 6
network = { model = "hockney", latency = "20us", bandwidth = "1Gbit/s" }

[cluster.far]
nodes = 2
network = { model = "hockney", latency = "20us", bandwidth = "1Gbit/s" }

[between]
network = { model = "hockney", latency = "1ms", bandwidth = "1Gbit/s" }
"#;

fn here(text: &str) -> TempDir {
    support::here(&[("small.platform.toml", text)])
}

fn advise(folder: &TempDir) -> Command {
    let mut command = hetsim(folder);
    command.args(["advise", "small.platform.toml"]);
    command
}

const FEW: [&str; 4] = ["--sizes", "64B,64KiB,1MiB", "--ranks", "4,6,8"];

#[test]
fn a_table_and_rules_for_a_small_platform() {
    let folder = here(PLATFORM);
    let text = printed(advise(&folder).args(FEW).args(["--operation", "broadcast", "--operation", "all_gather"]));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("advise_table", text);
    let made = folder.path().join("output/advise-small");
    insta::assert_snapshot!("advise_rules", fs::read_to_string(made.join("openmpi.rules")).unwrap());
    let rules = ["mpich.json", "openmpi.json", "openmpi.rules", "ucc.sh"];
    assert_eq!(entries(&made), [["all_gather.svg", "broadcast.svg", "choices.csv"].as_slice(), &rules].concat());
}

/// The first range that a communicator and a message are in, as Open MPI's JSON rules are read.
fn first<'a>(list: &'a serde_json::Value, what: &str, size: u64) -> &'a serde_json::Value {
    let within = |entry: &&serde_json::Value| {
        let most = &entry[format!("{what}_max")];
        entry[format!("{what}_min")].as_u64().unwrap() <= size && (most == "inf" || size <= most.as_u64().unwrap())
    };
    list.as_array().unwrap().iter().find(within).unwrap()
}

/// Both files of rules say the same for every number of ranks and every size, asked for or not.
#[test]
fn rules_in_json_are_the_classic_ones() {
    let folder = here(PLATFORM);
    let operations = ["broadcast", "all_gather", "barrier"].map(|operation| ["--operation", operation]);
    advise(&folder).args(FEW).args(operations.as_flattened()).assert().success();
    let made = folder.path().join("output/advise-small");
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(made.join("openmpi.json")).unwrap()).unwrap();
    assert_eq!((&json["rule_file_version"], &json["module"]), (&3.into(), &"tuned".into()));
    let classic = parsed(&fs::read_to_string(made.join("openmpi.rules")).unwrap());
    let names = [(7, "bcast"), (0, "allgather"), (6, "barrier")];
    assert_eq!(json["collectives"].as_object().unwrap().len(), names.len());
    for (id, name) in names {
        let sizes = &classic.iter().find(|(known, _)| *known == id).unwrap().1;
        for ranks in [2, 4, 5, 6, 7, 8, 1000] {
            let nearest = sizes.iter().rev().find(|(size, _)| *size <= ranks).unwrap_or(&sizes[0]);
            for bytes in [0, 1, 64, 511, 512, 65_535, 65_536, 393_216, 1 << 20, 1 << 40] {
                let rule = nearest.1.iter().rev().find(|rule| rule[0] <= bytes).unwrap();
                let found = first(&first(&json["collectives"][name], "comm_size", ranks)["rules"], "msg_size", bytes);
                let number = |key: &str| found.get(key).map_or(0, |value| value.as_u64().unwrap());
                assert_eq!(
                    [number("alg"), number("faninout"), number("seg_size")],
                    rule[1..],
                    "{name} {ranks} {bytes}"
                );
            }
        }
    }
}

/// Measured times take the place of simulated ones; between times that are closer than the error of the simulation
/// nothing is decided, but of two measured ones the less is less.
#[test]
fn measurements_and_errors_correct_the_ranking() {
    let folder = here(PLATFORM);
    // On four ranks hetsim finds the binomial tree (2 × 20.512 µs) before the linear one (3 × 20.512 µs).
    let measured = "operation,algorithm,nodes,buffer_bytes,time_us\nbcast,linear,4,1024,5\nbcast,linear,4,64,41.5\n\
        bcast,binomial_ompi,4,64,41\nbcast,linear,4,65536,9e9\nbcast,no_such,4,65536,1\nbcast,chain,4,64,99\n";
    fs::write(folder.path().join("measured.csv"), measured).unwrap();
    let summary = "by,group,points,median_error\nall,all,9,0.9\noperation,broadcast,9,0.04\noperation,gather,1,0.5\n";
    fs::write(folder.path().join("summary.csv"), summary).unwrap();
    let few = ["--sizes", "64B,1KiB,64KiB", "--ranks", "4"];
    let made = folder.path().join("output/advise-small/choices.csv");
    let cells = |name: &str| -> Vec<String> {
        let mut reader = csv::Reader::from_path(&made).unwrap();
        let place = reader.headers().unwrap().iter().position(|title| title == name).unwrap();
        reader.records().map(|record| record.unwrap()[place].to_owned()).collect()
    };
    let text = printed(advise(&folder).args(few).args(["--measured", "measured.csv", "--error", "summary.csv"]));
    assert!(text.contains("linear*") && text.contains("*: measured"), "{text}");
    assert_eq!(cells("algorithm")[1], "linear");
    assert_eq!(cells("completion_s")[1], "0.000005");
    assert_eq!(cells("measured")[1], "1");
    // Both are measured at 64 B.
    assert!(!cells("no_clear_winner_over")[0].contains("linear"), "{text}");
    // At 64 KiB a binomial tree stands beside a linear one that was measured: √(√(9000 s / 1.67 ms) · 41 / 41.024).
    let by = cells("scaled_by");
    assert!(text.contains("†: simulated, and scaled") && text.contains("segmented_binomial†"), "{text}");
    assert!(by[1].is_empty() && (by[2].parse::<f64>().unwrap() - 48.1).abs() < 0.1, "{by:?}");
    printed(advise(&folder).args(few).args(["--error", "60"]));
    let rivals = cells("no_clear_winner_over");
    assert!(rivals[0].contains("linear"), "{rivals:?}");
    printed(advise(&folder).args(few).args(["--error", "0"]));
    assert!(!cells("no_clear_winner_over")[0].contains("linear"));
    for (error, word) in [("-1%", "zero per cent"), ("none.csv", "no file"), ("measured.csv", "no column `by`")] {
        advise(&folder).args(few).arg(format!("--error={error}")).assert().code(2).stderr(contains(word));
    }
}

/// A rule: from which size on, algorithm, fan-out, segment.
type Rule = [u64; 4];

/// Communicator sizes, each with its rules.
type OfSizes = Vec<(u64, Vec<Rule>)>;

/// Collective, then communicator sizes with their rules, as `coll_tuned_dynamic_file.c` reads them.
fn parsed(text: &str) -> Vec<(u64, OfSizes)> {
    let plain: Vec<&str> = text.lines().map(|line| line.split('#').next().unwrap()).collect();
    let plain = plain.join("\n");
    let mut numbers = plain.split_whitespace().map(|word| word.parse::<u64>().unwrap());
    let mut next = move || numbers.next();
    let mut collectives = Vec::new();
    for _ in 0..next().unwrap() {
        let id = next().unwrap();
        let mut sizes = Vec::new();
        for _ in 0..next().unwrap() {
            let (ranks, count) = (next().unwrap(), next().unwrap());
            let rules: Vec<Rule> = (0..count).map(|_| [(); 4].map(|()| next().unwrap())).collect();
            assert_eq!(rules[0][0], 0, "the first rule holds from 0 on");
            assert!(rules.is_sorted_by(|a, b| a[0] < b[0]), "sizes rise");
            sizes.push((ranks, rules));
        }
        assert!(sizes.is_sorted_by_key(|(ranks, _)| *ranks));
        collectives.push((id, sizes));
    }
    assert_eq!(next(), None, "nothing is left over");
    collectives
}

/// Open MPI 5 takes the last communicator size that is not above; the main branch after it the first range that the
/// size is in, which ends before the size given.
#[test]
fn both_readings_of_the_rules_find_what_was_chosen() {
    let folder = here(PLATFORM);
    advise(&folder).args(FEW).args(["--operation", "all"]).assert().success();
    let made = folder.path().join("output/advise-small");
    let collectives = parsed(&fs::read_to_string(made.join("openmpi.rules")).unwrap());
    assert_eq!(collectives.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [2, 7, 15, 9, 11, 0, 12, 14, 3, 6]);
    let mut rows = csv::Reader::from_path(made.join("choices.csv")).unwrap();
    let mut seen = 0;
    for row in rows.records().map(Result::unwrap) {
        let number = |column: usize| row[column].parse::<u64>().unwrap();
        let (ranks, bytes) = (number(1), number(2));
        let (id, together) = match &row[0] {
            "all_reduce" => (2, 1),
            "broadcast" => (7, 1),
            "reduce" => (11, 1),
            "barrier" => (6, 1),
            "scatter" => (15, ranks),
            "gather" => (9, ranks),
            "all_gather" => (0, ranks),
            "reduce_scatter" => (12, ranks),
            "scan" => (14, 1),
            _ => (3, ranks),
        };
        let sizes = &collectives.iter().find(|(known, _)| *known == id).unwrap().1;
        let five = &sizes.iter().rev().find(|(size, _)| *size <= ranks).unwrap().1;
        let least = |index: usize| index.checked_sub(1).map_or(0, |before| sizes[before].0);
        let most = |index: usize| if index + 1 == sizes.len() { u64::MAX } else { sizes[index].0 - 1 };
        let later = &sizes[(0..sizes.len()).find(|&i| least(i) <= ranks && ranks <= most(i)).unwrap()].1;
        for rules in [five, later] {
            let rule = rules.iter().rev().find(|rule| rule[0] <= bytes * together).unwrap();
            assert_eq!(rule[1], number(12), "{row:?}");
            assert_eq!(rule[3], row[13].parse().unwrap_or(0), "{row:?}");
        }
        let seconds = |column: usize| row[column].parse::<f64>().unwrap();
        assert!(seconds(5) <= seconds(8) && seconds(5) <= seconds(10) && seconds(5) <= seconds(14), "{row:?}");
        seen += 1;
    }
    assert_eq!(seen, 9 * 9 + 3);
}

#[test]
fn any_number_of_jobs_gives_the_same() {
    let folder = here(&PLATFORM.replace("[between]", "[between]\njitter = 0.2"));
    let mut files = Vec::new();
    // More than the machine has cores are cut.
    for jobs in ["1", "2", "1000000"] {
        let made = folder.path().join(jobs).join("advise-small");
        advise(&folder).args(FEW).args(["--jobs", jobs, "--out", jobs]).assert().success();
        files.push(["choices.csv", "openmpi.rules", "broadcast.svg"].map(|name| fs::read(made.join(name)).unwrap()));
    }
    assert_eq!(files[0], files[1]);
    assert_eq!(files[0], files[2]);
}

/// A file with [platform], and a whole scenario, give what the included form gives.
#[test]
fn a_platform_comes_in_three_forms() {
    let own = PLATFORM.replace("[cluster", "[platform.cluster").replace("[between", "[platform.between");
    let scenario =
        format!("version = 1\n{own}\n[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"binomial\"\n");
    let files = [PLATFORM, &own, &scenario].map(|text| {
        let folder = here(text);
        advise(&folder).args(FEW).args(["--out", "made"]).assert().success();
        fs::read_to_string(folder.path().join("made/advise-small/choices.csv")).unwrap()
    });
    assert_eq!(files[0], files[1]);
    assert_eq!(files[0], files[2]);
}

/// A platform of SimGrid and the TOML that it is converted to are one platform, and its measurements can come from OSU.
#[test]
fn advice_on_a_platform_of_simgrid() {
    let xml = "<?xml version='1.0'?>\n<platform version=\"4.1\"><cluster id=\"lab\" prefix=\"n\" suffix=\"\" radical=\"0-15\" \
        speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/></platform>\n";
    let osu = "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1024   15.5\n";
    let folder = support::here(&[("lab.xml", xml), ("bcast.txt", osu)]);
    hetsim(&folder).args(["convert", "lab.xml", "lab.toml"]).assert().success();
    let choices = |platform: &str| {
        let mut command = hetsim(&folder);
        command.args(["advise", platform, "--sizes", "1KiB,64KiB", "--ranks", "16", "--measured", "bcast.txt"]);
        command.args(["--with", "nodes=16,algorithm=binomial"]).assert().success();
        fs::read_to_string(folder.path().join("output/advise-lab/choices.csv")).unwrap()
    };
    let of_xml = choices("lab.xml");
    assert!(of_xml.contains(",binomial,,0.0000155,"), "{of_xml}");
    assert_eq!(choices("lab.toml"), of_xml);
    let said = |with: &str| {
        let mut command = hetsim(&folder);
        command.args(["advise", "lab.toml", "--sizes", "1KiB", "--ranks", "16", "--operation", "bcast"]);
        command.args(["--measured", "bcast.txt", "--with", with]).assert()
    };
    said("nodes=16").success().stderr(contains("1 measurement is of an algorithm that the library chose"));
    said("nodes=16,algorithm=binomal")
        .code(2)
        .stderr(contains("no such algorithm of broadcast").and(contains("`binomial`")));
    fs::write(folder.path().join("bcast.txt"), osu.replace("15.5", "9000")).unwrap();
    let slow = said("nodes=16,algorithm=binomial").success();
    slow.stderr(
        contains("in 1 choice simulated times are scaled by ")
            .and(contains("1 measurement is the mean over the ranks")),
    );
    let rules = fs::read_to_string(folder.path().join("output/advise-lab/openmpi.rules")).unwrap();
    assert!(rules.starts_with("# Algorithms for lab, in part measured, else simulated by hetsim."), "{rules}");
    let unmeasured = hetsim(&folder).args(["advise", "lab.xml", "--with", "nodes=16"]).assert().code(2);
    unmeasured.stderr(contains("--with is given 1 time for 0 files of measurements"));
}

/// One cluster, whose nodes have four places for ranks each.
const NODES: &str = r#"
[cluster.lab]
nodes = 16
network = { model = "hockney", latency = "20us", bandwidth = "1Gbit/s" }

[[cluster.lab.level]]
size = 4
network = { model = "hockney", latency = "100ns", bandwidth = "10GB/s" }
"#;

/// Each number of ranks on a node is a machine of its own, with files of rules by communicators of all its ranks.
#[test]
fn ranks_on_each_node_are_a_dimension() {
    let folder = here(NODES);
    let few = ["--sizes", "8B,1MiB", "--operation", "all_reduce", "--operation", "all_to_all"];
    let text = printed(advise(&folder).args(few).args(["--ranks-per-node", "8,1"]));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let made = folder.path().join("output/advise-small");
    let one = ["mpich.json", "openmpi.json", "openmpi.rules", "ucc.sh", "all_reduce.svg", "all_to_all.svg"];
    let of = |file: &&str, ranks: u32| file.replace('.', &format!("-{ranks}-per-node."));
    let mut expected: Vec<String> =
        [1, 8].iter().flat_map(|&ranks| one.iter().map(move |file| of(file, ranks))).collect();
    expected.push("choices.csv".to_owned());
    expected.sort();
    assert_eq!(entries(&made), expected);
    let mut reader = csv::Reader::from_path(made.join("choices.csv")).unwrap();
    let place = reader.headers().unwrap().iter().position(|title| title == "ranks_per_node").unwrap();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let mut seen: Vec<(u32, u32)> =
        rows.iter().map(|row| (row[place].parse().unwrap(), row[1].parse().unwrap())).collect();
    seen.dedup();
    seen.truncate(5);
    // The file has four nodes: 2 and 4, then 1, 2 and 4 of them with 8 ranks on each, for either operation.
    assert_eq!(seen, [(1, 2), (1, 4), (1, 2), (1, 4), (8, 8)]);
    assert_eq!(rows.len(), 2 * 2 * (2 + 3));
    let fastest = |ranks_per_node: &str, ranks: &str| {
        let row = rows.iter().find(|row| &row[place] == ranks_per_node && &row[1] == ranks && &row[2] == "8");
        (row.unwrap()[3].to_owned(), row.unwrap()[5].parse::<f64>().unwrap())
    };
    // An exchange between nodes takes 20 µs: two rounds among four, whoever takes part.
    let (algorithm, seconds) = fastest("1", "4");
    assert!(algorithm == "recursive_doubling" && (seconds - 40.1e-6).abs() < 0.1e-6, "{algorithm} {seconds}");
    // Hops inside a node are nearly free: three rounds among its eight ranks.
    let (algorithm, seconds) = fastest("8", "8");
    assert!(algorithm == "recursive_doubling" && (seconds - 0.3e-6).abs() < 0.1e-6, "{algorithm} {seconds}");
    let rules = fs::read_to_string(made.join("openmpi-8-per-node.rules")).unwrap();
    let sizes: Vec<u64> = parsed(&rules)[0].1.iter().map(|(ranks, _)| *ranks).collect();
    assert_eq!(sizes, [8, 16, 16, 32, 32]);
    // Times of one rank on a node are not those of eight.
    let measured = "operation,algorithm,nodes,ranks_per_node,buffer_bytes,time_us\nallreduce,ring,1,8,8,0.01\n\
        allreduce,ring,8,1,8,0.1\n";
    fs::write(folder.path().join("measured.csv"), measured).unwrap();
    let corrected = [&few[..], &["--ranks-per-node", "8", "--ranks", "8", "--measured", "measured.csv"]].concat();
    let said = advise(&folder).args(corrected).assert().success().stderr(contains("1 times are measured").not());
    said.stderr(contains("1 time is measured")).stdout(contains("ring*"));
}

/// Several ranks on a node are warned of, where rules are printed and where they are written.
#[test]
fn several_ranks_on_a_node_are_doubtful() {
    let folder = here(NODES);
    let few = ["--sizes", "8B,1MiB", "--operation", "all_reduce", "--ranks-per-node"];
    let warning = "times of several ranks on a node depend on values of its memory that are often guesses";
    let file = |name: &str| fs::read_to_string(folder.path().join("output/advise-small").join(name)).unwrap();
    advise(&folder).args(few).arg("4").assert().success().stderr(contains(format!("warning: {warning}; beside")));
    for name in ["openmpi-4-per-node.rules", "ucc-4-per-node.sh"] {
        assert!(file(name).contains(&format!("\n# Warning: {warning}\n#   beside measurements")), "{}", file(name));
    }
    assert_eq!(parsed(&file("openmpi-4-per-node.rules")).len(), 1);
    advise(&folder).args(few).arg("1").assert().success().stderr(contains(warning).not());
    assert!(!file("openmpi-1-per-node.rules").contains("Warning"));
    // Those of the platform's own are no better known.
    let folder = here(&NODES.replace("nodes = 16", "nodes = 4\nranks_per_node = 4"));
    let own = ["--sizes", "8B", "--operation", "all_reduce"];
    advise(&folder).args(own).assert().success().stderr(contains(format!("warning: {warning}; beside")));
}

/// Times have the digits that the error bears: that of the calibration, if the file has one, or else 15 %; what lies
/// within it is marked.
#[test]
fn times_have_a_bound_and_ties_are_marked() {
    let folder = here(PLATFORM);
    let few = ["--sizes", "64KiB", "--ranks", "4", "--operation", "broadcast"];
    let said = |given: &[&str]| {
        let output = advise(&folder).args(few).args(given).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (table, notes) = said(&[]);
    // 15 % off, and two algorithms within 15 %: two digits each.
    assert!(notes.contains("up to 15.0 % off, as is usual"), "{notes}");
    assert!(table.contains(" ≈ ") && table.contains("error of the simulation, 15.0 %"), "{table}");
    // Two halves of 282.144 µs leave the root, and one is swapped.
    assert!(table.contains("850") && !table.contains("846"), "{table}");
    let choices = fs::read_to_string(folder.path().join("output/advise-small/choices.csv")).unwrap();
    assert!(choices.contains(",split_binary,,0.000846432,"), "{choices}");
    let rules = fs::read_to_string(folder.path().join("output/advise-small/openmpi.rules")).unwrap();
    assert!(rules.contains("# Simulated times are taken to be up to 15.0 % off; 1 of 1 choices have no"), "{rules}");
    // Of an error of nothing a time has all digits.
    assert!(!said(&["--error", "0"]).0.contains(" ≈ "));
    let known = "files = [\"a.csv\"]\nalgorithms = [\"broadcast linear\", \"broadcast binomial\"]\nerror = 0.1\n\
        points_left_out = 9\nerror_left_out = 0.267\nnodes = [2, 3]\nbytes = [\"8B\", \"64KiB\"]\n";
    fs::write(folder.path().join("small.platform.toml"), format!("{PLATFORM}\n[calibration]\n{known}")).unwrap();
    let (table, notes) = said(&[]);
    assert!(notes.contains("up to 26.7 % off, calibrated on 2 algorithms of a.csv"), "{notes}");
    assert!(
        notes.contains("outside of what the platform was calibrated by: 4 nodes (calibrated on 2 to 3)\n"),
        "{notes}"
    );
    assert!(table.contains("error of the simulation, 26.7 %"), "{table}");
}

/// What an algorithm saves over the library's own choice must be more than the error, or the choice is left to the
/// library: by no algorithm's number in Open MPI's rules, by its own algorithm's name in MPICH's.
#[test]
fn rules_leave_alone_what_is_not_surely_better() {
    let folder = here(PLATFORM);
    let few = ["--sizes", "64KiB", "--ranks", "8", "--operation", "all_gather"];
    let file = |name: &str| fs::read_to_string(folder.path().join("output/advise-small").join(name)).unwrap();
    let rule = |error: &str| {
        advise(&folder).args(few).args(["--error", error]).assert().success();
        parsed(&file("openmpi.rules"))[0].1[0].1[0]
    };
    // A neighbour exchange takes 8.77 ms, the ring that both libraries choose longer.
    let ring = "MPIR_Allgather_intra_ring";
    assert_eq!(rule("0"), [0, 5, 0, 0]);
    assert!(!file("mpich.json").contains(ring), "{}", file("mpich.json"));
    assert_eq!(rule("1000"), [0; 4]);
    assert!(file("openmpi.rules").contains("# its own choice"));
    assert!(file("openmpi.json").contains("\"alg\": 0"));
    assert!(file("mpich.json").contains(ring), "{}", file("mpich.json"));
}

/// Where nodes have several ranks, an operation among their leaders is a candidate, and runs as a scenario.
#[test]
fn leaders_are_candidates_where_there_are_levels() {
    let folder = here(NODES);
    let args = ["--sizes", "8B", "--operation", "all_gather", "--ranks", "12"];
    printed(advise(&folder).args(args));
    let text = fs::read_to_string(folder.path().join("output/advise-small/choices.csv")).unwrap();
    let row: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
    assert!(row[3].contains('+'), "{text}");
    let scenario = format!(
        "version = 1\n[platform]\ninclude = \"small.platform.toml\"\n[workload]\nkind = \"collective\"\n\
         operation = \"all_gather\"\nsize = \"8B\"\nalgorithm = \"{}\"\nlevels = \"leaders\"\n",
        row[3]
    );
    let scenario = support::try_read_in(folder.path(), &scenario, &["platform.cluster.lab.nodes=12"]).unwrap();
    let seconds = support::metric(&scenario.run(0, 0).unwrap(), "completion_s");
    assert_eq!(row[5].parse::<f64>().unwrap(), seconds);
    // No library has a counterpart in its tables, and that is said.
    let note = "has no counterpart of all_gather by ";
    advise(&folder).args(args).assert().success().stderr(contains("Open MPI's tuned ".to_owned() + note));
}

#[test]
fn bad_input_is_said() {
    let folder = here(PLATFORM);
    let bad = |words: &[&str]| advise(&folder).args(words).assert().code(2);
    // Whatever else is asked for, what only logs have is no option without them.
    for logs in [["--format", "csv"], ["--columns", "machine=host"], ["--dag", "dag.dot"]] {
        for other in [["--ranks", "4"].as_slice(), &["--hpl"], &[]] {
            bad(&[logs.as_slice(), other].concat()).stderr(contains(format!("{} is for logs of tasks", logs[0])));
        }
    }
    bad(&["--operation", "brodcast"]).stderr(contains("'broadcast'"));
    bad(&["--ranks", "9"]).stderr(contains("the platform has 8 nodes"));
    bad(&["--ranks", "1"]).stderr(contains("at least 2 ranks"));
    bad(&["--ranks-per-node", "2"]).stderr(contains("2 ranks on each node: the platform has several clusters"));
    bad(&["--ranks-per-node", "0"]).stderr(contains("0"));
    bad(&["--sizes", "4KiB..1KiB"]).stderr(contains("1B..4MiB"));
    bad(&["--set", "platform.cluster.near.node=3"]).stderr(contains("nodes"));
    assert!(!folder.path().join("output").exists());
    let folder = here(&NODES.replace("[[cluster.lab.level]]", "[cluster.lab.loopback]").replace(
        "size = 4\nnetwork = { model = \"hockney\", latency = \"100ns\", bandwidth = \"10GB/s\" }",
        "latency = \"1us\"\nbandwidth = \"1GB/s\"",
    ));
    advise(&folder).args(["--ranks-per-node", "2"]).assert().code(2).stderr(contains("no `level` for 2 ranks"));
    let folder = here(NODES);
    let odd = ["--ranks-per-node", "4", "--ranks", "6"];
    advise(&folder)
        .args(odd)
        .assert()
        .code(2)
        .stderr(contains("6 ranks: no nodes with the asked number of ranks on each"));
    let many = ["--ranks-per-node", "4", "--ranks", "20"];
    advise(&folder).args(many).assert().code(2).stderr(contains("the platform has 16 places for ranks"));
    let folder = here("version = 1\n");
    advise(&folder).assert().code(2).stderr(contains("has no platform"));
    let folder = here(&PLATFORM.replace("nodes = 6", "nods = 6"));
    advise(&folder).assert().code(2).stderr(contains("nods").and(contains("small.platform.toml")));
}

/// Routes over named links lead through whole clusters: fewer ranks keep them, unless a cluster is left without any.
#[test]
fn a_platform_of_named_links() {
    let folder = here(
        r#"
[wire.a]
bandwidth = "1GB/s"

[cluster.one]
nodes = 3
network = { model = "routes", nodes = ["x", "y", "z"], routers = ["r"], choose = "fewest_links", route = [
  { from = "x", to = "r", wires = ["a"] },
  { from = "y", to = "r", wires = ["a"] },
  { from = "z", to = "r", wires = ["a"] },
] }

[cluster.two]
nodes = 2
network = { model = "fair", latency = "20us", bandwidth = "1Gbit/s" }

[zone.all]
members = ["one", "two"]
route = [{ from = "one", to = "two", from_gateway = "one:r", wires = ["a"] }]
"#,
    );
    let few = |ranks: &str| {
        let mut command = advise(&folder);
        command.args(["--operation", "broadcast", "--sizes", "64B,1MiB", "--ranks", ranks]);
        command
    };
    few("4,5").assert().success();
    few("2").assert().code(2).stderr(contains("2 of the nodes do not form a platform"));
}
