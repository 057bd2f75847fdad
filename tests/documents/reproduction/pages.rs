//! The pages: `docs/reproduction.md` sums up, and each paper has one of its own in `docs/reproduction/`.
//!
//! The other values of parameters take most of the time. With `HETSIM_OTHERS=K/N` only those of scenario K of N and
//! every Nth from there are tried, and the cells that tell of the rest are taken from the pages as they are.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use hetsim::report::Reported as _;
use hetsim::report::expect::{ExpectKind, Verdict};
use hetsim::report::statement::{Statement, statements};
use hetsim::report::{chart, text};

use super::super::{at_once, document, load, results, root};
use super::{InCode, Mutated, Paper, Provenance, Row, Tried, Untestable, fallen, judged, of_all_papers, papers, tried};

#[test]
#[ignore = "takes minutes; `.ci/run` runs it"]
fn reproduction() {
    let all = of_all_papers();
    let of_page = papers().iter().flat_map(|paper| paper.scenario.iter().map(move |_| paper.page.as_str()));
    let numbered: Vec<(usize, &'static Mutated, &str)> =
        all.iter().zip(of_page).enumerate().map(|(number, (scenario, page))| (number, *scenario, page)).collect();
    let part = part_of_others();
    let one = |&(number, scenario, page): &(usize, &'static Mutated, &str)| {
        let is_tried = part.is_none_or(|(first, of)| number % of == first);
        (scenario.name.as_str(), test(scenario, (!is_tried).then_some(page)))
    };
    let tested: BTreeMap<&str, Tested> = at_once(&numbered, one).into_iter().collect();
    let papers: Vec<_> = papers().iter().map(|paper| Reproduced::of(paper, &tested)).collect();
    document("docs/reproduction.md", &summary(&papers));
    for paper in &papers {
        document(&format!("docs/reproduction/{}.md", paper.paper.page), &paper.page());
        for figure in &paper.paper.figure {
            draw(&figure.scenario, &figure.chart);
        }
    }
    for scenario in ["together-farm", "together-evolution", "together-graphs"] {
        draw(scenario, "efficiency");
    }
}

/// Which scenarios' other values are tried: K and N of `HETSIM_OTHERS`; all of them without it, or if pages are made.
fn part_of_others() -> Option<(usize, usize)> {
    let part = std::env::var("HETSIM_OTHERS").ok().filter(|_| std::env::var_os("HETSIM_BLESS").is_none())?;
    let read = |part: &str| -> Option<(usize, usize)> {
        let (first, of) = part.split_once('/')?;
        Some((first.parse().ok()?, of.parse().ok()?)).filter(|(first, of)| first < of)
    };
    Some(read(&part).unwrap_or_else(|| panic!("HETSIM_OTHERS is {part:?}, not K/N")))
}

/// Draws a chart of a scenario for the pages.
fn draw(scenario: &str, chart: &str) {
    let whole = load(scenario);
    let report = whole.report();
    let drawn = chart::draw(&results(&whole), &report.chart, &report.sensitivity).unwrap();
    let picture = drawn.iter().find(|picture| picture.name == chart);
    let picture = picture.unwrap_or_else(|| panic!("{scenario} has no chart {chart}"));
    document(&format!("docs/pictures/reproduction/{scenario}-{chart}.svg"), &picture.svg);
}

/// What became of a scenario's expectations.
struct Tested {
    scenario: &'static str,
    verdicts: Vec<Verdict>,
    /// The rows in the order of the verdicts; none for a time that a clock measures.
    rows: Vec<Option<Row>>,
    others: Others,
}

/// What becomes of rows by other values of parameters.
enum Others {
    Tried(Vec<Tried>),
    /// The page that says so.
    Known(String),
}

/// `known` is the page that tells of other values, where they are not tried.
fn test(scenario: &'static Mutated, known: Option<&str>) -> Tested {
    let whole = load(&scenario.name);
    let (rows, verdicts) = judged(&results(&whole), &whole).into_iter().unzip();
    let page = |page| fs::read_to_string(root().join(format!("docs/reproduction/{page}.md"))).unwrap();
    let others = known.map_or_else(|| Others::Tried(tried(&scenario.name)), |known| Others::Known(page(known)));
    Tested { scenario: &scenario.name, verdicts, rows, others }
}

impl Tested {
    /// The statements that do not hang on a clock.
    fn statements(&self) -> Vec<Statement<'_>> {
        let mut statements = statements(&self.verdicts);
        statements.retain(|statement| !statement.rows[0].clocked);
        statements
    }

    /// The rows of a statement.
    fn rows_of(&self, statement: &Statement<'_>) -> Vec<&Row> {
        let is_of = |verdict: &Verdict| statement.rows.iter().any(|one| std::ptr::eq(*one, verdict));
        let rows = self.rows.iter().zip(&self.verdicts).filter(|(_, verdict)| is_of(verdict));
        rows.filter_map(|(row, _)| row.as_ref()).collect()
    }

    /// What fells rows of a statement.
    fn fails_with(&self, statement: &Statement<'_>) -> String {
        let own = self.rows_of(statement);
        let felling = fallen(self.scenario).iter().filter(|(_, rows)| own.iter().any(|row| rows.contains(*row)));
        felling.map(|(name, _)| *name).collect::<Vec<_>>().join("; ")
    }

    /// For which other values of parameters a statement holds, falls, or is met although it is missed.
    fn hangs_on(&self, statement: &Statement<'_>) -> String {
        let tried = match &self.others {
            Others::Tried(tried) => tried,
            Others::Known(page) => return known(page, statement),
        };
        let own = self.rows_of(statement);
        let is_met = |tried: &Tried| own.iter().all(|row| tried.rows.get(*row).copied().unwrap_or(statement.is_met()));
        let mut said: Vec<String> = Vec::new();
        for of_parameter in tried.chunk_by(|a, b| a.parameter == b.parameter) {
            let values = |met: bool| {
                let values = of_parameter.iter().filter(|tried| is_met(tried) == met).map(|tried| tried.value);
                values.collect::<Vec<_>>().join(", ")
            };
            let (met, missed) = (values(true), values(false));
            let (verb, values) = match (statement.is_met(), met.is_empty(), missed.is_empty()) {
                (true, _, true) => ("holds for", met),
                (true, _, false) => ("**falls** for", missed),
                (false, false, _) => ("**met** for", met),
                (false, true, _) => continue,
            };
            said.push(format!("{verb} {}: {values}", of_parameter[0].parameter));
        }
        said.join("; ")
    }
}

