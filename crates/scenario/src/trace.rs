//! Step functions of time in files: CSV lines `time in seconds,value`, or trace lines `date value` as other simulators
//! write them. The form of the first line decides which.
//!
//! A trace may say once, in a line of its own, that it repeats: `PERIODICITY p`, with p seconds from the start of one
//! round to that of the next, or `LOOPAFTER d`, with d seconds from the last date of a round to the start of the next.
//! Dates are in seconds from the start of a round. Between two rounds the last value stays, until the first date of the
//! next one.

use std::path::Path;

use super::csv::{self, Row};
use hetsim_base::units::{Quantity, Seconds, Tick, Time};
use hetsim_cluster::{Profile, ProfileError};
use hetsim_text::{Node, Problem, Source};

/// The line of a trace that says how it repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Repeat {
    line: u64,
    key: &'static str,
    seconds: f64,
}

const PERIODICITY: &str = "PERIODICITY";
const LOOPAFTER: &str = "LOOPAFTER";

/// A file, and the value in the scenario that names it.
#[derive(Debug, Clone, Copy)]
struct Named<'a> {
    path: &'a Path,
    by: &'a Node,
}

impl Named<'_> {
    fn problem(self, line: u64, what: &str) -> Problem {
        Problem::at(&self.by.place, format!("{}, line {line}: {what}", self.path.display()))
    }

    /// The reason why the function is refused, in the terms of the file.
    fn refused(self, error: &ProfileError, rows: &[Row]) -> Problem {
        let line = |step: usize| rows.get(step - 1).map_or(0, |row| row.line);
        match error {
            ProfileError::OutOfOrder { step } => {
                let what =
                    "the times must rise by a tick at least, and this one is not that much later than the one before";
                self.problem(line(*step), what)
            }
            ProfileError::BadValue { step, .. } => {
                self.problem(line(*step), "the value must be zero or more, and finite")
            }
            ProfileError::Empty | ProfileError::ShortPeriod => {
                Problem::at(&self.by.place, format!("{}: {error}", self.path.display()))
            }
        }
    }
}

/// Reads the step function in a file. `period` is the scenario's, with its place.
///
/// # Errors
/// Where the file can't be read, a line is none of the above, times don't rise, or the period is given twice or is too
/// short.
pub(super) fn read(path: &Path, by: &Node, period: Option<(Seconds, &Node)>, tick: Tick) -> Result<Profile, Problem> {
    let named = Named { path, by };
    let text = Source::read(path).map_err(|error| Problem::at(&by.place, error.to_string()))?.text;
    let first = lines(&text).next();
    let (rows, repeat) = if first.is_none_or(|(_, line)| line.contains(',')) {
        (csv::read_steps(path, by)?, None)
    } else {
        parse(&text, named)?
    };
    let steps: Vec<_> = rows.iter().map(|row| (tick.time(row.time), row.value)).collect();
    if let Some(repeat) = repeat {
        if let Some((_, node)) = period {
            let message = format!("{} repeats by itself: its line {} says {}", path.display(), repeat.line, repeat.key);
            return Err(Problem::at(&node.place, message).with_help("leave `period` out, or that line"));
        }
        return repeated(&steps, repeat, &rows, tick, named);
    }
    let ticks = period.map(|(period, _)| tick.time(period.base()));
    Profile::new(&steps, ticks).map_err(|error| match (period, &error) {
        (Some((_, node)), ProfileError::ShortPeriod) => Problem::at(&node.place, error.to_string()),
        _ => named.refused(&error, &rows),
    })
}

/// The function of a trace that repeats: one of its rounds runs from first date to first date, so that the last value
/// stays in between.
fn repeated(
    steps: &[(Time, f64)],
    repeat: Repeat,
    rows: &[Row],
    tick: Tick,
    named: Named<'_>,
) -> Result<Profile, Problem> {
    let (Some(&(first, _)), Some(&(last, _))) = (steps.first(), steps.last()) else {
        return Err(named.refused(&ProfileError::Empty, rows));
    };
    let seconds = tick.time(repeat.seconds);
    let period = if repeat.key == LOOPAFTER { last + seconds } else { seconds };
    let short = || named.problem(repeat.line, &format!("{} must end a round after its last date", repeat.key));
    if period < last {
        return Err(short());
    }
    let steps: Vec<_> = steps.iter().map(|&(time, value)| (time - first, value)).collect();
    let profile = Profile::new(&steps, Some(period)).map_err(|error| match error {
        ProfileError::ShortPeriod => short(),
        other => named.refused(&other, rows),
    });
    profile.map(|profile| profile.begun_at(first))
}

