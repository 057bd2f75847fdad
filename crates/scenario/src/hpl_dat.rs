//! `HPL.dat`, the input of High-Performance Linpack, as a scenario.

use std::fmt::Write as _;
use std::ops::Range;

use hetsim_text::{Place, Problem, Problems, Source};

/// A number of the file, and where it stands.
#[derive(Debug, Clone)]
struct Word {
    value: u64,
    place: Place,
}

/// The lines that are still to be read: in this file the order of lines says what they mean.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

/// What a number stands for, by its value.
type Meanings = [&'static str];

const ORDERS: &Meanings = &["row_major", "column_major"];
const VARIANTS: &Meanings = &["left", "crout", "right"];
const BROADCASTS: &Meanings = &["1ring", "1ring_modified", "2ring", "2ring_modified", "long", "long_modified"];
const SWAPS: &Meanings = &["binary_exchange", "long", "mix"];
const FORMS: &Meanings = &["transposed", "no-transposed"];
const SWITCH: &Meanings = &["no", "yes"];

/// The input of HPL as a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HplScenario {
    /// The scenario, in TOML.
    pub text: String,
    /// What it leaves out, a sentence each.
    pub left_out: Vec<String>,
}

impl Lines<'_> {
    /// The next line; at the end of the file an error that says what was to come.
    fn next(&mut self, what: &str) -> Result<Range<usize>, Problem> {
        if self.at >= self.text.len() {
            let place = Place { source: 0, span: self.text.len()..self.text.len() };
            return Err(Problem::at(&place, format!("the file ends where {what} should stand")));
        }
        let start = self.at;
        let end = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
        self.at = (end + 1).min(self.text.len());
        Ok(start..end)
    }

    /// The first `count` numbers of the next line.
    fn numbers(&mut self, what: &str, count: u64) -> Result<Vec<Word>, Problem> {
        let line = self.next(what)?;
        let mut words = Vec::new();
        let mut rest = line.clone();
        while (words.len() as u64) < count {
            let text = &self.text[rest.clone()];
            let start = rest.start + (text.len() - text.trim_start().len());
            let length = self.text[start..line.end].find(char::is_whitespace).unwrap_or(line.end - start);
            let place = Place { source: 0, span: start..start + length };
            let word = &self.text[place.span.clone()];
            let value = word.parse().map_err(|_| {
                let message = match word {
                    "" => format!("{what}: {count} expected, and the line has {}", words.len()),
                    _ => format!("{what}: `{word}` is no whole number"),
                };
                Problem::at(&place, message)
            })?;
            rest = place.span.end..line.end;
            words.push(Word { value, place });
        }
        Ok(words)
    }

    /// One number.
    fn number(&mut self, what: &str) -> Result<Word, Problem> {
        let mut words = self.numbers(what, 1)?;
        words.pop().ok_or_else(|| Problem::at(&Place::default(), what.to_owned()))
    }

    /// A line with a number of values, and a line with these.
    fn list(&mut self, what: &str) -> Result<Vec<Word>, Problem> {
        let count = self.number(&format!("the number of {what}"))?;
        if !(1..=20).contains(&count.value) {
            return Err(Problem::at(&count.place, format!("HPL takes 1 to 20 {what}")));
        }
        self.numbers(what, count.value)
    }
}

/// What numbers stand for.
fn named(words: &[Word], names: &Meanings) -> Result<Vec<String>, Problem> {
    let name = |word: &Word| {
        let name = names.get(word.value as usize).map(|name| format!("\"{name}\""));
        name.ok_or_else(|| {
            let known: Vec<String> =
                names.iter().enumerate().map(|(number, name)| format!("{number} ({name})")).collect();
            Problem::at(&word.place, format!("there is no {} here", word.value)).with_help(known.join(", "))
        })
    };
    words.iter().map(name).collect()
}

fn texts(words: &[Word]) -> Vec<String> {
    words.iter().map(|word| word.value.to_string()).collect()
}

/// Refuses a number that is too small.
fn at_least(least: u64, words: &[Word]) -> Result<(), Problem> {
    match words.iter().find(|word| word.value < least) {
        Some(word) => Err(Problem::at(&word.place, format!("at least {least} is expected here"))),
        None => Ok(()),
    }
}

