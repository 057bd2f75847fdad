//! Truncated, mutated and malicious texts: refused with a position in the text, never a panic.

use hetsim_text::{Node, Value};
use proptest::prelude::*;

use super::{SAMPLES, file, parse, refusal, with};
use crate::{read, to_toml};

/// Whether every position lies in the text, at character boundaries.
fn is_placed(node: &Node, text: &str) -> bool {
    text.get(node.place.span.clone()).is_some()
        && match &node.value {
            Value::Table(entries) => entries.iter().all(|entry| is_placed(&entry.value, text)),
            Value::Array(items) => items.iter().all(|item| is_placed(item, text)),
            _ => true,
        }
}

fn survives(text: &str) {
    match parse(text) {
        Ok(table) => {
            assert!(is_placed(&table, text), "a place lies beside {text}");
            assert!(to_toml(&table).parse::<toml::Table>().is_ok(), "no TOML from {text}");
        }
        Err(error) => {
            let span = error.place.clone().expect("it has a place").span;
            assert!(text.get(span).is_some(), "{error:?} lies beside {text}");
        }
    }
}

/// A piece of text at an arbitrary position.
fn scrap() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "<",
        ">",
        "/>",
        "\"",
        "&",
        "&amp;",
        "&x;",
        "-",
        ",",
        ";",
        "0",
        "9999999999",
        "e",
        ".",
        "\0",
        "ß",
        "zone",
        "\n",
        "UP",
        "DOWN",
        "_UP",
        "symmetrical=\"NO\"",
        "]]>",
        "<!--",
        "<prop id=\"a\" value=\"\"/>",
    ]);
    prop_oneof![known.prop_map(str::to_owned), any::<char>().prop_map(String::from)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn edits_never_panic(
        sample in 0..SAMPLES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, scrap()), 1..5),
        end in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let mut text: Vec<char> = SAMPLES[sample].chars().collect();
        for (place, dropped, scrap) in edits {
            let from = place.index(text.len());
            let to = (from + dropped).min(text.len());
            text.splice(from..to, scrap.chars());
        }
        if let Some(end) = end {
            text.truncate(end.index(text.len() + 1));
        }
        survives(&text.into_iter().collect::<String>());
    }

    /// Well-formed texts with exchanged values.
    #[test]
    fn exchanged_values_never_panic(
        sample in 0..SAMPLES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let mut parts: Vec<&str> = SAMPLES[sample].split('"').collect();
        let values: Vec<usize> = (1..parts.len()).step_by(2).collect();
        for (to, from) in changes {
            parts[values[to.index(values.len())]] = parts[values[from.index(values.len())]];
        }
        survives(&parts.join("\""));
    }

    #[test]
    fn profiles_never_panic(text in "[0-9 .eE#%\n-]{0,40}(LOOPAFTER|PERIODICITY|)[0-9 .\n]{0,10}") {
        let xml = with(r#"<link id="l" bandwidth="1MBps" latency="1ms" state_file="s" bandwidth_file="b"/>"#);
        if let Ok(table) = read(&xml, 0, &mut |_| Ok(text.clone())) {
            prop_assert!(to_toml(&table).parse::<toml::Table>().is_ok());
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    for sample in SAMPLES {
        let whole = sample.trim_end();
        for end in (0..whole.len()).filter(|&end| whole.is_char_boundary(end)) {
            assert!(parse(&whole[..end]).is_err(), "read {}", &whole[..end]);
        }
    }
}

#[test]
fn entities_are_not_expanded() {
    let bomb = r#"<!DOCTYPE platform [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><platform version="4.1"/>"#;
    assert!(refusal(bomb).0.contains("no entities are expanded"));
    let xml = with(r#"<link id="&b;" bandwidth="1MBps"/>"#);
    assert!(refusal(&xml).0.starts_with("not well-formed XML"));
    let table = parse(&with(r#"<link id="a&amp;b" bandwidth="1MBps"/>"#)).expect("a plain character");
    assert!(to_toml(&table).contains(r#"[wire."a&b"]"#));
}

#[test]
fn depth_and_numbers_are_bounded() {
    let open = r#"<zone id="z" routing="Full">"#.repeat(100);
    let text = format!(r#"<platform version="4.1">{open}"#);
    assert_eq!(refusal(&text).0, "elements are nested deeper than 64");
    // 2^31 nodes are counted, not listed; 70 million are also too many.
    for radical in ["0-2147483647", "1-70000000", "0-40000000,40000001-70000000"] {
        let text = format!(
            r#"<platform version="4.1"><cluster id="c" prefix="" suffix="" radical="{radical}" speed="1Gf" bw="1MBps" lat="0"/></platform>"#
        );
        assert_eq!(refusal(&text), ("there are more than 67108864 nodes".to_owned(), radical));
    }
    let long = "x".repeat(2000);
    assert_eq!(refusal(&with(&format!(r#"<router id="{long}"/>"#))).0, "the name is longer than 1024 bytes");
}

#[test]
fn the_largest_cluster_is_read_at_once() {
    let text = r#"<platform version="4.1"><cluster id="c" prefix="" suffix="" radical="1-67108864" speed="1Gf" bw="1MBps" lat="0"/></platform>"#;
    assert!(read(text, 0, &mut file).is_ok());
}
