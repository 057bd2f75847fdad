//! How a master hands out independent tasks to workers of unequal speeds, as plain data.
//!
//! A [`Policy`] is the name that a scenario gives; its [`ChunkPolicy`] keeps what the rule remembers and decides how many tasks
//! a worker gets next. Nothing here knows of messages or events: the workload asks, and reports what it measured.
//!
//! In the docs of the rules N is the number of tasks in a round, P that of workers, R what is left, and w_i a weight with
//! Σ w_i = P. P counts all workers, also those that are gone for the moment.
//!
//! There are three kinds. Static policies deal the whole round at once; self-scheduling ones give a chunk to whoever
//! asks; with stealing, workers start with shares and take from each other.

mod apportion;
mod batch;
mod rates;

pub use apportion::apportion;

use crate::registry::names;

/// What a policy knows of the workers before the first task.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The nominal speed of each worker in operations per second, above 0.
    pub speeds: &'a [f64],
    /// For [`Policy::StaticShares`]: a share for each worker, adding up to 1. Empty otherwise.
    pub shares: &'a [f64],
    /// Tasks in a chunk of [`Policy::Fixed`]; the least for the other self-scheduling policies but [`Policy::Adaptive`],
    /// which always gives one. At least 1.
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

/// What a worker measured of a chunk that it finished.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seen {
    /// The tasks in it.
    pub tasks: u32,
    /// Their times together, in seconds.
    pub seconds: f64,
    /// The sum of the squares of the single tasks' times, in s².
    pub squares: f64,
}

/// What each policy's file says.
trait Rule {
    /// How it is asked for tasks.
    const KIND: Kind;

    /// The rule before the first round.
    fn new(setup: &Setup<'_>) -> Self;

    /// A round of so many tasks begins.
    fn begin(&mut self, _tasks: u32) {}

    /// How many of the `left` tasks each worker gets now. Of self-scheduling ones: the first chunks of those present.
    fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
        let mut rest = left;
        let first = present.iter().zip(0..).map(|(&present, worker)| {
            let chunk = if present && rest > 0 { self.chunk(worker, rest) } else { 0 };
            rest -= chunk;
            chunk
        });
        first.collect()
    }

    /// The size of the next chunk for `worker`. Of those that deal: all that is left.
    fn chunk(&mut self, _worker: u32, left: u32) -> u32 {
        left
    }

    /// A worker's report of a finished chunk.
    fn observe(&mut self, _worker: u32, _seen: &Seen) {}
}

/// Makes the names and, from the same lines, the dealer with a variant for each, so that no chunk costs a virtual call.
macro_rules! policies {
    ($($file:ident :: $Entry:ident = $about:literal,)+) => {
        names! {
            /// A way to hand out tasks. A new one is a file with its rule and a line here.
            "policy": Policy { $($file :: $Entry = $about,)+ }
        }

        #[derive(Debug, Clone)]
        enum Rules {
            $($Entry($file::$Entry),)+
        }

        impl Policy {
            /// How it is asked for tasks.
            #[must_use]
            pub const fn kind(self) -> Kind {
                match self { $(Self::$Entry => <$file::$Entry as Rule>::KIND),+ }
            }

            /// A dealer that has seen nothing yet.
            #[must_use]
            pub fn dealer(self, setup: &Setup<'_>) -> ChunkPolicy {
                ChunkPolicy(match self { $(Self::$Entry => Rules::$Entry(Rule::new(setup))),+ })
            }
        }

        /// Hands out tasks by one policy, and remembers what that policy needs to.
        #[derive(Debug, Clone)]
        pub struct ChunkPolicy(Rules);

        impl ChunkPolicy {
            /// A new round (a generation) of `tasks` tasks begins.
            pub fn begin(&mut self, tasks: u32) {
                match &mut self.0 { $(Rules::$Entry(rule) => rule.begin(tasks)),+ }
            }

            /// How many of the `left` tasks each worker gets now; `present` has an entry for each worker, and who is not
            /// present gets none. Static and stealing
            /// policies are asked at a round's start, and again when all that was dealt is back, or given up, while tasks
            /// are left.
            ///
            /// The counts never add up to more than `left`, and at least one task is dealt where there is one and someone
            /// is present. A self-scheduling policy gives the first chunk to each.
            #[must_use]
            pub fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
                match &mut self.0 { $(Rules::$Entry(rule) => rule.deal(left, present)),+ }
            }

            /// The size of the next chunk for `worker`, from 1 to `left`, which must not be 0. Constant time, but for the
            /// start of a batch in [`Policy::AdaptiveWeightedFactoringBatch`]. A policy that deals gives all that is left.
            #[must_use]
            #[inline]
            pub fn chunk(&mut self, worker: u32, left: u32) -> u32 {
                match &mut self.0 { $(Rules::$Entry(rule) => rule.chunk(worker, left)),+ }
            }

            /// A worker's report of a finished chunk.
            pub fn observe(&mut self, worker: u32, seen: &Seen) {
                match &mut self.0 { $(Rules::$Entry(rule) => rule.observe(worker, seen)),+ }
            }
        }
    };
}

policies! {
    static_equal::StaticEqual = "static: the same number of tasks for every worker (Cantú-Paz)",
    static_shares::StaticShares = "static: the shares that the scenario gives",
    static_nominal::StaticNominal = "static: in proportion to nominal speed",
    static_measured::StaticMeasured = "static: a probe task each, then in proportion to all measured so far",
    adaptive::Adaptive = "one task at a time to whoever is idle (self-scheduling, Bazterra's adaptive model)",
    fixed::Fixed = "chunks of a fixed size",
    guided::Guided = "guided self-scheduling: a P-th of what is left",
    trapezoid::Trapezoid = "trapezoid self-scheduling: chunks shrink by the same amount each time",
    factoring::Factoring = "factoring: batches of P equal chunks, cut by the mean and deviation of task costs",
    factoring2::Factoring2 = "factoring, half of what is left in each batch",
    weighted_factoring::WeightedFactoring = "factoring by halves, chunks weighted by nominal speed",
    adaptive_weighted_factoring::AdaptiveWeightedFactoring =
        "weighted factoring, weights measured in earlier rounds (AWF)",
    adaptive_weighted_factoring_batch::AdaptiveWeightedFactoringBatch =
        "weighted factoring, weights measured anew for each batch (AWF-B)",
    adaptive_weighted_factoring_chunk::AdaptiveWeightedFactoringChunk =
        "weighted factoring, weights measured anew for each chunk (AWF-C)",
    adaptive_factoring::AdaptiveFactoring = "factoring by each worker's own measured mean and deviation (AF)",
    stealing::Stealing = "equal shares first; an idle worker steals half of what another has left",
}

#[cfg(test)]
mod tests;