/// The lines of a text that say something, numbered from 1.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']))
}

/// The lines of a trace.
fn parse(text: &str, named: Named<'_>) -> Result<(Vec<Row>, Option<Repeat>), Problem> {
    let mut rows: Vec<Row> = Vec::new();
    let mut repeat: Option<Repeat> = None;
    for (line, content) in lines(text) {
        let words: Vec<&str> = content.split_whitespace().collect();
        let key = [PERIODICITY, LOOPAFTER].into_iter().find(|key| words[0] == *key);
        if key.is_none() && content.starts_with(char::is_alphabetic) {
            let what = format!("`{}` is neither a date nor {PERIODICITY} or {LOOPAFTER}", words[0]);
            let help = "distributions in a trace are not read; the scenario may give them as `drawn`";
            return Err(named.problem(line, &what).with_help(help));
        }
        let &[first, second] = words.as_slice() else {
            return Err(named.problem(line, "a line has two numbers: date in seconds, value"));
        };
        let number = |word: &str| {
            let number: f64 = word.parse().map_err(|_| named.problem(line, &format!("`{word}` is not a number")))?;
            if number.is_finite() && number >= 0.0 {
                Ok(number)
            } else {
                Err(named.problem(line, "numbers must be zero or more, and finite"))
            }
        };
        if let Some(key) = key {
            if let Some(earlier) = repeat {
                let what = format!("line {} says {} already", earlier.line, earlier.key);
                return Err(named.problem(line, &what));
            }
            repeat = Some(Repeat { line, key, seconds: number(second)? });
            continue;
        }
        let (time, value) = (number(first)?, number(second)?);
        if rows.last().is_some_and(|earlier| time <= earlier.time) {
            return Err(named.problem(line, "the dates must rise, and this one is not later than the one before"));
        }
        rows.push(Row { line, time, value });
    }
    if rows.is_empty() {
        let problem = Problem::at(&named.by.place, format!("{} holds no steps", named.path.display()));
        return Err(problem.with_help("each line has two numbers: date in seconds, value"));
    }
    Ok((rows, repeat))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    const SECOND: u64 = 1_000_000_000_000;

    /// What is made of a file of this content, read with a period or without one.
    fn with_period(content: &str, period: Option<f64>) -> Result<Profile, String> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("t.txt");
        std::fs::write(&path, content).unwrap();
        let by = Node::scalar(&"t.txt".into()).unwrap();
        let period = period.map(|period| (Seconds::from_base(period).unwrap(), &by));
        read(&path, &by, period, Tick::PICOSECOND).map_err(|problem| {
            let help = problem.help.map_or_else(String::new, |help| format!(" ({help})"));
            problem.message.replace(&folder.path().display().to_string(), "") + &help
        })
    }

    fn of(content: &str) -> Result<Profile, String> {
        with_period(content, None)
    }

    /// Steps in whole seconds.
    fn steps(steps: &[(u64, f64)], period: Option<u64>) -> Profile {
        let steps: Vec<_> = steps.iter().map(|&(at, value)| (Time(at * SECOND), value)).collect();
        Profile::new(&steps, period.map(|period| Time(period * SECOND))).unwrap()
    }

    #[test]
    fn both_forms_say_the_same_with_and_without_a_final_newline() {
        let wanted = steps(&[(0, 1.0), (10, 0.5), (20, 0.25)], None);
        let trace = "# a comment\n0 1\n\n  10.0\t0.5\r\n% another\n2e1 .25";
        let csv = "time_s,value\n0,1\n10,0.5\n20,0.25";
        for text in [trace, csv] {
            assert_eq!(of(text).as_ref(), Ok(&wanted));
            assert_eq!(of(&format!("{text}\n")).as_ref(), Ok(&wanted));
            assert_eq!(with_period(text, Some(30.0)), Ok(steps(&[(0, 1.0), (10, 0.5), (20, 0.25)], Some(30))));
        }
        // A single line without an end is a step as well, and a line that says how it repeats may be the last one.
        assert_eq!(of("3 0.5"), Ok(steps(&[(3, 0.5)], None)));
        assert_eq!(of("3,0.5"), Ok(steps(&[(3, 0.5)], None)));
        assert_eq!(of("0 1\n10 0.5\nPERIODICITY 12"), Ok(steps(&[(0, 1.0), (10, 0.5)], Some(12))));
    }

    #[test]
    fn the_two_ways_to_repeat() {
        let wanted = Ok(steps(&[(0, 1.0), (10, 0.5)], Some(12)));
        assert_eq!(of("PERIODICITY 12\n0 1\n10 0.5\n"), wanted);
        // 2 s from the last date to the start of the next round.
        assert_eq!(of("0 1\nLOOPAFTER 2\n10 0.5\n"), wanted);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (content, wanted) in [
            ("0 1\n5 0.5\n4 1", "t.txt, line 3: the dates must rise, and this one is not later than the one before"),
            ("0 1\n\n# c\n0 0.5", "t.txt, line 4: the dates must rise"),
            ("0 1\n1e-13 0.5\n2e-13 1", "t.txt, line 3: the times must rise by a tick at least"),
            ("0 1\n5 half", "t.txt, line 2: `half` is not a number"),
            ("0 1\n5 -1", "t.txt, line 2: numbers must be zero or more, and finite"),
            ("0 1\n-5 1", "t.txt, line 2: numbers must be zero or more, and finite"),
            ("0 1\n5 inf", "t.txt, line 2: numbers must be zero or more, and finite"),
            ("0 1 2", "t.txt, line 1: a line has two numbers"),
            ("0 1\n5,0.5", "t.txt, line 2: a line has two numbers"),
            ("0 1\n5 0.5\nPERIODICITY 4", "t.txt, line 3: PERIODICITY must end a round after its last date"),
            ("PERIODICITY 5\n0 1\n5 0.5", "t.txt, line 1: PERIODICITY must end a round after its last date"),
            ("0 1\nLOOPAFTER 0", "t.txt, line 2: LOOPAFTER must end a round after its last date"),
            ("LOOPAFTER 1\n0 1\nPERIODICITY 9", "t.txt, line 3: line 1 says LOOPAFTER already"),
            ("PERIODICITY\n0 1", "t.txt, line 1: a line has two numbers"),
            ("STOCHASTIC LOOP\nDET 0 UNIF 0 1", "line 1: `STOCHASTIC` is neither a date nor PERIODICITY or LOOPAFTER"),
            ("0 1\nPeriodicity 9", "line 2: `Periodicity` is neither a date nor PERIODICITY or LOOPAFTER"),
            ("PERIODICITY 9\n", "t.txt holds no steps"),
            ("", "t.txt holds no steps"),
            ("# nothing\n", "t.txt holds no steps"),
            ("0,1\n5,0.5\n4,1", "t.txt, line 3: the times must rise"),
            ("0,1\n5 0.5", "t.txt, line 2: a line has two numbers"),
        ] {
            let message = of(content).expect_err(content);
            assert!(message.contains(wanted), "{content:?}: {message}");
        }
        let twice = with_period("0 1\nPERIODICITY 9", Some(9.0)).unwrap_err();
        assert!(twice.contains("t.txt repeats by itself: its line 2 says PERIODICITY"), "{twice}");
        let short = with_period("0 1\n5 0.5", Some(5.0)).unwrap_err();
        assert_eq!(short, "the period must end after the last step");
    }

    proptest! {
        /// A trace is a list of events, each so long after the one before it: the definition, walked along.
        #[test]
        fn a_trace_that_repeats_is_its_events_one_after_the_other(
            gaps in prop::collection::vec((1u64..9, 0u32..9), 1..6), first: bool, more in 1u64..9, key: bool, at in 0u64..300,
        ) {
            let mut date = 0;
            let rows: Vec<(u64, u32)> = gaps.iter().enumerate().map(|(index, &(gap, value))| {
                date += if index == 0 && first { 0 } else { gap };
                (date, value)
            }).collect();
            let lines: Vec<_> = rows.iter().map(|(date, value)| format!("{date} {value}\n")).collect();
            let end = if key { format!("PERIODICITY {}", date + more) } else { format!("LOOPAFTER {more}") };
            let profile = of(&(lines.concat() + &end)).unwrap();
            let (mut now, mut value, mut index) = (rows[0].0, 1, 0);
            while now <= at {
                value = rows[index].1;
                index = (index + 1) % rows.len();
                now += if index == 0 { more + rows[0].0 } else { rows[index].0 - rows[index - 1].0 };
            }
            prop_assert_eq!(profile.value(Time(at * SECOND)), f64::from(value));
        }
    }
}
