mod labels;

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::Builder;
use crate::generate::{Family, Generator, random};
use crate::write;
use hetsim_base::engine::Streams;

fn sample(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/graphs").join(file);
    std::fs::read_to_string(path).unwrap()
}

const SAMPLES: [&str; 14] = [
    "diamond.toml",
    "plain.stg",
    "costs.stg",
    "diamond.dot",
    "workflow-1.2.json",
    "workflow-1.3.json",
    "workflow-1.4.json",
    "workflow-1.5.json",
    "workflow-1.6.json",
    "workflow.dax",
    "subgraphs.dot",
    "matrix.json",
    "two.json",
    "jobs.swf",
];

fn format(file: &str, text: &str) -> Format {
    Format::of(file.rsplit('.').next().unwrap(), text).unwrap()
}

fn graph(file: &str) -> TaskGraph {
    let text = sample(file);
    format(file, &text).read(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn works(graph: &TaskGraph) -> Vec<f64> {
    graph.ids().map(|task| graph.operations(task)).collect()
}

fn edges(graph: &TaskGraph) -> Vec<(u32, u32, u64)> {
    graph.edges().map(|edge| (edge.from, edge.to, edge.bytes)).collect()
}

fn labels(graph: &TaskGraph) -> Vec<String> {
    graph.ids().map(|task| graph.label(task)).collect()
}

#[test]
fn samples_say_what_is_in_them() {
    let toml = graph("diamond.toml");
    assert_eq!(labels(&toml), ["fetch", "left", "right", "join"]);
    assert_eq!(works(&toml), [3.0, 4.0, 5.5, 1.0]);
    assert_eq!(edges(&toml), [(0, 1, 1024), (0, 2, 500), (1, 3, 0), (2, 3, 7)]);
    assert_eq!(toml.seconds().unwrap().row(2), [5.0, 6.0]);

    let plain = graph("plain.stg");
    assert_eq!(works(&plain), [0.0, 4.0, 6.0, 5.0, 0.0]);
    assert_eq!(edges(&plain), [(0, 1, 0), (0, 2, 0), (1, 3, 0), (2, 3, 0), (3, 4, 0)]);
    let costs = graph("costs.stg");
    assert_eq!(works(&costs), [3.0, 4.0, 5.5, 1.0]);
    assert_eq!(edges(&costs), [(0, 1, 10), (0, 2, 20), (1, 3, 30), (2, 3, 40)]);

    let dot = graph("diamond.dot");
    assert_eq!(labels(&dot), ["fetch", "left", "right side", "join"]);
    assert_eq!(works(&dot), [4e6, 2.0, 3.0, 0.5]);
    assert_eq!(edges(&dot), [(0, 1, 1024), (0, 2, 0), (1, 3, 1024), (2, 3, 0)]);

    for file in [
        "workflow-1.2.json",
        "workflow-1.3.json",
        "workflow-1.4.json",
        "workflow-1.5.json",
        "workflow-1.6.json",
        "workflow.dax",
    ] {
        let graph = graph(file);
        assert_eq!(labels(&graph), ["split", "work", "after"], "{file}");
        assert_eq!(works(&graph), [2.5, 4.0, 1.0], "{file}");
        // A parent that shares no file with its child gives an edge of size zero.
        assert_eq!(edges(&graph), [(0, 1, 3500), (0, 2, 0), (1, 2, 0)], "{file}");
        // The file that `split` reads is written by no task.
        let files = graph.ids().map(|task| (graph.read_bytes(task), graph.written_bytes(task)));
        assert_eq!(files.collect::<Vec<_>>(), [(9000, 3500), (3500, 0), (0, 0)], "{file}");
    }

    let dot = graph("subgraphs.dot");
    assert_eq!(labels(&dot), ["start", "a", "b", "c", "d", "end"]);
    assert_eq!(works(&dot), [1.0, 5.0, 5.0, 7.0, 0.25, 1.0]);
    assert_eq!(edges(&dot), [(0, 1, 10), (0, 2, 10), (1, 3, 1000), (2, 3, 1000), (3, 4, 20), (3, 5, 20), (4, 5, 0)]);

    let matrix = graph("matrix.json");
    assert_eq!(works(&matrix), [3.0, 4.0, 5.5, 1.0]);
    assert_eq!(edges(&matrix), edges(&costs));
    let swf = graph("jobs.swf");
    assert_eq!(works(&swf), [60.5, 60.5, 7.0, 7.0, 7.0, 12.0]);
    assert_eq!((0..3).map(|job| swf.jobs().arrival_s(job)).collect::<Vec<_>>(), [0.0, 30.0, 30.25]);
    let two = Format::Matrix.read_all(&sample("two.json")).unwrap();
    assert_eq!(two.iter().map(|one| one.name.as_deref().unwrap()).collect::<Vec<_>>(), ["chain", "pair"]);
    assert_eq!(works(&two[1].graph), [4.0, 4.5]);
    assert!(Format::Matrix.read(&sample("two.json")).unwrap_err().message().contains("2 graphs"));
}

/// A wrong text of a format, with the position and a part of its message.
type WrongText = (Format, &'static str, Option<(usize, usize)>, &'static str);

const FAULTS: &[WrongText] = &[
    (Format::Stg, "2\n0 1 0\n1 x 0\n", Some((3, 3)), "x"),
    (Format::Stg, "2\n0 1 0\n2 1 0\n", Some((3, 1)), "expected task 1"),
    (Format::Stg, "9\n0 1 0\n", Some((1, 1)), "truncated"),
    (Format::Stg, "2\n0 1 0\n1 1 1 7\n", Some((3, 7)), "no task 7"),
    (Format::Stg, "2\n0 1 0\n1 1 2 0 0 0\n", Some((3, 5)), "expected 2 predecessors"),
    (Format::Stg, "2\n0 1 0\n1 1 2 0 0\n", Some((3, 9)), "twice"),
    (Format::Stg, "2\n0 1 0\n1 1 18446744073709551615\n", Some((3, 5)), "expected the number"),
    (Format::Stg, "3\n0 1 0\n1 1 1 0\n2 1 1 0 5\n", Some((4, 1)), "have costs"),
    (Format::Stg, "2\n0 1 1 1\n1 1 1 0\n", Some((2, 7)), "cycle: 0 → 1 → 0"),
    (Format::Stg, "4294967295\n0 1 0\n", Some((1, 1)), "truncated"),
    (Format::Stg, "99999999999999999999\n0 1 0\n", Some((1, 1)), "number of tasks"),
    (Format::Stg, "2\n0 1 0\n1 1 4294967295 0\n", Some((3, 5)), "expected 4294967295 predecessors"),
    (Format::Stg, "2\n0 1 0\n1 -1 1 0\n", Some((3, 3)), "-1"),
    (Format::Stg, "2\n0 1 0\n1 1 1 0 -5\n", Some((3, 9)), "-5"),
    (Format::Stg, "2\n0 1 0\n1 nan 1 0\n", Some((3, 3)), "nan"),
    (Format::Dot, "digraph {\n node [size=1]\n a -> b\n b -> c -> a\n}", Some((4, 7)), "cycle: a → b → c → a"),
    (Format::Dot, "digraph {\n node [size=1]\n a -> b\n a -> b\n}", Some((4, 2)), "twice"),
    (Format::Stg, "", Some((1, 1)), "number of tasks"),
    (Format::Stg, "0\n", None, "no task"),
    (Format::Dot, "graph { a -- b }", Some((1, 1)), "digraph"),
    (Format::Dot, "digraph {\n a [size=1]\n b\n}", Some((3, 2)), "\"b\" has no work"),
    (Format::Dot, "digraph { é [size=1]; é -> é }", Some((1, 23)), "waits for itself"),
    (Format::Dot, "digraph { a [size=-1] }", Some((1, 19)), "-1"),
    (Format::Dot, "digraph { a [size=1]", Some((1, 21)), "ends within"),
    (Format::Dot, "digraph { subgraph x a }", Some((1, 22)), "expected `{`"),
    (Format::Dot, "digraph { a [size=1]; b [size=1]; a -> {b a} }", Some((1, 35)), "waits for itself"),
    (Format::Dot, "digraph { a -> }", Some((1, 16)), "the name of a node, or a subgraph"),
    (Format::Dot, "digraph { {a [size=1] }", Some((1, 24)), "ends within"),
    (Format::Dot, "digraph { a:n -> b }", Some((1, 12)), "ports"),
    (Format::Dot, "digraph { a [size=\"1 }", Some((1, 19)), "no end"),
    (Format::Dax, "<adag><job id=\"a\"/></adag>", Some((1, 7)), "`runtime`"),
    (Format::Dax, "<adag><job id=\"a\" runtime=\"1\"/>", Some((1, 32)), "ends within"),
    (Format::Dax, "<adag><child ref=\"a\"><parent ref=\"b\"/></child></adag>", Some((1, 7)), "no job \"a\""),
    (Format::Dax, "<!DOCTYPE a [<!ENTITY x \"y\">]><adag/>", Some((1, 1)), "document type"),
    (Format::Dax, "<adag><job id=\"&x;\" runtime=\"1\"/></adag>", Some((1, 7)), "x"),
    (Format::Dax, "<graph/>", Some((1, 1)), "adag"),
    (Format::Matrix, "{\"weights\": [1],\n \"edges\": [[0, 1", Some((2, 16)), "EOF"),
    (Format::Matrix, "{\"weights\": [1], \"edges\": [[0, 1, 5]]}", None, "`edges`, item 0"),
    (Format::Matrix, "{\"w\": [[1, 2], [1]], \"edges\": []}", None, "row 1"),
    (Format::Matrix, "{\"edges\": []}", None, "`weights`"),
    (Format::Wfformat, "{\"workflow\": {\"tasks\": []}}", None, "schemaVersion"),
    (Format::Wfformat, "{\"schemaVersion\": \"1.7\", \"workflow\": {}}", Some((1, 20)), "1.7 is not supported"),
    (
        Format::Wfformat,
        "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": [], \"files\": [
                {\"id\": \"f\", \"sizeInBytes\": 5}, {\"id\": \"f\", \"sizeInBytes\": 5},
                {\"id\": \"f\", \"sizeInBytes\": 7}]}, \"execution\": {\"tasks\": []}}}",
        Some((3, 25)),
        "the file \"f\" has 7 bytes here and 5 bytes before",
    ),
    (
        Format::Wfformat,
        "{\"schemaVersion\": \"1.2\", \"workflow\": {\"jobs\": [{\"name\": \"a\", \"runtime\": 1, \"files\": [
                {\"link\": \"output\", \"name\": \"f\", \"size\": 5}]}, {\"name\": \"b\", \"runtime\": 1, \"files\": [
                {\"link\": \"input\", \"name\": \"f\", \"size\": 6}]}]}}",
        Some((3, 44)),
        "the file \"f\" has 6 bytes here and 5 bytes before",
    ),
    (Format::Wfformat, "{\"schemaVersion\": \"1.2\", \"workflow\": {\"tasks\": []}}", None, "`jobs`"),
    (Format::Wfformat, "{\"schemaVersion\": \"1.5\", \"workflow\": {\"tasks\": []}}", None, "`specification`"),
    (
        Format::Wfformat,
        "{\"schemaVersion\": \"1.4\", \"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtime\": 1, \"parents\": [\"b\"]}]}}",
        Some((1, 90)),
        "\"b\", which is not a task",
    ),
    (Format::Swf, "; x\n1 0 0 5 1 0\n", Some((2, 1)), "the 18 numbers of a job, not 6"),
    (Format::Swf, "1 0 0 5 1 0 0 1 0 0 1 1 1 1 1 1 -1 -1 7", Some((1, 1)), "not 19"),
    (Format::Swf, "1 0 0 5 1 0 0 1 0 0 1 1 1 1 1 1 -1 -", Some((1, 36)), "expected a number, not -"),
    (Format::Swf, "1 0 0 inf 1 0 0 1 0 0 1 1 1 1 1 1 -1 -1", Some((1, 7)), "expected a number, not inf"),
    (Format::Swf, "1 -1 0 5 1 0 0 1 0 0 1 1 1 1 1 1 -1 -1", Some((1, 3)), "of 0 s or later, not -1"),
    (
        Format::Swf,
        "1 9 0 0 1 0 0 1 0 0 1 1 1 1 1 1 -1 -1\n 2 8.5 0 5 1 0 0 1 0 0 1 1 1 1 1 1 -1 -1",
        Some((2, 4)),
        "of 9 s or later, not 8.5",
    ),
    (Format::Swf, "1 0 0 5 -1 0 0 1e7 0 0 1 1 1 1 1 1 -1 -1", Some((1, 16)), "at most 1000000, not 10000000"),
    (Format::Swf, "1 0 0 5 1.5 0 0 1 0 0 1 1 1 1 1 1 -1 -1", Some((1, 9)), "whole number of processors"),
    (Format::Swf, "1 0 0 0 1 0 0 1 0 0 1 1 1 1 1 1 -1 -1", None, "no job with a run time"),
    (Format::Swf, "", None, "no job"),
    (Format::Toml, "version = 2\ntasks = []", Some((1, 11)), "version 2"),
    (Format::Toml, "version = 1\ntasks = [{ name = \"a\" }]", Some((2, 10)), "`operations`"),
    (Format::Toml, "version = 1\ntasks = [{ work = 1 }]", Some((2, 12)), "work"),
    (
        Format::Toml,
        "version = 1\ntasks = [{ operations = 1 },\n { operations = 1, arrival = 3 }]",
        Some((3, 2)),
        "the first task has no `arrival`",
    ),
    (
        Format::Toml,
        "version = 1\ntasks = [{ operations = 1, arrival = 3 },\n { operations = 1, arrival = \"2s\" }]",
        Some((3, 2)),
        "it must be 3 or more",
    ),
    (
        Format::Toml,
        "version = 1\ntasks = [{ operations = 1, reads = [\"f\"] }]\nfiles = { g = 1 }",
        Some((2, 10)),
        "`files` has no file \"f\"",
    ),
    (Format::Toml, "version = 1\ntasks = [{ operations = 1 }]\nfiles = { g = \"1Gop\" }", Some((3, 15)), "Gop"),
    (
        Format::Toml,
        "version = 1\ntasks = [{ operations = 1 }]\nedges = [{ from = 0, to = \"x\" }]",
        Some((3, 10)),
        "no task \"x\"",
    ),
];

#[test]
fn faults_have_a_place() {
    for &(format, text, place, word) in FAULTS {
        let error = format.read(text).unwrap_err();
        assert_eq!(error.place(), place, "{text}: {error}");
        assert!(error.message().contains(word), "{text}: {error}");
    }
}

/// Every documented name is read; a number under another name gives a note with its position.
#[test]
fn attributes_of_dot_are_read_or_noted() {
    let edge = |attributes: &str| format!("digraph {{ node [size=1]\n a -> b [{attributes}] }}");
    for name in
        "bytes data datasize data_size communication comm comm_cost volume commVolume transfer message size weight \
        cost label Bytes"
            .split_whitespace()
    {
        let instances = Format::Dot.read_all(&edge(&format!("{name}=\"2 kB\", color=\"0.5 0.5 0.5\""))).unwrap();
        assert_eq!((edges(&instances[0].graph), instances[0].notes.len()), (vec![(0, 1, 2000)], 0), "{name}");
    }
    for name in
        "operations ops flops work computation comp_cost cost weight size runtime exec_time duration time seconds"
            .split_whitespace()
    {
        let instances = Format::Dot.read_all(&format!("digraph {{ a [{name}=\"7\", label=\"3\", width=2] }}")).unwrap();
        assert_eq!((works(&instances[0].graph), instances[0].notes.len()), (vec![7.0], 0), "{name}");
    }
    let time = Format::Dot.read("digraph { a [runtime=\"5ms\"] }").unwrap();
    assert_eq!(works(&time), [5e-3]);
    let remarks = |text: &str| {
        let notes = Format::Dot.read_all(text).unwrap().remove(0).notes;
        notes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let one = remarks(&edge("payload=\"5MB\""));
    assert_eq!(one.len(), 1);
    assert!(
        one[0].starts_with("line 2, column 18: the number in `payload` of an edge is not read: it is not a known name"),
        "{one:?}"
    );
    for (attributes, words) in [
        ("bytes=5, size=7", "`size` of an edge is not read: the data comes from `bytes`"),
        ("size=7, bytes=5", "`size` of an edge is not read: the data comes from `bytes`"),
        ("label=\"5ms\"", "`label` of an edge is not read: it is not an amount of data"),
        ("bytes=5, payload=3] b -> c [payload=4", "is not read, nor are 1 others with that name"),
    ] {
        let notes = remarks(&edge(attributes));
        assert!(notes.len() == 1 && notes[0].contains(words), "{attributes}: {notes:?}");
    }
    let chain = remarks(&edge("label=3, size=7, bytes=5"));
    assert!(chain.len() == 2 && chain.iter().all(|note| note.ends_with("the data comes from `bytes`")), "{chain:?}");
    for attributes in ["bytes=1000, label=\"1 kB\"", "bytes=5, weight=2", "bytes=5, penwidth=2, label=\"then\""] {
        assert_eq!(remarks(&edge(attributes)), Vec::<String>::new(), "{attributes}");
    }
    assert_eq!(remarks("digraph { graph [total=5]; a [size=1, alpha=0.5] }").len(), 1);
}

/// The number of edges from subgraphs is bounded, not only the length of the text.
#[test]
fn subgraphs_do_not_flood() {
    let many = (0..5000).map(|node| format!("n{node}")).collect::<Vec<_>>().join(" ");
    let error = Format::Dot.read(&format!("digraph {{ node [size=1] {{{many}}} -> {{m{many}}} }}")).unwrap_err();
    assert!(error.message().contains("more than 16777216 edges"), "{error}");
}

/// A reopened subgraph repeats all its nodes, in its parent too; this is bounded as well.
#[test]
fn subgraphs_named_again_do_not_flood() {
    let many = (0..10_000).map(|node| format!("n{node}")).collect::<Vec<_>>().join(" ");
    let text = |times: usize| {
        let again = "subgraph x {}".repeat(times);
        format!("digraph {{ node [size=1] subgraph p {{ subgraph x {{ {many} }} {again} }} }}")
    };
    let error = Format::Dot.read(&text(100_000)).unwrap_err();
    assert!(error.message().contains("named again repeat more than 4194304 nodes"), "{error}");
    assert_eq!(Format::Dot.read(&text(10)).unwrap().tasks(), 10_000);
}

/// Published workflows list a file with several sizes; the first counts, with a note.
#[test]
fn files_of_two_sizes_are_noted_in_a_dax() {
    let text = sample("workflow.dax").replace("\"a\" link=\"input\" size=\"1500\"", "\"a\" link=\"input\" size=\"7\"");
    let read = Format::Dax.read_all(&text).unwrap().remove(0);
    assert_eq!(edges(&read.graph)[0], (0, 1, 3500));
    assert_eq!(read.notes.len(), 1);
    assert!(
        read.notes[0].message().contains("\"a\" has 7 bytes here and 1500 bytes before: the first"),
        "{:?}",
        read.notes
    );
}

#[test]
fn nesting_has_limits() {
    let deep = |open: &str| open.repeat(200_000);
    for (format, text) in [
        (Format::Dax, format!("<adag>{}", deep("<a>"))),
        (Format::Matrix, deep("[")),
        (Format::Wfformat, deep("{\"a\":")),
        (Format::Toml, format!("version = 1\ntasks = {}", deep("["))),
        (Format::Dot, format!("digraph {}", deep("{"))),
        (Format::Dot, format!("digraph {{ a -> {}", deep("{ b -> "))),
        (Format::Dot, format!("digraph {{ {}", deep("subgraph x { "))),
    ] {
        assert!(format.read(&text).is_err());
    }
}

/// The edges of a graph that a format holds.
fn kept_edges(graph: &TaskGraph, format: Format) -> Vec<(u32, u32, u64)> {
    if write::lost(graph, format).contains(&"the edges") { Vec::new() } else { edges(graph) }
}

/// Writing and reading a graph gives the same graph, whatever the names.
fn round_trip(graph: &TaskGraph) {
    for &format in Format::ALL {
        let mut bytes = Vec::new();
        write::write(graph, format, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let back = format.read(&text).unwrap_or_else(|error| panic!("{format}: {error}\n{text}"));
        if write::lost(graph, format).is_empty() {
            assert_eq!(&back, graph, "{format}\n{text}");
        } else {
            assert_eq!((back.tasks(), edges(&back)), (graph.tasks(), kept_edges(graph, format)), "{format}");
        }
    }
}

#[test]
fn samples_come_back() {
    for file in SAMPLES.iter().filter(|file| **file != "two.json") {
        round_trip(&graph(file));
    }
    let mut builder = Builder::new();
    for name in ["\"", "a\\", "<&'>", "zwei Wörter", "tab\there", "line\nhere", "node", "\\n", "\u{1f600}"] {
        builder.named_task(name, 0.1 + 0.2).unwrap();
    }
    builder.edge(8, 0, u64::from(u32::MAX) * 3).unwrap();
    round_trip(&builder.build().unwrap());
}

/// A node whose name is empty is a task of its own, beside one that has its number as a name.
#[test]
fn an_empty_name_is_not_a_number() {
    let text = "digraph { node [work=1]; a; \"\"; \"1\"; a -> \"\" [bytes=9007199254740993] }";
    let graph = Format::Dot.read(text).unwrap();
    assert_eq!(graph.ids().map(|task| graph.label(task)).collect::<Vec<_>>(), ["a", "_1", "1"]);
    round_trip(&graph);
}

/// A graph of so many tasks, with three edges each, survives writing and reading in every format.
fn large_graph_comes_back(tasks: u32) {
    let mut builder = Builder::new();
    for task in 0..tasks {
        builder.task(f64::from(task % 7)).unwrap();
    }
    for edge in 0..3 * tasks {
        let from = edge / 3;
        if from + 1 + edge % 3 < tasks {
            builder.edge(from, from + 1 + edge % 3, u64::from(edge % 2)).unwrap();
        }
    }
    round_trip(&builder.build().unwrap());
}

#[test]
fn large_files_are_read() {
    large_graph_comes_back(30_000);
}

#[test]
#[ignore = "takes seconds; `.ci/run` runs it"]
fn files_of_three_hundred_thousand_edges_are_read() {
    large_graph_comes_back(100_000);
}

proptest! {
    #[test]
    fn generated_graphs_come_back(seed in any::<u64>(), tasks in 1u32..40, successors in 1u32..6) {
        let shape = Family::Random(random::Random { tasks, successors, spread: 0.3 });
        let graph = Generator::of(shape).generate(&mut Streams::new(seed, 0).stream("graph", 0)).unwrap();
        round_trip(&graph);
    }

    /// Names that are numbers, names that are missing, and any number of bytes.
    #[test]
    fn names_and_bytes_come_back(
        names in Just(["", "", "0", "1", "2", "_1", "_0", "a", "é \" \\"]).prop_shuffle(),
        tasks in 1u32..9,
        bytes in prop::collection::vec(any::<u64>(), 8),
    ) {
        let mut builder = Builder::new();
        for name in &names[..tasks as usize] {
            builder.named_task(name, 1.0).unwrap();
        }
        for (task, &bytes) in (1..tasks).zip(&bytes) {
            builder.edge(task - 1, task, bytes >> (task % 64)).unwrap();
        }
        let graph = builder.build().unwrap();
        for &format in Format::ALL {
            let mut written = Vec::new();
            write::write(&graph, format, &mut written).unwrap();
            let text = String::from_utf8(written).unwrap();
            let back = format.read(&text).unwrap_or_else(|error| panic!("{format}: {error}\n{text}"));
            prop_assert_eq!(edges(&back), kept_edges(&graph, format), "{}", text);
            if write::lost(&graph, format).is_empty() {
                let labels = |graph: &TaskGraph| graph.ids().map(|task| graph.label(task)).collect::<Vec<_>>();
                prop_assert_eq!(labels(&back), labels(&graph), "{}", text);
            }
        }
    }

    /// Reading any mutated file ends with a graph or an error.
    #[test]
    fn mutated_files_never_panic(
        which in 0..SAMPLES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..6),
    ) {
        let text = sample(SAMPLES[which]);
        let format = format(SAMPLES[which], &text);
        let mut bytes = text.into_bytes();
        for (at, byte, kind) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.truncate(at),
                2 => bytes.insert(at, b"\"\\{}[]<>&9-0.eE,:;=\n #"[byte as usize % 22]),
                _ => drop(bytes.remove(at)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        for other in [&[format], Format::ALL].concat() {
            if let Err(error) = other.read_all(&text) {
                prop_assert!(!error.message().is_empty());
                prop_assert!(error.offset().is_none_or(|at| text.is_char_boundary(at)), "{other}: {error}");
            }
        }
    }
}
