//! Every table of keys that a scenario may have, from the schema: what the reference prints and `hetsim explain` looks
//! up.
//!
//! Tables that look alike are described once; others refer to them. One key may hold different tables, as
//! `workload.search` does for each kind of workload: each of those has a heading with the choices that lead to it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::schema::{COUNTED, INHERITS, Schema, enumeration, example, first_type, is_nullable, join};
use hetsim_base::registry::CHOICE;

/// The heading of the whole file.
const WHOLE: &str = "The scenario";

/// More names than this are not spelled out in a table.
const MOST_NAMES: usize = 20;

/// A table of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTable {
    /// The dotted key that holds it; empty for the whole file.
    pub path: String,
    /// Its heading in the reference, which no other table has.
    pub heading: String,
    /// What it is; may be empty.
    pub about: String,
    /// The key that chooses among several forms, if there are several.
    pub choice: Option<String>,
    /// Its forms: one, or one for each value of the choosing key.
    pub forms: Vec<KeyForm>,
    /// The heading of an earlier table with the same keys; the reference describes them only there.
    pub same_as: Option<String>,
}

/// A form of a table: all of its keys, or those under one value of the choosing key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyForm {
    /// The value of the choosing key.
    pub name: Option<String>,
    /// What this form is; empty if there is only one.
    pub about: String,
    /// The keys, without the choosing one.
    pub keys: Vec<Key>,
}

/// A key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its name in its table.
    pub name: String,
    /// The kind of its value and its range, in words; names are in backticks.
    pub takes: String,
    /// What is meant where it is not given.
    pub absent: Absent,
    /// What it means.
    pub about: String,
    /// A value, as a text without quotes.
    pub example: Option<String>,
    /// The names that it takes, if it takes names.
    pub names: Vec<KeyName>,
}

/// What is meant where a key is not given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absent {
    /// Nothing can be: its table needs it.
    Required,
    /// This value, as JSON.
    Default(String),
    /// A table with the defaults of its keys.
    TableOfDefaults,
    /// The value of the table that this one overrides, or the default of the network model.
    Inherited,
    /// What its description says by the word `default`.
    Told,
    /// That there is none.
    Nothing,
}

impl Absent {
    /// The words that follow the kind of the key's value; empty if the key's description has them.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Required => "; required".to_owned(),
            Self::Default(value) => format!("; default `{value}`"),
            Self::TableOfDefaults => "; by default with the defaults of its keys".to_owned(),
            Self::Inherited => "; inherited, or the model's default".to_owned(),
            Self::Told => String::new(),
            Self::Nothing => "; none by default".to_owned(),
        }
    }
}

/// A name that a key takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName {
    /// The name.
    pub name: String,
    /// What it means; empty if only the list of all such names says it.
    pub about: String,
}

impl KeyTable {
    /// The page of the reference that has this table, within `docs/`, with its heading.
    #[must_use]
    pub fn page(&self) -> String {
        let top = self.path.split('.').next().unwrap_or_default();
        let file = if top.is_empty() { "reference.md".to_owned() } else { format!("reference/{top}.md") };
        format!("{file}#{}", anchor(&self.heading))
    }

    /// The dotted path of one of its keys.
    #[must_use]
    pub fn dotted(&self, key: &str) -> String {
        join(&self.path, key)
    }
}

/// The name by which a heading is linked to.
#[must_use]
pub fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).collect::<String>();
    kept.replace(' ', "-")
}

/// Every table of keys in a schema, in the order of the reference.
#[must_use]
pub fn key_tables(schema: &Schema) -> Vec<KeyTable> {
    let walk = Walk { schema };
    let sections = walk.sections();
    let headings = headings(&sections);
    let mut written = BTreeSet::new();
    let mut described: HashMap<Content, &str> = HashMap::new();
    let mut tables = Vec::new();
    for section in &sections {
        let heading = &headings[&(section.path.as_str(), section.content)];
        if !written.insert(heading) {
            continue;
        }
        let same_as = described.get(&section.content).map(|&heading| heading.to_owned());
        described.entry(section.content).or_insert(heading);
        let (choice, forms) = (section.choice().map(str::to_owned), walk.forms(section));
        let (path, heading, about) = (section.path.clone(), heading.clone(), one_line(section.about));
        tables.push(KeyTable { path, heading, about, choice, forms, same_as });
    }
    tables
}

