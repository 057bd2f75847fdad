//! The optimal broadcast between clusters, by branch and bound; as a heuristic, within a number of steps that takes
//! about a second.

use super::{Grid, Heuristic, HeuristicMethod, IntraclusterStart, Schedule};
use crate::intercluster::Matrix;
use hetsim_base::units::Time;

pub(super) struct Exact;

impl HeuristicMethod for Exact {
    fn schedule(&self, grid: &Grid, inside: IntraclusterStart) -> Schedule {
        exact(grid, inside, STEPS).schedule
    }
}

/// The steps that [`Heuristic::Exact`] may take: about a second's worth. Ten clusters need some thousands, or
/// some millions where all costs are alike.
pub const STEPS: u64 = 100_000_000;

/// What [`exact`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Optimum {
    /// The best schedule found.
    pub schedule: Schedule,
    /// Its completion.
    pub completion: Time,
    /// Whether no schedule is better: the search ended before its budget did.
    pub proved: bool,
    /// How many steps it took.
    pub steps: u64,
}

/// Searches for the schedule with the least completion by the convention `inside`, in at most about `budget` steps. A
/// step is one pair of an informed and a waiting cluster that a bound looks at, so that the budget is a count, the same
/// on every machine, and stands for the same work at any size.
///
/// Costs do not change with time, so resting never helps: the sender whose port is ready first either sends at once, to
/// one of the clusters that wait, or never again. That tells each schedule apart exactly once. A branch is cut where
/// even the shortest paths from the senders that are left, with no port ever busy, end no sooner than the best schedule
/// known; the first one known is the heuristics' best.
#[must_use]
pub fn exact(grid: &Grid, inside: IntraclusterStart, budget: u64) -> Optimum {
    let mut search = Search::new(grid, inside, budget);
    search.explore(grid.inside(grid.root()));
    Optimum {
        schedule: search.best,
        completion: search.completion,
        proved: search.steps <= budget,
        steps: search.steps,
    }
}

/// Where a cluster stands in the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is not informed.
    Waiting,
    /// It may send from this time on.
    Open(Time),
    /// It sends no more.
    Closed,
}

struct Search<'g> {
    grid: &'g Grid,
    inside: IntraclusterStart,
    budget: u64,
    steps: u64,
    /// The lengths of shortest paths, a send's length being its Cᵢⱼ.
    distances: Matrix<Time>,
    /// For each sender, all receivers by rising cost: good schedules are found early.
    receivers: Vec<Vec<u32>>,
    states: Vec<State>,
    sends: Vec<(u32, u32)>,
    best: Schedule,
    completion: Time,
}

impl<'g> Search<'g> {
    fn new(grid: &'g Grid, inside: IntraclusterStart, budget: u64) -> Self {
        let size = grid.size();
        let (completion, best) = first(grid, inside);
        let receivers = (0..size).map(|from| {
            let mut receivers: Vec<_> = (0..size).collect();
            receivers.sort_by_key(|&to| grid.cost(from, to));
            receivers
        });
        let mut states = vec![State::Waiting; size as usize];
        states[grid.root() as usize] = State::Open(Time::ZERO);
        Self {
            grid,
            inside,
            budget,
            steps: 0,
            distances: distances(grid),
            receivers: receivers.collect(),
            states,
            sends: Vec::new(),
            best,
            completion,
        }
    }

    /// Tries all ways to go on from here; the clusters that are informed take until `done`, at least.
    fn explore(&mut self, done: Time) {
        let waiting = self.states.len() - 1 - self.sends.len();
        if waiting == 0 {
            self.found(done);
            return;
        }
        self.steps += (waiting * self.open().count()) as u64;
        if self.steps > self.budget || self.bound(done) >= self.completion {
            return;
        }
        let Some((from, start)) = self.next_sender() else { return };
        for index in 0..self.states.len() {
            let to = self.receivers[from as usize][index];
            if self.states[to as usize] == State::Waiting {
                self.send(from, start, to, done);
            }
        }
        self.states[from as usize] = State::Closed;
        self.explore(done);
        self.states[from as usize] = State::Open(start);
    }

    /// Explores what follows when `from` sends to `to` at `start`.
    fn send(&mut self, from: u32, start: Time, to: u32, done: Time) {
        let ready = start + self.grid.gap(from, to);
        let arrival = start + self.grid.cost(from, to);
        self.states[from as usize] = State::Open(ready);
        self.states[to as usize] = State::Open(arrival);
        self.sends.push((from, to));
        let sender_done = match self.inside {
            IntraclusterStart::AfterSends => ready + self.grid.inside(from),
            IntraclusterStart::Overlapped => Time::ZERO,
        };
        self.explore(done.max(sender_done).max(arrival + self.grid.inside(to)));
        self.sends.pop();
        self.states[to as usize] = State::Waiting;
        self.states[from as usize] = State::Open(start);
    }

