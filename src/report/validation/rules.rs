//! What it costs to follow written rules: the files that `hetsim advise` writes name algorithms of the library only, and
//! what they name is looked up among the measurements.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::{percent, without_blank_columns};
use crate::accuracy::validate::{Judged, Validation};
use crate::communication::Operation;
use crate::fit::read::collectives::{Maker, Measurement};
use crate::report::advise::{Choice, OwnChoice, Ruled, Timed, candidate};
use crate::report::text::TextTable;
use crate::workload::advise::Candidate;

/// An operation at a size, of which at least two algorithms of the library itself were measured in the same run, and
/// predicted; what the library chooses by itself was measured, too.
#[derive(Debug, Clone, PartialEq)]
pub struct RuledChoice {
    /// The operation.
    pub operation: Operation,
    /// The measured time of the library's fastest algorithm, in seconds.
    pub best_time: f64,
    /// The measured time of what the rules name, in seconds, if measured.
    pub time: Option<f64>,
    /// The measured time of the library's own choice, in seconds.
    pub default_time: f64,
}

/// Some of these choices in a few numbers. The means are over those in which the algorithm of the rules was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct RulesSummary {
    /// What the choices have in common.
    pub group: String,
    /// In how many the algorithm of the rules was measured.
    pub count: usize,
    /// In how many it was not.
    pub left_out: usize,
    /// How much longer than the library's fastest the algorithm of the rules takes, as a share: the mean.
    pub regret: Option<f64>,
    /// The greatest of these.
    pub worst: Option<f64>,
    /// The same mean for the library's own choice.
    pub default_regret: Option<f64>,
}

impl RulesSummary {
    /// All choices together.
    #[must_use]
    pub fn of_all(choices: &[RuledChoice]) -> Self {
        Self::of("all", &choices.iter().collect::<Vec<_>>())
    }

    fn of(group: &str, choices: &[&RuledChoice]) -> Self {
        let regrets = |choice: &&RuledChoice| {
            choice.time.map(|time| [time, choice.default_time].map(|time| time / choice.best_time - 1.0))
        };
        let regrets: Vec<[f64; 2]> = choices.iter().filter_map(regrets).collect();
        let count = regrets.len();
        let mean = |of: usize| (count > 0).then(|| regrets.iter().map(|both| both[of]).sum::<f64>() / count as f64);
        Self {
            group: group.to_owned(),
            count,
            left_out: choices.len() - count,
            regret: mean(0),
            worst: regrets.iter().map(|both| both[0]).max_by(f64::total_cmp),
            default_regret: mean(1),
        }
    }

    /// Whether following the rules costs more than leaving the choice to the library.
    fn is_worse(&self) -> bool {
        self.regret > self.default_regret
    }
}

/// What a file of rules is written for: the system, the library, the ranks on a node, and whose rules they are.
type FileKey<'j> = (&'j str, &'j str, u32, Maker);

/// A measured point of what a library runs itself: one of its algorithms, or its own choice.
struct Own<'j> {
    judged: &'j Judged,
    operation: Operation,
    candidate: Candidate,
    /// Its size as the operation counts it.
    size: u64,
    ranks: u32,
    predicted: f64,
}

impl<'j> Own<'j> {
    fn of(judged: &'j Judged) -> Option<Self> {
        let measured = &judged.measured;
        let (predicted, model) = (*judged.predicted.as_ref().ok()?, measured.model.as_ref()?);
        let (ranks, size) = (u32::try_from(measured.ranks()).ok()?, model.size);
        let (operation, candidate) = if measured.is_default {
            let (operation, library) = (measured.operation.parse().ok()?, model.algorithm().parse().ok()?);
            (operation, Candidate::of_library(library, operation, ranks, size)?)
        } else {
            candidate(measured)?
        };
        (measured.maker() != Maker::Other).then_some(Self { judged, operation, candidate, size, ranks, predicted })
    }

    const fn measured(&self) -> &'j Measurement {
        &self.judged.measured
    }

    fn file(&self) -> FileKey<'j> {
        let of = self.measured();
        (&of.system, &of.library, of.ranks_per_node, of.maker())
    }

    const fn timed(&self) -> Timed {
        Timed { candidate: self.candidate, seconds: self.predicted, measured: false }
    }

    fn ruled(&self) -> Option<Ruled> {
        Ruled::of(self.measured().maker(), self.operation, &self.candidate, self.ranks)
    }
}

