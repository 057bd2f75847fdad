//! What the papers state beside what hetsim simulates: the proof that every row can fail, and what each hangs on. `pages`
//! makes `docs/reproduction.md` and the pages of the papers of it.
//!
//! `papers.toml` says what the scenarios cannot: a summary of each paper, its figures beside ours, the statements that
//! cannot be tested, where each parameter comes from, and mutations, which are edits of a scenario's text that break one
//! mechanism each.

#[path = "reproduction/pages.rs"]
mod pages;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::sync::OnceLock;

use hetsim::report::Reported as _;
use hetsim::report::Results;
use hetsim::report::expect::{self, ExpectKind, ExpectSpec, Verdict};
use hetsim::scenario::{Scenario, Source};
use rayon::prelude::*;
use serde::Deserialize;

use super::{at_once, load, results, root, simulate, sources};

/// What `papers.toml` holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Papers {
    paper: Vec<Paper>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Paper {
    /// The name of its page.
    page: String,
    title: String,
    /// What was reproduced, in one sentence.
    reproduced: String,
    /// What was not.
    not_reproduced: String,
    /// What was learned that the paper does not say.
    learned: String,
    /// Statements that are one sentence of the paper: it is met if all of them are. Other statements are a sentence each.
    #[serde(default)]
    sentences: Vec<Vec<String>>,
    /// Statements that read one sentence in several ways: it is met if one of them is.
    #[serde(default)]
    readings: Vec<Vec<String>>,
    /// The paper's figures and ours, in its order.
    #[serde(default)]
    figure: Vec<Figure>,
    /// What the scenarios were given.
    #[serde(default)]
    parameter: Vec<Parameter>,
    /// Statements of the paper that a test of the code holds, or shows to be false.
    #[serde(default)]
    in_code: Vec<InCode>,
    /// Statements of the paper that no simulation can test.
    #[serde(default)]
    untestable: Vec<Untestable>,
    scenario: Vec<Mutated>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    /// As the paper calls it.
    title: String,
    scenario: String,
    chart: String,
    /// What to compare with the paper's.
    compare: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameter {
    name: String,
    value: String,
    provenance: Provenance,
    /// The place in the paper, or why this value.
    source: String,
    /// The scenarios in which the other values are tried.
    #[serde(default)]
    scenarios: Vec<String>,
    /// Other plausible values, in order; the name of each is the value.
    #[serde(default)]
    others: Vec<Mutation>,
}

/// Where the value of a parameter comes from.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
enum Provenance {
    /// The paper prints it.
    Printed,
    /// What is known of such a machine or program elsewhere.
    Known,
    /// The paper leaves it open.
    Assumed,
    /// Computed from numbers that the paper prints as results.
    Fitted,
    /// Chosen from several since it gives printed numbers.
    Selected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InCode {
    statement: String,
    source: String,
    met: bool,
    /// The name of the test.
    test: String,
    note: String,
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

/// Whether a page shows all replicas of a scenario.
pub(super) fn is_of_a_paper(name: &str) -> bool {
    name.starts_with("together-")
        || papers().iter().flat_map(|paper| &paper.scenario).any(|scenario| scenario.name == name)
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

/// What became of a scenario's rows by another value of a parameter.
struct Tried {
    parameter: &'static str,
    value: &'static str,
    /// Whether each row is met.
    rows: BTreeMap<Row, bool>,
}

/// Whether each row of a scenario is met under a mutation.
fn met_under(mutation: &Mutation, name: &str) -> BTreeMap<Row, bool> {
    let mutated = mutation.of(name);
    let records = simulate(&mutated, mutated.file.replicas.most());
    rows(&Results::new(&mutated, records), &mutated).into_iter().map(|(row, verdict)| (row, verdict.met)).collect()
}

/// Tries all mutations of a scenario.
fn mutate(scenario: &'static Mutated) -> Vec<Fallen> {
    let whole = load(&scenario.name);
    let mut met_before = rows(&results(&whole), &whole);
    met_before.retain(|_, verdict| verdict.met);
    let fall = |mutation: &'static Mutation| {
        let after = met_under(mutation, &scenario.name);
        let is_met = |row: &Row| after.get(row).copied().unwrap_or(true);
        (mutation.name.as_str(), met_before.keys().filter(|row| !is_met(row)).cloned().collect())
    };
    scenario.mutation.par_iter().map(fall).collect()
}

/// What becomes of a scenario by the other values of each of its paper's parameters.
fn tried(name: &str) -> Vec<Tried> {
    let of_scenario = |parameter: &&Parameter| parameter.scenarios.iter().any(|one| one == name);
    let parameters = papers().iter().flat_map(|paper| &paper.parameter).filter(of_scenario);
    let others = parameters.flat_map(|parameter| parameter.others.iter().map(move |other| (parameter, other)));
    let others: Vec<(&'static Parameter, &'static Mutation)> = others.collect();
    let one = |(parameter, other): &(&'static Parameter, &'static Mutation)| Tried {
        parameter: &parameter.name,
        value: &other.name,
        rows: met_under(other, name),
    };
    others.par_iter().map(one).collect()
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
    for parameter in papers().iter().flat_map(|paper| &paper.parameter) {
        assert_eq!(parameter.others.is_empty(), parameter.scenarios.is_empty(), "{}", parameter.name);
        for (other, name) in
            parameter.others.iter().flat_map(|other| parameter.scenarios.iter().map(move |name| (other, name)))
        {
            other.of(name);
        }
    }
}

#[test]
#[ignore = "takes minutes; `.ci/run` runs it"]
fn every_row_can_fail() {
    can_fail(of_all_papers().into_iter().map(|scenario| (scenario, fallen(&scenario.name))));
}

/// The statements and charts that the file names are those of the paper's scenarios.
#[test]
fn statements_and_charts_exist() {
    for paper in papers() {
        let scenarios: Vec<Scenario> = paper.scenario.iter().map(|scenario| load(&scenario.name)).collect();
        let expected = || scenarios.iter().flat_map(|scenario| &scenario.report().expect);
        for text in paper.sentences.iter().chain(&paper.readings).flatten() {
            let is_this =
                |spec: &&ExpectSpec| spec.kind == ExpectKind::Printed && spec.statement.as_ref() == Some(text);
            assert!(expected().any(|spec| is_this(&spec)), "{}: no statement says `{text}`", paper.title);
        }
        for Figure { scenario, chart, .. } in &paper.figure {
            let charts = load(scenario).report().chart.clone();
            assert!(charts.iter().any(|one| one.common().name == *chart), "{scenario} has no chart {chart}");
        }
    }
}

/// The tests that the pages name are there.
#[test]
fn tests_in_the_code_exist() {
    let sources = sources();
    for InCode { test, .. } in papers().iter().flat_map(|paper| &paper.in_code) {
        assert!(sources.contains(&format!("fn {test}(")), "there is no test {test}");
    }
}
