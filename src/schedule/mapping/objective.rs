//! What a mapping costs.

use crate::registry::names;
use crate::units::Time;

names! {
    /// What is minimised, in seconds.
    ///
    /// The paper's own objective is Tp(Π) = max t(Π)_i (section 2.1), and it says of the order only that a processor is always
    /// allocated to a task which has no unexecuted predecessors, so that nothing deadlocks. `parallel_time` is that rule: a
    /// processor that falls idle takes, of its tasks whose data have arrived, the first in the numbering of the graph.
    ///
    /// `makespan` fixes the order by priority instead: each processor runs its tasks by falling upward rank, and waits for one
    /// whose data are late, as a list scheduler without gaps does; it is what the simulation of the mapping shows.
    ///
    /// `cut` is the cost of the graph partition: the communication between different processors + (b/K) Σ_u (N_u − n/K)²,
    /// with N_u tasks on processor u. The paper uses b without printing the formula; it is the one of Aguilar's related work.
    "objective of a mapping": Objective {
        #[default]
        ParallelTime "parallel_time" = "the end of the last task; idle processors take what is ready (Aguilar)",
        Cut "cut" = "communication between processors, and b times the imbalance of their numbers of tasks",
        Makespan "makespan" = "the end of the last task, each processor's tasks by falling upward rank",
    }
}

/// The paper's bounds of the parallel time of a mapping (section 2.1).
///
/// **Below**: t_i ≥ Ω(i) + max over predecessors j on other processors of (t_j + c_ji), as printed, all the way from the entries.
/// It knows nothing of tasks that share a processor, so it is least where all do; it bounds, but must not be minimised.
///
/// **Above**: t_i ≤ Σ Ω of the tasks on its processor + max over predecessors j on other processors of (t_j + c_ji). As printed,
/// for direct predecessors, it is not true: a task may follow one on its own processor that waits for another's. It is true
/// of all predecessors, direct or not, whose messages come in to the processor, if the processor never idles while a task
/// is ready; this is computed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The parallel time is no less.
    pub optimistic: Time,
    /// The parallel time by the paper's rule is no more.
    pub pessimistic: Time,
}
