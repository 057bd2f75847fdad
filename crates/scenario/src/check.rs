//! Checks a tree against the JSON schema of scenarios: all unknown keys, wrong types and wrong units at once.
//!
//! The schema is made from the types that the values become, so there is one description of each key. Walking it here
//! rather than letting serde stop at its first error keeps the place of every fault. On the way the walk notes each
//! value that matters in canonical form, from which runs take their identity.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::calibrated::TABLE as CALIBRATION;
use super::canonical::{Leaf, digest, number_leaf, quantity};
use super::file_name::resolve_file;
use super::meant_key::{is_in_list, other_number, sweep_help, whose};
use super::meant_unit::unit_help;
use super::schema::{
    COUNTED, FILE, ORDERED, Schema, choice_names, choose, chosen, counted, enumeration, example, first_type,
    is_nullable, join, property_names, quoted,
};
use hetsim_base::registry::CHOICE;
use hetsim_base::units::{Bytes, Quantity};
use hetsim_text::{Entry, Node, Place, Problem, Source, Value, nearest, suggest};

/// Walks trees along one schema.
#[derive(Debug)]
pub(super) struct Checker<'a> {
    /// What is allowed.
    pub schema: &'a Schema,
    sources: &'a [Source],
    /// The problems.
    pub problems: Vec<Problem>,
    /// The values that matter, in canonical form.
    pub leaves: Vec<Leaf>,
    /// The places where files are named.
    pub files: Vec<Place>,
    /// The tables around the present value.
    tables: Vec<(String, &'a Json)>,
}

impl<'a> Checker<'a> {
    /// A checker for a schema; `sources` say from which folders files are read.
    pub(super) const fn new(schema: &'a Schema, sources: &'a [Source]) -> Self {
        Self { schema, sources, problems: Vec::new(), leaves: Vec::new(), files: Vec::new(), tables: Vec::new() }
    }

    /// Checks a node against a schema; `path` leads to it.
    pub(super) fn check(&mut self, node: &Node, schema: &'a Json, path: &str) {
        let whole = self.schema.resolve(schema);
        let Some(schema) = self.schema.form(whole, Some(node)) else {
            let expected = self.schema.expectation(whole);
            return self.wrong(node, path, &expected);
        };
        if schema.get(CHOICE).is_some() {
            return self.check_choice(node, schema, path);
        }
        let problems = self.problems.len();
        self.check_plain(node, schema, path);
        // If both a name and a quantity are allowed, the help tells both, unless it is clear which unit is meant.
        let expected = self.schema.expectation(whole);
        if let [problem] = &mut self.problems[problems..]
            && expected.contains(" or ")
            && quantity(schema, "").is_some()
            && problem.help.as_ref().is_none_or(|help| !help.starts_with("did you mean"))
        {
            problem.help = Some(format!("write {expected}"));
        }
    }

