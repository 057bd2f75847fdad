//! What the benchmarks do one after the other, and what their messages say.

use crate::measure::conditions::Gaps;
use crate::measure::plan::{ExperimentPlan, SizeSelection};
use hetsim_base::units::Time;
use hetsim_cluster::{NodeId, TimerId};

/// What the benchmarks' messages say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BenchmarkMessage {
    /// You are the next to start an experiment.
    Go,
    /// There and back.
    Ping,
    /// And back.
    Pong,
    /// One of a train of so many.
    Car(u32),
    /// The whole train is here.
    Arrived,
    /// A ping whose answer will have to wait.
    Probe,
    /// The answer that waits.
    Reply,
    /// A message that wants an empty answer.
    Out,
    /// The empty answer.
    Back,
    /// Somebody else's.
    Load,
}

impl BenchmarkMessage {
    /// Its name in pictures.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::Ping => "ping",
            Self::Pong => "pong",
            Self::Car(_) => "train",
            Self::Arrived => "arrived",
            Self::Probe => "probe",
            Self::Reply => "reply",
            Self::Out => "out",
            Self::Back => "back",
            Self::Load => "load",
        }
    }
}

/// The kinds of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExperimentKind {
    /// A message there, one as long back.
    RoundTrip,
    /// Two saturated trains.
    Train,
    /// An empty message there and one back, then two saturated trains of them: what gaps by round trips are counted
    /// from.
    Empty,
    /// A message there, an empty one back: a gap by round trips.
    Answered,
    /// A delayed ping-pong.
    Overheads,
    /// One node with two others.
    Triplet,
}

/// An experiment with a pair or a triplet at one size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) kind: ExperimentKind,
    pub(super) subject: u32,
    pub(super) bytes: u64,
}

impl Task {
    /// All experiments of a plan in their order.
    pub(super) fn all(plan: &ExperimentPlan) -> Vec<Self> {
        let sizes = |sizes: SizeSelection| &plan.sizes[..sizes.of(plan.sizes.len())];
        let experiments = plan.experiments;
        let gaps = sizes(experiments.gaps);
        let mut tasks = Vec::new();
        for subject in 0..plan.pairs.len() as u32 {
            let mut add = |kind, sizes: &[u64]| {
                tasks.extend(sizes.iter().map(|&bytes| Self { kind, subject, bytes }));
            };
            add(ExperimentKind::RoundTrip, sizes(experiments.round_trips));
            match plan.gaps {
                Gaps::Trains => add(ExperimentKind::Train, gaps),
                Gaps::RoundTrips if gaps.is_empty() => {}
                Gaps::RoundTrips => {
                    add(ExperimentKind::Empty, &[0]);
                    add(ExperimentKind::Answered, gaps);
                }
            }
            add(ExperimentKind::Overheads, sizes(experiments.overheads));
        }
        // Which of two is farther is known when all pairs are.
        for subject in 0..plan.triplets.len() as u32 {
            let of = |&bytes: &u64| Self { kind: ExperimentKind::Triplet, subject, bytes };
            tasks.extend(sizes(experiments.triplets).iter().map(of));
        }
        tasks
    }

    /// The node that starts it.
    pub(super) fn initiator(self, plan: &ExperimentPlan) -> NodeId {
        NodeId(match self.kind {
            ExperimentKind::Triplet => plan.triplets[self.subject as usize].0,
            _ => plan.pairs[self.subject as usize].0,
        })
    }
}

/// The experiment that goes on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Current {
    /// When it began, all repetitions.
    pub(super) begun: Time,
    /// Messages sent before it.
    pub(super) sent_before: u64,
    pub(super) repetition: u32,
    /// When the repetition began, or the part of it that is timed.
    pub(super) started: Time,
    /// Messages that are still awaited.
    pub(super) awaited: u32,
    /// How long the round trip of an empty message took, in seconds.
    pub(super) round_trip: f64,
    /// How long the first train took, in seconds.
    pub(super) first_train: Option<f64>,
    /// When the delay was over.
    pub(super) waited: Option<Time>,
    /// Computations that still run.
    pub(super) computing: u32,
    /// The timer that runs out when the send's overhead is paid.
    pub(super) paid: Option<TimerId>,
    /// How many times were taken in this repetition.
    pub(super) times: u64,
    /// By how much outliers among them were longer.
    pub(super) held_up: Time,
    /// The timer that runs out when that is over.
    pub(super) resume: Option<TimerId>,
}