/// The choices for which rules are written, with what they name.
#[must_use]
pub fn ruled_choices(validation: &Validation) -> Vec<RuledChoice> {
    let own: Vec<Own<'_>> = validation.points.iter().filter_map(Own::of).collect();
    let files = files(&own);
    let mut groups: BTreeMap<_, Vec<&Own<'_>>> = BTreeMap::new();
    for point in own.iter().filter(|point| !point.measured().is_default) {
        let of = point.measured();
        let key = (point.file(), &of.run, of.nodes, point.operation, of.bytes);
        groups.entry(key).or_default().push(point);
    }
    groups.iter().filter_map(|((file, ..), points)| ruled_choice(validation, &files[file], points)).collect()
}

/// The choices from which each file of rules is written: what is predicted of all measured algorithms of the library and
/// of its own choice, by operation, rising ranks and rising size.
fn files<'j>(own: &[Own<'j>]) -> BTreeMap<FileKey<'j>, Vec<Choice>> {
    let mut asked: BTreeMap<_, BTreeMap<_, Choice>> = BTreeMap::new();
    for point in own {
        let (file @ (_, _, on_each, maker), question) = (point.file(), (point.operation, point.ranks, point.size));
        let choice = asked.entry(file).or_default().entry(question).or_insert_with(|| Choice {
            operation: point.operation,
            ranks: point.ranks,
            ranks_per_node: Some(on_each),
            has_shared_nodes: on_each > 1,
            bytes: point.size,
            benchmark: true,
            timed: Vec::new(),
            error: Some(point.judged.expected_error),
            own: Vec::new(),
            scale: None,
        });
        if point.measured().is_default {
            choice.own.push(OwnChoice { maker, timed: point.timed() });
        } else if choice.time_of(&point.candidate).is_none() {
            choice.timed.push(point.timed());
        }
    }
    asked.into_iter().map(|(file, choices)| (file, choices.into_values().collect())).collect()
}

