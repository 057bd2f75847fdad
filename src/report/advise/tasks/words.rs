//! What is advised, in sentences and tables.

use std::ops::Range;

use super::{Setting, TaskAdvice, Tried, Useless, ties};
use crate::report::text::{TextTable, humane};
use crate::statistics::compare::Estimate;
use crate::workload::machines::MachineChange;

/// The most settings that the table shows; the file has all.
const MOST_SETTINGS: usize = 12;

/// The most kinds of machines of which a sentence says that they are not worth using.
const MOST_USELESS: usize = 3;

fn seconds(value: f64) -> String {
    humane("_s", value)
}

/// A share in per cent, with two digits or more.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent.abs() < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// An interval behind a value: `12.3 s (11.9 to 12.7)`, with units where they are not that of the value.
fn within(shown: &str, ends: Option<(String, String)>) -> String {
    let Some((low, high)) = ends.filter(|(low, high)| low != high) else { return String::new() };
    let unit =
        |text: &str| text.rsplit_once([' ', '\u{a0}']).map(|(number, unit)| (number.to_owned(), unit.to_owned()));
    match [shown, &low, &high].map(unit) {
        [Some((_, of_value)), Some((low, of_low)), Some((high, of_high))]
            if of_low == of_value && of_high == of_value =>
        {
            format!(" ({low} to {high})")
        }
        _ => format!(" ({low} to {high})"),
    }
}

/// A time with its interval, if it has one.
fn time<T>(tried: &Tried<T>) -> String {
    let shown = seconds(tried.mean());
    let interval = within(&shown, tried.interval().map(|(low, high)| (seconds(low), seconds(high))));
    shown + &interval
}

/// How much longer or shorter a run is, than what if that is to be said, with its interval where it has one.
fn against(longer: Estimate, than: &str) -> String {
    let (word, sign) = if longer.value < 0.0 { ("shorter", -1.0) } else { ("longer", 1.0) };
    let shown = percent(sign * longer.value);
    let ends = longer.interval.map(|(low, high)| (sign * low, sign * high));
    let interval = within(&shown, ends.map(|(a, b)| (percent(a.min(b)), percent(a.max(b)))));
    format!("{shown} {word}{than}{interval}")
}

/// A word at the beginning of a sentence.
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

