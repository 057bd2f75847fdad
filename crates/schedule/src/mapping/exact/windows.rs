//! When and where each task may run in a schedule that is short enough, and what follows from that for the others.

use super::bits;
use super::instance::Instance;

/// The earliest start and the column of each task, with orders that are decided, as far as they are known in a part of the
/// search. Whatever is narrowed is so in every schedule of that part that ends by the limit.
#[derive(Debug, Clone)]
pub(super) struct Windows {
    /// The columns in which each task may run, one bit each.
    pub(super) columns: Vec<u64>,
    /// The earliest start of each task.
    pub(super) head: Vec<u64>,
    /// The least time from the end of each task to the end of the schedule.
    pub(super) tail: Vec<u64>,
    /// The tasks that end before each task starts, and those that start after it has ended, one bit each.
    before: Vec<u64>,
    after: Vec<u64>,
}

/// Buffers for narrowing windows.
#[derive(Default)]
pub(super) struct Buffers {
    /// The earliest start and the duration of tasks that follow each other.
    row: Vec<(u64, u64)>,
    /// The head, the tail and the duration of tasks that share columns.
    shared: Vec<(u64, u64, u64)>,
}

impl Windows {
    /// The windows before anything is decided.
    pub(super) fn new(instance: &Instance<'_>) -> Self {
        let tasks = instance.tasks;
        let all = u64::MAX >> (u64::BITS as usize - instance.columns);
        let nothing = || vec![0; tasks];
        let mut windows =
            Self { columns: vec![all; tasks], head: nothing(), tail: nothing(), before: nothing(), after: nothing() };
        for &task in &instance.order {
            for &(from, _) in &instance.into[task] {
                windows.before[task] |= 1 << from | windows.before[from];
            }
        }
        for task in 0..tasks {
            for from in bits(windows.before[task]) {
                windows.after[from] |= 1 << task;
            }
        }
        windows
    }

    /// Whether a task has its column.
    pub(super) fn is_placed(&self, task: usize) -> bool {
        self.columns[task].is_power_of_two()
    }

    /// The column of a task that has one.
    pub(super) fn column(&self, task: usize) -> usize {
        self.columns[task].trailing_zeros() as usize
    }

    /// The least duration of a task in its columns.
    pub(super) fn duration(&self, instance: &Instance<'_>, task: usize) -> u64 {
        let durations = &instance.duration[task * instance.columns..(task + 1) * instance.columns];
        bits(self.columns[task]).map(|column| durations[column]).min().unwrap_or(0)
    }

    /// Whether it is decided which of two tasks comes first.
    pub(super) fn is_ordered(&self, one: usize, other: usize) -> bool {
        (self.before[one] | self.after[one]) >> other & 1 == 1
    }

    /// The end of a schedule at the least in which one of two tasks follows the other in a column.
    pub(super) fn end_of(&self, instance: &Instance<'_>, first: usize, second: usize) -> u64 {
        let durations = self.duration(instance, first).saturating_add(self.duration(instance, second));
        self.head[first].saturating_add(durations).saturating_add(self.tail[second])
    }

    /// Puts a task before another, with all that follows; false if that is a circle.
    pub(super) fn precede(&mut self, first: usize, second: usize) -> bool {
        let (early, late) = (self.before[first] | 1 << first, self.after[second] | 1 << second);
        if early & late != 0 {
            return false;
        }
        for task in bits(late) {
            self.before[task] |= early;
        }
        for task in bits(early) {
            self.after[task] |= late;
        }
        true
    }

    /// Narrows all windows to schedules that end by `limit`; false if there is none.
    pub(super) fn narrow(&mut self, instance: &Instance<'_>, limit: u64, buffers: &mut Buffers) -> bool {
        loop {
            let mut tasks = instance.order.iter().chain(instance.order.iter().rev());
            let narrowed = tasks.try_fold(false, |any, &task| {
                self.narrow_task(instance, task, limit, buffers).map(|narrower| any || narrower)
            });
            let narrowed = match narrowed {
                Some(false) => self.decide_pairs(instance, limit),
                decided => decided,
            };
            let narrowed = match narrowed {
                Some(false) if !self.fit(instance, limit, buffers) => None,
                Some(false) => self.drop_full_columns(instance, limit),
                decided => decided,
            };
            match narrowed {
                None => return false,
                Some(true) => {}
                Some(false) => return true,
            }
        }
    }

