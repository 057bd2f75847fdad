//! Metrics: what their values are, and how workloads declare them.

use super::Record;
use crate::units::{Bytes, Quantity, QuantityKind, Seconds};

/// A metric of a workload's runs, or a column of one of their long tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    /// Its name, with its unit at the end.
    pub name: &'static str,
    /// A description.
    pub about: &'static str,
    /// How it is computed, in symbols, where that is a formula.
    pub formula: Option<&'static str>,
    /// The publication that defines it, with the place there.
    pub source: Option<&'static str>,
    /// The kind of its values.
    pub kind: MetricKind,
    /// Whether less or more of it is better. Every numeric metric has a direction; columns of long tables have none.
    pub direction: Option<Direction>,
    /// What it is a share of, if it counts how often something happened.
    pub share: Option<Share>,
    /// What to say of a run in which it is above zero, as the end of "In 3 of 20 runs …", where such a run is hardly
    /// meant.
    pub doubt: Option<&'static str>,
}

/// Whether less or more of a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Less is better: times, errors, energy.
    Less,
    /// More is better: speedups, efficiencies, throughputs.
    More,
    /// Neither: it describes the platform, the program or the simulation.
    Neither,
}

impl Direction {
    /// The direction of the inverse of a metric.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Less => Self::More,
            Self::More => Self::Less,
            Self::Neither => Self::Neither,
        }
    }

    /// The direction in words; `None` for [`Direction::Neither`].
    #[must_use]
    pub const fn words(self) -> Option<&'static str> {
        match self {
            Self::Less => Some("less is better"),
            Self::More => Some("more is better"),
            Self::Neither => None,
        }
    }
}

/// What a metric is a share of. Its mean is a proportion, whose interval is not that of a mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Of replicas: a run gives 1 or 0.
    Runs,
    /// Of the draws of each run; the metric of this name holds their number.
    Draws(&'static str),
}

/// The kind of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Numbers, simulated or computed.
    Number,
    /// Names, such as the algorithm that was chosen.
    Name,
    /// Seconds on this computer's clock, different each time. They stand in `timings.csv`.
    Timing,
}

impl Metric {
    /// A metric that is a number.
    #[must_use]
    pub const fn number(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            formula: None,
            source: None,
            kind: MetricKind::Number,
            direction: None,
            share: None,
            doubt: None,
        }
    }

    /// A metric that is a name.
    #[must_use]
    pub const fn name(name: &'static str, about: &'static str) -> Self {
        Self::number(name, about).text()
    }

    /// The metric with the formula by which it is computed.
    #[must_use]
    pub const fn formula(self, formula: &'static str) -> Self {
        Self { formula: Some(formula), ..self }
    }

    /// The metric with the publication that defines it.
    #[must_use]
    pub const fn source(self, source: &'static str) -> Self {
        Self { source: Some(source), ..self }
    }

    /// What it means, with its formula and its source.
    #[must_use]
    pub fn explained(&self) -> String {
        let formula = self.formula.map(|formula| format!("; {formula}")).unwrap_or_default();
        let source = self.source.map(|source| format!(" ({source})")).unwrap_or_default();
        format!("{}{formula}{source}", self.about)
    }

    /// The metric with names as its values.
    #[must_use]
    pub const fn text(self) -> Self {
        Self { kind: MetricKind::Name, ..self }
    }

    /// The metric as seconds on this computer's clock.
    #[must_use]
    pub const fn clocked(self) -> Self {
        Self { kind: MetricKind::Timing, ..self }
    }

    /// The metric with the direction "less is better".
    #[must_use]
    pub const fn less(self) -> Self {
        Self { direction: Some(Direction::Less), ..self }
    }

    /// The metric with the direction "more is better".
    #[must_use]
    pub const fn more(self) -> Self {
        Self { direction: Some(Direction::More), ..self }
    }

    /// The metric with the direction "neither".
    #[must_use]
    pub const fn neither(self) -> Self {
        Self { direction: Some(Direction::Neither), ..self }
    }

    /// The metric as an outcome: 1 in runs in which something happened, 0 in others.
    #[must_use]
    pub const fn outcome(self) -> Self {
        Self { share: Some(Share::Runs), ..self }
    }

    /// The metric as a share of a run's draws, whose number is the metric `draws`.
    #[must_use]
    pub const fn share_of(self, draws: &'static str) -> Self {
        Self { share: Some(Share::Draws(draws)), ..self }
    }

    /// The metric with what to say of a run in which it is above zero.
    #[must_use]
    pub const fn doubt(self, doubt: &'static str) -> Self {
        Self { doubt: Some(doubt), ..self }
    }

    /// The unit of its values, taken from the end of its name; `None` for bare numbers and names.
    #[must_use]
    pub fn unit(&self) -> Option<&'static str> {
        let rate = self.name.ends_with("_bytes_per_s") || self.name.ends_with("_bytes_s");
        match self.name {
            _ if self.is_name() => None,
            _ if rate => Some("B/s"),
            name if is_duration(name) => Some("s"),
            name if name.ends_with("_per_s") => Some("1/s"),
            name if name.ends_with("_bytes") => Some("B"),
            name if name.ends_with("_percent") => Some("%"),
            name if name.ends_with("_js") => Some("J·s"),
            name if name.ends_with("_j") => Some("J"),
            name if name.ends_with("_w") => Some("W"),
            _ => None,
        }
    }

    /// Whether its values are names.
    #[must_use]
    pub const fn is_name(&self) -> bool {
        matches!(self.kind, MetricKind::Name)
    }
}

