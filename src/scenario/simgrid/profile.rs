//! Profiles: how a speed, a bandwidth, a latency or a state changes over time, with lines `date value`.
//!
//! Dates are counted from the start. A line `LOOPAFTER d` starts the whole list over, d seconds after its last date, so that
//! dates count from there again; a line `PERIODICITY p` starts it over every p seconds. What held last holds until then.

use std::ops::Range;

use super::decimal::Decimal;
use super::quantity::Kind;
use super::{Spanned, Value};

/// A profile as it is given: values from dates on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Profile {
    /// Dates in seconds, which rise, and the values from then on; never empty.
    steps: Vec<(Decimal, Decimal)>,
    /// After how long the list starts over; the last date is at most that, and below where the first is zero.
    period: Option<Decimal>,
}

/// A stretch of time in which something is down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outage {
    /// Its start.
    from: Decimal,
    /// Its end, if there is one.
    until: Option<Decimal>,
    /// After how long it comes again, if it does.
    period: Option<Decimal>,
}

/// How a profile is repeated.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Repeat {
    After(Decimal),
    Every(Decimal),
}

impl Profile {
    /// Reads the lines of a profile; `every` is the period that is given beside them, if any.
    ///
    /// # Errors
    /// A sentence about the first line that can't be read, or about the whole.
    pub(super) fn read(text: &str, every: Option<Decimal>) -> Result<Self, String> {
        let mut steps: Vec<(Decimal, Decimal)> = Vec::new();
        let mut repeat = every.map(Repeat::Every);
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '%']) {
                continue;
            }
            let fault = |message: String| format!("line {number}: {message}");
            if let Some(given) = repetition(line).map_err(fault)? {
                // A period beside the lines is overruled by one among them.
                if repeat.is_some() && repeat != every.map(Repeat::Every) {
                    return Err(fault("there is another line that says when the profile starts over".to_owned()));
                }
                repeat = Some(given);
                continue;
            }
            let (date, value) = step(line).map_err(fault)?;
            match steps.last_mut() {
                Some((last, _)) if date < *last => return Err(fault("dates must not fall".to_owned())),
                // Two at once: the later line has the last word.
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
        // What starts as the list starts over is overruled at once.
        if first.is_zero() && period == Some(*last) {
            steps.pop();
        }
        Ok(Self { steps, period })
    }

    /// The values as shares of `nominal`, which holds before the first date.
    ///
    /// # Errors
    /// Where dates have too many digits.
    pub(super) fn factor(&self, nominal: Decimal, span: &Range<usize>) -> Result<Vec<(&'static str, Spanned)>, String> {
        let start = self.start(nominal);
        let mut steps = Vec::new();
        for &(date, value) in self.held(start) {
            let from = date.minus(start).ok_or("its dates have too many digits")?;
            let value = Spanned::new(Value::Float(value.over(nominal)), span);
            steps.push(Spanned::table([("from", time(from, span)), ("value", value)], span));
        }
        let mut entries = vec![("steps", Spanned::array(steps, span))];
        entries.extend(self.period.map(|period| ("period", time(period, span))));
        if !start.is_zero() {
            entries.push(("start", time(start, span)));
        }
        Ok(entries)
    }

    /// When a list that is repeated has to be counted from: its first date where what held last is not nominal, since that
    /// holds until the first date of the next round, but not before that of the first.
    fn start(&self, nominal: Decimal) -> Decimal {
        match (self.period, self.steps.first(), self.steps.last()) {
            (Some(_), Some((first, _)), Some((_, value))) if *value != nominal => *first,
            _ => Decimal::ZERO,
        }
    }

    /// The steps without one at the very end of a period that is counted from zero: it would be nominal, as what follows.
    fn held(&self, start: Decimal) -> &[(Decimal, Decimal)] {
        match self.steps.split_last() {
            Some(((date, _), rest)) if start.is_zero() && Some(*date) == self.period => rest,
            _ => &self.steps,
        }
    }

    /// When something is down whose states these are: up before the first date, and where a value is above zero.
    ///
    /// # Errors
    /// Where dates have too many digits.
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
        // Down over the end of a round, until the next one brings it up: what the first round starts with comes but once.
        if let Some(first) = outages.first_mut().filter(|first| first.until == Some(*up)) {
            first.period = None;
        }
        let until = period.plus(*up).ok_or("its dates have too many digits")?;
        outages.push(Outage { from, until: Some(until), period: Some(period) });
        Ok(outages)
    }
}

impl Outage {
    /// As `profile = { kind = "at", … }` has it.
    pub(super) fn write(self, span: &Range<usize>) -> Spanned {
        let mut entries = vec![("kind", Spanned::text("at", span)), ("from", time(self.from, span))];
        entries.extend(self.until.map(|until| ("until", time(until, span))));
        entries.extend(self.period.map(|period| ("period", time(period, span))));
        Spanned::table(entries, span)
    }
}

fn time(value: Decimal, span: &Range<usize>) -> Spanned {
    Spanned::text(Kind::Time.write(value), span)
}

/// What a line says about repetition, if it does.
fn repetition(line: &str) -> Result<Option<Repeat>, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let repeat = match word {
        "LOOPAFTER" => Repeat::After,
        "PERIODICITY" => Repeat::Every,
        _ => return Ok(None),
    };
    number(rest.trim()).map(|number| Some(repeat(number)))
}

/// The date and the value of a line.
fn step(line: &str) -> Result<(Decimal, Decimal), String> {
    if line.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Err("profiles that are drawn at random are not read".to_owned());
    }
    let mut words = line.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(date), Some(value), None) => Ok((number(date)?, number(value)?)),
        _ => Err(format!("expected a date and a value, not {line:?}")),
    }
}

fn number(text: &str) -> Result<Decimal, String> {
    match Decimal::read(text)? {
        (number, "") => Ok(number),
        (_, rest) => Err(format!("expected a number, not {text:?}: {rest:?} is no part of one")),
    }
}
