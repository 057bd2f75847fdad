//! Small workflows whose dependencies are known.

use std::fmt::Write as _;

use super::*;

/// A channel between two processes, in the words of Nextflow.
const TWO: &str = "digraph \"dag\" {\np0 [shape=point,label=\"\",xlabel=\"Channel.of\"];\np1 [label=\"A\"];\np0 -> p1 [label=\"x\"];\n\
    p1 [label=\"A\"];\np2 [shape=circle,label=\"\",xlabel=\"collect\"];\np1 -> p2;\n\np3 [label=\"B\"];\np2 -> p3;\n}\n";

/// Tasks as `PROCESS (TAG) SUBMITTED SECONDS`, which start when they are submitted, and have failed with a `!` before them.
fn log(tasks: &[&str]) -> TaskLog {
    let mut text = "name\tstatus\tsubmit\tstart\trealtime\n".to_owned();
    for task in tasks {
        let mut words = task.rsplitn(3, ' ');
        let [seconds, submitted, name] = [(); 3].map(|()| words.next().unwrap());
        let status = if name.starts_with('!') { "FAILED" } else { "COMPLETED" };
        let name = name.trim_start_matches('!');
        writeln!(text, "{name}\t{status}\t{submitted}000\t{submitted}000\t{seconds}000").unwrap();
    }
    let mut log = TaskLog::default();
    log.read(&text, None, &[]).unwrap();
    log
}

/// How the two processes belong together, and the pairs of their tasks.
#[track_caller]
fn check(tasks: &[&str], pairing: Pairing, edges: &[(u32, u32)]) {
    let found = Dependencies::of(&log(tasks), &Drawing::read(TWO).unwrap()).unwrap();
    assert_eq!((found.pairs[0].pairing, &found.edges[..]), (pairing, edges), "{tasks:?}");
    assert_eq!((found.pairs.len(), found.pairs[0].dependencies), (1, edges.len()));
}

#[test]
fn tags_say_which_tasks_belong_together() {
    check(&["A (x) 0 9", "A (y) 0 5", "B (y) 10 1", "B (x) 10 1"], Pairing::Tags, &[(0, 3), (1, 2)]);
    // Lanes that are merged, and the most words in common.
    check(&["A (s_1_a) 0 9", "A (s_1_b) 0 5", "B (s_1) 10 1"], Pairing::Tags, &[(0, 2), (1, 2)]);
    check(&["A (k:pbmc) 0 9", "A (k:5k_pbmc) 0 5", "B (k:m-5k_pbmc) 10 1"], Pairing::Tags, &[(1, 2)]);
    // Without such, the closest tag: here images of containers differ.
    let tasks = [
        "A (k:x) 0 9",
        "A (k:magic-pbmc:py) 0 5",
        "A (k:magic-zebra:py) 0 5",
        "B (k:mse-magic-pbmc:r) 10 1",
        "B (k:x) 10 1",
    ];
    check(&tasks, Pairing::Tags, &[(0, 4), (1, 3)]);
    // What starts before the end of the other did not wait for it.
    let tasks = ["A (x) 0 9", "A (y) 0 30", "B (x) 10 1", "B (y) 10 1"];
    check(&tasks, Pairing::Tags, &[(0, 2)]);
    assert_eq!(Dependencies::of(&log(&tasks), &Drawing::read(TWO).unwrap()).unwrap().contradicted, 1);
}

#[test]
fn the_next_attempt_waits_for_the_one_that_failed() {
    let edges = [(0, 1), (1, 3), (1, 4), (2, 5), (3, 4)];
    let tasks = ["!A (x) 0 2", "A (x) 3 5", "A (y) 0 5", "!B (x) 10 1", "B (x) 12 1", "B (y) 10 1"];
    let found = Dependencies::of(&log(&tasks), &Drawing::read(TWO).unwrap()).unwrap();
    assert_eq!((&found.edges[..], found.pairs[0].dependencies), (&edges[..], 3));
    assert_eq!(most_submitted(&log(&tasks)), [2]);
}

#[test]
fn instants_say_it_without_tags() {
    // The numbers of tasks are no tags.
    check(&["A (1) 0 9", "A (2) 0 5", "B (1) 5 1", "B (2) 9 1"], Pairing::Order, &[(0, 3), (1, 2)]);
    check(&["A (x) 0 9", "A (y) 0 5", "B 10 1"], Pairing::All, &[(0, 2), (1, 2)]);
    check(&["A (1) 0 9", "A (2) 0 3", "A (3) 0 20", "B (p) 5 1", "B (q) 10 1"], Pairing::Latest, &[(0, 4), (1, 3)]);
    check(&["A (null) 0 9", "B (null) 10 1"], Pairing::All, &[(0, 1)]);
}

#[test]
fn a_submission_counts_that_waited_for_the_server_only() {
    // B waits for A; the third A waits for nothing.
    let log = log(&["A (x) 0 50", "A (y) 2 60", "A (z) 5 40", "B (x) 70 1", "B (y) 74 1"]);
    let found = Dependencies::of(&log, &Drawing::read(TWO).unwrap()).unwrap();
    // 2 and 3 s between those of A; between those of B the first has ended.
    assert_eq!(found.between_submissions(&log), Some(2.5));
    assert_eq!(Dependencies::default().between_submissions(&TaskLog::default()), None);
}

#[test]
fn drawings_are_of_the_workflow() {
    let error = |tasks: &[&str], text: &str| Dependencies::of(&log(tasks), &Drawing::read(text).unwrap()).unwrap_err();
    assert!(error(&["C 0 1"], TWO).contains("no process `C`"));
    assert!(error(&["S:A 0 1", "T:A 0 1"], TWO).contains("`A` of the graph may be `S:A` or `T:A`"));
    // A drawing by hand, of processes without their workflows; the process between them has no tasks.
    let by_hand = "digraph { A -> C -> B; A -> D -> C; C [label=\"Gate\"] }";
    let found = Dependencies::of(&log(&["S:A 0 1", "S:B 2 1"]), &Drawing::read(by_hand).unwrap()).unwrap();
    assert_eq!(found.edges, []);
    let found = Dependencies::of(&log(&["S:A 0 1", "S:B 2 1"]), &Drawing::read("digraph { A -> D -> B }").unwrap());
    assert_eq!(found.unwrap().edges, [(0, 1)]);
    let mut bare = TaskLog::default();
    bare.read("name\tstatus\trealtime\nA\tCOMPLETED\t10\n", None, &[]).unwrap();
    assert!(Dependencies::of(&bare, &Drawing::read(TWO).unwrap()).unwrap_err().contains("when they were submitted"));
}
