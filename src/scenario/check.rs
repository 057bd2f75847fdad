//! Checks a tree against the JSON schema of scenarios: all unknown keys, wrong types and wrong units at once.
//!
//! The schema is made from the types that the values become, so there is one description of each key. Walking it here
//! rather than letting serde stop at its first error keeps the place of every fault. On the way the walk notes each
//! value that matters in canonical form, from which runs take their identity.

use std::path::Path;

use serde_json::Value as Json;
use xxhash_rust::xxh3::Xxh3;

use super::node::{Node, Value};
use super::problem::{Place, Problem, Source, nearest, suggest};
use crate::input::{Input, InputError};
use crate::registry::{CHOICE, DEFAULT_CHOICE};
use crate::units::{
    Bytes, BytesPerSecond, Operations, OperationsPerSecond, Quantity, QuantityError, Seconds, SecondsPerByte, Watts,
};

/// A value in canonical form: its dotted path, and a text that is the same for the same meaning.
pub(super) type Leaf = (String, String);

/// The format of a string that names a file.
const FILE: &str = "file";

/// The mark in a schema of a table the order of whose keys matters.
pub(super) const ORDERED: &str = "x-ordered";

/// Walks trees along one schema.
#[derive(Debug)]
pub(super) struct Checker<'a> {
    root: &'a Json,
    sources: &'a [Source],
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What the values are.
    pub leaves: Vec<Leaf>,
    /// Where files are named.
    pub files: Vec<Place>,
}

impl<'a> Checker<'a> {
    /// A checker for the schema `root`; `sources` say against which folder file names are read.
    pub(super) const fn new(root: &'a Json, sources: &'a [Source]) -> Self {
        Self { root, sources, problems: Vec::new(), leaves: Vec::new(), files: Vec::new() }
    }

