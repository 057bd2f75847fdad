//! Edits of a good scenario, by any characters: it is read, or refused with places in the text; nothing panics.

use std::path::Path;

use proptest::prelude::*;

use super::GOOD;
use crate::support::{here, try_read_in};

const PLATFORM: &str = r#"<?xml version='1.0'?>
<platform version="4.1">
  <zone id="zone" routing="Full">
    <host id="one" speed="1Gf"/>
    <host id="two" speed="1Gf" core="4"/>
    <link id="wire" bandwidth="125MBps" latency="50us"/>
    <route src="one" dst="two"><link_ctn id="wire"/></route>
  </zone>
</platform>
"#;

/// Where something is put in, how many characters it replaces, and what it is.
type Edit = (prop::sample::Index, usize, String);

fn edit() -> impl Strategy<Value = Edit> {
    let known =
        ["é", "東", "\u{1f600}", "\u{301}", "\u{202e}", "\0", "\r", "\n", "\r\n", "\"", "'", "'''", "[", "]", "[["];
    let more = [
        "{", "}", "=", ".", ",", "#", "\\", "\\u00e", "-", "_", "9", "1e", "2026-", "é = 1\n", "[é]\n", "<", "&", "/>",
    ];
    let known = prop::sample::select([&known[..], &more].concat());
    let scrap = prop_oneof![known.prop_map(str::to_owned), any::<char>().prop_map(String::from)];
    (any::<prop::sample::Index>(), 0usize..10, scrap)
}

fn edited(text: &str, edits: Vec<Edit>) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (place, dropped, scrap) in edits {
        let from = place.index(text.len() + 1);
        let to = (from + dropped).min(text.len());
        text.splice(from..to, scrap.chars());
    }
    text.into_iter().collect()
}

/// Reads a scenario, and shows what is wrong with it in every way.
fn survives(folder: &Path, text: &str) {
    let Err(problems) = try_read_in(folder, text, &[]) else { return };
    assert!(!problems.to_string().is_empty() && !problems.shown(false).is_empty());
    for report in problems.reports() {
        assert_eq!(report.place().is_some(), report.at_fault().is_some(), "{report}");
    }
}

proptest! {
    #[test]
    fn of_a_scenario_never_panic(edits in prop::collection::vec(edit(), 1..4)) {
        survives(Path::new("."), &edited(GOOD, edits));
    }

    #[test]
    fn of_a_platform_in_xml_never_panic(edits in prop::collection::vec(edit(), 1..4)) {
        let folder = here(&[("platform.xml", &edited(PLATFORM, edits))]);
        let workload = "[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n";
        survives(folder.path(), &format!("version = 1\n[platform]\ninclude = \"platform.xml\"\n{workload}"));
    }
}