/// A choice between the library's own algorithms that were measured in one run; nothing for a single one.
fn ruled_choice(validation: &Validation, file: &[Choice], points: &[&Own<'_>]) -> Option<RuledChoice> {
    let names: BTreeSet<&str> = points.iter().map(|point| point.measured().algorithm.as_str()).collect();
    let first = points.first().filter(|_| names.len() > 1)?;
    let of = first.measured();
    let times =
        |points: &mut dyn Iterator<Item = &Measurement>| -> Vec<f64> { points.map(|point| point.median).collect() };
    let asked = Ruled::by_rules(file, of.maker(), (first.operation, first.ranks, first.size));
    let is_named = |point: &&&Own<'_>| asked.is_some() && point.ruled() == asked;
    let is_default = |point: &&Measurement| {
        point.is_default
            && (&point.system, &point.run, &point.library) == (&of.system, &of.run, &of.library)
            && (point.nodes, point.ranks_per_node, point.bytes) == (of.nodes, of.ranks_per_node, of.bytes)
            && point.operation == of.operation
    };
    let default = validation.points.iter().map(|point| &point.measured).find(is_default)?;
    let followed = match asked {
        Some(asked) if asked.is_own_choice() => vec![default.median],
        _ => times(&mut points.iter().filter(is_named).map(|point| point.measured())),
    };
    let best_time = times(&mut points.iter().map(|point| point.measured())).into_iter().min_by(f64::total_cmp)?;
    Some(RuledChoice {
        operation: first.operation,
        best_time,
        time: (!followed.is_empty()).then(|| followed.iter().sum::<f64>() / followed.len() as f64),
        default_time: default.median,
    })
}

/// What rules cost by operation, beside what the library's own choice costs; no rows without any choice.
pub(super) fn rules_table(choices: &[RuledChoice]) -> TextTable {
    let mut groups: BTreeMap<&str, Vec<&RuledChoice>> = BTreeMap::new();
    for choice in choices {
        groups.entry(choice.operation.name()).or_default().push(choice);
    }
    let of_operations: Vec<RulesSummary> =
        groups.into_iter().map(|(name, choices)| RulesSummary::of(name, &choices)).collect();
    let total = (of_operations.len() > 1).then(|| RulesSummary::of_all(choices));
    let row = |summary: &RulesSummary| {
        let left_out = if summary.left_out == 0 { String::new() } else { summary.left_out.to_string() };
        let regrets = [summary.regret, summary.worst, summary.default_regret].map(percent);
        [summary.group.clone(), summary.count.to_string()].into_iter().chain(regrets).chain([left_out]).collect()
    };
    let columns = ["operation", "choices", "rules", "worst", "no rules", "left out"];
    without_blank_columns(TextTable {
        title: "Rules for the library, in per cent".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: of_operations.iter().chain(&total).map(row).collect(),
        notes: notes(&of_operations),
        ..TextTable::default()
    })
}

/// What the numbers mean, and for which operations rules do harm.
fn notes(of_operations: &[RulesSummary]) -> Vec<String> {
    let mut notes = vec![
        "`rules` is the mean regret of following the rules that `hetsim advise` writes for the library, among its own \
         measured algorithms, `worst` the greatest; `no rules` is the mean regret of leaving the choice to the library. \
         Both are relative to the fastest of these algorithms."
            .to_owned(),
    ];
    let worse: Vec<&str> = of_operations.iter().filter(|one| one.is_worse()).map(|one| one.group.as_str()).collect();
    if !worse.is_empty() {
        notes.push(format!("Rules are worse than none here: {}.", worse.join(", ")));
    }
    if of_operations.iter().any(|one| one.left_out > 0) {
        notes.push("Left out are choices in which no row has what the rules name.".to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::fit::read::collectives::{GivenColumns, read};

    /// Broadcasts among eight nodes per line `run,algorithm,bytes,measured,predicted` (µs).
    fn validation(rows: &[(&str, &str, u64, f64, f64)]) -> Validation {
        let mut text = "system,run,library,operation,algorithm,nodes,bytes,time_us\n".to_owned();
        for (run, algorithm, bytes, measured, _) in rows {
            writeln!(text, "s,{run},Open MPI 4.1.5,bcast,{algorithm},8,{bytes},{measured}").unwrap();
        }
        let points = read(&text, &GivenColumns::default()).unwrap().points.into_iter().zip(rows);
        let judged = |(measured, (.., predicted)): (Measurement, &(&str, &str, u64, f64, f64))| Judged {
            predicted: Ok(predicted / 1e6),
            counts: true,
            expected_error: 0.0,
            measured,
        };
        Validation::new(points.map(judged).collect())
    }

    /// The binomial tree is predicted fastest at 8 B, the linear one at 8 KiB; libbine's, faster in truth and in the
    /// prediction, are none of the library's.
    const ROWS: [(&str, &str, u64, f64, f64); 8] = [
        ("r", "binomial_ompi", 8, 12.0, 5.0),
        ("r", "linear_ompi", 8, 10.0, 6.0),
        ("r", "bine_lat_over", 8, 1.0, 1.0),
        ("r", "default_ompi", 8, 15.0, 6.0),
        ("r", "binomial_ompi", 8192, 10.0, 9.0),
        ("r", "linear_ompi", 8192, 20.0, 8.0),
        ("r", "bine_lat_over", 8192, 1.0, 1.0),
        ("r", "default_ompi", 8192, 9.0, 8.7),
    ];

    fn near(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|found| (found - expected).abs() < 1e-9), "{found:?} {expected}");
    }

    #[test]
    fn rules_and_the_library_are_judged_by_its_own_fastest() {
        let choices = ruled_choices(&validation(&ROWS));
        let summary = RulesSummary::of_all(&choices);
        assert_eq!((summary.count, summary.left_out), (2, 0));
        // +20 % and +100 %; the library's own choices +50 % and −10 %.
        near(summary.regret, 0.6);
        near(summary.worst, 1.0);
        near(summary.default_regret, 0.2);
        let table = rules_table(&choices);
        assert_eq!(table.rows, [["broadcast", "2", "60.0", "100", "20.0"]]);
        assert_eq!(table.notes[1..], ["Rules are worse than none here: broadcast."]);
    }

    /// The library's own choice is predicted to take 20 % longer at 8 B, and 9 % at 8 KiB: within the error it is kept, and
    /// its measured time counts.
    #[test]
    fn what_saves_less_than_the_error_is_left_to_the_library() {
        let mut all = validation(&ROWS);
        all.points.iter_mut().for_each(|point| point.expected_error = 0.1);
        let summary = RulesSummary::of_all(&ruled_choices(&all));
        near(summary.regret, (0.2 - 0.1) / 2.0);
        near(summary.default_regret, 0.2);
        all.points.iter_mut().for_each(|point| point.expected_error = 0.25);
        near(RulesSummary::of_all(&ruled_choices(&all)).regret, 0.2);
    }

    /// The rules are those of the machine. In the second run nobody measured what they name at 8 B.
    #[test]
    fn what_no_row_has_is_left_out() {
        let others = [
            ("q", "chain_ompi", 8, 30.0, 8.0),
            ("q", "linear_ompi", 8, 10.0, 6.0),
            ("q", "default_ompi", 8, 15.0, 5.0),
        ];
        let choices = ruled_choices(&validation(&[&ROWS[..], &others].concat()));
        let summary = RulesSummary::of_all(&choices);
        assert_eq!((summary.count, summary.left_out), (2, 1));
        near(summary.regret, 0.6);
        let table = rules_table(&choices);
        assert_eq!((table.columns.last().map(String::as_str), table.rows[0][5].as_str()), (Some("left out"), "1"));
        // A single algorithm of the library's own is no choice.
        assert!(ruled_choices(&validation(&ROWS[1..4])).is_empty());
    }
}
