//! How a run used its nodes, computed from its measurements.

use super::{
    busy_times, distribution_diversity, effective_processors, effective_processors_of_shares, efficiency,
    idle_diversity, idle_time, parallel_time, share_error, speedup, speedup_of_shares,
};

/// The measurements of the computing nodes of a run. The slices have an entry for each of these nodes.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The nominal speeds in operations per second.
    pub speeds: &'a [f64],
    /// The computing time of each node, in seconds.
    pub busy_s: &'a [f64],
    /// The operations that each node did.
    pub operations: &'a [f64],
    /// The best serial time T_1,min in seconds, if it is not that of all operations at the greatest nominal speed (as
    /// under a memory hierarchy).
    pub serial_s: Option<f64>,
    /// The completion time of the run, in seconds.
    pub completion_s: Option<f64>,
}

hetsim_base::metrics! {
    /// How a run used its nodes. An undefined metric is blank, such as every metric of work if nothing was computed.
    ///
    /// Diversities multiply: (1 + d_conf)(1 + d_dist)(1 + d_id) = n / s_tot exactly, where Bazterra et al. (2005, §4)
    /// speak of an additive increment. Losses in processors add up: s_tot and the three losses give n. A loss is
    /// negative if a run is faster than nominal speeds allow.
    pub struct Performance {
        busy_max_s: Option<f64> = "the longest computing time of a worker"
            [less, formula("T_n = max T_i"), source("Bazterra et al. 2005, Eq. 2")],
        idle_s: Option<f64> = "the completion time beyond the longest computing time"
            [less, formula("T_id = T_tot − T_n"), source("Bazterra et al. 2005, Eq. 14")],
        speedup: Option<f64> = "the best serial time over the completion time"
            [more, formula("s_tot = T_1,min/T_tot"), source("Bazterra et al. 2005, Eq. 15")],
        speedup_no_idle: Option<f64> = "the best serial time over the longest computing time"
            [more, formula("s = T_1,min/T_n"), source("Bazterra et al. 2005, Eq. 4")],
        speedup_closed: Option<f64> = "the same from the workers' shares p_i of the work and their nominal speeds"
            [more, formula("s = 1/(v_max · max(p_i/v_i))"), source("Bazterra et al. 2005, Eq. 5")],
        s_max: Option<f64> = "the largest speedup that the nominal speeds allow"
            [neither, formula("s_max = Σv_i/v_max"), source("Bazterra et al. 2005, Eq. 6")],
        static_bound: Option<f64> = "the speedup of equal shares"
            [neither, formula("n·v_min/v_max"), source("Bazterra et al. 2005, Eq. 17")],
        efficiency: Option<f64> = "the speedup over the largest one"
            [more, formula("s_tot/s_max"), source("Bazterra et al. 2005, Eq. 7")],
        n_eff: Option<f64> = "effective processors: all computing time over the longest"
            [more, formula("ΣT_i/T_n"), source("Bazterra et al. 2005, Eq. 8")],
        n_eff_closed: Option<f64> = "the same from shares and nominal speeds"
            [more, formula("Σ(p_i/v_i)/max(p_i/v_i)"), source("Bazterra et al. 2005, Eq. 8")],
        d_conf: Option<f64> = "the diversity of the nominal speeds"
            [neither, formula("n/s_max − 1"), source("Bazterra et al. 2005, Eq. 10")],
        d_dist: Option<f64> = "the increase of the diversity by the distribution of work"
            [less, formula("s_max/speedup_no_idle − 1")],
        d_id: Option<f64> = "the increase of the diversity by idling"
            [less, formula("idle_s/busy_max_s"), source("Bazterra et al. 2005, Eq. 16")],
        lost_to_heterogeneity: Option<f64> = "processors lost to unequal speeds" [neither, formula("n − s_max")],
        lost_to_distribution: Option<f64> = "processors lost to shares out of proportion"
            [less, formula("s_max − speedup_no_idle")],
        lost_to_idle: Option<f64> = "processors lost to messages and waiting"
            [less, formula("speedup_no_idle − speedup")],
        share_error: Option<f64> = "the mean difference between the workers' shares and the best ones"
            [less, source("Bazterra et al. 2005, Fig. 4")],
        scaling: Option<&'static str> = "super-linear where speedup is above s_max, else blank" [text],
    }
}

/// The tolerance by which rounding alone may lift a speedup above s_max.
const ROUNDING: f64 = 1e-9;

impl Performance {
    /// The metrics of a run's measurements.
    #[must_use]
    pub fn of(measured: &Measured<'_>) -> Self {
        let Measured { speeds, busy_s, operations, .. } = *measured;
        debug_assert!(busy_s.is_empty() || busy_s.len() == speeds.len(), "busy times of other nodes");
        debug_assert!(operations.is_empty() || operations.len() == speeds.len(), "operations of other nodes");
        let idle_machine = Self::unmeasured(speeds.iter().copied());
        let work: f64 = operations.iter().sum();
        if work > 0.0 { idle_machine.with_work(measured, work) } else { idle_machine }
    }

    /// The metrics of the nominal speeds alone, for a run that computes nothing.
    #[must_use]
    pub fn unmeasured(speeds: impl Iterator<Item = f64>) -> Self {
        // One pass without storage: a platform may have millions of nodes.
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

    /// Adds the metrics that need work to be defined.
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

/// `"super-linear"` if the speedup is above s_max by more than rounding.
fn scaling(speedup: Option<f64>, s_max: Option<f64>) -> Option<&'static str> {
    let (speedup, largest) = speedup.zip(s_max)?;
    (speedup > largest * (1.0 + ROUNDING)).then_some("super-linear")
}
