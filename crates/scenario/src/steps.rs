//! Step functions of time, as a scenario gives them: listed, from a file, or drawn for each run.

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::factor::Factor;
use super::file_name::resolve_file;
use super::trace;
use hetsim_base::engine::Stream;
use hetsim_base::units::{Quantity, Seconds, Tick, Time, round_up};
use hetsim_cluster::{Profile, ProfileError};
use hetsim_text::{Node, Problem, Source};

/// A step function of time: `steps` that are listed, a `file` of them, or `drawn` for each run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepsSpec {
    /// The steps; before the first the value is 1.
    #[serde(default)]
    pub steps: Option<Vec<Step>>,
    /// A CSV file with the columns `time_s` and `value`, or a trace file: a line `date value` a step, dates in seconds,
    /// and at most one line `PERIODICITY p` (a round lasts p seconds) or `LOOPAFTER d` (the next round starts d seconds
    /// after the last date).
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub file: Option<String>,
    /// Values that are drawn for each run.
    #[serde(default)]
    pub drawn: Option<DrawnSpec>,
    /// The time after which the steps start over; without it the last value stays. What is drawn needs one.
    #[serde(default)]
    pub period: Option<Seconds>,
    /// The time from which the steps and the period are counted; before it the value is 1.
    #[serde(default)]
    pub start: Seconds,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The time from which the value holds.
    pub from: Seconds,
    /// The value: a share of the processor, or a factor; of a fault, 0 while it is down.
    #[schemars(range(min = 0.0))]
    pub value: f64,
}

/// Values drawn from the seed: those of a period, which then come again. Each node and each link has its own, also
/// where they share this table.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawnSpec {
    /// How long a value holds until the next one is drawn; with a `spread`, the mean of that. At most a million values
    /// fit the `period`.
    pub every: Seconds,
    /// The distribution of the times for which values hold.
    #[serde(default)]
    pub spread: Spread,
    /// The distribution of the values: shares of the processor, or factors.
    pub factor: Factor,
}

/// How the times between changes are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// All are alike.
    #[default]
    None,
    /// Exponential.
    Exponential,
}

/// A step function that has been read.
#[derive(Debug, Clone)]
pub(super) enum Course {
    /// The same for every run.
    Fixed(Profile),
    /// To be drawn.
    Drawn(Drawn),
}

/// What is drawn, in ticks.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    every: Time,
    spread: Spread,
    factor: Factor,
    period: Time,
    start: Time,
}

/// The most values that are drawn for one period, on average: each is a step in memory.
const MOST_VALUES: f64 = 1e6;

impl StepsSpec {
    /// The step function; `node` is its table.
    ///
    /// # Errors
    /// Where there are no steps or two sources of them, they are no function of time, a file can't be read, or too many
    /// values would be drawn.
    pub(super) fn read(&self, node: &Node, tick: Tick, sources: &[Source]) -> Result<Course, Problem> {
        let place = |key: &str| &node.at(key).unwrap_or(node).place;
        let period = self.period.map(|period| (period, node.get("period").unwrap_or(node)));
        let start = tick.time(self.start.base());
        match (&self.steps, &self.file, &self.drawn) {
            (Some(steps), None, None) => {
                let times = steps.iter().map(|step| (tick.time(step.from.base()), step.value));
                let profile = Profile::new(&times.collect::<Vec<_>>(), self.period.map(|p| tick.time(p.base())));
                profile.map(|profile| Course::Fixed(profile.begun_at(start))).map_err(|error| {
                    let at = match error {
                        ProfileError::OutOfOrder { step } => place(&format!("steps.{}.from", step - 1)),
                        ProfileError::BadValue { step, .. } => place(&format!("steps.{}.value", step - 1)),
                        ProfileError::ShortPeriod => place("period"),
                        ProfileError::Empty => place("steps"),
                    };
                    Problem::at(at, error.to_string())
                })
            }
            (None, Some(file), None) => {
                let by = node.get("file").unwrap_or(node);
                let profile = trace::read(&resolve_file(sources, by, file), by, period, tick)?;
                Ok(Course::Fixed(profile.begun_at(start)))
            }
            (None, None, Some(drawn)) => {
                let Some((period, _)) = period else {
                    let problem = Problem::at(place("drawn"), "what is drawn needs a `period` beside it");
                    return Err(problem.with_help("the values of a period are drawn, which then come again"));
                };
                let drawn = drawn.in_ticks(period, self.start, tick);
                if drawn.every == Time::ZERO || drawn.period == Time::ZERO {
                    let key = if drawn.every == Time::ZERO { "drawn.every" } else { "period" };
                    return Err(Problem::at(place(key), format!("`{key}` must be above zero")));
                }
                if drawn.values() > MOST_VALUES {
                    let message = format!("`every` is too short: at most {MOST_VALUES} values fit `period`");
                    return Err(Problem::at(place("drawn.every"), message));
                }
                Ok(Course::Drawn(drawn))
            }
            _ => Err(Problem::at(&node.place, "give one of `steps`, `file` and `drawn`")),
        }
    }
}

