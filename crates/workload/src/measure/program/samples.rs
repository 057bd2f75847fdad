//! What the benchmarks note: times, samples and what they took.

use super::Benchmarks;
use super::task::ExperimentKind;
use crate::measure::BenchmarkMessage;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId};
use hetsim_fit::{Cost, Measurements, Series, TripletSamples};

/// A repetition takes at most so many times.
const TIMES: u64 = 4;

impl Benchmarks {
    /// The seconds since the repetition began.
    pub(super) fn since_start(&mut self, context: &mut impl Context<BenchmarkMessage>) -> f64 {
        self.taken(context.now() - self.current.started, context)
    }

    /// A time that was taken, in seconds: outliers are longer. Which one it is tells whether it is one, whatever came
    /// before.
    pub(super) fn taken(&mut self, time: Time, context: &mut impl Context<BenchmarkMessage>) -> f64 {
        let mut longer = Time::ZERO;
        if let Some(outliers) = &self.plan.outliers {
            let experiment = self.plan.turn * self.tasks.len() as u64 + self.next as u64;
            let repetition = experiment * u64::from(self.plan.repetitions) + u64::from(self.current.repetition);
            let stream = context.stream("outliers", repetition * TIMES + self.current.times);
            longer = outliers.longer(time, context.tick(), stream);
        }
        self.current.times += 1;
        self.current.held_up += longer;
        context.tick().seconds(time + longer)
    }

    /// Makes room for the samples of the experiment that begins.
    pub(super) fn begin_series(&mut self) {
        let Some(task) = self.task() else { return };
        let series = || Series { bytes: task.bytes, ..Series::default() };
        let subject = task.subject as usize;
        match task.kind {
            ExperimentKind::RoundTrip => self.measurements.pairs[subject].round_trips.push(series()),
            ExperimentKind::Train | ExperimentKind::Answered => self.measurements.pairs[subject].gaps.push(series()),
            ExperimentKind::Empty => self.empty.clear(),
            ExperimentKind::Overheads => {
                let pair = &mut self.measurements.pairs[subject];
                pair.send_overheads.push(series());
                pair.receive_overheads.push(series());
            }
            ExperimentKind::Triplet => {
                self.order(subject);
                self.measurements.triplets[subject].times.push(series());
            }
        }
    }

    /// Sees to it that the farther of two receivers comes last.
    fn order(&mut self, triplet: usize) {
        let TripletSamples { root, first, last, .. } = self.measurements.triplets[triplet];
        let distance = |node| {
            let pair = self.measurements.between(root, node);
            let middles = pair.into_iter().flat_map(|pair| &pair.round_trips).filter_map(Series::middle);
            middles.map(|middle| middle.value).sum::<f64>()
        };
        if distance(first) > distance(last) {
            let triplet = &mut self.measurements.triplets[triplet];
            (triplet.first, triplet.last) = (last, first);
        }
    }

    /// Notes a sample of the current experiment; `of` is its list.
    pub(super) fn note(&mut self, of: fn(&mut Measurements, usize) -> &mut Vec<Series>, seconds: f64) {
        let Some(task) = self.task() else { return };
        if let Some(series) = of(&mut self.measurements, task.subject as usize).last_mut() {
            series.seconds.push(seconds);
        }
    }

    /// A train has come to its end: after the second one, the gap.
    pub(super) fn arrived(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        let took = self.since_start(context);
        let Some(first) = self.current.first_train else {
            self.current.first_train = Some(took);
            self.send_train(at, context);
            return;
        };
        // The ends of both trains are alike, so that their difference is gaps only.
        let gap = (took - first) / f64::from(self.plan.train);
        if self.task().is_some_and(|task| task.kind == ExperimentKind::Empty) {
            self.empty.push(gap - self.current.round_trip);
        } else {
            self.note(|all, subject| &mut all.pairs[subject].gaps, gap);
        }
        self.end_repetition(at, context);
    }

    /// The empty answers that were awaited are there.
    pub(super) fn answered(&mut self, at: NodeId, context: &mut impl Context<BenchmarkMessage>) {
        let took = self.since_start(context);
        match self.task().map(|task| task.kind) {
            Some(ExperimentKind::Empty) => {
                self.current.round_trip = took;
                self.send_train(at, context);
                return;
            }
            Some(ExperimentKind::Answered) => {
                // Repetition by repetition, so that the scatter of all three is in that of the gaps.
                let from = self.empty.get(self.current.repetition as usize).copied().unwrap_or(f64::NAN);
                self.note(|all, subject| &mut all.pairs[subject].gaps, took + from);
            }
            _ => self.note(|all, subject| &mut all.triplets[subject].times, took),
        }
        self.end_repetition(at, context);
    }

    /// Notes what an experiment took.
    pub(super) fn note_cost(&mut self, context: &mut impl Context<BenchmarkMessage>) {
        let Some(task) = self.task() else { return };
        let seconds = context.tick().seconds(context.now() - self.current.begun);
        let cost = Cost { messages: self.sent - self.current.sent_before, seconds };
        let subject = task.subject as usize;
        let half = Cost { messages: cost.messages / 2, seconds: cost.seconds / 2.0 };
        let other = Cost { messages: cost.messages - half.messages, seconds: cost.seconds / 2.0 };
        let put = |list: &mut Vec<Series>, cost| {
            if let Some(series) = list.last_mut() {
                series.cost = cost;
            }
        };
        match task.kind {
            ExperimentKind::RoundTrip => put(&mut self.measurements.pairs[subject].round_trips, cost),
            ExperimentKind::Train => put(&mut self.measurements.pairs[subject].gaps, cost),
            ExperimentKind::Empty => self.cost_of_empty = cost,
            // What empty messages took stands with the first gap, which no model goes without.
            ExperimentKind::Answered => {
                let all = cost + std::mem::take(&mut self.cost_of_empty);
                put(&mut self.measurements.pairs[subject].gaps, all);
            }
            // Both overheads come from the same messages.
            ExperimentKind::Overheads => {
                put(&mut self.measurements.pairs[subject].send_overheads, half);
                put(&mut self.measurements.pairs[subject].receive_overheads, other);
            }
            ExperimentKind::Triplet => put(&mut self.measurements.triplets[subject].times, cost),
        }
    }
}
