//! How often a meaning of a name is met with: in how many of the templates of `hetsim new`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use toml::Value;

use crate::scenario::{TEMPLATES, template};

/// What stands in a template: the dotted path of each key, and each text with the key that it is a value of.
#[derive(Debug, Default)]
struct Used {
    paths: BTreeSet<String>,
    texts: BTreeSet<(String, String)>,
}

static USED: LazyLock<Vec<Used>> = LazyLock::new(|| {
    let texts = TEMPLATES.iter().filter_map(|(name, _)| template(name));
    let used = |text: &str| {
        let mut used = Used::default();
        let table = text.parse::<toml::Table>().unwrap_or_default();
        used.read("", &Value::Table(table));
        used
    };
    texts.map(used).collect()
});

impl Used {
    /// Notes a value at a dotted path. The keys of a sweep are the dotted keys that vary.
    fn read(&mut self, path: &str, value: &Value) {
        match value {
            Value::Table(table) => {
                for (key, value) in table {
                    let path = if path.is_empty() || path == "sweep" { key.clone() } else { format!("{path}.{key}") };
                    self.read(&path, value);
                    self.paths.insert(path);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.read(path, item)),
            Value::String(text) => {
                let key = path.rsplit('.').next().unwrap_or_default();
                self.texts.insert((key.to_owned(), text.clone()));
            }
            _ => {}
        }
    }

    /// Whether a key stands in a table; a cluster's name may be between the parts of the table's path.
    fn has_key(&self, table: &str, key: &str) -> bool {
        self.paths.iter().any(|path| {
            let (above, last) = path.rsplit_once('.').unwrap_or(("", path));
            let parts = |path: &str| path.split('.').filter(|part| !part.is_empty()).count();
            let mut whole = above.split('.');
            let most = parts(table) + usize::from(!table.is_empty());
            let mut of_table = table.split('.').filter(|part| !part.is_empty());
            last == key && parts(above) <= most && of_table.all(|part| whole.any(|other| other == part))
        })
    }
}

/// In how many templates a key stands in a table.
pub(super) fn of_key(table: &str, key: &str) -> usize {
    USED.iter().filter(|used| used.has_key(table, key)).count()
}

/// The keys whose values are names of metrics.
const OF_METRICS: [&str; 5] = ["metric", "y", "also", "value", "best_of"];

/// The keys whose values are long tables.
const OF_TABLES: [&str; 2] = ["tables", "table"];

/// The keys whose values are words of the report's own: titles, swept keys.
const OF_REPORT: [&str; 10] =
    ["rows", "columns", "x", "series", "over", "panels", "name", "title", "question", "statement"];

fn of_text(name: &str, is_meant: impl Fn(&str) -> bool) -> usize {
    USED.iter().filter(|used| used.texts.iter().any(|(key, text)| text == name && is_meant(key))).count()
}

/// In how many templates a metric is shown.
pub(super) fn of_metric(name: &str) -> usize {
    of_text(name, |key| OF_METRICS.contains(&key))
}

/// In how many templates a name is the value of a key that chooses, or a long table that is kept.
pub(super) fn of_value(name: &str, is_table: bool) -> usize {
    let is_other = |key: &str| !OF_METRICS.contains(&key) && !OF_TABLES.contains(&key) && !OF_REPORT.contains(&key);
    of_text(name, |key| if is_table { OF_TABLES.contains(&key) } else { is_other(key) })
}