/// What a page says that a statement hangs on.
fn known(page: &str, statement: &Statement<'_>) -> String {
    let start = start_of(statement);
    let line = page.lines().find_map(|line| line.strip_prefix(&start));
    line.and_then(|line| line.split(" | ").next()).unwrap_or_default().to_owned()
}

/// The cells of a statement's line before what it hangs on. Two scenarios may say the same by other numbers. The row is
/// the one that says most: the first that is missed, or the first one.
fn start_of(statement: &Statement<'_>) -> String {
    let sign = if statement.is_met() { "✓" } else { "✗" };
    let telling = statement.rows.iter().find(|row| !row.met).unwrap_or(&statement.rows[0]);
    let (met, all) = (statement.met_rows(), statement.rows.len());
    let (expected, simulated) = shown(telling);
    let (text, source, metric) = (statement.text, &statement.rows[0].source, &telling.metric);
    format!("| {sign} | {text} | {source} | {met} of {all} | {metric} {expected} | {simulated} | ")
}

/// A paper and what became of its statements.
struct Reproduced<'t> {
    paper: &'static Paper,
    tested: Vec<&'t Tested>,
}

impl<'t> Reproduced<'t> {
    fn of(paper: &'static Paper, tested: &'t BTreeMap<&str, Tested>) -> Self {
        Self { paper, tested: paper.scenario.iter().map(|scenario| &tested[scenario.name.as_str()]).collect() }
    }