/// Keys with the values that each takes in turn.
struct SweptKeys {
    keys: Vec<(&'static str, Vec<String>)>,
}

impl SweptKeys {
    fn of(key: &'static str, values: Vec<String>) -> Self {
        Self { keys: vec![(key, values)] }
    }
}

/// The input of HPL as a scenario on a cluster of as many equal nodes as there are processes.
///
/// # Errors
/// A line that is missing, a value that is no number or none that HPL knows, a block longer than a matrix, and grids of unlike
/// numbers of processes; each with its place.
pub fn hpl_scenario(source: &Source) -> Result<HplScenario, Problems> {
    scenario_of(&source.text).map_err(|problem| Problems::new(vec![problem], std::slice::from_ref(source)))
}

fn scenario_of(text: &str) -> Result<HplScenario, Problem> {
    let mut lines = Lines { text, at: 0 };
    for what in ["a title", "a title", "the name of the output file", "the output device"] {
        lines.next(what)?;
    }
    let orders = lines.list("orders of matrices (N)")?;
    let blocks = lines.list("lengths of blocks (NB)")?;
    at_least(1, &orders)?;
    at_least(1, &blocks)?;
    let least = orders.iter().map(|word| word.value).min().unwrap_or(0);
    if let Some(block) = blocks.iter().find(|block| block.value > least) {
        let message = format!("a block of {} is longer than a matrix of order {least}", block.value);
        return Err(Problem::at(&block.place, message));
    }
    let order = lines.number("the order of processes (PMAP)")?;
    let grids = lines.number("the number of grids")?;
    if !(1..=20).contains(&grids.value) {
        return Err(Problem::at(&grids.place, "HPL takes 1 to 20 grids"));
    }
    let rows = lines.numbers("rows of grids (P)", grids.value)?;
    let columns = lines.numbers("columns of grids (Q)", grids.value)?;
    let processes = check_grids(&rows, &columns)?;
    lines.next("the threshold of the residual")?;
    let inner = named(&lines.list("panel factorisations (PFACT)")?, VARIANTS)?;
    let narrowest = lines.list("widths (NBMIN)")?;
    at_least(1, &narrowest)?;
    let parts = lines.list("numbers of parts (NDIV)")?;
    at_least(2, &parts)?;
    let outer = named(&lines.list("recursive factorisations (RFACT)")?, VARIANTS)?;
    let broadcasts = named(&lines.list("broadcasts (BCAST)")?, BROADCASTS)?;
    let depths = lines.list("depths of look-ahead (DEPTH)")?;
    if let Some(depth) = depths.iter().find(|depth| depth.value > 1) {
        return Err(Problem::at(&depth.place, "look-ahead by 0 or 1 panels is simulated, not by more"));
    }
    let swap = named(&[lines.number("the exchange of rows (SWAP)")?], SWAPS)?;
    let threshold = lines.number("the threshold of the exchange")?;
    let left_out = left_out(&mut lines)?;
    let pmap = named(&[order], ORDERS)?;
    let axes = [
        SweptKeys::of("n", texts(&orders)),
        SweptKeys::of("nb", texts(&blocks)),
        SweptKeys { keys: vec![("p", texts(&rows)), ("q", texts(&columns))] },
        SweptKeys::of("pfact", inner),
        SweptKeys::of("nbmin", texts(&narrowest)),
        SweptKeys::of("ndiv", texts(&parts)),
        SweptKeys::of("rfact", outer),
        SweptKeys::of("bcast", broadcasts),
        SweptKeys::of("depth", texts(&depths)),
        SweptKeys::of("pmap", pmap),
        SweptKeys::of("swap", swap),
        SweptKeys::of("threshold", vec![threshold.value.to_string()]),
    ];
    Ok(HplScenario { text: written(&axes, processes), left_out })
}

/// Reads the last lines, which no key stands for, and says which of them ask for what hetsim does not have.
fn left_out(lines: &mut Lines<'_>) -> Result<Vec<String>, Problem> {
    let usual = [
        ("the form of L1", FORMS, "transposed"),
        ("the form of U", FORMS, "transposed"),
        ("the equilibration", SWITCH, "yes"),
    ];
    let mut left_out = Vec::new();
    for (what, names, usual) in usual {
        let name = named(&[lines.number(what)?], names)?.concat();
        let name = name.trim_matches('"');
        if name != usual {
            left_out.push(format!("hetsim has no key for {what}: `{name}` is left out"));
        }
    }
    at_least(1, &[lines.number("the alignment of memory")?])?;
    Ok(left_out)
}

/// The number of processes, which is the same for all grids.
fn check_grids(rows: &[Word], columns: &[Word]) -> Result<u64, Problem> {
    at_least(1, rows)?;
    at_least(1, columns)?;
    let size = |(p, q): (&Word, &Word)| p.value.saturating_mul(q.value);
    let first = rows.iter().zip(columns).map(size).next().unwrap_or(1);
    match rows.iter().zip(columns).find(|&grid| size(grid) != first) {
        None if u32::try_from(first).is_ok() => Ok(first),
        None => Err(Problem::at(&rows[0].place, format!("a grid of {first} processes is too large"))),
        Some((p, q)) => {
            let message =
                format!("a grid of {} × {} does not fit the {first} ranks of the first grid", p.value, q.value);
            Err(Problem::at(&q.place, message))
        }
    }
}

/// The scenario: what has one value is a key of the workload, the rest is swept.
fn written(axes: &[SweptKeys], processes: u64) -> String {
    let mut text = String::from("version = 1\n\n# Put your machine here, or: [platform] include = \"FILE\"\n");
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "[platform.cluster.nodes]\nnodes = {processes}\nspeed = \"20Gop/s\"\n\
         network = {{ model = \"hockney\", latency = \"2us\", bandwidth = \"10GB/s\" }}\n\n[workload]\nkind = \"hpl\"\n"
    );
    for (key, values) in axes.iter().flat_map(|axis| &axis.keys) {
        let _ = writeln!(text, "{key} = {}", values[0]);
    }
    let is_swept = |axis: &&SweptKeys| axis.keys.iter().any(|(_, values)| values.len() > 1);
    let swept: Vec<&SweptKeys> = axes.iter().filter(is_swept).collect();
    if !swept.is_empty() {
        text.push_str("\n[sweep]\n");
    }
    for (key, values) in swept.iter().flat_map(|axis| &axis.keys) {
        let _ = writeln!(text, "\"workload.{key}\" = [{}]", values.join(", "));
    }
    for axis in swept.iter().filter(|axis| axis.keys.len() > 1) {
        let keys: Vec<String> = axis.keys.iter().map(|(key, _)| format!("\"workload.{key}\"")).collect();
        let _ = writeln!(text, "zip = [[{}]]", keys.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUT: &str = "HPLinpack benchmark input file\nInnovative Computing Laboratory\nHPL.out output file\n6 device out\n\
                         2 # of problems sizes (N)\n1000 2000 Ns\n1 # of NBs\n64 NBs\n0 PMAP\n2 # of grids\n2 1 Ps\n4 8 Qs\n\
                         16.0 threshold\n1 #\n1 PFACTs\n1 #\n2 NBMINs\n1 #\n2 NDIVs\n1 #\n2 RFACTs\n2 #\n0 3 BCASTs\n1 #\n\
                         1 DEPTHs\n0 SWAP\n64 swapping threshold\n0 L1\n0 U\n1 Equilibration\n8 alignment\n";

    #[test]
    fn an_input_becomes_a_scenario() {
        let HplScenario { text, left_out } = scenario_of(INPUT).expect("a scenario");
        assert!(left_out.is_empty(), "{left_out:?}");
        for line in [
            "nodes = 8",
            "n = 1000",
            "nb = 64",
            "p = 2",
            "q = 4",
            "pfact = \"crout\"",
            "bcast = \"1ring\"",
            "swap = \"binary_exchange\"",
            "\"workload.n\" = [1000, 2000]",
            "\"workload.p\" = [2, 1]",
            "\"workload.bcast\" = [\"1ring\", \"2ring_modified\"]",
            "zip = [[\"workload.p\", \"workload.q\"]]",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} in\n{text}");
        }
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let wrong = |from: &str, to: &str, at: &str, message: &str| {
            let text = INPUT.replacen(from, to, 1);
            let problem = scenario_of(&text).expect_err("it is wrong");
            assert!(problem.message.contains(message), "{}", problem.message);
            assert_eq!(&text[problem.place.expect("a place").span], at);
        };
        wrong("4 8 Qs", "4 7 Qs", "7", "1 × 7 does not fit the 8 ranks");
        wrong("64 NBs", "1500 NBs", "1500", "longer than a matrix of order 1000");
        wrong("64 NBs", "x NBs", "x", "`x` is no whole number");
        wrong("1000 2000 Ns", "1000", "", "2 expected, and the line has 1");
        wrong("0 3 BCASTs", "0 6 BCASTs", "6", "there is no 6 here");
        wrong("1 DEPTHs", "2 DEPTHs", "2", "0 or 1");
        wrong("0 L1", "7 L1", "7", "there is no 7 here");
        wrong("64 swapping threshold\n", "", "8", "there is no 8 here");
        wrong("8 alignment", "0 alignment", "0", "at least 1");
        let other = INPUT.replace("0 L1\n0 U\n1 Equ", "1 L1\n0 U\n0 Equ");
        let left_out = scenario_of(&other).expect("a scenario").left_out;
        let said = ["the form of L1: `no-transposed` is left out", "the equilibration: `no` is left out"];
        assert_eq!(left_out, said.map(|what| format!("hetsim has no key for {what}")));
        let cut = &INPUT[..INPUT.find("16.0").expect("it has a threshold")];
        assert!(scenario_of(cut).expect_err("it ends").message.contains("the file ends where"));
    }
}
