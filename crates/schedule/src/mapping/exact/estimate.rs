//! The earliest start of each unscheduled task, and the resulting bound of the end.

use super::instance::{Instance, NEVER};

/// A partial schedule.
#[derive(Debug, Clone)]
pub(super) struct PartialSchedule {
    /// The set of scheduled tasks, one bit each.
    pub(super) done: u64,
    /// The start of the task placed last. Tasks are placed by their starts, so none starts before it any more.
    pub(super) front: u64,
    /// The time from which each column is idle.
    pub(super) idle: Vec<u64>,
    /// The arrival of the data of scheduled predecessors: task by task, column by column.
    pub(super) arrival: Vec<u64>,
}

impl PartialSchedule {
    /// The earliest start of a ready task in a column, seen from its idle time and the task's data alone.
    pub(super) fn earliest(&self, place: usize, column: usize) -> u64 {
        self.idle[column].max(self.arrival[place])
    }
}

/// Earliest starts, and buffers for computing them.
pub(super) struct EarliestStarts {
    /// Task by task, column by column; [`NEVER`] if no schedule that beats the best puts the task there.
    pub(super) start: Vec<u64>,
    /// The least end of each task with its column, and the least end in another column.
    least: Vec<(u64, usize, u64)>,
    /// For each predecessor: the arrival from elsewhere, the start here, the duration here.
    items: Vec<(u64, u64, u64)>,
    here: Vec<(u64, u64)>,
    /// The least head, tail and duration of each remaining task.
    windows: Vec<(u64, u64, u64)>,
    ground: Vec<u64>,
}

impl EarliestStarts {
    pub(super) fn new(instance: &Instance<'_>) -> Self {
        let size = instance.tasks * instance.columns;
        Self {
            start: vec![0; size],
            least: vec![(0, 0, 0); instance.tasks],
            items: Vec::new(),
            here: Vec::new(),
            windows: Vec::new(),
            ground: Vec::new(),
        }
    }

    /// A lower bound of the end of every schedule that continues a state; `None` if none ends before `limit`.
    ///
    /// A task in a column starts when the column is idle and the task's data have arrived. Some of its unscheduled
    /// predecessors run in the same column, one after the other; messages come from all others. As in
    /// [`Instance::find_tails`], the best set consists of the predecessors whose messages would arrive last.
    pub(super) fn bound(&mut self, instance: &Instance<'_>, state: &PartialSchedule, limit: u64) -> Option<u64> {
        let columns = instance.columns;
        let mut bound = state.idle.iter().copied().max().unwrap_or(0);
        for &task in &instance.order {
            if state.done & 1 << task != 0 {
                continue;
            }
            let (mut first, mut at, mut second, mut end) = (NEVER, 0, NEVER, NEVER);
            for column in 0..columns {
                let place = task * columns + column;
                let base = state.earliest(place, column).max(state.front);
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
        bound = bound.max(self.by_load(instance, state, limit));
        (bound < limit).then_some(bound)
    }

    fn start_of(
        &mut self,
        instance: &Instance<'_>,
        state: &PartialSchedule,
        task: usize,
        column: usize,
        base: u64,
    ) -> u64 {
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

    /// Shares the remaining work among all columns: the tasks that can't start before some time, and that are followed
    /// by some tail at least, fill up the columns from then on, and the tail follows.
    fn by_load(&mut self, instance: &Instance<'_>, state: &PartialSchedule, limit: u64) -> u64 {
        self.find_windows(instance, state);
        self.ground.clear();
        self.ground.extend(state.idle.iter().map(|&idle| idle.max(state.front)));
        self.ground.sort_unstable();
        let mut bound = 0;
        for index in 0..self.windows.len() {
            let tail = self.windows[index].1;
            let mut work = 0;
            // By falling heads: each next task widens the set.
            for next in 0..self.windows.len() {
                let (head, other, duration) = self.windows[next];
                if other < tail {
                    continue;
                }
                work += duration;
                bound = bound.max(level(&self.ground, head, work).saturating_add(tail));
                if bound >= limit {
                    return bound;
                }
            }
        }
        bound
    }

    /// The least head, tail and duration of each remaining task, by falling heads.
    fn find_windows(&mut self, instance: &Instance<'_>, state: &PartialSchedule) {
        let columns = instance.columns;
        self.windows.clear();
        for task in (0..instance.tasks).filter(|task| state.done & 1 << task == 0) {
            let places = (task * columns..(task + 1) * columns).filter(|&place| self.start[place] != NEVER);
            let (mut head, mut tail, mut duration) = (NEVER, NEVER, NEVER);
            for place in places {
                head = head.min(self.start[place]);
                tail = tail.min(instance.tail[place]);
                duration = duration.min(instance.duration[place]);
            }
            if head != NEVER {
                self.windows.push((head, tail, duration));
            }
        }
        self.windows.sort_unstable_by(|a, b| b.cmp(a));
    }
}

/// The level of water on uneven ground that is at least `floor` high.
fn level(ground: &[u64], floor: u64, water: u64) -> u64 {
    let (mut sum, mut level) = (u128::from(water), NEVER);
    for (width, &height) in (1u128..).zip(ground) {
        let height = height.max(floor);
        if height >= level {
            break;
        }
        sum += u128::from(height);
        level = u64::try_from(sum.div_ceil(width)).unwrap_or(NEVER);
    }
    level
}
