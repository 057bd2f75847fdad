//! The earliest start of each unscheduled task, and the resulting bound of the end.

use super::instance::{Instance, NEVER};

/// A partial schedule.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// The set of scheduled tasks, one bit each.
    pub(super) done: u64,
    /// The time from which each column is idle.
    pub(super) idle: Vec<u64>,
    /// The arrival of the data of scheduled predecessors: task by task, column by column.
    pub(super) arrival: Vec<u64>,
}

/// Earliest starts, and buffers for computing them.
pub(super) struct Estimate {
    /// Task by task, column by column; [`NEVER`] if no schedule that beats the best puts the task there.
    pub(super) start: Vec<u64>,
    /// The least end of each task with its column, and the least end in another column.
    least: Vec<(u64, usize, u64)>,
    /// For each predecessor: the arrival from elsewhere, the start here, the duration here.
    items: Vec<(u64, u64, u64)>,
    here: Vec<(u64, u64)>,
    loads: Vec<u64>,
}

impl Estimate {
    pub(super) fn new(instance: &Instance<'_>) -> Self {
        let size = instance.tasks * instance.columns;
        Self {
            start: vec![0; size],
            least: vec![(0, 0, 0); instance.tasks],
            items: Vec::new(),
            here: Vec::new(),
            loads: Vec::new(),
        }
    }

    /// A lower bound of the end of every schedule that continues a state; `None` if none ends before `limit`.
    ///
    /// A task in a column starts when the column is idle and the task's data have arrived. Some of its unscheduled
    /// predecessors run in the same column, one after the other; messages come from all others. As in
    /// [`Instance::find_tails`], the best set consists of the predecessors whose messages would arrive last.
    pub(super) fn bound(&mut self, instance: &Instance<'_>, state: &State, limit: u64) -> Option<u64> {
        let columns = instance.columns;
        let mut bound = state.idle.iter().copied().max().unwrap_or(0);
        for &task in instance.problem.graph().order() {
            let task = task as usize;
            if state.done & 1 << task != 0 {
                continue;
            }
            let (mut first, mut at, mut second, mut end) = (NEVER, 0, NEVER, NEVER);
            for column in 0..columns {
                let place = task * columns + column;
                let base = state.idle[column].max(state.arrival[place]);
                let start = self.start_of(instance, state, task, column, base);
                let finish = start.saturating_add(instance.duration[place]);
                let whole = finish.saturating_add(instance.tail[place]);
                if whole >= limit {
                    self.start[place] = NEVER;
                    continue;
                }
                self.start[place] = start;
                end = end.min(whole);
                if finish < first {
                    (second, first, at) = (first, finish, column);
                } else {
                    second = second.min(finish);
                }
            }
            if end == NEVER {
                return None;
            }
            self.least[task] = (first, at, second);
            bound = bound.max(end);
        }
        bound = bound.max(self.by_load(instance, state));
        (bound < limit).then_some(bound)
    }

    fn start_of(&mut self, instance: &Instance<'_>, state: &State, task: usize, column: usize, base: u64) -> u64 {
        let columns = instance.columns;
        self.items.clear();
        for &(from, edge) in &instance.into[task] {
            if state.done & 1 << from != 0 {
                continue;
            }
            let apart = if let Some(transfer) = instance.uniform(edge) {
                let (first, at, second) = self.least[from];
                (if at == column { second } else { first }).saturating_add(transfer)
            } else {
                let finish = |other: usize| {
                    let place = from * columns + other;
                    self.start[place].saturating_add(instance.duration[place])
                };
                let others = (0..columns).filter(|&other| other != column);
                let arrivals = others.map(|other| finish(other).saturating_add(instance.transfer(edge, other, column)));
                arrivals.min().unwrap_or(NEVER)
            };
            let place = from * columns + column;
            self.items.push((apart, self.start[place], instance.duration[place]));
        }
        match self.items[..] {
            [] => base,
            [(apart, start, duration)] => base.max(apart.min(start.saturating_add(duration))),
            _ => self.together(base),
        }
    }

    /// The earliest start after all of `items`.
    fn together(&mut self, base: u64) -> u64 {
        self.items.sort_unstable_by(|a, b| b.cmp(a));
        self.here.clear();
        let mut best = base.max(self.items[0].0);
        for index in 0..self.items.len() {
            let (_, start, duration) = self.items[index];
            let place = self.here.partition_point(|item| item.0 <= start);
            self.here.insert(place, (start, duration));
            let end = self.here.iter().fold(0, |end: u64, item| end.max(item.0).saturating_add(item.1));
            let rest = self.items.get(index + 1).map_or(0, |item| item.0);
            best = best.min(base.max(end).max(rest));
            if end >= best {
                break;
            }
        }
        best
    }

    /// Shares the remaining work among all columns: each works from the earliest start of any task there until only the
    /// shortest tail is left.
    fn by_load(&mut self, instance: &Instance<'_>, state: &State) -> u64 {
        let columns = instance.columns;
        let mut work = 0;
        self.loads.clear();
        let left = |task: &usize| state.done & 1 << *task == 0;
        for task in (0..instance.tasks).filter(left) {
            let places = (task * columns..(task + 1) * columns).filter(|&place| self.start[place] != NEVER);
            work += u128::from(places.map(|place| instance.duration[place]).min().unwrap_or(0));
        }
        if work == 0 {
            return 0;
        }
        for column in 0..columns {
            let places = (0..instance.tasks).filter(left).map(|task| task * columns + column);
            let (mut start, mut tail) = (NEVER, NEVER);
            for place in places.filter(|&place| self.start[place] != NEVER) {
                start = start.min(self.start[place]);
                tail = tail.min(instance.tail[place]);
            }
            if start != NEVER {
                self.loads.push(start + tail);
            }
        }
        self.loads.sort_unstable();
        // Find the level of water on uneven ground.
        let (mut ground, mut level) = (0, NEVER);
        for (index, &load) in self.loads.iter().enumerate() {
            if load >= level {
                break;
            }
            ground += u128::from(load);
            level = u64::try_from((work + ground).div_ceil(index as u128 + 1)).unwrap_or(NEVER);
        }
        level
    }
}
