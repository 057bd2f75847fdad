//! How a master hands out independent tasks to workers of unequal speeds, as plain data.
//!
//! A [`Policy`] is the name in a scenario; its [`ChunkPolicy`] keeps the state of the rule and decides how many tasks a
//! worker gets next. Nothing here knows messages or events: the workload asks for chunks and reports measurements.
//!
//! In the documentation of the rules, N is the number of tasks in a round, P the number of workers, R the number of
//! remaining tasks, and w_i a weight with Σ w_i = P. P counts all workers, including those that are down.
//!
//! There are three kinds. Static policies deal the whole round at once; self-scheduling policies give a chunk to each
//! worker that asks; with stealing, workers start with shares and take tasks from each other.

mod adaptive;
mod adaptive_factoring;
mod adaptive_weighted_factoring;
mod adaptive_weighted_factoring_batch;
mod adaptive_weighted_factoring_chunk;
mod apportion;
mod batch;
mod distributed_guided;
mod distributed_trapezoid;
mod factoring;
mod factoring2;
mod fixed;
mod guided;
mod powers;
mod rates;
mod static_equal;
mod static_measured;
mod static_nominal;
mod static_shares;
mod stealing;
mod trapezoid;
mod weighted_factoring;

pub use apportion::apportion;

use std::fmt;

use hetsim_base::registry::names;

/// The workers and tasks, as known before the first round.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The nominal speed of each worker in operations per second, above 0.
    pub speeds: &'a [f64],
    /// For [`Policy::StaticShares`]: a share for each worker, adding up to 1. Empty otherwise.
    pub shares: &'a [f64],
    /// The chunk size of [`Policy::Fixed`], and the smallest chunk of the other self-scheduling policies except
    /// [`Policy::Adaptive`], which always gives one task. At least 1.
    pub chunk: u32,
    /// σ/µ of the tasks' costs, for [`Policy::Factoring`].
    pub variation: f64,
}

/// How a policy is asked for tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// All tasks are dealt at once, by [`ChunkPolicy::deal`].
    Static,
    /// An idle worker asks for a chunk, by [`ChunkPolicy::chunk`].
    SelfScheduling,
    /// [`ChunkPolicy::deal`] gives the first shares; then idle workers take from others.
    Stealing,
}

/// A worker's measurements of a chunk that it finished.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ChunkReport {
    /// The number of tasks.
    pub tasks: u32,
    /// The sum of their times, in seconds.
    pub seconds: f64,
    /// The sum of the squares of their times, in s².
    pub squares: f64,
}

/// The interface of each policy's file, and of a policy of your own, which becomes a [`ChunkPolicy`] by
/// [`ChunkPolicy::own`]. What a policy must keep to stands there.
pub trait Rule: fmt::Debug + Send + Sync {
    /// How the policy is asked for tasks. Default: self-scheduling.
    #[must_use]
    fn kind() -> Kind
    where
        Self: Sized,
    {
        Kind::SelfScheduling
    }

    /// The state before the first round.
    fn new(setup: &Setup<'_>) -> Self
    where
        Self: Sized;

    /// Begins a round of `tasks` tasks.
    fn begin(&mut self, _tasks: u32) {}

    /// How many of the `left` tasks each worker gets now. Default: the first chunks of the present workers.
    fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
        let mut rest = left;
        let first = present.iter().zip(0..).map(|(&present, worker)| {
            let chunk = if present && rest > 0 { self.chunk(worker, rest) } else { 0 };
            rest -= chunk;
            chunk
        });
        first.collect()
    }

    /// The size of the next chunk for `worker`. Default: all remaining tasks.
    fn chunk(&mut self, _worker: u32, left: u32) -> u32 {
        left
    }

    /// Takes a worker's report of a finished chunk.
    fn observe(&mut self, _worker: u32, _report: &ChunkReport) {}
}