    /// Narrows the window of a task by those of its neighbours. Returns whether it is narrower; `None` if nothing is left.
    fn narrow_task(&mut self, instance: &Instance<'_>, task: usize, limit: u64, buffers: &mut Buffers) -> Option<bool> {
        let starts = bits(self.before[task]).map(|from| self.head[from].saturating_add(self.duration(instance, from)));
        let least_start = starts.fold(self.head[task], u64::max);
        let rests = bits(self.after[task]).map(|to| self.tail[to].saturating_add(self.duration(instance, to)));
        let least_rest = rests.fold(self.tail[task], u64::max);
        let (mut head, mut tail, mut columns) = (u64::MAX, u64::MAX, 0);
        for column in bits(self.columns[task]) {
            let start = least_start.max(self.start_in(instance, task, column)).max(self.in_a_row(
                instance,
                (self.before[task], column),
                &self.head,
                buffers,
            ));
            let rest = least_rest.max(self.rest_in(instance, task, column)).max(self.in_a_row(
                instance,
                (self.after[task], column),
                &self.tail,
                buffers,
            ));
            let duration = instance.duration[task * instance.columns + column];
            if start.saturating_add(duration).saturating_add(rest) <= limit {
                (head, tail, columns) = (head.min(start), tail.min(rest), columns | 1 << column);
            }
        }
        let narrower = columns != self.columns[task] || head > self.head[task] || tail > self.tail[task];
        (self.columns[task], self.head[task], self.tail[task]) = (columns, head, tail);
        (columns != 0).then_some(narrower)
    }

    /// The earliest start of a task in a column by the arrivals of its data.
    pub(super) fn start_in(&self, instance: &Instance<'_>, task: usize, column: usize) -> u64 {
        let arrival = |&(from, edge): &(usize, u32)| {
            let apart = self.apart(instance, from, column, |other| instance.transfer(edge, other, column), edge);
            self.head[from].saturating_add(apart)
        };
        instance.into[task].iter().map(arrival).fold(self.head[task], u64::max)
    }

    /// The least time from the end of a task in a column to the end of the schedule, by those to which it sends.
    pub(super) fn rest_in(&self, instance: &Instance<'_>, task: usize, column: usize) -> u64 {
        let rest = |&(to, edge): &(usize, u32)| {
            let apart = self.apart(instance, to, column, |other| instance.transfer(edge, column, other), edge);
            self.tail[to].saturating_add(apart)
        };
        instance.out[task].iter().map(rest).fold(self.tail[task], u64::max)
    }

    /// The least duration of a task with its message from or to a column.
    fn apart(
        &self,
        instance: &Instance<'_>,
        task: usize,
        column: usize,
        transfer: impl Fn(usize) -> u64,
        edge: u32,
    ) -> u64 {
        if let Some(transfer) = instance.uniform(edge) {
            let is_here = self.columns[task] >> column & 1 == 1;
            return self.duration(instance, task).saturating_add(if is_here { 0 } else { transfer });
        }
        let whole = |other: usize| instance.duration[task * instance.columns + other].saturating_add(transfer(other));
        bits(self.columns[task]).map(whole).min().unwrap_or(0)
    }

    /// When those of a set of tasks that have a column have run there, one after the other, by their heads or tails.
    fn in_a_row(
        &self,
        instance: &Instance<'_>,
        (set, column): (u64, usize),
        from: &[u64],
        buffers: &mut Buffers,
    ) -> u64 {
        let here = bits(set).filter(|&task| self.columns[task] == 1 << column);
        buffers.row.clear();
        buffers.row.extend(here.map(|task| (from[task], instance.duration[task * instance.columns + column])));
        buffers.row.sort_unstable();
        buffers.row.iter().fold(0, |end: u64, &(begin, duration)| end.max(begin).saturating_add(duration))
    }

