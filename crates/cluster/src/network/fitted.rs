//! A formula for the time of one message, as `hetsim fit` finds it.
//!
//! As under [Hockney's model](super::hockney), ports are single and full duplex, and a message holds both ports for its
//! whole time T(m). For links with varying latency or bandwidth, the time of a message of the smallest fitted size
//! counts as latency (at most T(m) itself), the rest as transmission. T(m) is rounded up to a tick once, where
//! Hockney's model rounds α and βm separately: the two agree to the tick if both are whole.
//!
//! The formula is cut at its borders beforehand ([`Curve`]), so that a message costs a search for its piece and a walk
//! over a few nodes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Delivery, NetworkError, NetworkModel, Port, Transfer};
use hetsim_base::units::{Tick, Time, round_up};
use hetsim_formula::{Beyond, Curve, NamedFormula, Supplied, TimeFormula, TimeUnit, UseError};

/// `model = "fitted"`; `model = { fitted = "FILE" }` is short for `formula = "FILE"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FittedNetworkParameters {
    /// A file with a formula for the time of one message, as `hetsim fit` writes it (`formula.toml`).
    #[schemars(extend("format" = "file"))]
    pub formula: String,
    /// The formula's variable for the size of the message in bytes. Default: `bytes`, `size`, `m` or `b`, or the only
    /// variable without a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Values of the formula's other variables, such as `{ p = 2 }`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
    /// The unit of the formula's time, unless the name of its `target` ends in one (`time_us`), which is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<TimeUnit>,
    /// The treatment of messages outside the fitted sizes: `extrapolate` applies the formula and warns once, `refuse`
    /// ends the run.
    #[serde(default)]
    pub beyond: Beyond,
    /// The content of the file, once it has been read.
    #[serde(skip)]
    pub given: Option<Arc<NamedFormula>>,
}

impl FittedNetworkParameters {
    /// The formula as a time over the size.
    ///
    /// # Errors
    /// If the file has not been read, or a variable or the unit is unknown.
    pub fn time(&self) -> Result<TimeFormula, UseError> {
        self.read().and_then(|given| {
            TimeFormula::new(&given.formula, &[Supplied::size(self.size.as_deref())], &self.values, self.unit)
        })
    }

    fn read(&self) -> Result<&Arc<NamedFormula>, UseError> {
        let unread = || UseError { key: "formula", message: format!("the file {:?} has not been read", self.formula) };
        self.given.as_ref().ok_or_else(unread)
    }
}

/// Why a message cannot be carried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refusal {
    /// The formula gives this many seconds: a negative, infinite or undefined time.
    NoTime(f64),
    /// Its size is outside this range, and such sizes are refused.
    Beyond(f64, f64),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTime(seconds) if seconds.is_nan() => f.write_str("the network's formula has no value there"),
            Self::NoTime(seconds) => write!(f, "the network's formula gives {seconds} s there, which is not a time"),
            Self::Beyond(least, greatest) => {
                write!(f, "the network's formula holds from {least} to {greatest} B, and `beyond` is \"refuse\"")
            }
        }
    }
}

/// The model, in ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    curve: Arc<Curve>,
    ticks_per_unit: f64,
    units_per_second: f64,
    /// The fitted sizes.
    range: (f64, f64),
    beyond: Beyond,
    /// The time of a message of the smallest fitted size.
    latency: Time,
    given: Arc<NamedFormula>,
    tick: Tick,
}

impl Fitted {
    /// The model of a scenario's parameters, after the file has been read.
    ///
    /// # Errors
    /// If the file has not been read, a variable or the unit is unknown, or the formula holds too many values at once.
    pub fn new(parameters: &FittedNetworkParameters, tick: Tick) -> Result<Self, NetworkError> {
        let time = parameters.time()?;
        let given = parameters.read()?;
        let curve = Curve::new(&time.expression).ok_or(NetworkError::TooDeep)?;
        let units_per_second = time.unit.per_second();
        let range = time.ranges.first().copied().flatten().unwrap_or((0.0, f64::INFINITY));
        let mut model = Self {
            curve: Arc::new(curve),
            ticks_per_unit: tick.per_second() / units_per_second,
            units_per_second,
            range,
            beyond: parameters.beyond,
            latency: Time::ZERO,
            given: Arc::clone(given),
            tick,
        };
        model.latency = model.time(range.0).unwrap_or_default();
        Ok(model)
    }

    /// T(m), with the ports held until the delivery. It is refused if the formula gives no valid time, or the size lies
    /// outside its range and such sizes are refused.
    #[inline]
    fn transfer(&self, bytes: u64) -> Result<Transfer, Refusal> {
        let size = bytes as f64;
        if self.beyond == Beyond::Refuse && self.is_beyond(size) {
            return Err(Refusal::Beyond(self.range.0, self.range.1));
        }
        let time = self.time(size)?;
        let latency = self.latency.min(time);
        Ok(Transfer { port: Port::UntilDelivered, transmission: time - latency, latency, ..Transfer::default() })
    }