    /// Takes the sends as the best schedule, if they are.
    fn found(&mut self, completion: Time) {
        if completion < self.completion
            && let Ok(schedule) = Schedule::new(self.grid.size(), self.grid.root(), self.sends.clone())
        {
            (self.best, self.completion) = (schedule, completion);
        }
    }

    /// The open cluster whose port is ready first.
    fn next_sender(&self) -> Option<(u32, Time)> {
        self.open().min_by_key(|&(_, ready)| ready)
    }

    fn open(&self) -> impl Iterator<Item = (u32, Time)> {
        (0..).zip(&self.states).filter_map(|(node, &state)| match state {
            State::Open(ready) => Some((node, ready)),
            State::Waiting | State::Closed => None,
        })
    }

    /// A time that no completion from here is below.
    fn bound(&self, done: Time) -> Time {
        let waiting = (0..).zip(&self.states).filter(|(_, state)| **state == State::Waiting);
        let ends = waiting.map(|(node, _)| {
            let arrivals = self.open().map(|(from, ready)| ready + self.distances[(from as usize, node as usize)]);
            // Without a sender left, the cluster never gets the message.
            arrivals.min().unwrap_or(Time::NEVER) + self.grid.inside(node)
        });
        ends.fold(done, Time::max)
    }
}

/// The best schedule that heuristics make.
fn first(grid: &Grid, inside: IntraclusterStart) -> (Time, Schedule) {
    let simple = Heuristic::ALL.iter().filter(|&&heuristic| heuristic != Heuristic::Exact);
    let schedules = simple.map(|heuristic| heuristic.schedule(grid, inside));
    let timed = schedules.map(|schedule| (schedule.completion(grid, inside), schedule));
    let best = timed.min_by_key(|&(completion, _)| completion);
    best.unwrap_or_else(|| unreachable!("there are heuristics"))
}

/// All shortest paths (Floyd, Warshall).
fn distances(grid: &Grid) -> Matrix<Time> {
    let size = grid.size() as usize;
    let mut distances = Matrix::from_fn(size, |from, to| grid.cost(from as u32, to as u32));
    for via in 0..size {
        for from in 0..size {
            for to in 0..size {
                let detour = distances[(from, via)] + distances[(via, to)];
                distances[(from, to)] = distances[(from, to)].min(detour);
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Cost;
    use crate::intercluster::frontier::Frontier;
    use crate::intercluster::grid::samples::{grids, gusto};
    use crate::tree::optimal_time;

    /// The least completion of all schedules, trying every pair at every point without a bound.
    fn brute_force(grid: &Grid, inside: IntraclusterStart, frontier: &Frontier<'_>) -> Time {
        let informed: Vec<_> = frontier.informed().map(|(node, _)| node).collect();
        let waiting: Vec<_> = frontier.waiting().collect();
        if waiting.is_empty() {
            return frontier.clone().schedule().completion(grid, inside);
        }
        let pairs = informed.iter().flat_map(|&from| waiting.iter().map(move |&to| (from, to)));
        let completions = pairs.map(|(from, to)| {
            let mut next = frontier.clone();
            next.commit(from, to);
            brute_force(grid, inside, &next)
        });
        completions.min().unwrap_or(Time::NEVER)
    }

    proptest! {
        #[test]
        fn nothing_is_better_than_the_optimum(grid in grids(1..=5)) {
            for inside in [IntraclusterStart::AfterSends, IntraclusterStart::Overlapped] {
                let found = exact(&grid, inside, u64::MAX);
                prop_assert_eq!(found.completion, brute_force(&grid, inside, &Frontier::new(&grid)));
                prop_assert_eq!(found.completion, found.schedule.completion(&grid, inside));
            }
        }

        #[test]
        fn ten_clusters_are_proved(grid in grids(7..=10)) {
            for inside in [IntraclusterStart::AfterSends, IntraclusterStart::Overlapped] {
                prop_assert!(exact(&grid, inside, STEPS).proved);
            }
        }
    }

    /// Equal clusters are the hardest to tell apart; their optimum is the greedy tree's.
    #[test]
    fn equal_clusters_take_the_optimal_time() {
        for size in 1..=9 {
            let all = |time| Matrix::from_fn(size, |_, _| Time(time));
            let grid = Grid::new(all(4), all(6), vec![Time::ZERO; size], 0).unwrap();
            let found = exact(&grid, IntraclusterStart::Overlapped, STEPS);
            let optimum = optimal_time(size as u32, Cost { gap: Time(4), hop: Time(10) });
            assert_eq!((found.completion, found.proved), (optimum, true));
        }
    }

    #[test]
    fn a_budget_ends_the_search() {
        let result = exact(&gusto(), IntraclusterStart::Overlapped, u64::MAX);
        assert!(result.proved);
        assert_eq!(
            (result.completion, result.schedule.completion(&gusto(), IntraclusterStart::Overlapped)),
            (Time(296), Time(296))
        );
        let result = exact(&gusto(), IntraclusterStart::Overlapped, 0);
        assert!(!result.proved && result.completion >= Time(296));
    }
}
