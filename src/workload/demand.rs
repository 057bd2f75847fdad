//! How much work a run has, and how fast the nodes are that may share it.

/// The work of a run, known before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// The work of the program in operations, its mean where it is drawn; without what is done twice, and without
    /// messages.
    pub operations: f64,
    /// The speed of all cores together that may compute for it, in operations per second, without load and faults.
    pub speed: f64,
}

impl Demand {
    /// The ideal time in seconds: the work over the speed, as if it could be shared out evenly and messages took no
    /// time. No run is shorter, but by chance where work is drawn.
    #[must_use]
    pub fn ideal_s(self) -> f64 {
        if self.operations > 0.0 { self.operations / self.speed } else { 0.0 }
    }
}
