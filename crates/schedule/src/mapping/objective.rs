//! The cost of a mapping.

use hetsim_base::registry::names;
use hetsim_base::units::Time;

names! {
    /// The minimised quantity, in seconds.
    ///
    /// The paper's own objective is Tp(Π) = max t(Π)_i (section 2.1). Of the order it says only that a processor is
    /// always allocated to a task without unexecuted predecessors, so that there is no deadlock. `parallel_time`
    /// follows that rule: an idle processor takes, of its tasks whose data have arrived, the first in the graph's
    /// numbering.
    ///
    /// `makespan` fixes the order by priority instead: each processor runs its tasks by falling upward rank and waits
    /// for late data, like a list scheduler without insertion. It equals the simulated makespan of the mapping.
    ///
    /// `cut` is the cost of the graph partition: the communication between different processors + (b/K) Σ_u (N_u −
    /// n/K)², with N_u tasks on processor u. The paper uses b without printing the formula, which comes from Aguilar's
    /// related work.
    "objective of a mapping": Objective {
        #[default]
        ParallelTime "parallel_time" = "the end of the last task; an idle processor takes a ready task (Aguilar)",
        Cut "cut" = "communication between processors, plus b times the imbalance of their numbers of tasks",
        Makespan "makespan" = "the end of the last task, each processor's tasks by falling upward rank",
    }
}

/// The paper's bounds of the parallel time of a mapping (section 2.1).
///
/// **Lower bound**: t_i ≥ Ω(i) + max over predecessors j on other processors of (t_j + c_ji), as printed, recursively
/// from the entries. It ignores tasks that share a processor, so it is least when all tasks share one; it is a bound
/// but must not be minimised.
///
/// **Upper bound**: t_i ≤ Σ Ω of the tasks on its processor + max over predecessors j on other processors of (t_j +
/// c_ji). As printed, for direct predecessors, it is false: a task may follow one on its own processor that waits for a
/// third. It holds with all predecessors, direct or indirect, whose messages enter the processor, if the processor
/// never idles while a task is ready; this version is computed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// A lower bound of the parallel time.
    pub optimistic: Time,
    /// An upper bound of the parallel time under the paper's rule.
    pub pessimistic: Time,
}