    /// The part of the schema that describes the value at a dotted path, as far as `node` decides between
    /// alternatives.
    pub(super) fn schema_at(&self, path: &str, node: &Node) -> Option<&'a Json> {
        self.property_at(path, node).map(|property| self.resolve(property))
    }

    /// The same with what is said of the key besides its type, such as its default.
    pub(super) fn property_at(&self, path: &str, node: &Node) -> Option<&'a Json> {
        let mut property = self.root;
        let mut here = Some(node);
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            let schema = self.alternative(self.resolve(property), here)?;
            let next = here.and_then(|node| node.at(part));
            let own = schema.get("properties").and_then(|properties| properties.get(part));
            // A name of the user's own choice is known where it is in use, or where all of it is given.
            let named = next.is_some() || parts.peek().is_none();
            let any = || schema.get("additionalProperties").filter(|s| s.is_object() && named);
            let item = || schema.get("items").filter(|_| part.parse::<usize>().is_ok());
            property = own.or_else(any).or_else(item)?;
            here = next;
        }
        Some(property)
    }

    /// Whether the table that holds the key at a dotted path does without it.
    pub(super) fn is_optional(&self, path: &str, node: &Node) -> bool {
        let (above, key) = path.rsplit_once('.').unwrap_or(("", path));
        let schema = if above.is_empty() { Some(self.resolve(self.root)) } else { self.schema_at(above, node) };
        let here = if above.is_empty() { Some(node) } else { node.at(above) };
        schema.and_then(|schema| self.alternative(schema, here)).is_some_and(|table| {
            let required = table.get("required").and_then(Json::as_array);
            let is_required = required.is_some_and(|required| required.iter().any(|name| name == key));
            table.get("properties").is_some_and(|properties| properties.get(key).is_some()) && !is_required
        })
    }

    /// Whether one of the values that a schema accepts is this name. A text without a format may be any name.
    pub(super) fn has_name(&self, schema: &Json, name: &str) -> bool {
        let schema = schema
            .get("$ref")
            .and_then(Json::as_str)
            .map_or(schema, |target| self.root.pointer(target.trim_start_matches('#')).unwrap_or(schema));
        let mut alternatives = schema.get("anyOf").and_then(Json::as_array).into_iter().flatten();
        let is_text = schema.get("type").is_some_and(|kind| kind == "string" || kind[0] == "string");
        let is_free = is_text && schema.get("format").is_none();
        enumeration(schema).map_or(is_free, |names| names.contains(&name))
            || alternatives.any(|alternative| self.has_name(alternative, name))
    }

    /// The names of the keys that the table at a dotted path may have.
    pub(super) fn keys_at(&self, path: &str, node: &Node) -> Vec<&'a str> {
        let schema = if path.is_empty() { Some(self.resolve(self.root)) } else { self.schema_at(path, node) };
        let here = if path.is_empty() { Some(node) } else { node.at(path) };
        schema.and_then(|schema| self.alternative(schema, here)).map(property_names).unwrap_or_default()
    }

    /// Checks a node against a schema; `path` leads to it.
    pub(super) fn check(&mut self, node: &Node, schema: &'a Json, path: &str) {
        let schema = self.resolve(schema);
        if schema.get(CHOICE).is_some() {
            return self.check_choice(node, schema, path);
        }
        let whole = schema;
        let Some(schema) = self.alternative(schema, Some(node)) else {
            if let Some(choice) = self.optional_choice(schema) {
                return self.check_choice(node, choice, path);
            }
            let expected = self.expectation(schema);
            return self.wrong(node, path, &expected);
        };
        let problems = self.problems.len();
        self.check_plain(node, schema, path);
        // Where a name would do as well as a quantity, both are said.
        let expected = self.expectation(whole);
        if let [problem] = &mut self.problems[problems..]
            && expected.contains(" or ")
            && quantity(schema, "").is_some()
        {
            problem.help = Some(format!("write {expected}"));
        }
    }

    /// Checks a key's value; one that equals the key's default is the same as none.
    pub(super) fn check_property(&mut self, node: &Node, property: &'a Json, path: &str) {
        let leaves = self.leaves.len();
        self.check(node, property, path);
        self.drop_default(node, property, leaves, path);
    }

    fn check_plain(&mut self, node: &Node, schema: &'a Json, path: &str) {
        if let Some(names) = enumeration(schema) {
            return self.check_name(node, &names, schema, path);
        }
        match schema.get("type").map(first_type) {
            Some("object") => self.check_table(node, schema, path),
            Some("array") => self.check_array(node, schema, path),
            Some("string") => self.check_text(node, schema, path),
            Some("integer") => self.check_integer(node, schema, path),
            Some("number") => self.check_number(node, schema, path),
            Some("boolean") => match node.value {
                Value::Boolean(truth) => self.leaf(path, truth.to_string()),
                _ => self.wrong(node, path, "true or false"),
            },
            // A part that says nothing of its type is checked by whoever reads it.
            _ => {}
        }
    }

    fn check_choice(&mut self, node: &Node, schema: &'a Json, path: &str) {
        let Value::Table(_) = node.value else { return self.wrong(node, path, "a table") };
        let key = schema[CHOICE].as_str().unwrap_or_default();
        let names = choice_names(schema, key);
        let Some(name) = chosen(schema, key, node) else {
            let message = format!("`{key}` is missing{}", within(path));
            let help = format!("choose one of: {}", names.join(", "));
            self.problems.push(Problem::at(&node.place, message).labelled("in this table").with_help(help));
            return;
        };
        match (choose(schema, key, name), node.get(key)) {
            (None, Some(chosen)) => self.check_name(chosen, &names, schema, &join(path, key)),
            (None, None) => {}
            (Some(alternative), _) => {
                self.leaf(&join(path, key), name.to_owned());
                let problems = self.problems.len();
                self.check_table(node, self.resolve(alternative), path);
                self.say_whose(problems, node, schema, (key, name));
            }
        }
    }

    /// Tells of each key that is unknown under the alternative that was chosen, but known under others, which these are.
    fn say_whose(&mut self, first: usize, node: &Node, schema: &'a Json, (key, chosen): (&str, &str)) {
        if first == self.problems.len() {
            return;
        }
        let names = choice_names(schema, key);
        let knows = |name: &str, asked: &str| {
            let properties = choose(schema, key, name).map(|alternative| property_names(self.resolve(alternative)));
            properties.is_some_and(|properties| properties.contains(&asked))
        };
        let mut told = Vec::new();
        for entry in node.entries().iter().filter(|entry| !knows(chosen, &entry.key)) {
            let others: Vec<&str> = names.iter().copied().filter(|name| knows(name, &entry.key)).collect();
            if !others.is_empty() {
                let help = format!("`{}` is a key of {key} {}, not of `{chosen}`", entry.key, quoted(&others));
                told.push((&entry.place, help));
            }
        }
        for problem in &mut self.problems[first..] {
            if let Some((_, help)) = told.iter().find(|(place, _)| problem.place.as_ref() == Some(*place)) {
                let rest = problem.help.take().map_or_else(String::new, |rest| format!("; {rest}"));
                problem.help = Some(format!("{help}{rest}"));
            }
        }
    }

    fn check_name(&mut self, node: &Node, names: &[&str], schema: &Json, path: &str) {
        match node.text() {
            Some(text) if names.contains(&text) => self.leaf(path, text.to_owned()),
            Some(text) => {
                let message = format!("`{text}` is not a value of `{}`", last(path));
                // Too many names to list are explained instead.
                let explained = schema
                    .get("x-help")
                    .and_then(Json::as_str)
                    .filter(|_| nearest(text, names.iter().copied()).is_none());
                let help = explained.map_or_else(|| suggest(text, names), str::to_owned);
                self.problems.push(Problem::at(&node.place, message).with_help(help));
            }
            None if names.len() > 20 => self.wrong(node, path, "a name"),
            None => self.wrong(node, path, &format!("one of {}", quoted(names))),
        }
    }

    fn check_table(&mut self, node: &Node, schema: &'a Json, path: &str) {
        let Value::Table(entries) = &node.value else { return self.wrong(node, path, "a table") };
        let properties = schema.get("properties");
        let others = schema.get("additionalProperties");
        for entry in entries {
            let path = join(path, &entry.key);
            if let Some(property) = properties.and_then(|properties| properties.get(&entry.key)) {
                self.check_property(&entry.value, property, &path);
            } else if let Some(others) = others.filter(|others| others.is_object()) {
                self.check_key(entry, schema);
                self.check(&entry.value, others, &path);
            } else if others == Some(&Json::Bool(false)) {
                let names = property_names(schema);
                let message = format!("unknown key `{}`{}", entry.key, within(parent(&path)));
                let help = suggest(&entry.key, &names);
                self.problems.push(Problem::at(&entry.place, message).labelled("not known here").with_help(help));
            }
        }
        if schema.get(ORDERED).is_some() {
            let names: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
            self.leaf(path, names.join("\0"));
        }
        for required in schema.get("required").and_then(Json::as_array).into_iter().flatten() {
            let required = required.as_str().unwrap_or_default();
            // A misspelt key has been complained of as such.
            let misspelt = entries.iter().any(|entry| {
                properties.is_none_or(|properties| properties.get(&entry.key).is_none())
                    && nearest(&entry.key, property_names(schema)) == Some(required)
            });
            if node.get(required).is_none() && !misspelt {
                let message = format!("`{required}` is missing{}", within(path));
                let what = properties.and_then(|p| p.get(required)).and_then(|p| p.get("description"));
                let mut problem = Problem::at(&node.place, message).labelled("in this table");
                problem.help = what.and_then(Json::as_str).map(|what| format!("{required}: {what}"));
                self.problems.push(problem);
            }
        }
    }

    /// Keys that are themselves quantities, as in a table over message sizes.
    fn check_key(&mut self, entry: &super::node::Entry, schema: &Json) {
        if schema.get("x-keys").and_then(Json::as_str) == Some(Bytes::KIND)
            && let Err(error) = entry.key.parse::<Bytes>()
        {
            self.problems.push(Problem::at(&entry.place, error.to_string()));
        }
    }

    fn drop_default(&mut self, node: &Node, property: &'a Json, leaves: usize, path: &str) {
        let Some(default) = property.get("default") else { return };
        let schema = self.alternative(self.resolve(property), Some(node)).unwrap_or(property);
        let canonical = match default {
            Json::String(text) => quantity(schema, text).map_or_else(|| Some(text.clone()), Result::ok),
            Json::Number(number) => number.as_f64().map(number_leaf),
            Json::Bool(truth) => Some(truth.to_string()),
            _ => None,
        };
        if let [(leaf, value)] = &self.leaves[leaves..]
            && leaf == path
            && Some(value) == canonical.as_ref()
        {
            self.leaves.pop();
        }
    }

    fn check_array(&mut self, node: &Node, schema: &'a Json, path: &str) {
        let Value::Array(items) = &node.value else { return self.wrong(node, path, "an array") };
        let least = schema.get("minItems").and_then(Json::as_u64).unwrap_or(0);
        if (items.len() as u64) < least {
            let message = format!("`{}` needs at least {least} values", last(path));
            self.problems.push(Problem::at(&node.place, message));
        }
        if schema.get("maxItems").and_then(Json::as_u64).is_some_and(|most| items.len() as u64 > most) {
            let message = format!("`{}` has too many values: at most {} are read", last(path), schema["maxItems"]);
            self.problems.push(Problem::at(&node.place, message));
        }
        if let Some(schema) = schema.get("items") {
            for (index, item) in items.iter().enumerate() {
                self.check(item, schema, &join(path, &index.to_string()));
            }
        }
    }

    fn check_text(&mut self, node: &Node, schema: &Json, path: &str) {
        let format = schema.get("format").and_then(Json::as_str).unwrap_or_default();
        let Value::Text(text) = &node.value else {
            let problem = match (&node.value, example(schema)) {
                (Value::Integer(_) | Value::Float(_), Some(example)) => {
                    Problem::at(&node.place, format!("`{}` needs a unit", last(path)))
                        .labelled("no unit")
                        .with_help(format!("a {format} looks like \"{example}\""))
                }
                (_, Some(example)) => {
                    Problem::at(&node.place, format!("`{}` must be a {format} such as \"{example}\"", last(path)))
                }
                (_, None) => Problem::at(&node.place, format!("`{}` must be a string", last(path))),
            };
            self.problems.push(problem.labelled_unless_set(node.kind()));
            return;
        };
        if format == FILE {
            return self.check_file(node, text, path);
        }
        match quantity(schema, text) {
            Some(Ok(canonical)) => self.leaf(path, canonical),
            Some(Err(error)) => self.problems.push(Problem::at(&node.place, format!("`{}`: {error}", last(path)))),
            None => self.leaf(path, text.clone()),
        }
    }

    fn check_file(&mut self, node: &Node, name: &str, path: &str) {
        self.files.push(node.place.clone());
        match digest(&resolve_file(self.sources, node, name)) {
            Ok(digest) => self.leaf(path, format!("{digest:032x}")),
            Err(error) => {
                let message = error.about(&format!("`{name}`"));
                let help = match self.sources.get(node.place.source) {
                    Some(source) => format!("it is looked for in the folder of {}", source.name),
                    None => "file names are read from the folder of the scenario".to_owned(),
                };
                self.problems.push(Problem::at(&node.place, message).with_help(help));
            }
        }
    }

    fn check_integer(&mut self, node: &Node, schema: &Json, path: &str) {
        let Value::Integer(number) = node.value else { return self.wrong(node, path, "a whole number") };
        self.check_range(node, number as f64, schema, path);
    }

    fn check_number(&mut self, node: &Node, schema: &Json, path: &str) {
        let number = match node.value {
            Value::Integer(number) => number as f64,
            Value::Float(number) => number,
            _ => return self.wrong(node, path, "a number"),
        };
        if !number.is_finite() {
            let message = format!("`{}` must be finite", last(path));
            self.problems.push(Problem::at(&node.place, message).labelled("not a finite number"));
            return;
        }
        self.check_range(node, number, schema, path);
    }

    fn check_range(&mut self, node: &Node, number: f64, schema: &Json, path: &str) {
        let bound = |name: &str| schema.get(name).and_then(Json::as_f64);
        let format = schema.get("format").and_then(Json::as_str);
        let least = bound("minimum").or_else(|| format.is_some_and(|f| f.starts_with("uint")).then_some(0.0));
        let most = bound("maximum").or_else(|| (format == Some("uint32")).then_some(f64::from(u32::MAX)));
        let problem = match (least, most) {
            (Some(least), Some(most)) if least == most && number != least => Some(format!("must be {least}")),
            (Some(least), _) if number < least => Some(format!("must be at least {least}")),
            (_, Some(most)) if number > most => Some(format!("must be at most {most}")),
            _ => match (bound("exclusiveMinimum"), bound("exclusiveMaximum")) {
                (Some(least), _) if number <= least => Some(format!("must be above {least}")),
                (_, Some(most)) if number >= most => Some(format!("must be below {most}")),
                _ => None,
            },
        };
        match problem {
            Some(problem) => {
                self.problems.push(Problem::at(&node.place, format!("`{}` {problem}", last(path))));
            }
            None => self.leaf(path, number_leaf(number)),
        }
    }

    fn wrong(&mut self, node: &Node, path: &str, expected: &str) {
        let message = format!("`{}` must be {expected}", last(path));
        self.problems.push(Problem::at(&node.place, message).labelled(format!("this is {}", node.kind())));
    }

    fn leaf(&mut self, path: &str, value: String) {
        self.leaves.push((path.to_owned(), value));
    }

    /// Follows references.
    fn resolve(&self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        while let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
            match self.root.pointer(reference.trim_start_matches('#')) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    /// The alternative of a schema that a value falls under; the schema itself where it has none.
    fn alternative(&self, schema: &'a Json, node: Option<&Node>) -> Option<&'a Json> {
        if let Some(key) = schema.get(CHOICE).and_then(Json::as_str) {
            return choose(schema, key, chosen(schema, key, node?)?).map(|schema| self.resolve(schema));
        }
        let Some(alternatives) = schema.get("anyOf").and_then(Json::as_array) else { return Some(schema) };
        let real: Vec<_> = alternatives.iter().map(|s| self.resolve(s)).filter(|s| s["type"] != "null").collect();
        match (real.as_slice(), node) {
            ([only], _) => self.alternative(only, node),
            (several, Some(node)) => {
                let fitting = || several.iter().copied().filter(|schema| self.fits(schema, node));
                // A word may be one of a few names or a quantity.
                let named = fitting().find(|schema| {
                    enumeration(schema).is_some_and(|names| node.text().is_some_and(|text| names.contains(&text)))
                });
                self.alternative(named.or_else(|| fitting().next())?, Some(node))
            }
            _ => None,
        }
    }

    /// The choice that an optional key takes, if it takes one and nothing else.
    fn optional_choice(&self, schema: &'a Json) -> Option<&'a Json> {
        let alternatives = schema.get("anyOf").and_then(Json::as_array)?.iter();
        let mut real = alternatives.map(|schema| self.resolve(schema)).filter(|schema| schema["type"] != "null");
        real.next().filter(|schema| schema.get(CHOICE).is_some() && real.next().is_none())
    }

    /// What a schema of alternatives expects, in words.
    fn expectation(&self, schema: &Json) -> String {
        let alternatives = schema.get("anyOf").and_then(Json::as_array).into_iter().flatten();
        let words: Vec<String> = alternatives.map(|alternative| self.words(alternative)).collect();
        words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" or ")
    }

    /// What a schema expects, in words.
    fn words(&self, schema: &Json) -> String {
        if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
            return self.root.pointer(target.trim_start_matches('#')).map_or_else(String::new, |s| self.words(s));
        }
        if schema.get("anyOf").is_some() {
            return self.expectation(schema);
        }
        if let Some(names) = enumeration(schema) {
            return quoted(&names);
        }
        match schema.get("type").map(first_type).unwrap_or_default() {
            "object" => "a table".to_owned(),
            "array" => "an array".to_owned(),
            "string" => match (schema["format"].as_str(), example(schema)) {
                (Some(format), Some(example)) => format!("a {format} such as \"{example}\""),
                (Some(FILE), None) => "the name of a file".to_owned(),
                _ => "a string".to_owned(),
            },
            "integer" => "a whole number".to_owned(),
            "number" => "a number".to_owned(),
            "boolean" => "true or false".to_owned(),
            _ => String::new(),
        }
    }

    /// Whether a value is of a schema's type.
    fn fits(&self, schema: &Json, node: &Node) -> bool {
        if let Some(alternatives) = schema.get("anyOf").and_then(Json::as_array) {
            return alternatives.iter().any(|alternative| self.fits(alternative, node));
        }
        if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
            return self.root.pointer(target.trim_start_matches('#')).is_some_and(|target| self.fits(target, node));
        }
        let kind = schema.get("type").map(first_type);
        match node.value {
            Value::Table(_) => kind == Some("object") || schema.get(CHOICE).is_some(),
            Value::Array(_) => kind == Some("array"),
            Value::Text(_) => kind == Some("string") || enumeration(schema).is_some(),
            Value::Integer(_) => matches!(kind, Some("integer" | "number")),
            Value::Float(_) => kind == Some("number"),
            Value::Boolean(_) => kind == Some("boolean"),
            Value::Date(_) => false,
        }
    }
}

