//! Jobs that arrive in the course of a run: when, and how well each of them was served.

use schemars::JsonSchema;
use serde::Deserialize;

use super::instance::Instance;
use crate::KeyError;
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::{Quantity, Seconds, Tick, Time};
use hetsim_cluster::NodeId;
use hetsim_graph::TaskGraph;
use hetsim_graph::generate::IntervalDraw;

/// The most jobs that may arrive in a run.
const MOST_JOBS: usize = 1_000_000;

/// `[workload.arrivals]`: a stream of jobs, each with a graph of its own: the graph of the file, or one that is drawn anew.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// When each job arrives, in rising order; instead of `count` and `interval`.
    pub at: Option<Vec<Seconds>>,
    /// How many jobs arrive, the first of them at the start.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: Option<u32>,
    /// The time from one arrival to the next; where it is exponential, jobs arrive at random at a rate of one over its mean.
    pub interval: Option<IntervalDraw>,
}

impl Arrivals {
    /// Says why jobs can't arrive like that.
    ///
    /// # Errors
    /// Times that fall, no times, two ways to say when, or a distribution that can't be.
    pub(super) fn check(&self) -> Result<(), KeyError> {
        match (&self.at, self.count, &self.interval) {
            (Some(at), None, None) => {
                let rising = at.is_sorted_by(|one, next| one.base() <= next.base());
                KeyError::unless(rising, "arrivals.at", || "jobs arrive in the order in which they are listed")?;
                let sound = (1..=MOST_JOBS).contains(&at.len());
                KeyError::unless(sound, "arrivals.at", || "give the times of 1 to 1 000 000 jobs")
            }
            (None, Some(count), Some(interval)) => {
                let sound = (1..=MOST_JOBS).contains(&(count as usize));
                KeyError::unless(sound, "arrivals.count", || "the number of jobs must be from 1 to 1 000 000")?;
                interval.check().map_err(|error| KeyError::new("arrivals.interval", format!("`interval` {error}")))
            }
            _ => Err(KeyError::new("arrivals", "say when jobs arrive: `count` and `interval`, or `at` alone")),
        }
    }

    /// How many jobs arrive.
    pub(super) fn count(&self) -> usize {
        self.at.as_ref().map_or(self.count.unwrap_or_default() as usize, Vec::len)
    }

    /// When each job arrives in a run, in seconds.
    pub(super) fn times_s(&self, streams: Streams) -> Vec<f64> {
        if let Some(at) = &self.at {
            return at.iter().map(|time| time.base()).collect();
        }
        let mut stream = streams.stream("arrivals", 0);
        let mut next_s = 0.0;
        let mut time_s = |_| {
            let time_s = next_s;
            next_s += self.interval.as_ref().map_or(0.0, |interval| interval.draw_s(&mut stream));
            time_s
        };
        (0..self.count()).map(&mut time_s).collect()
    }
}

/// When jobs have ended.
#[derive(Debug, Clone)]
pub(super) struct JobBook {
    /// The tasks of each job that have not ended.
    left: Vec<u32>,
    /// When the last task of each job ended.
    ended: Vec<Time>,
}

impl JobBook {
    /// Before a run; nothing where there is one job, from the start on.
    pub(super) fn new(instance: &Instance<'_>) -> Option<Self> {
        let jobs = instance.graph.jobs();
        let left = (0..jobs.count()).map(|job| jobs.tasks(job).len() as u32).collect();
        jobs.is_stream().then(|| Self { left, ended: vec![Time::ZERO; jobs.count()] })
    }

    /// A task of a job has ended.
    pub(super) fn end(&mut self, job: usize, now: Time) {
        self.left[job] -= 1;
        if self.left[job] == 0 {
            self.ended[job] = now;
        }
    }
}

/// A row a job.
pub(super) const JOBS: TableShape = TableShape {
    name: "jobs",
    about: "when each job of a stream arrived, began and ended; no rows without `arrivals`",
    columns: &[
        Metric::number("job", "the job's number, by its arrival"),
        Metric::number("tasks", "the tasks that it has"),
        Metric::number("arrival_s", "when it arrived"),
        Metric::number("start_s", "when its first task started"),
        Metric::number("end_s", "when its last task ended"),
        Metric::number("response_s", "from its arrival to its end"),
        Metric::number("bound_s", "no schedule of this job alone is shorter"),
        Metric::number("slowdown", "its response over that bound; blank where the bound is 0"),
    ],
};

/// How well each job of a stream was served.
#[derive(Debug)]
pub(super) struct Served {
    tick: Tick,
    jobs: Vec<ServedJob>,
}

/// How well a job was served.
#[derive(Debug, Clone, Copy)]
struct ServedJob {
    arrival: Time,
    end: Time,
    bound: Time,
}

impl ServedJob {
    fn response(&self) -> Time {
        self.end - self.arrival
    }

    fn slowdown(&self) -> Option<f64> {
        (self.bound > Time::ZERO).then(|| self.response().as_f64() / self.bound.as_f64())
    }
}

impl Served {
    /// The jobs of a run that is over.
    pub(super) fn of(book: &JobBook, instance: &Instance<'_>) -> Self {
        let times = instance.arrivals().zip(&book.ended).zip(instance.job_bounds());
        let served = times.map(|((arrival, &end), bound)| ServedJob { arrival, end: end.max(arrival), bound });
        Self { tick: instance.platform.tick(), jobs: served.collect() }
    }

    /// The mean time from arrival to end, in seconds.
    pub(super) fn mean_response_s(&self) -> f64 {
        self.jobs.iter().map(|job| self.tick.seconds(job.response())).sum::<f64>() / self.jobs.len() as f64
    }

    /// The mean and the greatest slowdown, and Jain's index of all: 1 where all are alike, 1/n where one job has it all.
    /// Nothing where any job has no bound.
    pub(super) fn slowdowns(&self) -> Option<Slowdowns> {
        let all: Vec<f64> = self.jobs.iter().map(ServedJob::slowdown).collect::<Option<_>>()?;
        let (sum, squares) = (all.iter().sum::<f64>(), all.iter().map(|slowdown| slowdown * slowdown).sum::<f64>());
        let count = all.len() as f64;
        let greatest = all.iter().copied().fold(0.0, f64::max);
        Some(Slowdowns { mean: sum / count, greatest, fairness: sum * sum / (count * squares) })
    }

    /// The rows of [`JOBS`].
    pub(super) fn rows(&self, graph: &TaskGraph, times: &[(NodeId, Time, Time)]) -> Vec<Vec<Value>> {
        let seconds = |time: Time| self.tick.seconds(time);
        let row = |(number, job): (usize, &ServedJob)| {
            let tasks = graph.jobs().tasks(number);
            let start = tasks.clone().filter_map(|task| times.get(task as usize)).map(|&(_, start, _)| start).min();
            vec![
                number.into(),
                tasks.len().into(),
                seconds(job.arrival).into(),
                start.map(seconds).into(),
                seconds(job.end).into(),
                seconds(job.response()).into(),
                seconds(job.bound).into(),
                job.slowdown().into(),
            ]
        };
        self.jobs.iter().enumerate().map(row).collect()
    }
}

/// How jobs were slowed down by one another and by what else they met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slowdowns {
    pub(super) mean: f64,
    pub(super) greatest: f64,
    pub(super) fairness: f64,
}
