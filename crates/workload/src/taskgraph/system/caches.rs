//! What nodes keep of the files that their tasks have read and written, and what is on its way to them.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;

use priority_queue::PriorityQueue;
use rustc_hash::{FxHashMap, FxHasher};

use crate::taskgraph::instance::Instance;
use hetsim_cluster::NodeId;
use hetsim_graph::TaskGraph;

/// The caches of all nodes.
#[derive(Debug)]
pub(super) struct Caches {
    /// Of each, in bytes.
    capacity: u64,
    nodes: Vec<Cache>,
    /// How often a file has been used, which orders the uses.
    uses: u64,
    /// By node and file: the task that brings it, and those that wait for it.
    coming: FxHashMap<(NodeId, u32), Coming>,
    /// How many of the things that each task waits for have not come: what it brings itself counts as one, each file that
    /// another task brings as one.
    missing: Vec<u32>,
    /// The tasks that have all they read since a moment ago.
    supplied: VecDeque<u32>,
}

/// What a node has.
#[derive(Debug, Clone, Default)]
struct Cache {
    bytes: u64,
    /// The files, the one used longest ago first, each with its bytes.
    files: PriorityQueue<u32, (Reverse<u64>, u64), BuildHasherDefault<FxHasher>>,
}

/// A file on its way.
#[derive(Debug)]
struct Coming {
    brought_by: u32,
    waiting: Vec<u32>,
}

impl Caches {
    /// Empty caches of so many bytes each.
    pub(super) fn new(capacity: u64, instance: &Instance<'_>) -> Self {
        Self {
            capacity,
            nodes: vec![Cache::default(); instance.platform.nodes() as usize],
            uses: 0,
            coming: FxHashMap::default(),
            missing: vec![0; instance.graph.tasks()],
            supplied: VecDeque::new(),
        }
    }

    /// A task wants what it reads: how many bytes it has to bring, and whether it waits for what others bring.
    pub(super) fn want(&mut self, task: u32, at: NodeId, graph: &TaskGraph) -> (u64, bool) {
        let (mut own, mut others) = (0u64, 0);
        for (file, bytes) in graph.files_read(task).filter(|&(_, bytes)| bytes > 0) {
            if self.uses_kept(file, at) {
                continue;
            }
            match self.coming.entry((at, file)) {
                Entry::Occupied(mut coming) => {
                    coming.get_mut().waiting.push(task);
                    others += 1;
                }
                Entry::Vacant(new) => {
                    new.insert(Coming { brought_by: task, waiting: Vec::new() });
                    own = own.saturating_add(bytes);
                }
            }
        }
        self.missing[task as usize] = others + u32::from(own > 0);
        (own, others > 0)
    }

    /// What a task has brought is there.
    pub(super) fn arrived(&mut self, task: u32, at: NodeId, graph: &TaskGraph) {
        for (file, bytes) in graph.files_read(task) {
            let Entry::Occupied(coming) = self.coming.entry((at, file)) else { continue };
            if coming.get().brought_by == task {
                let waiting = coming.remove().waiting;
                self.keep(at, [(file, bytes)]);
                for other in waiting {
                    self.came(other);
                }
            }
        }
        self.came(task);
    }

    /// One of the things that a task waits for has come.
    fn came(&mut self, task: u32) {
        let missing = &mut self.missing[task as usize];
        *missing -= 1;
        if *missing == 0 {
            self.supplied.push_back(task);
        }
    }

    /// A task that has all that it reads, once.
    pub(super) fn supplied(&mut self) -> Option<u32> {
        self.supplied.pop_front()
    }

    /// Whether a node has a file, which is used if so.
    fn uses_kept(&mut self, file: u32, at: NodeId) -> bool {
        self.uses += 1;
        let now = Reverse(self.uses);
        self.nodes[at.index()].files.change_priority_by(&file, |(last, _)| *last = now)
    }

    /// Keeps files on a node, if they fit at all; those used longest ago make room.
    pub(super) fn keep(&mut self, at: NodeId, files: impl IntoIterator<Item = (u32, u64)>) {
        for (file, bytes) in files {
            if bytes == 0 || bytes > self.capacity || self.uses_kept(file, at) {
                continue;
            }
            let cache = &mut self.nodes[at.index()];
            while cache.bytes > self.capacity - bytes
                && let Some((_, (_, freed))) = cache.files.pop()
            {
                cache.bytes -= freed;
            }
            cache.bytes += bytes;
            cache.files.push(file, (Reverse(self.uses), bytes));
        }
    }
}