    /// Decides all pairs of tasks of which the windows allow only one order, or none. Returns whether there are any; `None` if
    /// nothing is left.
    fn decide_pairs(&mut self, instance: &Instance<'_>, limit: u64) -> Option<bool> {
        let mut pairs = (0..instance.tasks).flat_map(|one| (one + 1..instance.tasks).map(move |other| (one, other)));
        pairs.try_fold(false, |any, (one, other)| {
            self.decide_pair(instance, one, other, limit).map(|decided| any || decided)
        })
    }

    /// Puts one of two tasks of a column before the other, if only that order is possible. If neither is, it takes one
    /// task from the column of the other.
    fn decide_pair(&mut self, instance: &Instance<'_>, one: usize, other: usize, limit: u64) -> Option<bool> {
        if self.columns[one] & self.columns[other] == 0 || self.is_ordered(one, other) {
            return Some(false);
        }
        let forward = self.end_of(instance, one, other) <= limit;
        let backward = self.end_of(instance, other, one) <= limit;
        match [one, other].map(|task| self.is_placed(task)) {
            [false, false] => return Some(false),
            _ if forward && backward => return Some(false),
            [true, true] if forward => return self.precede(one, other).then_some(true),
            [true, true] if backward => return self.precede(other, one).then_some(true),
            [true, true] => return None,
            _ if forward || backward => return Some(false),
            [true, false] => self.columns[other] &= !self.columns[one],
            [false, true] => self.columns[one] &= !self.columns[other],
        }
        Some(true)
    }

    /// Whether the tasks of each column, and all tasks in all columns, fit between their heads and tails.
    fn fit(&self, instance: &Instance<'_>, limit: u64, buffers: &mut Buffers) -> bool {
        let used = self.columns.iter().fold(0, |all, own| all | own);
        let of_column = bits(used).map(|column| (1 << column, 1));
        of_column.chain([(used, u64::from(used.count_ones()))]).all(|(columns, width)| {
            let here = (0..instance.tasks).filter(|&task| self.columns[task] & !columns == 0);
            buffers.shared.clear();
            buffers.shared.extend(here.map(|task| (self.head[task], self.tail[task], self.duration(instance, task))));
            buffers.shared.sort_unstable_by(|a, b| b.cmp(a));
            // Those that start no sooner than one task, and are followed by no less than another.
            buffers.shared.iter().all(|&(_, tail, _)| {
                let mut work = 0;
                buffers.shared.iter().filter(|(_, own, _)| *own >= tail).all(|&(head, _, duration)| {
                    work += duration;
                    head + work.div_ceil(width) + tail <= limit
                })
            })
        })
    }

    /// Takes tasks from columns that have no room for them beside those which run there. Returns whether there are any;
    /// `None` if nothing is left.
    fn drop_full_columns(&mut self, instance: &Instance<'_>, limit: u64) -> Option<bool> {
        let mut dropped = false;
        for column in 0..instance.columns {
            let duration = |task: usize| instance.duration[task * instance.columns + column];
            let here = (0..instance.tasks).filter(|&task| self.columns[task] == 1 << column);
            let (work, head, tail) = here.fold((0, u64::MAX, u64::MAX), |(work, head, tail), task| {
                (work + duration(task), self.head[task].min(head), self.tail[task].min(tail))
            });
            for task in 0..instance.tasks {
                let may = self.columns[task] >> column & 1 == 1 && !self.is_placed(task) && work > 0;
                if may && self.head[task].min(head) + work + duration(task) + self.tail[task].min(tail) > limit {
                    self.columns[task] &= !(1 << column);
                    dropped = true;
                }
            }
        }
        self.columns.iter().all(|columns| *columns != 0).then_some(dropped)
    }
}
