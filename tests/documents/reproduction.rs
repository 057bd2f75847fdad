//! `docs/reproduction.md`: what the papers state beside what hetsim simulates, and the proof that every row can fail.
//!
//! `papers.toml` says what the scenarios cannot: a summary of each paper, the statements that cannot be tested, and
//! mutations, which are edits of a scenario's text that break one mechanism each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::sync::OnceLock;

use hetsim::report::expect::{self, Kind, Verdict};
use hetsim::report::statement::{Statement, statements};
use hetsim::report::{Results, text};
use hetsim::scenario::{Scenario, Source};
use rayon::prelude::*;
use serde::Deserialize;

use super::{at_once, document, load, results, root, simulate};

/// What `papers.toml` holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Papers {
    paper: Vec<Paper>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Paper {
    title: String,
    /// What was reproduced, in one sentence.
    reproduced: String,
    /// What was not.
    not_reproduced: String,
    /// What was learned that the paper does not say.
    learned: String,
    /// Statements of the paper that no simulation can test.
    #[serde(default)]
    untestable: Vec<Untestable>,
    scenario: Vec<Mutated>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Untestable {
    statement: String,
    source: String,
    reason: String,
}

/// A scenario and the mutations under which its rows fail.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutated {
    name: String,
    #[serde(default)]
    mutation: Vec<Mutation>,
}

/// A broken mechanism.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutation {
    /// What is broken, in some words: "no server cost".
    name: String,
    /// Texts of the scenario and what stands in their place.
    #[serde(default)]
    edits: Vec<(String, String)>,
    /// Values put over those of the scenario, as `--set` does.
    #[serde(default)]
    set: Vec<String>,
}

fn papers() -> &'static [Paper] {
    static PAPERS: OnceLock<Papers> = OnceLock::new();
    let read = || toml::from_str(&fs::read_to_string(root().join("tests/documents/papers.toml")).unwrap()).unwrap();
    &PAPERS.get_or_init(read).paper
}

pub(super) fn is_of_a_paper(name: &str) -> bool {
    papers().iter().flat_map(|paper| &paper.scenario).any(|scenario| scenario.name == name)
}

impl Mutation {
    /// The scenario with the mechanism broken. Every edit finds its text.
    fn of(&self, name: &str) -> Scenario {
        let mut source = Source::read(&root().join("scenarios").join(format!("{name}.toml"))).unwrap();
        for (from, to) in &self.edits {
            assert!(source.text.contains(from), "{name}, {}: no `{from}` in the scenario", self.name);
            source.text = source.text.replace(from, to).into();
        }
        Scenario::read(name.to_owned(), source, &self.set)
            .unwrap_or_else(|problems| panic!("{name}, {}: {problems}", self.name))
    }
}

/// A row by the number of its expectation and the place of its point.
type Row = (usize, String);

/// What became of a scenario's expectations, with their rows; no row for a time that a clock measures.
fn judged(results: &Results<'_>, scenario: &Scenario) -> Vec<(Option<Row>, Verdict)> {
    let of_spec = |(number, spec)| {
        let row = move |verdict: Verdict| ((!verdict.clocked).then(|| (number, verdict.place.clone())), verdict);
        expect::check(results, std::slice::from_ref(spec)).into_iter().map(row)
    };
    scenario.report().expect.iter().enumerate().flat_map(of_spec).collect()
}

/// The rows of a scenario, but for those of times that a clock measures.
fn rows(results: &Results<'_>, scenario: &Scenario) -> BTreeMap<Row, Verdict> {
    judged(results, scenario).into_iter().filter_map(|(row, verdict)| Some((row?, verdict))).collect()
}

