//! What is said of a run of a task graph.

hetsim_base::metrics! {
    /// The metrics of a task graph.
    pub struct TaskgraphMetrics {
        completion_s: f64 = "the makespan: when the last task ended, simulated" [less],
        predicted_s: Option<f64> = "the makespan of the schedule, one task at a time on a core, every message as if alone and without load; blank where nothing is decided before the run" [less],
        late_s: Option<f64> = "what load, contention, overheads and shared processors cost" [less, formula("completion_s − predicted_s")],
        slr: Option<f64> = "the schedule length ratio: the makespan over the critical path of least times without communication; blank where jobs arrive" [less, source("Topcuoglu et al. 2002")],
        lower_bound_s: f64 = "no schedule is shorter: the greater of that path, of each job from its arrival on, and all work shared out evenly" [neither],
        mean_response_s: Option<f64> = "the mean time from a job's arrival to its end" [less],
        mean_slowdown: Option<f64> = "the mean of the jobs' slowdowns: response over what no schedule of the job alone falls below" [less],
        max_slowdown: Option<f64> = "the greatest slowdown of a job" [less],
        fairness: Option<f64> = "Jain's index of the slowdowns: 1 where all jobs are slowed down alike, 1/n where one of n bears it all" [more, source("Jain, Chiu, Hawe 1984")],
        jobs: Option<usize> = "jobs that arrived; this and the four before are blank without `arrivals`" [neither],
        value_s: Option<f64> = "what the mapping costs by the objective; blank where neither a search nor `objective` is asked for, and where nothing is decided before the run" [less],
        bound_s: Option<f64> = "no mapping costs less: what the exact search can vouch for; blank for others" [more],
        proved: Option<u64> = "1 where the exact search proved its value optimal, else 0; blank for others" [more, outcome],
        gap: Option<f64> = "how far the optimum may be below the value, as a part of it; blank but for the exact search" [less],
        evaluations: Option<u64> = "mappings that a search evaluated, of the exact search nodes that it looked at; blank without a search" [neither],
        graph_tasks: usize = "tasks of the graph" [neither],
        graph_edges: usize = "edges of the graph" [neither],
        moved_bytes: u64 = "bytes of data that went from node to node, or from and to the storage of `system`" [less],
        failed_runs: Option<u64> = "runs of tasks that failed and were made again; blank where none can fail" [less],
        scheduling_s: Option<f64> = "how long the scheduler took on this machine's clock; blank where the schedule of an earlier run was taken" [clocked, less],
    }
}
