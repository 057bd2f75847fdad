//! Profiles: changes of a speed, a bandwidth, a latency or a state over time, as lines `date value`.
//!
//! Dates count from the start. A line `LOOPAFTER d` repeats the whole list d seconds after its last date, from which
//! dates then count; a line `PERIODICITY p` repeats it every p seconds. Until then the last value holds.

use super::decimal::Decimal;
use super::quantity::QuantityKind;
use hetsim_text::{Node, Place, Value};

/// A profile: values from dates on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Profile {
    /// Rising dates in seconds with the values from then on; never empty.
    steps: Vec<(Decimal, Decimal)>,
    /// The period of the repetition, at least the last date, and above it if the first date is zero.
    period: Option<Decimal>,
    /// What is wrong with the first negative value, which counts as zero, unless these are states.
    negative: Option<String>,
}

/// An interval during which an element is down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outage {
    /// The start.
    from: Decimal,
    /// The end, if there is one.
    until: Option<Decimal>,
    /// The period of its repetition, if there is one.
    period: Option<Decimal>,
}

/// The repetition of a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Repeat {
    After(Decimal),
    Every(Decimal),
}

impl Profile {
    /// Reads the lines of a profile; `every` is a period given beside them.
    ///
    /// # Errors
    /// A sentence about the first invalid line, or about the whole profile.
    pub(super) fn read(text: &str, every: Option<Decimal>) -> Result<Self, String> {
        let mut steps: Vec<(Decimal, Decimal)> = Vec::new();
        let mut repeat = every.map(Repeat::Every);
        let mut negative = None;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '%']) {
                continue;
            }
            let fault = |message: String| format!("line {number}: {message}");
            if let Some(given) = repetition(line).map_err(fault)? {
                // A period among the lines overrides the one beside them.
                if repeat.is_some() && repeat != every.map(Repeat::Every) {
                    return Err(fault("there is another line with a repetition".to_owned()));
                }
                repeat = Some(given);
                continue;
            }
            let (date, value) = step(line).map_err(fault)?;
            let value = value.unwrap_or_else(|| {
                negative.get_or_insert_with(|| fault("the value is below zero".to_owned()));
                Decimal::ZERO
            });
            match steps.last_mut() {
                Some((last, _)) if date < *last => return Err(fault("dates must not fall".to_owned())),
                // Of two values at the same date, the later line counts.
                Some((last, old)) if date == *last => *old = value,
                _ => steps.push((date, value)),
            }
        }
        let (Some((first, _)), Some((last, _))) = (steps.first(), steps.last()) else {
            return Err("the profile has no line `date value`".to_owned());
        };
        let period = match repeat {
            None => None,
            Some(Repeat::Every(period)) if period < *last => {
                return Err("the profile starts over before its last date".to_owned());
            }
            Some(Repeat::Every(period)) => Some(period),
            Some(Repeat::After(delay)) => Some(last.plus(delay).ok_or("its dates have too many digits")?),
        };
        if period.is_some_and(Decimal::is_zero) {
            return Err("the profile starts over without any time in between".to_owned());
        }
        // A step at the start of the next period is overridden at once.
        if first.is_zero() && period == Some(*last) {
            steps.pop();
        }
        Ok(Self { steps, period, negative })
    }

    /// The same profile, whose faults name its file.
    pub(super) fn named(self, file: &str) -> Self {
        Self { negative: self.negative.map(|fault| format!("{file}: {fault}")), ..self }
    }

    /// The values relative to `nominal`, which holds before the first date.
    ///
    /// # Errors
    /// A negative value, or dates with too many digits.
    pub(super) fn factor(&self, nominal: Decimal, place: &Place) -> Result<Vec<(&'static str, Node)>, String> {
        if let Some(fault) = &self.negative {
            return Err(fault.clone());
        }
        let start = self.start(nominal);
        let mut steps = Vec::new();
        for &(date, value) in self.held(start) {
            let from = date.minus(start).ok_or("its dates have too many digits")?;
            let value = Node::new(Value::Float(value.over(nominal)), place);
            steps.push(Node::table([("from", time(from, place)), ("value", value)], place));
        }
        let mut entries = vec![("steps", Node::array(steps, place))];
        entries.extend(self.period.map(|period| ("period", time(period, place))));
        if !start.is_zero() {
            entries.push(("start", time(start, place)));
        }
        Ok(entries)
    }

    /// The start of the first period of a repeated list: its first date if the last value is not nominal, since that
    /// value holds until the first date of the next round but not before that of the first.
    fn start(&self, nominal: Decimal) -> Decimal {
        match (self.period, self.steps.first(), self.steps.last()) {
            (Some(_), Some((first, _)), Some((_, value))) if *value != nominal => *first,
            _ => Decimal::ZERO,
        }
    }

    /// The steps, without one at the very end of a period that starts at zero: it would be nominal, like what follows.
    fn held(&self, start: Decimal) -> &[(Decimal, Decimal)] {
        match self.steps.split_last() {
            Some(((date, _), rest)) if start.is_zero() && Some(*date) == self.period => rest,
            _ => &self.steps,
        }
    }

    /// The outages given by states: up before the first date and for positive values.
    ///
    /// # Errors
    /// Dates with too many digits.
    pub(super) fn outages(&self) -> Result<Vec<Outage>, String> {
        let mut outages = Vec::new();
        let mut down = None;
        for &(date, value) in &self.steps {
            match (down, value.is_zero()) {
                (None, true) => down = Some(date),
                (Some(from), false) => {
                    outages.push(Outage { from, until: Some(date), period: self.period });
                    down = None;
                }
                _ => {}
            }
        }
        let Some(from) = down else { return Ok(outages) };
        let up = self.steps.iter().find(|(_, value)| !value.is_zero());
        let (Some(period), Some((up, _))) = (self.period, up) else {
            outages.push(Outage { from, until: None, period: None });
            return Ok(outages);
        };
        // An outage across the end of a round, until the next round ends it: the beginning of the first round occurs
        // only once.
        if let Some(first) = outages.first_mut().filter(|first| first.until == Some(*up)) {
            first.period = None;
        }
        let until = period.plus(*up).ok_or("its dates have too many digits")?;
        outages.push(Outage { from, until: Some(until), period: Some(period) });
        Ok(outages)
    }
}