/// What tells a section from others: its keys, and not the description of the whole.
type Content = usize;

/// The contents that were met with, each with its number.
#[derive(Default)]
struct Contents {
    /// By the place of the schema, since most are met with several times.
    at: HashMap<(*const Json, bool), Content>,
    by_text: HashMap<String, Content>,
}

impl Contents {
    fn of(&mut self, table: TableSchema<'_>) -> Content {
        let Self { at, by_text } = self;
        *at.entry((std::ptr::from_ref(table.schema), table.is_named)).or_insert_with(|| {
            let keys = table.schema.as_object().into_iter().flatten().filter(|(key, _)| *key != "description");
            let mut text = table.is_named.to_string();
            keys.for_each(|(key, value)| _ = write!(text, "\n{key} {value}"));
            let next = by_text.len();
            *by_text.entry(text).or_insert(next)
        })
    }
}

/// The schema of a table, or of several among which one key chooses.
#[derive(Debug, Clone, Copy)]
struct TableSchema<'a> {
    schema: &'a Json,
    /// Whether it stands under a name of the user's choice.
    is_named: bool,
}

/// A table of keys, or several among which one key chooses.
struct Section<'a> {
    path: String,
    /// The choices on the way there: `genetic`, or `fair` and `torus`.
    choices: Vec<&'a str>,
    about: &'a str,
    schema: &'a Json,
    content: Content,
}

impl<'a> Section<'a> {
    /// The key by which a table is chosen, if one is.
    fn choice(&self) -> Option<&'a str> {
        self.schema[CHOICE].as_str()
    }
}

/// A walk through the tables of a schema.
struct Walk<'a> {
    schema: &'a Schema,
}