impl Problem {
    /// Names the kind of value that was found where nothing better is said.
    fn labelled_unless_set(self, kind: &str) -> Self {
        if self.label.is_none() { self.labelled(format!("this is {kind}")) } else { self }
    }
}

/// What a file's content counts as in the identity of runs.
fn digest(path: &Path) -> Result<u128, InputError> {
    let mut hash = Xxh3::new();
    Input::open(path)?.pieces(|piece| hash.update(piece))?;
    Ok(hash.digest128())
}

/// The file that a value names, read from the folder of the text that holds it.
pub(super) fn resolve_file(sources: &[Source], node: &Node, name: &str) -> std::path::PathBuf {
    sources.get(node.place.source).map_or_else(|| Path::new(name).to_path_buf(), |source| source.folder.join(name))
}

/// The canonical form of a quantity by the schema's format; nothing where the format is no quantity.
pub(super) fn quantity(schema: &Json, text: &str) -> Option<Result<String, QuantityError>> {
    base_value(schema, text).map(|result| result.map(number_leaf))
}

/// The value of a quantity in its base unit; nothing where the schema's format is no quantity.
pub(super) fn base_value(schema: &Json, text: &str) -> Option<Result<f64, QuantityError>> {
    fn parse<Q: Quantity>(text: &str) -> Result<f64, QuantityError> {
        text.parse::<Q>().map(Quantity::base)
    }
    Some(match schema.get("format")?.as_str()? {
        Seconds::KIND => parse::<Seconds>(text),
        Bytes::KIND => parse::<Bytes>(text),
        BytesPerSecond::KIND => parse::<BytesPerSecond>(text),
        SecondsPerByte::KIND => parse::<SecondsPerByte>(text),
        OperationsPerSecond::KIND => parse::<OperationsPerSecond>(text),
        Operations::KIND => parse::<Operations>(text),
        Watts::KIND => parse::<Watts>(text),
        _ => return None,
    })
}

