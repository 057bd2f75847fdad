//! What files say of tasks besides their work: their types, the machines on which they ran, when they arrive, and files.

use super::super::*;
use crate::write;

/// A task's type is the program that it runs: that of its command, the name of a job, or what WfCommons puts before its number.
#[test]
fn types_of_tasks_are_read_and_come_back() {
    let types =
        |graph: &TaskGraph| graph.ids().map(|task| graph.type_name(task).map(str::to_owned)).collect::<Vec<_>>();
    let dax = "<adag version=\"2.1\"><job id=\"ID01\" name=\"mProject\" runtime=\"1\"/>\
               <job id=\"b\" name=\"b\" runtime=\"1\"/></adag>";
    let some = |name: &str| Some(name.to_owned());
    let graph = Format::Dax.read(dax).unwrap();
    assert_eq!(types(&graph), [some("mProject"), None]);
    let json = r#"{"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [
        {"name": "sift", "id": "x1"}, {"name": "merge_ID0000002", "id": "merge_ID0000002"}, {"name": "c3", "id": "c3"},
        {"name": "d_7", "id": "d4"}],
        "files": []}, "execution": {"tasks": [{"id": "x1", "runtimeInSeconds": 1},
        {"id": "merge_ID0000002", "runtimeInSeconds": 2}, {"id": "c3", "runtimeInSeconds": 2},
        {"id": "d4", "runtimeInSeconds": 2, "command": {"program": "d", "arguments": ["-v"]}}]}}}"#;
    let graph = Format::Wfformat.read(json).unwrap();
    assert_eq!(types(&graph), [some("sift"), some("merge"), None, some("d")]);
    for format in [Format::Toml, Format::Dax, Format::Wfformat] {
        let mut text = Vec::new();
        write::write(&graph, format, &mut text).unwrap();
        let again = format.read(std::str::from_utf8(&text).unwrap()).unwrap();
        assert_eq!(types(&again), types(&graph), "{format:?}");
    }
    assert_eq!(write::lost(&graph, Format::Stg), ["the names of tasks", "the types of tasks"]);
}

/// The machines of a recorded run are numbered as the file lists them, whoever names them first.
#[test]
fn machines_of_tasks_are_read_and_come_back() {
    let machines = |graph: &TaskGraph| {
        let of = graph.ids().map(|task| graph.machine_of(task)).collect::<Vec<_>>();
        (graph.machines().join(" "), of)
    };
    let split = |tasks: &str, listed: &str| {
        format!(
            r#"{{"schemaVersion": "1.5", "workflow": {{"specification": {{"tasks": [{{"id": "a"}}, {{"id": "b"}}, {{"id": "c"}}]}},
            "execution": {{"tasks": [{tasks}] {listed}}}}}}}"#
        )
    };
    let run = |id: &str, more: &str| format!(r#"{{"id": "{id}", "runtimeInSeconds": 1{more}}}"#);
    let tasks = [run("a", r#", "machines": ["two"]"#), run("b", ""), run("c", r#", "machines": ["new"]"#)].join(", ");
    let text =
        split(&tasks, r#", "machines": [{"nodeName": "one", "cpu": {}}, {"system": "linux"}, {"nodeName": "two"}]"#);
    let read = Format::Wfformat.read_all(&text).unwrap().remove(0);
    let found = ("one two new".to_owned(), vec![Some(1), None, Some(2)]);
    assert_eq!((machines(&read.graph), read.notes.len()), (found.clone(), 0));
    for format in [Format::Toml, Format::Wfformat] {
        let mut text = Vec::new();
        write::write(&read.graph, format, &mut text).unwrap();
        let again = format.read(std::str::from_utf8(&text).unwrap()).unwrap();
        assert_eq!((machines(&again), &again), (found.clone(), &read.graph), "{format:?}");
        assert_eq!(write::lost(&read.graph, format), Vec::<&str>::new());
    }
    assert_eq!(write::lost(&read.graph, Format::Dot), ["where tasks ran"]);
    assert_eq!(machines(&read.graph.clone().scaled(2.0, 1.0).unwrap()), found);
    // Up to 1.4 a task names one, in 1.5 it may name several.
    for version in ["1.2", "1.3", "1.4"] {
        let tasks = if version == "1.2" { "jobs" } else { "tasks" };
        let text = format!(
            r#"{{"schemaVersion": "{version}", "workflow": {{"machines": [{{"nodeName": "x"}}, {{"nodeName": "y"}}], "{tasks}": [
            {{"name": "a", "runtime": 1, "machine": "y"}}, {{"name": "b", "runtime": 1, "machine": null}}]}}}}"#
        );
        assert_eq!(
            machines(&Format::Wfformat.read(&text).unwrap()),
            ("x y".to_owned(), vec![Some(1), None]),
            "{version}"
        );
    }
    let several = r#", "machines": ["one", "two"]"#;
    for (tasks, words) in [
        ([run("a", several), run("b", ""), run("c", "")], "task \"a\" ran on several machines: the first"),
        (
            [run("a", ""), run("b", several), run("c", several)],
            "\"b\" ran on several machines, and so did 1 other task",
        ),
    ] {
        let read = Format::Wfformat.read_all(&split(&tasks.join(", "), "")).unwrap().remove(0);
        assert!(read.notes.len() == 1 && read.notes[0].message().contains(words), "{:?}", read.notes);
        assert_eq!(read.graph.machines(), ["one"]);
    }
}