    /// The same for a message that is sent: the first one outside the fitted sizes causes a warning.
    #[inline]
    fn send(&self, bytes: u64) -> Result<Transfer, Refusal> {
        let transfer = self.transfer(bytes)?;
        let size = bytes as f64;
        if self.is_beyond(size) {
            self.given.warn_beyond("sizes", size, self.range);
        }
        Ok(transfer)
    }

    #[inline]
    fn is_beyond(&self, size: f64) -> bool {
        size < self.range.0 || size > self.range.1
    }

    #[inline]
    fn time(&self, size: f64) -> Result<Time, Refusal> {
        let value = self.curve.value(size);
        if (0.0..f64::INFINITY).contains(&value) {
            Ok(round_up(value * self.ticks_per_unit))
        } else {
            Err(Refusal::NoTime(value / self.units_per_second))
        }
    }
}

impl NetworkModel for Fitted {
    fn tick(&self) -> Option<Tick> {
        Some(self.tick)
    }

    #[inline]
    fn delivery(&self, bytes: u64) -> Delivery {
        self.send(bytes).map_or_else(Delivery::Refused, Delivery::Closed)
    }

    fn query(&self, bytes: u64) -> Delivery {
        self.transfer(bytes).map_or_else(Delivery::Refused, Delivery::Closed)
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        Some(Time::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Delivery, Model, Parameters as Any, hockney};
    use hetsim_formula::Formula;

    fn given(text: &str) -> Arc<NamedFormula> {
        let file = format!(
            "target = 'time_us'\nformula = '{text}'\n[[variable]]\nname = 'bytes'\nleast = 16\ngreatest = 1e6\n"
        );
        Arc::new(NamedFormula::new("test.toml".to_owned(), Formula::from_toml(&file).unwrap()))
    }

    fn model(text: &str, keys: &str) -> Fitted {
        let parameters: FittedNetworkParameters = toml::from_str(&format!("formula = 'test.toml'\n{keys}")).unwrap();
        Fitted::new(&FittedNetworkParameters { given: Some(given(text)), ..parameters }, Tick::PICOSECOND).unwrap()
    }

    /// α and β are whole ticks, so the two models round alike.
    #[test]
    fn a_line_is_hockney_s_model() {
        let fitted = model("50 + 0.008*bytes", "");
        let text = "latency = '50us'\nbandwidth = '1Gbit/s'";
        let parameters: hockney::HockneyParameters = toml::from_str(text).unwrap();
        let hockney = Model::new(&Any::Hockney(parameters), Tick::PICOSECOND).unwrap();
        for bytes in (0..2000).chain([123_457, 1 << 30]) {
            let (own, other) = (fitted.transfer(bytes).unwrap(), hockney.transfer(bytes));
            assert_eq!((own.hop(), own.gap()), (other.hop(), other.gap()), "{bytes}");
        }
        // The latency is 50 µs and 16 bytes.
        assert_eq!(fitted.transfer(1000).unwrap().latency, Time(50_128_000));
        assert_eq!(fitted.transfer(3).unwrap().transmission, Time::ZERO);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        let falling = model("bytes - 100", "");
        assert_eq!(falling.transfer(99), Err(Refusal::NoTime(-1e-6)));
        assert_eq!(falling.transfer(100).unwrap().hop(), Time::ZERO);
        assert!(matches!(model("ln(bytes)", "").transfer(0), Err(Refusal::NoTime(value)) if value.is_infinite()));
        assert!(matches!(model("sqrt(bytes - 4)", "").transfer(0), Err(Refusal::NoTime(value)) if value.is_nan()));
        let strict = model("bytes", "beyond = 'refuse'");
        assert_eq!(strict.transfer(15), Err(Refusal::Beyond(16.0, 1e6)));
        assert!(strict.transfer(16).is_ok() && strict.transfer(1_000_001).is_err());
    }

    #[test]
    fn a_refused_message_is_no_cost_but_never() {
        let parameters: FittedNetworkParameters = toml::from_str("formula = 'x'\nunit = 'ms'").unwrap();
        assert!(Fitted::new(&parameters, Tick::PICOSECOND).unwrap_err().to_string().contains("not been read"));
        let whole = Any::Fitted(FittedNetworkParameters { given: Some(given("2 - bytes")), ..parameters });
        let model = Model::new(&whole, Tick::PICOSECOND).unwrap();
        assert_eq!(model.transfer(1).hop(), Time(1_000_000_000));
        assert_eq!(model.transfer(3).hop(), Time::NEVER);
        assert_eq!(model.delivery(3), Delivery::Refused(Refusal::NoTime(-1e-3)));
    }
}