/// Makes the names and, from the same lines, the enum of rules, so that no chunk costs a virtual call.
macro_rules! policies {
    ($($file:ident :: $Entry:ident = $about:literal,)+) => {
        names! {
            /// A way to hand out tasks. A new one is a file with its rule and a line here.
            "policy": Policy { $($file :: $Entry = $about,)+ }
        }

        #[derive(Debug)]
        enum Rules {
            $($Entry($file::$Entry),)+
            Own(Kind, Box<dyn Rule>),
        }

        impl Policy {
            /// How the policy is asked for tasks.
            #[must_use]
            pub fn kind(self) -> Kind {
                match self { $(Self::$Entry => $file::$Entry::kind()),+ }
            }

            /// Whether it looks at [`Setup::chunk`].
            #[must_use]
            pub fn takes_chunk(self) -> bool {
                self.kind() == Kind::SelfScheduling && self != Self::Adaptive
            }

            /// The state of the policy before the first round.
            #[must_use]
            pub fn chunk_policy(self, setup: &Setup<'_>) -> ChunkPolicy {
                ChunkPolicy(match self { $(Self::$Entry => Rules::$Entry(Rule::new(setup))),+ })
            }
        }

        /// Hands out tasks by one policy and keeps its state.
        #[derive(Debug)]
        pub struct ChunkPolicy(Rules);

        impl ChunkPolicy {
            /// A policy of your own. It never gives more tasks than are left, a chunk has at least one task, and
            /// [`deal`](Self::deal) gives at least one to a present worker.
            #[must_use]
            pub fn own<R: Rule + 'static>(rule: R) -> Self {
                Self(Rules::Own(R::kind(), Box::new(rule)))
            }

            /// How the policy is asked for tasks.
            #[must_use]
            pub fn kind(&self) -> Kind {
                match &self.0 { $(Rules::$Entry(_) => $file::$Entry::kind(),)+ Rules::Own(kind, _) => *kind }
            }

            /// Begins a new round (a generation) of `tasks` tasks.
            pub fn begin(&mut self, tasks: u32) {
                match &mut self.0 { $(Rules::$Entry(rule) => rule.begin(tasks),)+ Rules::Own(_, rule) => rule.begin(tasks) }
            }

            /// How many of the `left` tasks each worker gets now; `present` has an entry for each worker, and absent
            /// workers get none. Static and stealing policies are asked at the start of a round, and again when all
            /// dealt tasks have returned or been given up while tasks are left.
            ///
            /// The counts never add up to more than `left`. At least one task is dealt if `left` is above 0 and a
            /// worker is present. A self-scheduling policy gives the first chunk to each worker.
            #[must_use]
            pub fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
                match &mut self.0 { $(Rules::$Entry(rule) => rule.deal(left, present),)+ Rules::Own(_, rule) => rule.deal(left, present) }
            }

            /// The size of the next chunk for `worker`, from 1 to `left`, which must be above 0. It takes constant
            /// time, except at the start of a batch in [`Policy::AdaptiveWeightedFactoringBatch`]. A policy that deals
            /// gives all remaining tasks.
            #[must_use]
            #[inline]
            pub fn chunk(&mut self, worker: u32, left: u32) -> u32 {
                match &mut self.0 { $(Rules::$Entry(rule) => rule.chunk(worker, left),)+ Rules::Own(_, rule) => rule.chunk(worker, left) }
            }

            /// Takes a worker's report of a finished chunk.
            pub fn observe(&mut self, worker: u32, report: &ChunkReport) {
                match &mut self.0 { $(Rules::$Entry(rule) => rule.observe(worker, report),)+ Rules::Own(_, rule) => rule.observe(worker, report) }
            }
        }
    };
}

policies! {
    static_equal::StaticEqual = "static: the same number of tasks for every worker (Cantú-Paz)",
    static_shares::StaticShares = "static: the shares that the scenario gives",
    static_nominal::StaticNominal = "static: in proportion to nominal speed",
    static_measured::StaticMeasured = "static: a probe task each, then in proportion to all measurements so far",
    adaptive::Adaptive = "one task at a time to each idle worker (self-scheduling, Bazterra's adaptive model)",
    fixed::Fixed = "chunks of a fixed size",
    guided::Guided = "guided self-scheduling: a P-th of the remaining tasks",
    trapezoid::Trapezoid = "trapezoid self-scheduling: chunks shrink by the same amount each time",
    distributed_guided::DistributedGuided = "guided self-scheduling: a worker k times as fast as the slowest gets k guided chunks at once (DGSS)",
    distributed_trapezoid::DistributedTrapezoid =
        "trapezoid self-scheduling, chunks weighted by nominal speed (DTSS)",
    factoring::Factoring = "factoring: batches of P equal chunks, cut by the mean and deviation of task costs",
    factoring2::Factoring2 = "factoring, half of the remaining tasks in each batch",
    weighted_factoring::WeightedFactoring = "factoring by halves, chunks weighted by nominal speed",
    adaptive_weighted_factoring::AdaptiveWeightedFactoring =
        "weighted factoring, weights measured in earlier rounds (AWF)",
    adaptive_weighted_factoring_batch::AdaptiveWeightedFactoringBatch =
        "weighted factoring, weights updated for each batch (AWF-B)",
    adaptive_weighted_factoring_chunk::AdaptiveWeightedFactoringChunk =
        "weighted factoring, weights updated for each chunk (AWF-C)",
    adaptive_factoring::AdaptiveFactoring = "factoring by each worker's own measured mean and deviation (AF)",
    stealing::Stealing = "equal shares first; an idle worker steals half of another's remaining tasks",
}

#[cfg(test)]
mod tests;