impl<S: Setting> TaskAdvice<S> {
    /// What is advised, in sentences.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let (best, own) = (self.best(), &self.settings[0]);
        let than_now = |tried: &Tried<S>| {
            let longer = tried.longer_than(own);
            longer.map_or_else(String::new, |longer| format!(", {}", against(longer, " than now")))
        };
        let [few, all] = [self.enough().0, self.machines.fastest.len()].map(|nodes| self.counted(nodes));
        let fewer = self.with_fewer.as_ref().map(|tried| {
            let (what, time, than_now) = (tried.what, time(tried), than_now(tried));
            format!("Use only the fastest {} of {all}, and {} {what}: {time}{than_now}.", S::nodes(few), S::VERB)
        });
        let with_all = if fewer.is_some() { "With all, " } else { "" };
        let verb = if self.advised == 0 { "keep" } else { S::VERB };
        let verb = if fewer.is_some() { verb.to_owned() } else { capitalised(verb) };
        let rest = if self.advised > 0 {
            than_now(best) + "."
        } else {
            ". Nothing else that was tried is surely shorter.".to_owned()
        };
        let first = format!("{with_all}{verb} {}: {}{rest}", best.what, time(best));
        if let Some(fewer) = fewer {
            return vec![fewer, first];
        }
        let useless = self.useless().into_iter().take(MOST_USELESS).map(|useless| not_worth(&useless));
        let about_all = [Some(first), self.bound()].into_iter().flatten();
        about_all.chain(useless).chain(self.fewer()).chain(self.one_more()).collect()
    }

    /// What no setting can be below, and how far the advised one is from it.
    fn bound(&self) -> Option<String> {
        let (bound, best) = (self.lower_bound_s?, self.best().mean());
        // A processor may have more than its speed for a time, of which the bound knows nothing.
        if !(best > 0.0 && bound <= best) {
            return None;
        }
        let left = 1.0 - bound / best;
        Some(if left < super::NEGLIGIBLE {
            "On these machines no schedule can be shorter by more than 0.5 %.".to_owned()
        } else {
            format!("On these machines no schedule can take less than {}, {} less.", seconds(bound), percent(left))
        })
    }

    /// How many nodes are enough, if that is not all.
    fn fewer(&self) -> Option<String> {
        let (count, tried) = self.enough();
        let tried = tried?;
        let [count, all] = [count, self.machines.fastest.len()].map(|nodes| self.counted(nodes));
        let nodes = S::nodes(count);
        let longer = tried.longer_than(self.best())?;
        let is_better = self.race.takes_more(&self.best().seconds, &tried.seconds);
        let verb = if count == 1 { "is" } else { "are" };
        Some(if is_better {
            format!("The fastest {nodes} of {all} {verb} better than all: {}, {}.", time(tried), against(longer, ""))
        } else {
            format!("The fastest {nodes} of {all} {verb} enough: {}.", time(tried))
        })
    }

    /// The machine of which one more brings most, if it surely brings anything.
    fn one_more(&self) -> Option<String> {
        let more = self.changes.iter().filter_map(|tried| match tried.what {
            MachineChange::OneMore(kind) if !tried.seconds.is_empty() => Some((kind, tried)),
            _ => None,
        });
        let (kind, tried) = more.min_by(|a, b| a.1.mean().total_cmp(&b.1.mean()))?;
        let is_shorter = self.race.takes_more(&self.best().seconds, &tried.seconds);
        let longer = tried.longer_than(self.best())?;
        Some(if is_shorter {
            let kinds = &self.machines.kinds;
            let like = if kinds.len() > 1 { format!(" like {}", kinds[kind].name) } else { String::new() };
            format!("One more machine{like} makes it {}.", against(longer, ""))
        } else if longer.value < -super::NEGLIGIBLE {
            "It is not sure that one more machine brings anything.".to_owned()
        } else {
            "One more machine brings nothing.".to_owned()
        })
    }

    /// The settings, the fastest first, and the present one.
    #[must_use]
    pub fn settings_table(&self) -> TextTable {
        let ties = ties(&self.settings, &self.race);
        let order = self.fastest_first();
        let shown = order.iter().enumerate().filter(|(place, number)| *place < MOST_SETTINGS || **number == 0);
        let row = |(_, &number): (usize, &usize)| {
            let tried = &self.settings[number];
            let mark = match (number == self.advised, number == 0) {
                (true, true) => "keep",
                (true, false) => "use",
                (false, true) => "now",
                _ if ties[number] => "tie",
                _ => "",
            };
            [vec![tried.what.cell()], cells(tried, &self.settings[0]), vec![mark.to_owned()]].concat()
        };
        let rows: Vec<Vec<String>> = shown.map(row).collect();
        let replicas = self.best().seconds.len();
        let mut notes = Vec::new();
        if rows.len() < self.settings.len() {
            notes.push(format!("{} were tried; settings.csv has all.", self.settings.len()));
        }
        notes.push("tie: not surely longer than the fastest, or by less than 0.5 %.".to_owned());
        let title = if replicas == 1 {
            "Settings, one replica".to_owned()
        } else {
            if self.settings.iter().all(|tried| tried.interval().is_none()) {
                notes.push("No intervals: nothing is drawn, so all runs of a setting are alike.".to_owned());
            }
            format!("Settings, means of up to {replicas} replicas with 95 % intervals")
        };
        table(title, &[S::COLUMN, "time", "low", "high", "over now", ""], rows, notes)
    }

    /// The changes of the machines.
    #[must_use]
    pub fn machines_table(&self) -> TextTable {
        let row = |tried: &Tried<MachineChange>| [vec![self.change(tried.what)], cells(tried, self.best())].concat();
        let rows = self.changes.iter().filter(|tried| !tried.seconds.is_empty()).map(row).collect();
        let title = "Other machines, with the advised setting".to_owned();
        table(title, &["machines", "time", "low", "high", "over all"], rows, Vec::new())
    }

    /// The numbers of the settings that ran, the fastest first: by how much longer than the present one they took, in the
    /// replicas that they had.
    pub(super) fn fastest_first(&self) -> Vec<usize> {
        let ran = self.settings.iter().enumerate().filter(|(_, tried)| !tried.seconds.is_empty());
        let longer = |tried: &Tried<S>| tried.longer_than(&self.settings[0]).map_or(0.0, |longer| longer.value);
        let mut order: Vec<(f64, usize)> = ran.map(|(number, tried)| (longer(tried), number)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order.into_iter().map(|(_, number)| number).collect()
    }

    /// A change of the machines in words.
    #[must_use]
    pub fn change(&self, change: MachineChange) -> String {
        let name = |kind: usize| &self.machines.kinds[kind].name;
        let count = |kind: usize| self.machines.kinds[kind].machines.len();
        match change {
            MachineChange::WithoutOne(kind) if count(kind) == 1 => format!("without {}", name(kind)),
            MachineChange::WithoutOne(kind) => format!("without one of {}", name(kind)),
            MachineChange::WithoutAll(kind) => format!("without all {} of {}", count(kind), name(kind)),
            MachineChange::Fastest(fewer) => {
                let [fewer, all] = [fewer, self.machines.fastest.len()].map(|nodes| self.counted(nodes));
                format!("the fastest {fewer} of {}", S::nodes(all))
            }
            MachineChange::OneMore(kind) => format!("one more like {}", name(kind)),
        }
    }
}

/// The cells of a time, and of how much longer or shorter it is than another one.
fn cells<T, U>(tried: &Tried<T>, other: &Tried<U>) -> Vec<String> {
    let ends = tried.interval().map(|(low, high)| [low, high].map(seconds)).unwrap_or_default();
    // Rounded first, and added to zero, so that there is no -0.0.
    let percent =
        |longer: Estimate| format!("{:+.1} %", (1000.0 * longer.value).round() / 10.0 + 0.0).replace('-', "−");
    let against = tried.longer_than(other).map(percent);
    [vec![seconds(tried.mean())], ends.to_vec(), vec![against.unwrap_or_default()]].concat()
}

/// The columns of the ends of intervals.
const ENDS: Range<usize> = 2..4;

/// A table, without the columns of intervals if there are none.
fn table(title: String, columns: &[&str], mut rows: Vec<Vec<String>>, notes: Vec<String>) -> TextTable {
    let mut columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
    if rows.iter().all(|row| row[ENDS].iter().all(String::is_empty)) {
        columns.drain(ENDS);
        for row in &mut rows {
            row.drain(ENDS);
        }
    }
    TextTable { title, columns, rows, notes, ..TextTable::default() }
}

/// That machines are not worth using.
fn not_worth(Useless { kind, machines, longer }: &Useless<'_>) -> String {
    let (name, all) = (&kind.name, kind.machines.len());
    let (what, it) = match (*machines, all) {
        (1, 1) => (name.clone(), "it"),
        (1, _) => (format!("one of the {all} machines of {name}"), "it"),
        _ => (format!("the {all} machines of {name}"), "them"),
    };
    let without = match longer.value {
        value if value.abs() < super::NEGLIGIBLE => "no longer".to_owned(),
        _ => against(*longer, ""),
    };
    format!("It is not worth using {what}: without {it} the run is {without}.")
}
