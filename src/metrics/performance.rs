//! What a run's measurements say about how it used its nodes.

use super::{
    busy_times, distribution_diversity, effective_processors, effective_processors_of_shares, efficiency,
    idle_diversity, idle_time, parallel_time, share_error, speedup, speedup_of_shares,
};

/// What was measured of the nodes that compute, in a run. The slices have an entry for each of these nodes.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The nominal speeds in operations per second.
    pub speeds: &'a [f64],
    /// How long each computed, in seconds.
    pub busy_s: &'a [f64],
    /// The operations that each did.
    pub operations: &'a [f64],
    /// The best serial time T_1,min in seconds, where it is not that of all operations at the greatest nominal speed (as
    /// under a memory hierarchy).
    pub serial_s: Option<f64>,
    /// When the run was complete, in seconds.
    pub completion_s: Option<f64>,
}

crate::metrics! {
    /// How a run used its nodes; blank where a metric is undefined, as all that needs work is where nothing was computed.
    ///
    /// Diversities multiply: (1 + d_conf)(1 + d_dist)(1 + d_id) = n / s_tot exactly, where Bazterra et al. (2005, §4) speak of
    /// an additive increment. What adds up is the loss in processors: s_tot and the three losses give n. A loss is negative
    /// where a run is faster than nominal speeds allow.
    pub struct Performance {
        busy_max_s: Option<f64> = "T_n: the longest time that a worker computed (Bazterra Eq. 2), measured" [less],
        idle_s: Option<f64> = "T_id: completion less the longest computing time (Eq. 14)" [less],
        speedup: Option<f64> = "s_tot: the best serial time over the completion time (Eq. 15)" [more],
        speedup_no_idle: Option<f64> = "s: the best serial time over the longest computing time (Eq. 4)" [more],
        speedup_closed: Option<f64> = "s from the workers' shares of the work and nominal speeds (Eq. 5)" [more],
        s_max: Option<f64> = "the largest speedup that the nominal speeds allow (Eq. 6)" [neither],
        static_bound: Option<f64> = "the speedup of equal shares, n·v_min/v_max (Eq. 17)" [neither],
        efficiency: Option<f64> = "speedup over s_max (Eq. 7)" [more],
        n_eff: Option<f64> = "effective processors: all computing time over the longest (Eq. 8)" [more],
        n_eff_closed: Option<f64> = "effective processors from shares and nominal speeds (Eq. 8)" [more],
        d_conf: Option<f64> = "diversity of the nominal speeds, n/s_max − 1 (Eq. 10)" [neither],
        d_dist: Option<f64> = "what the distribution of work adds to the diversity: s_max/speedup_no_idle − 1" [less],
        d_id: Option<f64> = "what idling adds to the diversity: idle_s/busy_max_s (Eq. 16)" [less],
        lost_to_heterogeneity: Option<f64> = "processors lost to unequal speeds: n − s_max" [neither],
        lost_to_distribution: Option<f64> = "processors lost to shares out of proportion: s_max − speedup_no_idle" [less],
        lost_to_idle: Option<f64> = "processors lost to messages and waiting: speedup_no_idle − speedup" [less],
        share_error: Option<f64> = "mean difference between the workers' shares and the best ones (Fig. 4)" [less],
        scaling: Option<&'static str> = "super-linear where speedup is above s_max, else blank" [text],
    }
}

/// How far above s_max a speedup may be by rounding alone.
const ROUNDING: f64 = 1e-9;

impl Performance {
    /// The metrics of what was measured.
    #[must_use]
    pub fn of(measured: &Measured<'_>) -> Self {
        let Measured { speeds, busy_s, operations, .. } = *measured;
        debug_assert!(busy_s.is_empty() || busy_s.len() == speeds.len(), "busy times of other nodes");
        debug_assert!(operations.is_empty() || operations.len() == speeds.len(), "operations of other nodes");
        let idle_machine = Self::unmeasured(speeds.iter().copied());
        let work: f64 = operations.iter().sum();
        if work > 0.0 { idle_machine.with_work(measured, work) } else { idle_machine }
    }

    /// What the nominal speeds alone say, where nothing computes.
    #[must_use]
    pub fn unmeasured(speeds: impl Iterator<Item = f64>) -> Self {
        // One pass and nothing kept: a machine may have millions of nodes.
        let (mut count, mut total, mut fastest, mut slowest) = (0.0, 0.0, 0.0, f64::INFINITY);
        for speed in speeds {
            count += 1.0;
            total += speed;
            fastest = f64::max(fastest, speed);
            slowest = f64::min(slowest, speed);
        }
        if fastest <= 0.0 {
            return Self::default();
        }
        let s_max = total / fastest;
        Self {
            s_max: Some(s_max),
            static_bound: Some(count * slowest / fastest),
            d_conf: Some(count / s_max - 1.0),
            lost_to_heterogeneity: Some(count - s_max),
            ..Self::default()
        }
    }

    /// Adds what needs work to be defined.
    fn with_work(self, measured: &Measured<'_>, work: f64) -> Self {
        let Measured { speeds, busy_s, operations, serial_s, completion_s } = *measured;
        let shares: Vec<f64> = operations.iter().map(|operations| operations / work).collect();
        let longest = parallel_time(busy_s);
        let serial = serial_s.or_else(|| {
            let fastest = speeds.iter().copied().fold(0.0, f64::max);
            (fastest > 0.0).then(|| parallel_time(&busy_times(work, &[1.0], &[fastest])))
        });
        let speedup_no_idle = serial.and_then(|serial| speedup(serial, longest));
        let total_speedup = serial.zip(completion_s).and_then(|(serial, completion)| speedup(serial, completion));
        let idle = completion_s.map(|completion| idle_time(completion, longest));
        Self {
            busy_max_s: Some(longest),
            idle_s: idle,
            speedup: total_speedup,
            speedup_no_idle,
            speedup_closed: speedup_of_shares(&shares, speeds),
            efficiency: total_speedup.zip(self.s_max).and_then(|(speedup, largest)| efficiency(speedup, largest)),
            n_eff: effective_processors(busy_s),
            n_eff_closed: effective_processors_of_shares(&shares, speeds),
            d_dist: speedup_no_idle.zip(self.s_max).and_then(|(s, largest)| distribution_diversity(s, largest)),
            d_id: idle.and_then(|idle| idle_diversity(idle, longest)),
            lost_to_distribution: self.s_max.zip(speedup_no_idle).map(|(largest, s)| largest - s),
            lost_to_idle: speedup_no_idle.zip(total_speedup).map(|(s, total)| s - total),
            share_error: share_error(&shares, speeds),
            scaling: scaling(total_speedup, self.s_max),
            ..self
        }
    }
}

/// `"super-linear"` where the speedup is above s_max beyond rounding.
fn scaling(speedup: Option<f64>, s_max: Option<f64>) -> Option<&'static str> {
    let (speedup, largest) = speedup.zip(s_max)?;
    (speedup > largest * (1.0 + ROUNDING)).then_some("super-linear")
}
