//! Results as they are noted in `digests.txt`, and what is said of others.

use std::collections::BTreeMap;
use std::fmt::Write;

/// How many numbers of a record stand beside its digest.
const NUMBERS: usize = 3;
/// What parts a run's name from its numbers.
const BAR: &str = " | ";

/// Results noted together: by which model, on what machine, and what is kept of each run's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Golden {
    pub(crate) model: String,
    pub(crate) target: String,
    pub(crate) runs: BTreeMap<String, Kept>,
}

/// What is kept of a record: a digest of all that it holds, and its first numbers by name, which tell what moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    digest: String,
    numbers: Vec<(String, String)>,
}

/// What comes of two sets of results.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They are the same by the same model.
    Same,
    /// The model is another, or runs came or went, as this says; what both have is the same, or was allowed to move.
    Outdated(String),
    /// The same model gave other results: the runs, each with what moved in it.
    Moved(Vec<String>),
}

impl Kept {
    /// A digest with the first of these numbers, to as many digits as the digest knows.
    pub(crate) fn new<'a>(digest: String, numbers: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        let short = |number: f64| format!("{:?}", format!("{number:.10e}").parse::<f64>().unwrap());
        let numbers = numbers.into_iter().take(NUMBERS).map(|(name, number)| (name.to_owned(), short(number)));
        Self { digest, numbers: numbers.collect() }
    }

    fn of(digest: &str, numbers: &str) -> Self {
        let numbers = numbers.split(' ').filter_map(|number| number.split_once('='));
        let numbers = numbers.map(|(name, number)| (name.to_owned(), number.to_owned())).collect();
        Self { digest: digest.to_owned(), numbers }
    }

    /// What another record has otherwise, this being the one noted.
    fn moved(&self, now: &Self) -> Option<String> {
        if self.digest == now.digest {
            return None;
        }
        let change = |((name, number), (other, new)): (&(String, String), &(String, String))| {
            if name != other {
                return Some(format!("{name} is now {other}"));
            }
            (number != new).then(|| format!("{name} {number} → {new}"))
        };
        let changes: Vec<String> = self.numbers.iter().zip(&now.numbers).filter_map(change).collect();
        let others = || format!("none of its first {} numbers", self.numbers.len());
        Some(if changes.is_empty() { others() } else { changes.join(", ") })
    }
}

impl Golden {
    pub(crate) fn of(text: &str) -> Self {
        let mut golden = Self { model: String::new(), target: String::new(), runs: BTreeMap::new() };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.split_once(' ').unwrap() {
                ("model:", model) => model.clone_into(&mut golden.model),
                ("target:", target) => target.clone_into(&mut golden.target),
                (digest, run) => {
                    let (run, numbers) = run.rsplit_once(BAR).unwrap_or((run, ""));
                    golden.runs.insert(run.to_owned(), Kept::of(digest, numbers));
                }
            }
        }
        golden
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "# Digests of the records of small runs with their first numbers, made by `HETSIM_BLESS=1 cargo test --test \
             golden`.\nmodel: {}\ntarget: {}\n",
            self.model, self.target
        );
        for (run, kept) in &self.runs {
            write!(text, "{} {run}", kept.digest).unwrap();
            for (place, (name, number)) in kept.numbers.iter().enumerate() {
                let before = if place == 0 { BAR } else { " " };
                write!(text, "{before}{name}={number}").unwrap();
            }
            text.push('\n');
        }
        text
    }

    /// What is to be said of `now`, these being the ones noted.
    pub(crate) fn judge(&self, now: &Self) -> Verdict {
        if self == now {
            return Verdict::Same;
        }
        let moved = |(run, kept): (&String, &Kept)| Some(format!("{run} ({})", kept.moved(now.runs.get(run)?)?));
        let moved: Vec<String> = self.runs.iter().filter_map(moved).collect();
        if self.model != now.model {
            return Verdict::Outdated(format!("the model is now `{}`", now.model));
        }
        if !moved.is_empty() {
            return Verdict::Moved(moved);
        }
        let only =
            |these: &Self, others: &Self| these.runs.keys().filter(|run| !others.runs.contains_key(*run)).count();
        Verdict::Outdated(format!("new runs: {}, gone: {}", only(now, self), only(self, now)))
    }
}

/// Moved results are blessed under a raised version only; runs that come and go need none.
#[test]
fn blessing_needs_another_version() {
    let kept = |digest: &str, makespan: f64| {
        Kept::new(digest.to_owned(), [("completion_s", makespan), ("messages", 7.0), ("a", 0.0), ("b", makespan)])
    };
    let golden = |model: &str, runs: &[(&str, Kept)]| Golden {
        model: model.to_owned(),
        target: "here".to_owned(),
        runs: runs.iter().map(|(run, kept)| ((*run).to_owned(), kept.clone())).collect(),
    };
    let [a, b] = [("a", kept("0", 0.12)), ("b x=1", kept("1", 0.12))];
    let noted = golden("tree 1", &[a.clone(), b.clone()]);
    assert_eq!(Golden::of(&noted.text()), noted);
    assert_eq!(noted.judge(&noted), Verdict::Same);
    // What moved is named, where it is one of the first numbers.
    let moved = |what: &str| Verdict::Moved(vec![format!("b x=1 ({what})")]);
    let other = |digest: &str, makespan: f64| [a.clone(), ("b x=1", kept(digest, makespan))];
    assert_eq!(noted.judge(&golden("tree 1", &other("2", 0.13))), moved("completion_s 0.12 → 0.13"));
    assert_eq!(noted.judge(&golden("tree 1", &other("2", 0.12))), moved("none of its first 3 numbers"));
    let renamed = Kept::new("2".to_owned(), [("makespan_s", 0.12)]);
    let renamed = golden("tree 1", &[a.clone(), ("b x=1", renamed)]);
    assert_eq!(noted.judge(&renamed), moved("completion_s is now makespan_s"));
    let outdated = |why: &str| Verdict::Outdated(why.to_owned());
    assert_eq!(noted.judge(&golden("tree 2", &other("2", 0.13))), outdated("the model is now `tree 2`"));
    let more = golden("tree 1", &[a.clone(), b, ("c", kept("0", 0.0))]);
    assert_eq!(noted.judge(&more), outdated("new runs: 1, gone: 0"));
    assert_eq!(noted.judge(&golden("tree 1", &[a])), outdated("new runs: 0, gone: 1"));
}
