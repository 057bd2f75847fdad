//! What is told of tolerances: the long table and the metrics.

use hetsim_base::record::{Metric, TableShape};

hetsim_base::metrics! {
    /// What a run tolerates least.
    pub struct ToleranceMetrics {
        least_tolerant: String = "the part of the machine by which the run is 1 % longer soonest: a node, a kernel or a key" [text],
        least_tolerance: f64 = "how many times longer or slower that part is then" [more],
    }
}

/// A row a part of the machine and share.
pub(crate) const TOLERANCE: TableShape = TableShape {
    name: "tolerance",
    about: "how much worse each node, kernel and key of a network may become before the run is 1, 2 and 5 % longer",
    columns: &[
        Metric::name("part", "what becomes worse: node, kernel or key"),
        Metric::name("name", "the number of the node, the name of the kernel, or the key"),
        Metric::number("longer", "the share by which the run is longer"),
        Metric::number("factor", "how many times longer the part takes, or slower it is, then; blank above 100"),
        Metric::number(
            "value",
            "the key's value then, in its base unit; blank for nodes and kernels, and above 100 times",
        ),
    ],
};
