//! Bad input: all errors are reported together, with line, column and what was expected, and nothing is written.

mod any_edit;
mod charts;
mod keys;
mod messages;
mod platforms;
mod results;
mod shared_keys;
mod sweeps;
mod values;

use std::fmt::Write as _;
use std::fs;

use hetsim::scenario::{Problems, Report};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use tempfile::TempDir;

use crate::support::{try_read, try_read_in};

/// A scenario in which nothing is wrong: two clusters, and one of everything that refers to something else.
pub(crate) const GOOD: &str = r#"version = 1
question = "which?"

[platform.cluster.north]
nodes = 4
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }

[platform.cluster.south]
nodes = 3
network = { model = "loggp", latency = "20us", overhead = "3us", gap = "5us", gap_per_byte = "8ns/B" }

[platform.between]
network = { model = "hockney", latency = "5ms", bandwidth = "1Gbit/s" }

[[platform.link]]
between = ["north", "south"]
network = { latency = "7ms" }

[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
root = 0

[sweep]
"workload.size" = ["1KiB", "8KiB"]
"workload.algorithm" = ["linear", "binomial"]

[[derive]]
name = "gain"
how = "speedup"
metric = "completion_s"
to = { algorithm = "binomial" }

[[table]]
rows = "size"
best = "algorithm"
metric = "completion_s"

[[chart]]
name = "completion"
x = "size"
y = "completion_s"
series = "algorithm"

[[expect]]
metric = "gain"
where = { algorithm = "binomial" }
value = 1.0
source = "by definition"
"#;

/// A file of the folder from which the scenario is read.
type File<'a> = (&'a str, &'a [u8]);

fn problems_with(text: &str, files: &[File<'_>], overrides: &[&str]) -> Problems {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("a file");
    }
    let before = fs::read_dir(folder.path()).expect("the folder").count();
    let problems = try_read_in(folder.path(), text, overrides).err();
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), before, "nothing is written");
    problems.unwrap_or_else(|| panic!("this should be refused:\n{text}"))
}

/// What a person sees of the problems, 80 columns wide.
fn rendered(problems: &Problems) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let handler = handler.with_width(80).with_context_lines(1);
    let mut text = String::new();
    for report in problems.reports() {
        handler.render_report(&mut text, report).expect("a string takes all");
    }
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{}", line.trim_end());
        all
    })
}

/// The scenario with one piece of its text replaced.
fn with(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "`{from}` should stand once in the scenario");
    GOOD.replace(from, to)
}

/// The scenario with a piece of text put after a line.
fn after(line: &str, more: &str) -> String {
    with(line, &format!("{line}\n{more}"))
}

/// The text that a report underlines.
fn underlined(report: &Report, text: &str) -> Option<String> {
    let label = report.labels()?.next()?;
    Some(text[label.offset()..label.offset() + label.len()].to_owned())
}

/// Exactly one problem, that underlines `at` (the last one in the text) and whose rendering holds all `parts`.
#[track_caller]
fn one(text: &str, files: &[File<'_>], at: &str, parts: &[&str]) {
    let problems = problems_with(text, files, &[]);
    let shown = rendered(&problems);
    assert_eq!(problems.reports().len(), 1, "{shown}");
    assert_eq!(underlined(&problems.reports()[0], text).as_deref(), Some(at), "{shown}");
    let offset = problems.reports()[0].labels().and_then(|mut labels| labels.next()).expect("a label").offset();
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    // A long line may be broken anywhere.
    let words = shown.replace(['\n', '│'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [format!("[test.toml:{line}:{column}]").as_str()].iter().chain(parts) {
        assert!(words.contains(part), "`{part}` should be in\n{shown}");
    }
}

/// Whether nothing is wrong.
fn problems_with_none(text: &str) -> bool {
    try_read(text).is_ok()
}