impl DrawnSpec {
    /// The same in ticks.
    pub(super) fn in_ticks(&self, period: Seconds, start: Seconds, tick: Tick) -> Drawn {
        let time = |seconds: Seconds| tick.time(seconds.base());
        Drawn {
            every: time(self.every),
            spread: self.spread,
            factor: self.factor.clone(),
            period: time(period),
            start: time(start),
        }
    }
}

impl Drawn {
    /// How many values are drawn, on average.
    pub(super) fn values(&self) -> f64 {
        (self.period.as_f64() / self.every.as_f64()).ceil()
    }

    /// The function, from the stream of what it concerns.
    ///
    /// # Errors
    /// Where a value is not finite.
    pub(super) fn draw(&self, mut stream: Stream) -> Result<Profile, ProfileError> {
        let mut steps = Vec::new();
        let mut at = Time::ZERO;
        while at < self.period {
            steps.push((at, self.factor.draw(&mut stream)));
            at += match self.spread {
                Spread::None => self.every,
                Spread::Exponential => {
                    let length = -self.every.as_f64() * (1.0 - stream.random::<f64>()).ln();
                    round_up(length).max(Time(1))
                }
            };
        }
        Ok(Profile::new(&steps, Some(self.period))?.begun_at(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_base::engine::Streams;

    fn drawn(spread: &str, every: u64, period: u64) -> Drawn {
        let factor = serde_json::json!({ "distribution": "uniform", "from": 0.5, "to": 1.0 });
        let spec = serde_json::json!({ "every": format!("{every}ps"), "spread": spread, "factor": factor });
        let spec: DrawnSpec = serde_json::from_value(spec).unwrap();
        spec.in_ticks(Seconds::from_base(period as f64 * 1e-12).unwrap(), Seconds::default(), Tick::PICOSECOND)
    }

    fn stream(index: u64) -> Stream {
        Streams::new(1, 0).stream("bandwidth factor", index)
    }

    #[test]
    fn drawn_factors_have_their_mean_and_come_again() {
        for spread in ["none", "exponential"] {
            let profile = drawn(spread, 100, 4_000_000).draw(stream(0)).unwrap();
            // The mean of 40 000 uniform factors from 0.5 to 1: a standard error of 0.14 / 200.
            assert!((profile.mean() - 0.75).abs() < 0.004, "{spread}: {}", profile.mean());
            let value = |at| profile.value(Time(at));
            assert!(
                (0..1000).all(|n| value(n * 77) == value(n * 77 + 4_000_000) && (0.5..1.0).contains(&value(n * 77)))
            );
            assert_eq!(drawn(spread, 100, 4_000_000).draw(stream(0)).unwrap(), profile);
            assert_ne!(drawn(spread, 100, 4_000_000).draw(stream(1)).unwrap(), profile);
        }
    }

    #[test]
    fn times_between_changes_are_spread_as_said() {
        let lengths = |spread| {
            let profile = drawn(spread, 1_000, 20_000_000).draw(stream(0)).unwrap();
            let change = |at: &Time| profile.next_change(*at).filter(|next| next.0 < 20_000_000);
            let changes: Vec<Time> = std::iter::successors(Some(Time::ZERO), change).collect();
            changes.windows(2).map(|pair| (pair[1] - pair[0]).as_f64()).collect::<Vec<_>>()
        };
        assert!(lengths("none").iter().all(|length| *length == 1000.0));
        let lengths = lengths("exponential");
        // 20 000 lengths: their mean has a standard error of 0.7 %, and e^-1 of them are above the mean.
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let longer = lengths.iter().filter(|length| **length > 1000.0).count() as f64 / lengths.len() as f64;
        assert!((mean / 1000.0 - 1.0).abs() < 0.03 && (longer - (-1f64).exp()).abs() < 0.02, "{mean} {longer}");
    }
}
