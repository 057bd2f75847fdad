//! How data pass: the seconds of a transfer, or of a pause in which data passed, are a pause of their own and the bytes over
//! a bandwidth.
//!
//! The slope is the median of those between any two points of a group (Theil 1950; Sen, JASA 63, 1968), with groups as Hirsch,
//! Slack and Smith have seasons (Water Resources Research 18, 1982): what passes before a task differs between machines, so
//! that only pauses of the same machine are compared. Its interval lies between order statistics, by the variance of Kendall's
//! statistic.

use super::read::LoggedTransfer;
use super::slots::{Middle, Pause};
use crate::robust::slopes;

/// The most pairs of points, give or take, so that a million points take no longer than some thousand.
const MOST_PAIRS: f64 = 2e6;

/// The two-sided 95 % quantile of the normal distribution.
const NORMAL_95: f64 = 1.959_963_985;

/// How data pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransferFit {
    /// The bandwidth in bytes per second, greater than 0.
    pub bandwidth: f64,
    /// Its interval of 95 %; both ends are greater than 0.
    pub interval: (f64, f64),
    /// The seconds of a transfer, or of a pause before a task, besides those of its data.
    pub pause: Middle,
    /// The seconds from the end of a task to the start of the next on the same slot, where that waited and no other task started
    /// meanwhile, besides those of their data; `None` if no such task has known bytes.
    pub turnaround: Option<Middle>,
    /// The number of transfers, or of pauses, with known bytes.
    pub count: usize,
    /// Whether the log has the transfers themselves, so that pauses are not needed.
    pub is_logged: bool,
}

/// Bytes and the seconds in which they passed, with a group of what can be compared.
struct TimedBytes {
    group: u64,
    bytes: f64,
    seconds: f64,
}

impl TransferFit {
    /// Fits the transfers or, without any, the pauses; `None` unless the bandwidth's interval has a lower end above zero: else
    /// data may pass at once.
    pub(super) fn of(transfers: &[LoggedTransfer], pauses: &[Pause]) -> Option<Self> {
        let is_logged = !transfers.is_empty();
        let mut points: Vec<TimedBytes> = if is_logged {
            let point = |own: &LoggedTransfer| TimedBytes {
                group: u64::from(own.is_output),
                bytes: own.bytes,
                seconds: own.seconds,
            };
            transfers.iter().map(point).collect()
        } else {
            let point = |own: &Pause| TimedBytes {
                group: 2 * u64::from(own.machine) + u64::from(own.is_turnaround),
                bytes: own.bytes,
                seconds: own.seconds,
            };
            pauses.iter().map(point).collect()
        };
        points.sort_by_key(|point| point.group);
        let (slope, (low, high)) = slope(&points).filter(|(_, (low, _))| *low > 0.0)?;
        let rest: Vec<f64> = points.iter().map(|point| point.seconds - slope * point.bytes).collect();
        let turnarounds = pauses.iter().filter(|own| own.is_turnaround && own.is_alone);
        let turnarounds: Vec<f64> = turnarounds.map(|own| own.seconds - slope * own.bytes).collect();
        Some(Self {
            bandwidth: 1.0 / slope,
            interval: (1.0 / high, 1.0 / low),
            pause: Middle::of(&rest)?,
            turnaround: Middle::of(&turnarounds),
            count: points.len(),
            is_logged,
        })
    }
}

/// The slope over points that are sorted by group, with its 95 % interval; `None` if there are too few pairs for that.
fn slope(points: &[TimedBytes]) -> Option<(f64, (f64, f64))> {
    let groups = || points.chunk_by(|point, next| point.group == next.group);
    let pairs: f64 = groups().map(|own| (own.len() as f64).powi(2) / 2.0).sum();
    let each = (pairs / MOST_PAIRS).sqrt().ceil().max(1.0) as usize;
    let (mut between, mut variance) = (Vec::new(), 0.0);
    for own in groups() {
        let mut own: Vec<(f64, f64)> = own.iter().step_by(each).map(|point| (point.bytes, point.seconds)).collect();
        own.sort_by(|a, b| a.0.total_cmp(&b.0));
        between.extend(slopes(&own));
        variance += kendall_variance(&own);
    }
    between.sort_unstable_by(f64::total_cmp);
    let count = between.len();
    let low = ((count as f64 - NORMAL_95 * variance.sqrt()) / 2.0).floor() as usize;
    // The ends are as many slopes from the first and from the last.
    (low > 0).then(|| {
        let middle = f64::midpoint(between[(count - 1) / 2], between[count / 2]);
        (middle, (between[low - 1], between[count - low]))
    })
}

/// The variance of Kendall's statistic for independent values over points in the order of their x. Equal x make it less; equal
/// values, as of a coarse clock, would too, and are let be: the interval is rather too wide.
fn kendall_variance(points: &[(f64, f64)]) -> f64 {
    let of = |count: usize| {
        let count = count as f64;
        count * (count - 1.0) * (2.0 * count + 5.0) / 18.0
    };
    let ties: f64 = points.chunk_by(|point, next| point.0 == next.0).map(|tied| of(tied.len())).sum();
    of(points.len()) - ties
}