/// By hand: two jobs, of which the first has two tasks that read the same file.
#[test]
fn jobs_and_files_of_tasks_are_read_and_come_back() {
    let text = r#"
        version = 1
        tasks = [
          { name = "a", operations = 1, arrival = "2s", reads = ["genome"], writes = ["out"] },
          { name = "b", operations = 1, reads = ["genome", "out"] },
          { name = "c", operations = 1, arrival = 2.5 },
        ]
        edges = [{ from = "a", to = "b", bytes = 7 }]
        [files]
        genome = "3kB"
        out = 7
    "#;
    let graph = Format::Toml.read(text).unwrap();
    let jobs = graph.jobs();
    assert_eq!((jobs.count(), jobs.arrival_s(0), jobs.tasks(0), jobs.arrival_s(1)), (2, 2.0, 0..2, 2.5));
    assert_eq!(graph.file_sizes(), [3000, 7]);
    assert_eq!(graph.files_read(1).collect::<Vec<_>>(), [(0, 3000), (1, 7)]);
    assert_eq!(graph.files_written(0).collect::<Vec<_>>(), [(1, 7)]);
    assert_eq!(write::lost(&graph, Format::Toml), Vec::<&str>::new());
    assert_eq!(write::lost(&graph, Format::Dot), ["files from outside, and shared ones", "when jobs arrive"]);
    let mut written = Vec::new();
    write::write(&graph, Format::Toml, &mut written).unwrap();
    assert_eq!(Format::Toml.read(std::str::from_utf8(&written).unwrap()).unwrap(), graph);
}

/// Files from outside, and one that two tasks read, go through the formats of workflows; where files don't tell what an
/// edge carries, its data are kept.
#[test]
fn files_of_workflows_come_back() {
    let text = |bytes: u32| {
        format!(
            r#"
            version = 1
            tasks = [
              {{ name = "a", operations = 1, reads = ["genome"], writes = ["out"] }},
              {{ name = "b", operations = 1, reads = ["genome", "out"] }},
              {{ name = "c", operations = 1, reads = ["out"] }},
            ]
            edges = [{{ from = "a", to = "b", bytes = {bytes} }}, {{ from = "a", to = "c", bytes = 7 }}]
            [files]
            genome = "3kB"
            out = 7
            "#
        )
    };
    for format in [Format::Wfformat, Format::Dax] {
        for (bytes, lost) in [(7, &[][..]), (8, &["files from outside, and shared ones"])] {
            let graph = Format::Toml.read(&text(bytes)).unwrap();
            assert_eq!(write::lost(&graph, format), lost);
            let mut written = Vec::new();
            write::write(&graph, format, &mut written).unwrap();
            let again = format.read(std::str::from_utf8(&written).unwrap()).unwrap();
            assert_eq!((again == graph, again.bytes(0)), (lost.is_empty(), u64::from(bytes)), "{format}");
        }
    }
}

/// What a graph in TOML contradicts itself in is refused where it stands.
#[test]
fn machines_not_listed_and_edges_between_jobs_are_refused_at_their_lines() {
    let machine = "version = 1\nmachines = [\"m1\"]\ntasks = [\n{ operations = 1, machine = \"m3\" }]\n";
    let jobs = "version = 1\ntasks = [{ name = \"a\", operations = 1, arrival = 0 }, \
                { name = \"b\", operations = 1, arrival = 1 }]\nedges = [\n{ from = \"a\", to = \"b\" }]\n";
    for (text, message) in [
        (machine, "line 4, column 1: `machines` does not list \"m3\""),
        (jobs, "line 4, column 1: the edge a → b leads from one job to another"),
    ] {
        assert_eq!(Format::Toml.read(text).unwrap_err().to_string(), message);
    }
}