fn number_leaf(number: f64) -> String {
    format!("{number:e}")
}

fn example(schema: &Json) -> Option<&str> {
    schema.get("examples")?.get(0)?.as_str()
}

/// The type of a schema, an optional value's being that of the value.
fn first_type(kind: &Json) -> &str {
    match kind {
        Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null").unwrap_or_default(),
        kind => kind.as_str().unwrap_or_default(),
    }
}

/// The names of an enumeration, whether listed plainly or each with a description.
fn enumeration(schema: &Json) -> Option<Vec<&str>> {
    if let Some(names) = schema.get("enum").and_then(Json::as_array) {
        return Some(names.iter().filter_map(Json::as_str).collect());
    }
    let alternatives = schema.get("oneOf")?.as_array()?;
    alternatives.iter().map(|alternative| alternative.get("const")?.as_str()).collect()
}

/// The name of the alternative that a table chooses: none where the key is not given and there is no default, and nothing that
/// is a name where the key has no text.
fn chosen<'a>(schema: &'a Json, key: &str, table: &'a Node) -> Option<&'a str> {
    let default = || schema.get(DEFAULT_CHOICE).and_then(Json::as_str);
    table.get(key).map_or_else(default, |chosen| Some(chosen.text().unwrap_or_default()))
}

fn choose<'a>(schema: &'a Json, key: &str, name: &str) -> Option<&'a Json> {
    let alternatives = schema.get("oneOf")?.as_array()?;
    alternatives.iter().find(|alternative| alternative["properties"][key]["const"] == name)
}