/// A mutation of a scenario, and the rows that are met as it is and fail under the mutation.
type Fallen = (&'static str, BTreeSet<Row>);

/// Tries all mutations of a scenario.
fn mutate(scenario: &'static Mutated) -> Vec<Fallen> {
    let whole = load(&scenario.name);
    let rows_before = rows(&results(&whole), &whole);
    let fall = |mutation: &'static Mutation| {
        let mutated = mutation.of(&scenario.name);
        let records = simulate(&mutated, mutated.file.replicas.most());
        let after = rows(&Results::new(&mutated, records), &mutated);
        let is_met = |row: &Row| after.get(row).is_none_or(|verdict| verdict.met);
        let met = rows_before.iter().filter(|(_, verdict)| verdict.met).map(|(row, _)| row);
        (mutation.name.as_str(), met.filter(|row| !is_met(row)).cloned().collect())
    };
    scenario.mutation.par_iter().map(fall).collect()
}

fn of_all_papers() -> Vec<&'static Mutated> {
    papers().iter().flat_map(|paper| &paper.scenario).collect()
}

/// What the mutations of a scenario fell. The runs of each happen once, however many tests ask.
fn fallen(name: &str) -> &'static [Fallen] {
    static FALLEN: OnceLock<BTreeMap<&'static str, Vec<Fallen>>> = OnceLock::new();
    let try_one = |scenario: &&'static Mutated| (scenario.name.as_str(), mutate(scenario));
    let all = || at_once(&of_all_papers(), try_one).into_iter().collect();
    &FALLEN.get_or_init(all)[name]
}

/// The rows of a scenario that are met and that no mutation fells, and the mutations that fell none.
fn standing(scenario: &Mutated, fallen: &[Fallen]) -> String {
    let mut standing = String::new();
    let whole = load(&scenario.name);
    for ((number, place), verdict) in rows(&results(&whole), &whole) {
        let row = (number, place);
        if verdict.met && !fallen.iter().any(|(_, rows)| rows.contains(&row)) {
            let claim = verdict.claim();
            let _ = writeln!(standing, "{}: {claim}: {} at {}", scenario.name, verdict.metric, row.1);
        }
    }
    for (mutation, _) in fallen.iter().filter(|(_, rows)| rows.is_empty()) {
        let _ = writeln!(standing, "{}: nothing falls under {mutation}", scenario.name);
    }
    standing
}

/// No row that is met is unable to fail: for each there is a mutation under which it does.
fn can_fail<'a>(scenarios: impl Iterator<Item = (&'static Mutated, &'a [Fallen])>) {
    let standing: String = scenarios.map(|(scenario, fallen)| standing(scenario, fallen)).collect();
    assert!(standing.is_empty(), "rows that no mutation fells, and mutations that fell none:\n{standing}");
}

/// Scenarios of three papers that take less than a second each; no scenario of the other papers does.
const LIGHT: [&str; 9] = [
    "bazterra-fig1",
    "bazterra-fig3",
    "grid5000",
    "nasri-fig3",
    "nasri-fig4",
    "nasri-fig6",
    "nasri-fig7",
    "nasri-without-overlap",
    "garamendi-fig2",
];

#[test]
fn every_row_of_light_scenarios_can_fail() {
    let mut light = of_all_papers();
    light.retain(|scenario| LIGHT.contains(&scenario.name.as_str()));
    assert_eq!(light.len(), LIGHT.len());
    let fallen: Vec<Vec<Fallen>> = light.iter().copied().map(mutate).collect();
    can_fail(light.into_iter().zip(fallen.iter().map(Vec::as_slice)));
}

#[test]
fn mutations_can_be_read() {
    for scenario in of_all_papers() {
        for mutation in &scenario.mutation {
            mutation.of(&scenario.name);
        }
    }
}

#[test]
#[ignore = "takes minutes; `.ci/run` runs it"]
fn every_row_can_fail() {
    can_fail(of_all_papers().into_iter().map(|scenario| (scenario, fallen(&scenario.name))));
}