impl<'a> Walk<'a> {
    /// Every section in order; tables within one that is like an earlier one are left out.
    fn sections(&self) -> Vec<Section<'a>> {
        let mut contents = Contents::default();
        let schema = self.schema.root();
        let content = contents.of(TableSchema { schema, is_named: false });
        // The first to be looked at is the last.
        let mut waiting = vec![Section { path: String::new(), choices: Vec::new(), about: "", schema, content }];
        let mut seen: BTreeSet<(String, Vec<&str>, Content)> = BTreeSet::new();
        let mut described: BTreeSet<Content> = BTreeSet::new();
        let mut sections = Vec::new();
        while let Some(section) = waiting.pop() {
            if !seen.insert((section.path.clone(), section.choices.clone(), section.content)) {
                continue;
            }
            if described.insert(section.content) {
                waiting.extend(self.within(&section, &mut contents).into_iter().rev());
            }
            sections.push(section);
        }
        sections
    }

    /// The tables that the keys of a section hold.
    fn within(&self, section: &Section<'a>, contents: &mut Contents) -> Vec<Section<'a>> {
        let mut within = Vec::new();
        for (name, keys) in self.tables(section) {
            let choices: Vec<&str> = section.choices.iter().copied().chain(name).collect();
            for (key, property) in keys_of(keys, section.choice()) {
                let about = property["description"].as_str().unwrap_or_default();
                for table in self.tables_in(property) {
                    let schema = table.schema;
                    // A table within one of its own kind, as phases within phases, has the same keys.
                    if table.is_named || schema != keys {
                        within.push(Section {
                            path: join(&section.path, key),
                            choices: choices.clone(),
                            about: schema["description"].as_str().unwrap_or(about),
                            schema,
                            content: contents.of(table),
                        });
                    }
                }
            }
        }
        within
    }

    /// The tables that one of several names chooses, each with that name; one table without.
    fn tables(&self, section: &Section<'a>) -> Vec<(Option<&'a str>, &'a Json)> {
        if section.choice().is_none() {
            return vec![(None, section.schema)];
        }
        self.schema.chosen_tables(section.schema).into_iter().map(|(name, keys)| (Some(name), keys)).collect()
    }

    /// The tables that a key may hold.
    fn tables_in(&self, property: &'a Json) -> Vec<TableSchema<'a>> {
        let schema = self.schema.resolve(property);
        if schema.get(CHOICE).is_some() || schema["properties"].is_object() {
            return vec![TableSchema { schema, is_named: false }];
        }
        if let Some(alternatives) = schema["anyOf"].as_array() {
            return alternatives.iter().flat_map(|alternative| self.tables_in(alternative)).collect();
        }
        let by_name = |table: TableSchema<'a>| TableSchema { is_named: true, ..table };
        match schema.get("type").map(first_type) {
            Some("array") => self.tables_in(&schema["items"]),
            Some("object") => self.tables_in(&schema["additionalProperties"]).into_iter().map(by_name).collect(),
            _ => Vec::new(),
        }
    }

    fn forms(&self, section: &Section<'a>) -> Vec<KeyForm> {
        let form = |(name, table): (Option<&str>, &Json)| KeyForm {
            name: name.map(str::to_owned),
            about: name.and(table["description"].as_str()).map(one_line).unwrap_or_default(),
            keys: keys_of(table, section.choice()).map(|(key, property)| self.key(table, key, property)).collect(),
        };
        self.tables(section).into_iter().map(form).collect()
    }

    fn key(&self, table: &Json, name: &str, property: &Json) -> Key {
        let needed = table["required"].as_array().is_some_and(|required| required.iter().any(|key| key == name));
        let about = one_line(property["description"].as_str().unwrap_or_default());
        let value = self.describe(property);
        let may_be_absent = property.get("default").is_some() || is_nullable(property);
        let absent = match &property["default"] {
            _ if needed => Absent::Required,
            _ if about.to_lowercase().contains("default") => Absent::Told,
            _ if table[INHERITS] == true => Absent::Inherited,
            Json::Object(keys) if !keys.is_empty() => Absent::TableOfDefaults,
            Json::Null if value.words == "table" && !may_be_absent => Absent::TableOfDefaults,
            Json::Null | Json::Object(_) => Absent::Nothing,
            Json::Array(items) if items.is_empty() => Absent::Nothing,
            default => Absent::Default(default.to_string()),
        };
        Key { name: name.to_owned(), takes: value.words, absent, about, example: value.example, names: value.names }
    }

    /// The kind of value that a key takes.
    fn describe(&self, property: &Json) -> KeyValue {
        let schema = self.schema.resolve(property);
        if schema.get(CHOICE).is_some() {
            return KeyValue::table();
        }
        if let Some(names) = enumeration(schema) {
            return KeyValue::named(&names, schema["oneOf"].as_array());
        }
        if let Some(alternatives) = schema["anyOf"].as_array() {
            let real = alternatives.iter().filter(|alternative| alternative["type"] != "null");
            return KeyValue::any_of(&real.map(|alternative| self.describe(alternative)).collect::<Vec<_>>());
        }
        let example = example(schema).map(str::to_owned);
        match schema.get("type").map(first_type).unwrap_or_default() {
            "string" if schema.get("format").is_none() && schema.get(COUNTED).is_some() => {
                KeyValue::words("counted one".to_owned(), example)
            }
            "string" => KeyValue::words(schema["format"].as_str().unwrap_or("string").to_owned(), example),
            "integer" => KeyValue::words(format!("whole number{}", range(schema)), example),
            "number" => KeyValue::words(format!("number{}", range(schema)), example),
            "array" => self.describe(&schema["items"]).listed(),
            "object" if schema["properties"].is_object() => KeyValue::table(),
            "object" => self.describe(&schema["additionalProperties"]).by_name(),
            other => KeyValue::words(other.to_owned(), example),
        }
    }
}

/// The kind of value that a key takes.
#[derive(Default)]
struct KeyValue {
    words: String,
    /// Whether it may be a table.
    is_table: bool,
    names: Vec<KeyName>,
    example: Option<String>,
}

impl KeyValue {
    fn table() -> Self {
        Self { words: "table".to_owned(), is_table: true, ..Self::default() }
    }

    fn words(words: String, example: Option<String>) -> Self {
        Self { words, example, ..Self::default() }
    }

    /// One of several names; with quotes if each has a description of its own.
    fn named(names: &[&str], described: Option<&Vec<Json>>) -> Self {
        let quoted = |name: &&str| if described.is_some() { format!("`\"{name}\"`") } else { format!("`{name}`") };
        let about = |at: usize| described.and_then(|all| all.get(at)?["description"].as_str()).map(one_line);
        let one =
            |(at, name): (usize, &&str)| KeyName { name: (*name).to_owned(), about: about(at).unwrap_or_default() };
        let all = || names.iter().map(quoted).collect::<Vec<_>>().join(", ");
        let words = if names.len() > MOST_NAMES { "name, see `hetsim list`".to_owned() } else { all() };
        Self { words, names: names.iter().enumerate().map(one).collect(), ..Self::default() }
    }

    fn any_of(values: &[Self]) -> Self {
        let mut words: Vec<String> = values.iter().map(|value| value.words.clone()).collect();
        words.dedup();
        words.sort_by_key(|words| words.starts_with("list of "));
        // A comma inside of one needs another behind it.
        let words = words.join(if words.iter().any(|words| words.contains(',')) { ", or " } else { " or " });
        Self {
            words: if words == "number or boolean or string" { "value".to_owned() } else { words },
            example: values.iter().find_map(|value| value.example.clone()),
            names: values.iter().flat_map(|value| value.names.clone()).collect(),
            is_table: values.iter().any(|value| value.is_table),
        }
    }

    /// A list of these values.
    fn listed(self) -> Self {
        let words = if self.is_table { "tables".to_owned() } else { format!("list of {}", plural(&self.words)) };
        Self { words, example: None, ..self }
    }

    /// These values under names of the user's choice.
    fn by_name(self) -> Self {
        let words = match (self.is_table, self.words.as_str()) {
            (true, _) => "tables by name".to_owned(),
            (false, "") => "table".to_owned(),
            (false, of) => format!("table of {}", plural(of)),
        };
        Self { words, example: None, ..self }
    }
}

/// The range of a number, as words that follow its type; empty if every number of the type is in it.
fn range(schema: &Json) -> String {
    let is_whole = schema.get("type").map(first_type) == Some("integer");
    let bound = |key: &str| schema[key].as_f64();
    let least = bound("minimum").filter(|least| !is_whole || *least > 0.0);
    let most = bound("maximum").filter(|most| !is_whole || *most < f64::from(u32::MAX));
    match (least, bound("exclusiveMinimum"), most, bound("exclusiveMaximum")) {
        (Some(least), _, Some(most), _) if least == most => format!(": {least}"),
        (Some(least), _, Some(most), _) => format!(" from {least} to {most}"),
        (least, above, most, below) => {
            let words = [(least, "at least"), (above, "above"), (most, "at most"), (below, "below")];
            let words = words.iter().filter_map(|(bound, word)| bound.map(|bound| format!(", {word} {bound}")));
            words.collect()
        }
    }
}

/// Several of what the words name one of.
fn plural(words: &str) -> String {
    let plural = |words: &str| {
        if words.starts_with('`') || words.contains(" per ") {
            return words.to_owned();
        }
        let (kind, rest) = words.split_at(words.find([',', ':']).unwrap_or(words.len()));
        match kind.split_once(" of ") {
            Some((container @ ("list" | "table"), of)) => format!("{container}s of {of}{rest}"),
            _ => format!("{kind}s{rest}"),
        }
    };
    words.split(" or ").map(plural).collect::<Vec<_>>().join(" or ")
}

/// The keys of a table but for the one by which it is chosen.
fn keys_of<'a>(table: &'a Json, choice: Option<&str>) -> impl Iterator<Item = (&'a String, &'a Json)> {
    table["properties"].as_object().into_iter().flatten().filter(move |(key, _)| Some(key.as_str()) != choice)
}

/// The heading of each table at each key: the key, and where it holds tables of several kinds, the choices that lead to
/// it.
fn headings<'s>(sections: &'s [Section<'_>]) -> HashMap<(&'s str, Content), String> {
    let mut kinds: BTreeMap<&str, Vec<(Content, BTreeSet<String>)>> = BTreeMap::new();
    for section in sections {
        let at = kinds.entry(&section.path).or_default();
        let by = section.choices.join(" ");
        match at.iter_mut().find(|(other, _)| *other == section.content) {
            Some((_, choices)) => _ = choices.insert(by),
            None => at.push((section.content, BTreeSet::from([by]))),
        }
    }
    let mut headings = HashMap::new();
    for (path, kinds) in kinds {
        let several = kinds.len() > 1;
        let named = if path.is_empty() { WHOLE } else { path };
        for (content, choices) in kinds {
            let by = choices.into_iter().collect::<Vec<_>>().join(", ");
            let heading = if several { format!("{named} ({by})") } else { named.to_owned() };
            headings.insert((path, content), heading);
        }
    }
    headings
}

fn one_line(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