    fn statements(&self, kind: ExpectKind) -> Vec<(&'t Tested, Statement<'t>)> {
        let of_scenario = |tested: &&'t Tested| {
            let tested = *tested;
            tested.statements().into_iter().map(move |statement| (tested, statement))
        };
        self.tested.iter().flat_map(of_scenario).filter(|(_, statement)| statement.kind == kind).collect()
    }

    /// How many statements of a kind are met, and how many there are; those that tests of the code hold are printed ones.
    fn count(&self, kind: ExpectKind) -> (usize, usize) {
        let simulated = self.statements(kind).into_iter().map(|(_, statement)| statement.is_met());
        let in_code = self.paper.in_code.iter().filter(|_| kind == ExpectKind::Printed).map(|one| one.met);
        let met: Vec<bool> = simulated.chain(in_code).collect();
        (met.iter().filter(|met| **met).count(), met.len())
    }

    /// How many of the paper's sentences are met, and how many are tested.
    fn sentences(&self) -> (usize, usize) {
        let printed = self.statements(ExpectKind::Printed);
        let is_met = |text: &String| {
            let statement = printed.iter().find(|(_, statement)| statement.text == text);
            statement.unwrap_or_else(|| panic!("no statement says `{text}`")).1.is_met()
        };
        let Paper { sentences, readings, .. } = self.paper;
        let is_grouped = |text: &str| sentences.iter().chain(readings).flatten().any(|one| one == text);
        let alone = printed.iter().filter(|(_, statement)| !is_grouped(statement.text));
        let met: Vec<bool> = (sentences.iter().map(|parts| parts.iter().all(is_met)))
            .chain(readings.iter().map(|readings| readings.iter().any(is_met)))
            .chain(alone.map(|(_, statement)| statement.is_met()))
            .chain(self.paper.in_code.iter().map(|one| one.met))
            .collect();
        (met.iter().filter(|met| **met).count(), met.len())
    }

    fn page(&self) -> String {
        let paper = self.paper;
        let mut text =
            format!("# {}\n\n{}\n**Learned:** {}\n\n", paper.title, what_is_reproduced(paper), paper.learned);
        self.push_freedom(&mut text);
        self.push_figures(&mut text);
        self.push_parameters(&mut text);
        for kind in ExpectKind::ALL {
            self.push_statements(&mut text, kind);
        }
        self.push_in_code(&mut text);
        self.push_untestable(&mut text);
        text.push_str("\n## All rows\n");
        for tested in &self.tested {
            push_rows(&mut text, tested);
        }
        text
    }

    /// How much could have come out otherwise.
    fn push_freedom(&self, text: &mut String) {
        let ((met, printed), (met_sentences, sentences)) = (self.count(ExpectKind::Printed), self.sentences());
        let (input, fitted) = (self.count(ExpectKind::Input).1, self.count(ExpectKind::Fitted).1);
        let parameters = parameters(self.paper);
        let _ = write!(
            text,
            "| degrees of freedom | |\n|---|---|\n\
            | statements that the paper prints and the simulation could miss | {printed}, of which {met} are met |\n\
            | … sentences of the paper that they stand for | {sentences}, of which {met_sentences} are met |\n\
            | statements that were given to the model, or fitted | {input}, {fitted} |\n"
        );
        if !parameters.is_empty() {
            let _ = writeln!(text, "| parameters | {parameters} |");
        }
    }

    fn push_figures(&self, text: &mut String) {
        if self.paper.figure.is_empty() {
            return;
        }
        text.push_str("\n## Figures\n\nOurs, in the order of the paper's.\n");
        for figure in &self.paper.figure {
            let _ = write!(
                text,
                "\n### {}\n\n{}\n\n![{}, as hetsim simulates it](../pictures/reproduction/{}-{}.svg)\n",
                figure.title, figure.compare, figure.title, figure.scenario, figure.chart
            );
        }
    }

    fn push_parameters(&self, text: &mut String) {
        if self.paper.parameter.is_empty() {
            return;
        }
        text.push_str(
            "\n## Parameters\n\n*Printed*: by the paper. *Known*: of such machines and programs elsewhere. *Assumed*: the paper leaves\n\
            it open. *Fitted*: computed from printed results. *Selected*: chosen since it gives printed results. Other plausible\n\
            values are tried on every statement of the scenarios concerned; the column \"hangs on\" below says what came of it.\n\n\
            | parameter | value | provenance | from | also tried |\n|---|---|---|---|---|\n",
        );
        for parameter in &self.paper.parameter {
            let others: Vec<&str> = parameter.others.iter().map(|other| other.name.as_str()).collect();
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                parameter.name,
                parameter.value,
                parameter.provenance.name(),
                parameter.source,
                others.join(", ")
            );
        }
    }

    fn push_statements(&self, text: &mut String, kind: ExpectKind) {
        let (met, all) = self.count(kind);
        if all == 0 {
            return;
        }
        let heading = match kind {
            ExpectKind::Printed => "Printed",
            ExpectKind::Input => "Input: true by construction",
            ExpectKind::Fitted => "Fitted",
            ExpectKind::Own => "Own",
        };
        let _ = write!(text, "\n## {heading}: {met} of {all} met\n\n");
        text.push_str(
            "| | statement | source | rows met | expected | simulated | hangs on | fails with | assumptions, reasons |\n\
            |---|---|---|---|---|---|---|---|---|\n",
        );
        for (tested, statement) in self.statements(kind) {
            push_statement(text, tested, &statement);
        }
    }

    fn push_in_code(&self, text: &mut String) {
        if self.paper.in_code.is_empty() {
            return;
        }
        text.push_str(
            "\n## Printed, and tested in the code\n\n| | statement | source | test | |\n|---|---|---|---|---|\n",
        );
        for InCode { statement, source, met, test, note } in &self.paper.in_code {
            let sign = if *met { "✓" } else { "✗" };
            let _ = writeln!(text, "| {sign} | {statement} | {source} | `{test}` | {note} |");
        }
    }

    fn push_untestable(&self, text: &mut String) {
        if self.paper.untestable.is_empty() {
            return;
        }
        text.push_str("\n## Not testable\n\n| statement | source | why |\n|---|---|---|\n");
        for Untestable { statement, source, reason } in &self.paper.untestable {
            let _ = writeln!(text, "| {statement} | {source} | {reason} |");
        }
    }
}

