//! Control characters from outside reach neither the terminal nor a page: they are shown as signs.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::support::wide;

/// Escapes of TOML, so that the file itself is plain: a colour, a bell, a deletion, an 8-bit escape, a turned text.
const SCENARIO: &str = r#"version = 1
question = "red \u001b[31m bell \u0007 carriage \r return"
notes = "notes \u001b]0;title\u0007"
[platform.cluster."lab\u001b[2J"]
nodes = 8
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[sweep]
"workload.algorithm" = { "plain" = "linear", "esc\u001b[1m\u202egpj" = "binomial" }
[[table]]
title = "a title \u009b1m \u001b[5m"
rows = "algorithm"
metric = "completion_s"
[[chart]]
name = "completion"
title = "a chart \u001b[31m\u202e"
subtitle = "below \u0007"
kind = "bar"
x = "algorithm"
y = "completion_s"
names = { "plain" = "pl\u001bain" }
[[expect]]
metric = "messages"
value = 8
source = "a source \u001b[31m"
"#;

fn output(folder: &Path, words: &[&str]) -> Output {
    wide(folder).args(words).output().unwrap()
}

/// What a terminal would obey: all controls but those that lay out a text, and marks of the writing direction.
fn obeyed(text: &str) -> Vec<char> {
    let text = text.replace("\r\n", "\n");
    let turns = |c: char| matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|&c| (c.is_control() && !"\n\t".contains(c)) || turns(c)).collect()
}

#[track_caller]
fn harmless(output: &Output, words: &[&str]) -> String {
    let said = [&output.stdout[..], &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    assert!(obeyed(&said).is_empty(), "{words:?}: {said:?}");
    said
}

#[test]
fn nothing_from_a_scenario_drives_the_terminal_or_the_page() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let file = "na\u{1b}[31mme.toml";
    fs::write(path.join(file), SCENARIO).unwrap();
    for words in [&["check", file][..], &[file], &["trace", file, "--run", "1"]] {
        let output = output(path, words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        if words[0] != "trace" {
            let said = harmless(&output, words);
            assert!(said.contains("na␛[31mme") && said.contains("red ␛[31m bell ␇"), "{said}");
        }
    }
    let results = path.join("output/na\u{1b}[31mme");
    for name in ["report.html", "charts/completion.svg"] {
        let text = fs::read_to_string(results.join(name)).unwrap();
        assert!(obeyed(&text).is_empty(), "{name}");
    }
    for words in [&["plot", "output/na\u{1b}[31mme"][..], &["status", "output/na\u{1b}[31mme"]] {
        harmless(&output(path, words), words);
    }
}

/// Messages quote the text; its place stays what an editor says.
#[test]
fn nothing_in_a_faulty_scenario_drives_the_terminal() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let file = "bad\u{7}.toml";
    let raw = "version = 1\n# \u{1b}]0;owned\u{7} \u{202e}\r\nnodes\u{1b}[31m = 3\n";
    let unknown = SCENARIO.replace("metric = \"messages\"", "metric = \"mess\\u001b[31m\"");
    let behind = "version = 1\n[platform.cluster]\n\"a\u{200f}b\" = { nodes = 4, speeed = 3 }\n[workload]\nkind = \"broadcast\"\n";
    for (text, place) in [(raw, ":2:"), (&unknown, ":26:10"), (behind, ":3:22")] {
        fs::write(path.join(file), text).unwrap();
        let output = output(path, &["check", file]);
        assert_eq!(output.status.code(), Some(2));
        let said = harmless(&output, &["check"]);
        assert!(said.contains(&format!("bad␇.toml{place}")), "{said}");
    }
    for words in
        [&["\u{1b}[31m.toml"][..], &["check", file, "--set", "no\u{1b}[31m=1"], &["plot", "no\u{1b}[31mfolder"]]
    {
        harmless(&output(path, words), words);
    }
    // What the parser of arguments repeats.
    let words = ["check", file, "two\u{7}\u{202e}"];
    let output = output(path, &words);
    assert_eq!(output.status.code(), Some(2));
    assert!(harmless(&output, &words).contains("two"), "{output:?}");
}
