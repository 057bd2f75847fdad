//! Names of files in a scenario, and names that become those of files.

use std::path::{Component, Path, PathBuf};

use hetsim_text::{Node, Source};

/// The most bytes of a stem: prefixes and suffixes need the rest.
const LONGEST: usize = 200;

/// Names that some system reserves.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Why a name can't be the stem of a file on every system, as a sentence without a full stop; `None` if it can.
#[must_use]
pub fn fault_of_stem(name: &str) -> Option<String> {
    let forbidden = |letter: &char| letter.is_control() || r#"/\:*?"<>|"#.contains(*letter);
    if name.is_empty() {
        return Some("it needs at least one letter".to_owned());
    }
    if let Some(letter) = name.chars().find(forbidden) {
        return Some(format!("take out {letter:?}"));
    }
    if name.len() > LONGEST {
        return Some(format!("it has {} bytes; a file's name has room for {LONGEST}", name.len()));
    }
    if name.starts_with(['.', ' ']) || name.ends_with(['.', ' ']) {
        return Some("it can neither begin nor end with a full stop or a space".to_owned());
    }
    let device = name.split('.').next().unwrap_or_default().to_lowercase();
    DEVICES.contains(&device.as_str()).then(|| format!("`{device}` is a device on some systems"))
}

/// Whether a scenario's name is one of a folder within another: neither the folder itself, nor one above it.
pub(super) fn is_folder(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let only = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
    only && !name.contains('\0')
}

/// The file that a value names, read from the folder of the text that holds it.
pub(super) fn resolve_file(sources: &[Source], node: &Node, name: &str) -> PathBuf {
    sources.get(node.place.source).map_or_else(|| Path::new(name).to_path_buf(), |source| source.folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_system_takes_is_refused() {
        for name in ["completion", "who sends to whom", "été-2", "a.b", "console", &"x".repeat(200)] {
            assert_eq!(fault_of_stem(name), None, "{name}");
        }
        let wrong = [
            "", ".", "..", ".hidden", "a/b", "..\\x", "a:b", "a*", "a?", "a\"b", "<a>", "a|b", "a\0b", "a\u{1b}b",
            "a\nb", " a", "a ", "a.", "NUL", "com1.x",
        ];
        for name in wrong {
            assert!(fault_of_stem(name).is_some(), "{name:?}");
        }
        assert!(fault_of_stem(&"é".repeat(101)).is_some_and(|fault| fault.contains("202 bytes")));
    }

    #[test]
    fn results_stay_within_their_folder() {
        for name in ["mine", ".hidden", "...", "a b", "a:b"] {
            assert!(is_folder(name), "{name}");
        }
        for name in ["", ".", "..", "/", "/tmp", "a/b", "a/", "./a", "../a", "a\0"] {
            assert!(!is_folder(name), "{name:?}");
        }
    }
}