impl Provenance {
    const ALL: [Self; 5] = [Self::Printed, Self::Known, Self::Assumed, Self::Fitted, Self::Selected];

    const fn name(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Known => "known",
            Self::Assumed => "assumed",
            Self::Fitted => "fitted",
            Self::Selected => "selected",
        }
    }
}

fn summary(papers: &[Reproduced<'_>]) -> String {
    let sum = |counts: &dyn Fn(&Reproduced<'_>) -> (usize, usize)| {
        papers.iter().map(counts).fold((0, 0), |sum, (met, all)| (sum.0 + met, sum.1 + all))
    };
    let ((met, all), (met_sentences, sentences)) =
        (sum(&|paper| paper.count(ExpectKind::Printed)), sum(&|paper| paper.sentences()));
    let mut text = format!(
        "# Reproduction\n\n\
        ![Speedup of the adaptive genetic algorithm, with the two points that its paper prints]\
        (pictures/bazterra-fig3-speedup.svg)\n\n\
        Of {all} statements that {papers} papers print, {met} come out of hetsim as printed; the others stand on the papers'\n\
        pages as misses. They are {sentences} sentences of the papers, of which {met_sentences} are met. The picture is Fig. 3 of the\n\
        first paper as hetsim simulates it.\n\n\
        Each page puts what its paper states beside what hetsim simulates. A statement is one line, and is met if all its rows\n\
        are. Four kinds of statements are kept apart. *Printed*: the paper prints it, and the simulation could miss it.\n\
        *Input*: the model was given the number. *Fitted*: a parameter was fitted to it. *Own*: a number or a bound of ours.\n\n\
        **How sure this is.** Every row that is met fails under one of the mutations that \"fails with\" names, and \"hangs on\"\n\
        says for which other values of assumed parameters it holds: a test tries them. The last columns of the table say how\n\
        much could have been made to fit: the fewer statements were given to the model or fitted, and the fewer of its\n\
        parameters are assumed or selected, the more it means that a statement is met.\n\n\
        [What five of the six papers say together](reproduction/together.md) is a page of its own. This page and those of the papers\n\
        are made by `HETSIM_BLESS=1 cargo test --profile wheel --test documents -- --ignored` from the expectations in the\n\
        scenarios and from `tests/documents/papers.toml`.\n\n\
        | paper | printed: met | sentences: met | not testable | given, fitted | parameters |\n\
        |---|--:|--:|--:|--:|---|\n",
        papers = papers.len()
    );
    for paper in papers {
        let ((met, all), (met_sentences, sentences)) = (paper.count(ExpectKind::Printed), paper.sentences());
        let (input, fitted) = (paper.count(ExpectKind::Input).1, paper.count(ExpectKind::Fitted).1);
        let Paper { page, title, untestable, .. } = paper.paper;
        let _ = writeln!(
            text,
            "| [{title}](reproduction/{page}.md) | {met} of {all} | {met_sentences} of {sentences} | {} | {input}, {fitted} | {} |",
            untestable.len(),
            parameters(paper.paper)
        );
    }
    for paper in papers {
        let _ = write!(text, "\n## {}\n\n{}", paper.paper.title, what_is_reproduced(paper.paper));
    }
    text
}

/// What of a paper is reproduced, and what is not.
fn what_is_reproduced(paper: &Paper) -> String {
    format!("**Reproduced:** {}\n\n**Not reproduced:** {}\n", paper.reproduced, paper.not_reproduced)
}

/// How many parameters of a paper's scenarios come from where.
fn parameters(paper: &Paper) -> String {
    let count = |provenance: &Provenance| paper.parameter.iter().filter(|one| one.provenance == *provenance).count();
    let counts = Provenance::ALL.iter().map(|provenance| (count(provenance), provenance.name()));
    let counts = counts.filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// What is expected and what is simulated by a row, as a document shows it.
fn shown(verdict: &Verdict) -> (String, String) {
    let humane = |number| text::humane(&verdict.metric, number);
    let simulated = match verdict.simulated.number() {
        _ if verdict.clocked => "run it: the clock of each machine".to_owned(),
        None => verdict.simulated.to_string(),
        Some(number) => {
            match verdict.interval.filter(|_| verdict.replicas > 1).map(|(low, high)| (humane(low), humane(high))) {
                Some((low, high)) if low == high => format!("{} (n = {})", humane(number), verdict.replicas),
                Some((low, high)) => format!("{} ({low} to {high}, n = {})", humane(number), verdict.replicas),
                None => humane(number),
            }
        }
    };
    // What is expected may be a time on the clock too.
    let expected = match verdict.shown.split_once(" at ") {
        Some((_, other)) if verdict.clocked => format!("less than that at {other}"),
        _ => verdict.shown.clone(),
    };
    (expected, simulated)
}

/// One line.
fn push_statement(text: &mut String, tested: &Tested, statement: &Statement<'_>) {
    let mut notes: Vec<&str> = Vec::new();
    for row in statement.rows.iter().filter(|row| !row.note.is_empty()) {
        if !notes.contains(&row.note.as_str()) {
            notes.push(&row.note);
        }
    }
    let _ = writeln!(
        text,
        "{}{} | {} | {} |",
        start_of(statement),
        tested.hangs_on(statement),
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