impl Outage {
    /// The fault profile `{ kind = "at", … }`.
    pub(super) fn write(self, place: &Place) -> Node {
        let mut entries = vec![("kind", Node::string("at", place)), ("from", time(self.from, place))];
        entries.extend(self.until.map(|until| ("until", time(until, place))));
        entries.extend(self.period.map(|period| ("period", time(period, place))));
        Node::table(entries, place)
    }
}

fn time(value: Decimal, place: &Place) -> Node {
    Node::string(QuantityKind::Time.write(value), place)
}

/// The repetition that a line gives, if any.
fn repetition(line: &str) -> Result<Option<Repeat>, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let repeat = match word {
        "LOOPAFTER" => Repeat::After,
        "PERIODICITY" => Repeat::Every,
        _ => return Ok(None),
    };
    number(rest.trim()).map(|number| Some(repeat(number)))
}

/// The words with which lines of SimGrid's random profiles begin: a heading, and distributions of dates.
const RANDOM: &[&str] =
    &["STOCHASTIC", "DET", "UNIF", "UNIFORM", "EXP", "EXPONENTIAL", "NORM", "NORMAL", "GAUSS", "GAUSSIAN"];

/// The date and the value of a line; no value if it is negative.
fn step(line: &str) -> Result<(Decimal, Option<Decimal>), String> {
    let first = line.split_whitespace().next().unwrap_or_default();
    if RANDOM.contains(&first) {
        return Err("random profiles are not supported".to_owned());
    }
    let mut words = line.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(date), Some(value), None) => {
            let date = number(date)?;
            Ok(match value.strip_prefix('-') {
                Some(size) => (date, Some(number(size)?).filter(|size| size.is_zero())),
                None => (date, Some(number(value)?)),
            })
        }
        _ => Err(format!("expected a date and a value, not {line:?}")),
    }
}

fn number(text: &str) -> Result<Decimal, String> {
    match Decimal::read(text)? {
        (number, "") => Ok(number),
        (_, rest) => Err(format!("expected a number, not {text:?}: {rest:?} is not part of one")),
    }
}