/// The kind of quantity that a metric of that name is, by its end; `None` for bare numbers, names and quantities that
/// scenarios don't write.
#[must_use]
pub fn quantity_of(metric: &str) -> Option<&'static QuantityKind> {
    let is_size = metric.ends_with("_bytes");
    let kind = if is_duration(metric) { Some(Seconds::KIND) } else { is_size.then_some(Bytes::KIND) };
    kind.and_then(QuantityKind::named)
}

/// Whether a metric of that name is a length of time in seconds: its name ends in `_s` and it is not a rate.
#[must_use]
pub fn is_duration(metric: &str) -> bool {
    metric.ends_with("_s") && !metric.ends_with("_per_s") && !metric.ends_with("_bytes_s")
}

/// The metrics that a workload's runs give: columns that are declared once, by [`metrics!`](crate::metrics!), and
/// through which every record is written.
pub trait Metrics {
    /// The columns, in their order.
    fn columns() -> Vec<&'static Metric>;

    /// Writes the values into a record.
    fn write(self, record: &mut Record);
}

impl Metrics for () {
    fn columns() -> Vec<&'static Metric> {
        Vec::new()
    }

    fn write(self, _: &mut Record) {}
}

/// Metrics that not every run has: without them, a record has no such columns.
impl<M: Metrics> Metrics for Option<M> {
    fn columns() -> Vec<&'static Metric> {
        M::columns()
    }

    fn write(self, record: &mut Record) {
        if let Some(metrics) = self {
            metrics.write(record);
        }
    }
}

impl<A: Metrics, B: Metrics> Metrics for (A, B) {
    fn columns() -> Vec<&'static Metric> {
        [A::columns(), B::columns()].concat()
    }

    fn write(self, record: &mut Record) {
        self.0.write(record);
        self.1.write(record);
    }
}

/// Declares metrics: a struct with a field for each, named as its column, with what the metric means and, in brackets,
/// the methods of [`Metric`] that say the rest of it, such as `[less]`.
///
/// Where the names make a list, as with a metric for each of several algorithms, the struct holds a list of values in
/// their order: `pub struct Ends [ [less] "end_flat_s" => "what it means", ]`.
#[macro_export]
macro_rules! metrics {
    (
        $(#[$doc:meta])*
        $visible:vis struct $Name:ident [
            $([$($how:ident $(($of:literal))?),+] $metric:expr => $about:expr,)+
        ]
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default)]
        $visible struct $Name(pub Vec<$crate::record::Value>);

        $crate::metric_columns! { $Name $([$($how $(($of))?),+] $metric => $about,)+ |metrics| metrics.0 }
    };
    (
        $(#[$doc:meta])*
        $visible:vis struct $Name:ident {
            $($metric:ident: $Value:ty = $about:literal [$($how:ident $(($of:literal))?),+],)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default)]
        $visible struct $Name {
            $(#[doc = $about] $visible $metric: $Value,)+
        }

        $crate::metric_columns! {
            $Name $([$($how $(($of))?),+] stringify!($metric) => $about,)+
            |metrics| [$($crate::record::Value::from(metrics.$metric)),+]
        }
    };
}

/// The columns of a struct of metrics, and how its values are written: a part of [`metrics!`](crate::metrics!).
#[doc(hidden)]
#[macro_export]
macro_rules! metric_columns {
    (
        $Name:ident $([$($how:ident $(($of:literal))?),+] $metric:expr => $about:expr,)+
        |$metrics:ident| $values:expr
    ) => {
        impl $Name {
            /// The columns, in their order.
            pub const METRICS: &'static [$crate::record::Metric] =
                &[$($crate::record::Metric::number($metric, $about)$(.$how($($of)?))+),+];
        }

        impl $crate::record::Metrics for $Name {
            fn columns() -> Vec<&'static $crate::record::Metric> {
                Self::METRICS.iter().collect()
            }

            fn write(self, record: &mut $crate::record::Record) {
                let $metrics = self;
                for (metric, value) in Self::METRICS.iter().zip($values) {
                    record.put(metric, value);
                }
            }
        }
    };
}