#[test]
#[ignore = "takes minutes; `.ci/run` runs it"]
fn reproduction() {
    let papers: Vec<_> = papers().iter().map(|paper| (paper, tested(paper))).collect();
    let printed = papers.iter().map(|(_, tested)| count(tested, Kind::Printed));
    let (met, all) = printed.fold((0, 0), |sum, (met, all)| (sum.0 + met, sum.1 + all));
    let mut text = format!(
        "# Reproduction\n\n\
        ![Speedup of the adaptive genetic algorithm, with the two points that its paper prints]\
        (pictures/bazterra-fig3-speedup.svg)\n\n\
        Of {all} statements that {papers} papers print, {met} come out of hetsim as printed; the others stand here as\n\
        misses. The picture is Fig. 3 of the first paper as hetsim simulates it.\n\n\
        The tables put what the papers state beside what hetsim simulates. A statement is one line, and is met if all its\n\
        rows are. Four kinds of statements are kept apart. *Printed*: the paper prints it, and the simulation could miss it. *Input*: the\n\
        model was given the number. *Fitted*: a parameter was fitted to it. *Own*: a number or a bound of ours.\n\n\
        Every row that is met fails under one of the mutations that \"fails with\" names: a test tries them.\n\
        Made by `HETSIM_BLESS=1 cargo test --test documents -- --ignored` from the expectations in the scenarios and from\n\
        `tests/documents/papers.toml`.\n\n",
        papers = papers.len()
    );
    push_summary(&mut text, &papers);
    for (paper, tested) in &papers {
        push_paper(&mut text, paper, tested);
    }
    document("docs/reproduction.md", &text);
}

/// What became of a scenario's expectations.
struct Tested {
    scenario: &'static str,
    verdicts: Vec<Verdict>,
    /// The rows in the order of the verdicts; none for a time that a clock measures.
    rows: Vec<Option<Row>>,
}

fn tested(paper: &'static Paper) -> Vec<Tested> {
    let of_scenario = |scenario: &'static Mutated| {
        let whole = load(&scenario.name);
        let (rows, verdicts) = judged(&results(&whole), &whole).into_iter().unzip();
        Tested { scenario: &scenario.name, verdicts, rows }
    };
    paper.scenario.iter().map(of_scenario).collect()
}

impl Tested {
    /// The statements that do not hang on a clock.
    fn statements(&self) -> Vec<Statement<'_>> {
        let mut statements = statements(&self.verdicts);
        statements.retain(|statement| !statement.rows[0].clocked);
        statements
    }

    /// What fells rows of a statement.
    fn fails_with(&self, statement: &Statement<'_>) -> String {
        let is_of = |row: &Row| {
            let rows = self.rows.iter().zip(&self.verdicts).filter(|(own, _)| own.as_ref() == Some(row));
            rows.into_iter().any(|(_, verdict)| statement.rows.iter().any(|one| std::ptr::eq(*one, verdict)))
        };
        let felling = fallen(self.scenario).iter().filter(|(_, rows)| rows.iter().any(is_of)).map(|(name, _)| *name);
        felling.collect::<Vec<_>>().join("; ")
    }
}

/// How many statements of a kind are met.
fn count(tested: &[Tested], kind: Kind) -> (usize, usize) {
    let of_kind = || tested.iter().flat_map(Tested::statements).filter(|statement| statement.kind == kind);
    (of_kind().filter(Statement::is_met).count(), of_kind().count())
}

fn push_summary(text: &mut String, papers: &[(&Paper, Vec<Tested>)]) {
    text.push_str("| paper | printed: met | not testable | reproduced | not reproduced | learned |\n");
    text.push_str("|---|--:|--:|---|---|---|\n");
    for (paper, tested) in papers {
        let (met, all) = count(tested, Kind::Printed);
        let _ = writeln!(
            text,
            "| {} | {met} of {all} | {} | {} | {} | {} |",
            paper.title,
            paper.untestable.len(),
            paper.reproduced,
            paper.not_reproduced,
            paper.learned
        );
    }
}

