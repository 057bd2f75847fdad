//! The pages' scenarios: every block of TOML that is a whole scenario can be read, and where a guide shows a command with
//! its output below, that is what the command prints.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use hetsim::report::Reported as _;
use hetsim::scenario::{Scenario, Source};
use tempfile::TempDir;

use super::{document, root};

/// The first line of a whole scenario.
const WHOLE: &str = "version = 1\n";

/// The pages whose outputs are made again: the scenario of `docs/NAME.md` is `NAME.toml` in its commands.
const GUIDES: &[&str] = &[
    "broadcasts",
    "charts",
    "collectives",
    "evolution-strategies",
    "farms",
    "graphs",
    "islands",
    "load-and-faults",
    "networks",
    "phases",
    "platforms",
];

/// A platform of SimGrid.
const GRIFFON: &str = r#"<platform version="4.1">
<cluster id="griffon" prefix="griffon-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>"#;

/// The blocks of a page in a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let parts = page.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.strip_prefix(language)?.strip_prefix('\n')).collect()
}

/// The task graph on a page, which its scenario reads as `flow.dot`; empty where there is none.
fn flow(page: &str) -> &str {
    blocks(page, "dot").into_iter().next().unwrap_or_default()
}

#[test]
fn scenarios_on_pages_can_be_read() {
    let folder = TempDir::new().unwrap();
    // Files that the scenarios name: the platform of step 2 of start.md stands for the calibrated one.
    let start = fs::read_to_string(root().join("docs/start.md")).unwrap();
    let platform = blocks(&start, "toml").into_iter().find(|block| block.starts_with("[cluster.")).unwrap();
    let graphs = fs::read_to_string(root().join("docs/graphs.md")).unwrap();
    let share = "0 1\n10 0.5\n";
    let smpi = fs::read_to_string(root().join("scenarios/smpi.platform.toml")).unwrap();
    for (name, text) in [
        ("calibrated.toml", platform),
        ("share.txt", share),
        ("griffon.xml", GRIFFON),
        ("flow.dot", flow(&graphs)),
        ("smpi.platform.toml", &smpi),
        ("program.txt", "0 compute 1\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let (mut seen, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        // The gallery is made of its scenarios, which another test runs.
        if path.extension().is_none_or(|extension| extension != "md") || path.ends_with("gallery.md") {
            continue;
        }
        let page = fs::read_to_string(&path).unwrap();
        for block in blocks(&page, "toml").into_iter().filter(|block| block.starts_with(WHOLE)) {
            seen += 1;
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let source = Source { name, folder: folder.path().to_path_buf(), text: block.into() };
            if let Err(problems) = Scenario::read("page".to_owned(), source, &[]) {
                wrong.push(problems.to_string());
            }
        }
    }
    assert!(seen > 15 && wrong.is_empty(), "{seen} scenarios, of which cannot be read:\n{}", wrong.join("\n"));
}

#[test]
fn guides_show_what_is_printed() {
    let folder = TempDir::new().unwrap();
    for name in GUIDES {
        let path = format!("docs/{name}.md");
        let page = fs::read_to_string(root().join(&path)).unwrap().replace("\r\n", "\n");
        let scenario = blocks(&page, "toml").into_iter().find(|block| block.starts_with(WHOLE)).unwrap();
        fs::write(folder.path().join(format!("{name}.toml")), scenario).unwrap();
        fs::write(folder.path().join("flow.dot"), flow(&page)).unwrap();
        let (before, rest) = page.split_once("```sh\n").unwrap();
        let mut made = before.to_owned();
        for part in rest.split("```sh\n") {
            made.push_str("```sh\n");
            let (commands, after) = part.split_once("```").unwrap();
            let Some((_, end)) = after.strip_prefix("\n\n```text\n").and_then(|shown| shown.split_once("```")) else {
                made.push_str(part);
                continue;
            };
            let _ = write!(made, "{commands}```\n\n```text\n{}\n```{end}", printed(folder.path(), commands));
        }
        document(&path, &made);
    }
}

/// What the command on a page prints, but for the question and the names of the files that it writes.
fn printed(folder: &Path, command: &str) -> String {
    let words = command.trim().strip_prefix("hetsim ").unwrap().split(' ');
    let mut hetsim = Command::new(env!("CARGO_BIN_EXE_hetsim"));
    let output = hetsim.args(words).current_dir(folder).env("COLUMNS", "88").env_remove("RUST_LOG").output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.split("\nWritten:").next().unwrap();
    let asked = |line: &&str| !line.is_empty() && !line.ends_with('?');
    text.lines().skip_while(|line| !asked(line)).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}
