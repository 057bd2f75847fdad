//! The small task graphs of `scenarios/stg.toml`: those with a known optimum are drawn by our generator, and the
//! optimum of each on several processors is proved by trying everything.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use hetsim::engine::Streams;
use hetsim::graph::TaskGraph;
use hetsim::graph::generate::rgpos::Rgpos;
use hetsim::graph::read::Format;
use hetsim::graph::write::write;

use super::{document, root};

const FOLDER: &str = "scenarios/data/stg";

/// Graphs whose optimum on so many processors is known by how they are drawn.
const DRAWN: &[(&str, Rgpos)] = &[
    ("rgpos-2.stg", Rgpos { processors: 2, tasks: 10, makespan: 30, predecessors: 2 }),
    ("rgpos-4.stg", Rgpos { processors: 4, tasks: 12, makespan: 16, predecessors: 3 }),
    ("rgpos-8.stg", Rgpos { processors: 8, tasks: 14, makespan: 10, predecessors: 3 }),
];

/// A graph of one of them. STG has times and no data here, so its optimum stays: waiting for less makes no schedule
/// longer, and all processors are busy all the time in the one that was cut.
fn drawn(shape: &Rgpos) -> TaskGraph {
    let known = shape.instance(&mut Streams::new(5, 0).stream("stg", 0)).unwrap();
    assert_eq!(known.makespan, shape.makespan);
    known.graph.scaled(1.0, 0.0).unwrap()
}

#[test]
fn graphs_of_known_optimum() {
    for (name, shape) in DRAWN {
        let mut text = Vec::new();
        write(&drawn(shape), Format::Stg, &mut text).unwrap();
        let about = format!(
            "# Drawn: full timelines of {} processors cut into tasks (RGPOS); the optimum there is {}.\n",
            shape.processors, shape.makespan
        );
        document(&format!("{FOLDER}/{name}"), &(String::from_utf8(text).unwrap() + &about));
    }
}

/// The optimum of every graph in the folder on 2, 4, 8 and 16 processors.
#[test]
fn optima() {
    let mut names: Vec<String> = fs::read_dir(root().join(FOLDER))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "stg"))
        .collect();
    names.sort();
    assert!(names.len() >= 9);
    let mut text = "file,procs,best\n".to_owned();
    for name in names {
        let graph = Format::Stg.read(&fs::read_to_string(root().join(FOLDER).join(&name)).unwrap()).unwrap();
        for processors in [2u32, 4, 8, 16] {
            let best = Search::new(&graph, processors as usize).optimum();
            if let Some((_, shape)) =
                DRAWN.iter().find(|(drawn, shape)| *drawn == name && shape.processors == processors)
            {
                assert_eq!(best, shape.makespan, "{name}");
            }
            writeln!(text, "{name},{processors},{best}").unwrap();
        }
    }
    document(&format!("{FOLDER}/optimal.csv"), &text);
}

/// Tries every order in which tasks can start on equal processors where data cost nothing. There is an optimal schedule
/// in which each task, in the order of starts, takes the processor that is free first, as early as it can.
struct Search {
    work: Vec<u64>,
    predecessors: Vec<Vec<usize>>,
    /// From the start of each task to the end, at least.
    tails: Vec<u64>,
    /// All tasks that wait for a task, as bits.
    waiting: Vec<u32>,
    processors: usize,
    best: u64,
    /// States that need not be tried again: what is done, when processors are free, when the tasks ended for which
    /// others wait.
    seen: HashSet<(u32, Vec<u64>, Vec<u64>)>,
}

impl Search {
    fn new(graph: &TaskGraph, processors: usize) -> Self {
        assert!(graph.tasks() <= 16, "more tasks than can be tried");
        let work: Vec<u64> = graph.ids().map(|task| graph.operations(task) as u64).collect();
        let predecessors =
            graph.ids().map(|task| graph.predecessors(task).map(|edge| edge.from as usize).collect()).collect();
        let waiting = graph.ids().map(|task| graph.successors(task).map(|edge| 1 << edge.to).sum()).collect();
        let mut tails = work.clone();
        for &task in graph.order().iter().rev() {
            let longest = graph.successors(task).map(|edge| tails[edge.to as usize]).max().unwrap_or(0);
            tails[task as usize] += longest;
        }
        Self { work, predecessors, tails, waiting, processors, best: u64::MAX, seen: HashSet::new() }
    }

    fn optimum(mut self) -> u64 {
        let (free, ends) = (vec![0; self.processors], vec![0; self.work.len()]);
        self.place(0, &free, &ends);
        self.best
    }

    /// Goes on from `done` tasks with their `ends`; the processors, the first free one first, are `free` then.
    fn place(&mut self, done: u32, free: &[u64], ends: &[u64]) {
        let count = self.work.len();
        let last = free.last().copied().unwrap_or(0);
        if done.count_ones() as usize == count {
            self.best = self.best.min(last);
            return;
        }
        let left: u64 = (0..count).filter(|task| done & 1 << task == 0).map(|task| self.work[task]).sum();
        if last >= self.best || (free.iter().sum::<u64>() + left).div_ceil(free.len() as u64) >= self.best {
            return;
        }
        let awaited = |task: &usize| done & 1 << task != 0 && self.waiting[*task] & !done != 0;
        let state = (done, free.to_vec(), (0..count).filter(awaited).map(|task| ends[task]).collect());
        if !self.seen.insert(state) {
            return;
        }
        for task in (0..count).filter(|task| done & 1 << task == 0) {
            if self.predecessors[task].iter().any(|before| done & 1 << before == 0) {
                continue;
            }
            let ready = self.predecessors[task].iter().map(|&before| ends[before]).max().unwrap_or(0);
            let start = ready.max(free[0]);
            if start + self.tails[task] >= self.best {
                continue;
            }
            let (mut free, mut ends) = (free.to_vec(), ends.to_vec());
            free[0] = start + self.work[task];
            ends[task] = free[0];
            free.sort_unstable();
            self.place(done | 1 << task, &free, &ends);
        }
    }
}

/// What is known without a search: pigeons, Graham's example (1969), Hu's tree, chains side by side.
#[test]
fn the_search_finds_what_is_known() {
    let optimum = |text: &str, processors| Search::new(&Format::Stg.read(text).unwrap(), processors).optimum();
    let anomaly = fs::read_to_string(root().join(FOLDER).join("anomaly.stg")).unwrap();
    assert_eq!((optimum(&anomaly, 3), optimum(&anomaly, 4), optimum(&anomaly, 1)), (12, 12, 34));
    assert_eq!(optimum("3\n0 2 0\n1 2 0\n2 2 0\n", 2), 4);
    assert_eq!(optimum("4\n0 1 0\n1 2 1 0\n2 3 0\n3 4 1 2\n", 2), 7);
}