fn push_paper(text: &mut String, paper: &Paper, tested: &[Tested]) {
    let _ = write!(text, "\n## {}\n", paper.title);
    for kind in Kind::ALL {
        let (met, all) = count(tested, kind);
        if all == 0 {
            continue;
        }
        let heading = match kind {
            Kind::Printed => "Printed",
            Kind::Input => "Input: true by construction",
            Kind::Fitted => "Fitted",
            Kind::Own => "Own",
        };
        let _ = write!(text, "\n### {heading}: {met} of {all} met\n\n");
        text.push_str(
            "| | statement | source | rows met | expected | simulated | fails with | assumptions, reasons |\n",
        );
        text.push_str("|---|---|---|---|---|---|---|---|\n");
        for scenario in tested {
            for statement in scenario.statements().into_iter().filter(|statement| statement.kind == kind) {
                push_statement(text, scenario, &statement);
            }
        }
    }
    if !paper.untestable.is_empty() {
        text.push_str("\n### Not testable\n\n| statement | source | why |\n|---|---|---|\n");
        for Untestable { statement, source, reason } in &paper.untestable {
            let _ = writeln!(text, "| {statement} | {source} | {reason} |");
        }
    }
    for scenario in tested {
        push_rows(text, scenario);
    }
}

/// What is expected or simulated by a row, as a document shows it.
fn shown(verdict: &Verdict) -> (String, String) {
    let simulated = match verdict.simulated.number() {
        _ if verdict.clocked => "run it: the clock of each machine".to_owned(),
        Some(number) => text::humane(&verdict.metric, number),
        None => verdict.simulated.to_string(),
    };
    // What is expected may be a time on the clock too.
    let expected = match verdict.shown.split_once(" at ") {
        Some((_, other)) if verdict.clocked => format!("less than that at {other}"),
        _ => verdict.shown.clone(),
    };
    (expected, simulated)
}

/// One line: the row that says most, which is the first that is missed, or the first one.
fn push_statement(text: &mut String, tested: &Tested, statement: &Statement<'_>) {
    let telling = statement.rows.iter().find(|row| !row.met).unwrap_or(&statement.rows[0]);
    let (expected, simulated) = shown(telling);
    let mut notes: Vec<&str> = Vec::new();
    for row in statement.rows.iter().filter(|row| !row.note.is_empty()) {
        if !notes.contains(&row.note.as_str()) {
            notes.push(&row.note);
        }
    }
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} of {} | {} {expected} | {simulated} | {} | {} |",
        if statement.is_met() { "✓" } else { "✗" },
        statement.text,
        statement.rows[0].source,
        statement.met_rows(),
        statement.rows.len(),
        telling.metric,
        tested.fails_with(statement),
        notes.join("; "),
    );
}

/// All rows of a scenario, folded.
fn push_rows(text: &mut String, tested: &Tested) {
    if tested.verdicts.is_empty() {
        return;
    }
    let lasting = || tested.verdicts.iter().filter(|verdict| !verdict.clocked);
    let (met, all) = (lasting().filter(|verdict| verdict.met).count(), lasting().count());
    let clocked = tested.verdicts.len() - all;
    let besides = if clocked > 0 { format!(", besides {clocked} of times on the clock") } else { String::new() };
    let _ = write!(
        text,
        "\n<details>\n<summary><code>scenarios/{}.toml</code>: {met} of {all} rows met{besides}</summary>\n\n",
        tested.scenario
    );
    text.push_str(
        "| | statement | metric | where | expected | simulated | difference |\n|---|---|---|---|---|---|---|\n",
    );
    for verdict in &tested.verdicts {
        let (expected, simulated) = shown(verdict);
        let difference = verdict.difference_percent.number().filter(|_| !verdict.clocked);
        let sign = match verdict.met {
            _ if verdict.clocked => "",
            true => "✓",
            false => "✗",
        };
        let difference = difference.map(|number| format!("{number:+.1} %")).unwrap_or_default();
        let _ = writeln!(
            text,
            "| {sign} | {} | {} | {} | {expected} | {simulated} | {difference} |",
            verdict.claim(),
            verdict.metric,
            verdict.place
        );
    }
    text.push_str("\n</details>\n");
}