    /// Checks a key's value. A value that equals the default leaves no trace in the identity of runs.
    pub(super) fn check_property(&mut self, node: &Node, property: &'a Json, path: &str) {
        let leaves = self.leaves.len();
        self.check(node, property, path);
        self.drop_default(node, property, leaves, path);
        // A table of defaults is not the same as none.
        if self.leaves.len() == leaves && matches!(node.value, Value::Table(_)) && is_nullable(property) {
            self.leaf(path, String::new());
        }
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
            // The name that chose this table, which stands in the identity already.
            _ if schema.get("const").is_some() => {}
            // A part without a type is checked by its reader.
            _ => self.leaf(path, node.to_json().to_string()),
        }
    }

    fn check_choice(&mut self, node: &Node, schema: &'a Json, path: &str) {
        let Value::Table(_) = node.value else { return self.no_table(node, path, "") };
        let key = schema[CHOICE].as_str().unwrap_or_default();
        let names = choice_names(schema);
        let Some(name) = chosen(schema, key, node) else {
            let message = format!("`{key}` is missing{}", within(path));
            let help = format!("choose one of: {}", names.join(", "));
            self.problems.push(Problem::at(&node.place, message).labelled("in this table").with_help(help));
            return;
        };
        match (choose(schema, name), node.get(key)) {
            (None, Some(chosen)) => self.check_name(chosen, &names, schema, &join(path, key)),
            (None, None) => {}
            (Some(alternative), _) => {
                self.leaf(&join(path, key), name.to_owned());
                let problems = self.problems.len();
                self.check_table(node, self.schema.resolve(alternative), path);
                self.say_whose(problems, node, schema, (key, name));
            }
        }
    }

    /// Adds to the problem of each key that is unknown under the chosen alternative the alternatives that know it.
    fn say_whose(&mut self, first: usize, node: &Node, schema: &'a Json, (key, chosen): (&str, &str)) {
        if first == self.problems.len() {
            return;
        }
        let known: Vec<(&str, Vec<&str>)> = choice_names(schema)
            .into_iter()
            .filter_map(|name| Some((name, property_names(self.schema.resolve(choose(schema, name)?)))))
            .collect();
        let mut told = HashMap::new();
        for entry in node.entries() {
            let has_key = |(_, properties): &&(&str, Vec<&str>)| properties.contains(&entry.key.as_str());
            let others: Vec<&str> = known.iter().filter(has_key).map(|(name, _)| *name).collect();
            if !others.is_empty() && !others.contains(&chosen) {
                let help = format!("`{}` is a key of {key} {}, not of `{chosen}`", entry.key, quoted(&others));
                told.insert(&entry.place, help);
            }
        }
        for problem in &mut self.problems[first..] {
            if let Some(help) = problem.place.as_ref().and_then(|place| told.get(place)) {
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
        let Value::Table(entries) = &node.value else {
            let is_by_name = schema.get("properties").is_none();
            return self.no_table(node, path, if is_by_name { ".NAME" } else { "" });
        };
        let properties = schema.get("properties");
        let others = schema.get("additionalProperties");
        self.tables.push((path.to_owned(), schema));
        for entry in entries {
            let path = join(path, &entry.key);
            if let Some(property) = properties.and_then(|properties| properties.get(&entry.key)) {
                let problems = self.problems.len();
                self.check_property(&entry.value, property, &path);
                self.say_other_number(problems, entry, schema);
            } else if let Some(others) = others.filter(|others| others.is_object()) {
                self.check_key(entry, schema);
                self.check(&entry.value, others, &path);
            } else if others == Some(&Json::Bool(false)) {
                let names = property_names(schema);
                let message = format!("unknown key `{}`{}", entry.key, within(parent(&path)));
                let whose = whose(self.schema, &self.tables, node, &entry.key);
                let help = whose.into_iter().chain([suggest(&entry.key, &names)]).collect::<Vec<_>>().join("\n");
                self.problems.push(Problem::at(&entry.place, message).labelled("not known here").with_help(help));
            }
        }
        self.tables.pop();
        if schema.get(ORDERED).is_some() {
            let names: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
            self.leaf(path, names.join("\0"));
        }
        for required in schema.get("required").and_then(Json::as_array).into_iter().flatten() {
            let required = required.as_str().unwrap_or_default();
            // A misspelt key has been reported as unknown.
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

    /// Adds to the problem of a key's value that another key takes as many values.
    fn say_other_number(&mut self, first: usize, entry: &Entry, schema: &Json) {
        if let [problem] = &mut self.problems[first..]
            && problem.place.as_ref() == Some(&entry.value.place)
            && let Some(help) = other_number(schema, &entry.key, &entry.value)
        {
            let rest = problem.help.take().map_or_else(String::new, |rest| format!("\n{rest}"));
            problem.help = Some(format!("{help}{rest}"));
        }
    }

    /// Checks a key that is itself a quantity, as in a table over message sizes.
    fn check_key(&mut self, entry: &Entry, schema: &Json) {
        if schema.get("x-keys").and_then(Json::as_str) == Some(Bytes::KIND)
            && let Err(error) = entry.key.parse::<Bytes>()
        {
            let help = unit_help(&entry.key, &error);
            self.problems.push(Problem { help, ..Problem::at(&entry.place, error.to_string()) });
        }
    }

    fn drop_default(&mut self, node: &Node, property: &'a Json, leaves: usize, path: &str) {
        let Some(default) = property.get("default") else { return };
        let schema = self.schema.alternative(self.schema.resolve(property), Some(node)).unwrap_or(property);
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
        let Value::Array(items) = &node.value else {
            self.wrong(node, path, "an array");
            // A heading of a table that there may be several of.
            if let (Value::Table(_), Some(problem)) = (&node.value, self.problems.last_mut()) {
                problem.help = Some(format!("write [[{path}]], or a list of tables"));
            }
            return;
        };
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
            match (&node.value, example(schema)) {
                (Value::Integer(_) | Value::Float(_), Some(example)) => self.problems.push(
                    Problem::at(&node.place, format!("`{}` needs a unit", last(path)))
                        .labelled("no unit")
                        .with_help(format!("write the {format} like \"{example}\"")),
                ),
                (_, Some(example)) => self.wrong(node, path, &format!("a {format} such as \"{example}\"")),
                (_, None) if format == FILE => self.no_file(node, schema, path),
                (_, None) => self.wrong(node, path, "a string"),
            }
            return;
        };
        if format == FILE {
            return self.check_file(node, text, path);
        }
        let (count, one) = match counted(text) {
            _ if schema.get(COUNTED).is_none() => (None, text.as_str()),
            Ok(counted) => counted,
            Err(message) => {
                return self.problems.push(Problem::at(&node.place, format!("`{}`: {message}", last(path))));
            }
        };
        match quantity(schema, one) {
            Some(Ok(canonical)) => {
                self.leaf(path, count.map_or_else(|| canonical.clone(), |count| format!("{count} of {canonical}")));
            }
            Some(Err(error)) => {
                let help = unit_help(one, &error);
                let message = format!("`{}`: {error}", last(path));
                self.problems.push(Problem { help, ..Problem::at(&node.place, message) });
            }
            None => self.leaf(path, text.to_owned()),
        }
    }

    fn check_file(&mut self, node: &Node, name: &str, path: &str) {
        self.files.push(node.place.clone());
        match digest(&resolve_file(self.sources, node, name)) {
            Ok(digest) => self.leaf(path, digest),
            Err(error) => {
                let message = error.about(&format!("`{name}`"));
                let folder = || match self.sources.get(node.place.source) {
                    Some(source) => format!("it is looked for in the folder of {}", source.name),
                    None => "file names are read from the folder of the scenario".to_owned(),
                };
                let help = error.is_missing().then(folder);
                self.problems.push(Problem { help, ..Problem::at(&node.place, message) });
            }
        }
    }

    /// A value in place of a file's name. Several names are for a sweep; numbers belong in the file.
    fn no_file(&mut self, node: &Node, schema: &Json, path: &str) {
        self.wrong(node, path, "the name of a file");
        let are_names = matches!(&node.value, Value::Array(items) if items.iter().all(|item| item.text().is_some()));
        if let (false, Some(what), Some(problem)) =
            (are_names, schema["description"].as_str(), self.problems.last_mut())
        {
            problem.help = Some(format!("{}: {what}", last(path)));
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

    /// A value in place of a table, whose heading ends in this.
    fn no_table(&mut self, node: &Node, path: &str, end: &str) {
        self.wrong(node, path, "a table");
        // No heading leads into a list.
        if let (Value::Array(_), false, Some(problem)) = (&node.value, is_in_list(path), self.problems.last_mut()) {
            problem.help = Some(format!("write [{path}{end}]"));
        }
    }

    fn wrong(&mut self, node: &Node, path: &str, expected: &str) {
        let message = format!("`{}` must be {expected}", last(path));
        let problem = Problem::at(&node.place, message).labelled(format!("this is {}", node.kind()));
        self.problems.push(Problem { help: sweep_help(self.sources, node, path), ..problem });
    }

    fn leaf(&mut self, path: &str, value: String) {
        if path.strip_prefix(CALIBRATION).is_none_or(|rest| !rest.starts_with('.')) {
            self.leaves.push((path.to_owned(), value));
        }
    }
}

fn last(path: &str) -> &str {
    let last = path.rsplit('.').next().unwrap_or(path);
    // An array's item has the array's name.
    if last.parse::<usize>().is_ok() { path.rsplit('.').nth(1).unwrap_or(last) } else { last }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(parent, _)| parent)
}

fn within(path: &str) -> String {
    // The place tells the item of a list.
    let keys: Vec<&str> = path.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
    if path.is_empty() { String::new() } else { format!(" in `{}`", keys.join(".")) }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::notation::PLAIN;

    /// Finds every part of the schema that holds a table chosen by a name.
    fn choices<'s>(
        schema: &'s Schema,
        part: &'s Json,
        found: &mut Vec<(&'s Json, &'s Json)>,
        seen: &mut Vec<*const Json>,
    ) {
        if seen.contains(&std::ptr::from_ref(part)) {
            return;
        }
        seen.push(part);
        let form = part.is_object().then(|| schema.form(schema.resolve(part), None)).flatten();
        if let Some(choice) = form.filter(|form| form.get(CHOICE).is_some()) {
            found.push((part, choice));
        }
        let within = part.as_object().into_iter().flat_map(|object| object.values());
        for inner in within.chain(part.as_array().into_iter().flatten()) {
            choices(schema, inner, found, seen);
        }
        let resolved = schema.resolve(part);
        if part.is_object() && !std::ptr::eq(resolved, part) {
            choices(schema, resolved, found, seen);
        }
    }

    /// Two alternatives with the same other keys are different runs.
    #[test]
    fn the_name_that_chooses_a_table_is_part_of_a_runs_identity() {
        let (schema, mut found) = (PLAIN.schema(), Vec::new());
        choices(schema, schema.root(), &mut found, &mut Vec::new());
        assert!(found.len() > 25, "{}", found.len());
        for (part, choice) in found {
            let key = choice[CHOICE].as_str().unwrap();
            for name in choice_names(choice) {
                let text = format!("{key} = '{name}'").into();
                let source = Source { name: String::new(), folder: PathBuf::new(), text };
                let node = Node::parse(&source, 0).unwrap();
                let mut checker = Checker::new(schema, &[]);
                checker.check_property(&node, part, "table");
                assert!(checker.leaves.contains(&(format!("table.{key}"), name.to_owned())), "{key} {name}: {part}");
            }
        }
    }

    #[test]
    fn a_table_of_defaults_is_not_the_same_as_none() {
        let optional = serde_json::json!({ "anyOf": [{ "type": "object", "properties": {} }, { "type": "null" }] });
        let node = Node::table::<String>([], &Place::default());
        let mut checker = Checker::new(PLAIN.schema(), &[]);
        checker.check_property(&node, &optional, "table");
        assert_eq!(checker.leaves.len(), 1);
    }
}