fn choice_names<'a>(schema: &'a Json, key: &str) -> Vec<&'a str> {
    let alternatives = schema.get("oneOf").and_then(Json::as_array).into_iter().flatten();
    alternatives.filter_map(|alternative| alternative["properties"][key]["const"].as_str()).collect()
}

fn property_names(schema: &Json) -> Vec<&str> {
    schema
        .get("properties")
        .and_then(Json::as_object)
        .map(|p| p.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn last(path: &str) -> &str {
    let last = path.rsplit('.').next().unwrap_or(path);
    // An array's item is called by the array's name.
    if last.parse::<usize>().is_ok() { path.rsplit('.').nth(1).unwrap_or(last) } else { last }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(parent, _)| parent)
}

fn within(path: &str) -> String {
    // Which item of a list is meant, the place says.
    let keys: Vec<&str> = path.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
    if path.is_empty() { String::new() } else { format!(" in `{}`", keys.join(".")) }
}

/// Advice on a dotted path that leads nowhere: the nearest key at the first part that is wrong.
pub(super) fn advise_path(checker: &Checker<'_>, node: &Node, path: &str) -> String {
    let mut known = String::new();
    for part in path.split('.') {
        let keys = checker.keys_at(&known, node);
        let own = if known.is_empty() { Some(node) } else { node.at(&known) };
        let present = own.is_some_and(|own| own.get(part).is_some());
        if !keys.contains(&part) && !present {
            let candidates: Vec<&str> = keys
                .into_iter()
                .chain(own.into_iter().flat_map(Node::entries).map(|entry| entry.key.as_str()))
                .collect();
            let place = if known.is_empty() { String::new() } else { format!(" in `{known}`") };
            if candidates.is_empty() {
                return format!("`{known}` is no table of keys; alternatives with names need the key in quotes");
            }
            return match nearest(part, candidates.iter().copied()) {
                Some(near) => format!("there is no `{part}`{place}; did you mean `{near}`?"),
                None => format!("there is no `{part}`{place}; known are: {}", candidates.join(", ")),
            };
        }
        known = join(&known, part);
    }
    "the key is known, but nothing can be set there".to_owned()
}
