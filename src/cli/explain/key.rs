//! What a key means, in every table that has it or in one.

use std::collections::BTreeSet;

use super::{Explanation, likely};
use crate::scenario::{Key, KeyTable};

/// A key in a table.
#[derive(Clone, Copy)]
struct KeyPlace<'a> {
    table: &'a KeyTable,
    key: &'a Key,
}

/// Explains a key by its name, or by a dotted path that ends with it.
pub(super) fn explain(name: &str, tables: &[KeyTable], explanation: &mut Explanation) {
    let (above, key) = name.rsplit_once('.').unwrap_or(("", name));
    say(name, places(tables, above, &|own| own.name == key), tables, explanation);
    let choosing = of_path(tables, above).map(|mut tables| {
        tables.retain(|table| table.choice.as_deref() == Some(key));
        tables
    });
    for table in choosing.into_iter().find(|tables| !tables.is_empty()).unwrap_or_default() {
        let what = format!("key `{key}` in {}, which chooses the other keys", in_heading(table));
        explanation.part(name, &what, likely::of_key(&table.path, key));
        for form in &table.forms {
            let about = form.about.trim_end_matches('.');
            explanation.item(&format!("{}: {about}", form.name.as_deref().unwrap_or_default()));
        }
        explanation.read(&table.page());
    }
}

/// What a name means as a value of keys.
struct Meaning<'a> {
    about: &'a str,
    /// The keys with their tables.
    places: Vec<KeyPlace<'a>>,
}

/// Explains a name as a value of keys, but for what is already said of it: each of its meanings, with the keys.
pub(super) fn explain_value(name: &str, tables: &[KeyTable], explanation: &mut Explanation) {
    let is_listed = explanation.has_alternatives();
    for Meaning { about, places } in meanings(name, tables) {
        if explanation.has_said(about) || (about.is_empty() && is_listed) {
            continue;
        }
        let keys = places.iter().map(|place| format!("`{}`", place.table.dotted(&place.key.name)));
        let keys: Vec<String> = keys.collect::<BTreeSet<_>>().into_iter().collect();
        explanation.part(name, &format!("a value of {}", keys.join(", ")), 0);
        if !about.is_empty() {
            explanation.describe(about);
        }
        for (number, place) in places.iter().enumerate() {
            if places[..number].iter().all(|other| other.key != place.key) {
                line(place.key, explanation);
            }
            explanation.read(&place.table.page());
        }
    }
}

/// The meanings of a name as a value; the same description in several keys is one.
fn meanings<'a>(name: &str, tables: &'a [KeyTable]) -> Vec<Meaning<'a>> {
    let mut meanings: Vec<Meaning<'a>> = Vec::new();
    for (place, _) in places(tables, "", &|own| own.names.iter().any(|value| value.name == name)) {
        let value = place.key.names.iter().find(|value| value.name == name);
        let about = value.map(|value| value.about.as_str()).unwrap_or_default();
        match meanings.iter_mut().find(|meaning| meaning.about == about) {
            Some(meaning) => meaning.places.push(place),
            None => meanings.push(Meaning { about, places: vec![place] }),
        }
    }
    meanings
}

/// The names of all keys, alone and in their tables.
pub(super) fn names(tables: &[KeyTable]) -> Vec<String> {
    let keys = tables
        .iter()
        .flat_map(|table| table.forms.iter().flat_map(|form| &form.keys).map(move |key| (table, key.name.as_str())));
    keys.flat_map(|(table, key)| [key.to_owned(), table.dotted(key)]).collect()
}

/// A key in a few lines: its name with its type, and its meaning below.
pub(super) fn line(key: &Key, explanation: &mut Explanation) {
    let value = value(key);
    explanation.text.push_str(&super::wrapped(&format!("{}: {value}", key.name), 4, 8));
    explanation.text.push_str(&super::wrapped(&key.about, 6, 6));
}

/// The type of a key's value, its range, and its default.
fn value(key: &Key) -> String {
    // A long list goes on in further lines.
    let absent = key.absent.words().replace('`', "").replace("\",\"", "\", \"");
    let example = key.example.as_ref().map(|example| format!(", such as \"{example}\"")).unwrap_or_default();
    format!("{}{example}{absent}", key.takes)
}

/// Every place of a key, with the names of the forms of its table that have the same key. Without a table, places in
/// tables that are like others are left out.
fn places<'a>(
    tables: &'a [KeyTable],
    above: &str,
    is_meant: &dyn Fn(&Key) -> bool,
) -> Vec<(KeyPlace<'a>, Vec<&'a str>)> {
    let places = of_path(tables, above).map(|tables| tables.into_iter().flat_map(|table| places_in(table, is_meant)));
    places.into_iter().map(Iterator::collect).find(|places: &Vec<_>| !places.is_empty()).unwrap_or_default()
}

fn places_in<'a>(table: &'a KeyTable, is_meant: &dyn Fn(&Key) -> bool) -> Vec<(KeyPlace<'a>, Vec<&'a str>)> {
    let mut meant: Vec<(KeyPlace<'a>, Vec<&'a str>)> = Vec::new();
    for form in &table.forms {
        for key in form.keys.iter().filter(|key| is_meant(key)) {
            let name = form.name.as_deref();
            match meant.iter_mut().find(|(other, _)| other.key == key) {
                Some((_, names)) => names.extend(name),
                None => meant.push((KeyPlace { table, key }, name.into_iter().collect())),
            }
        }
    }
    meant
}

/// The tables that a dotted path may mean, from those that are at it to those that it leads to with parts left out, or
/// with names of clusters in it; without a path, all tables that are not like others.
fn of_path<'a>(tables: &'a [KeyTable], above: &str) -> [Vec<&'a KeyTable>; 3] {
    let described = || tables.iter().filter(|table| table.same_as.is_none());
    if above.is_empty() {
        return [described().collect(), Vec::new(), Vec::new()];
    }
    let exact = tables.iter().filter(|table| table.path == above).collect();
    let shortened = described().filter(|table| is_within(above, &table.path)).collect();
    let named = || tables.iter().filter(|table| !table.path.is_empty() && is_within(&table.path, above));
    let deepest = named().map(|table| table.path.matches('.').count()).max();
    let named = named().filter(|table| Some(table.path.matches('.').count()) == deepest).collect();
    [exact, shortened, named]
}

/// Whether the parts of one path stand in another in the same order.
fn is_within(part: &str, path: &str) -> bool {
    let mut whole = path.split('.');
    part.split('.').all(|part| whole.any(|other| other == part))
}

/// A key with the tables in which it is the same.
struct KeyGroup<'a> {
    key: &'a Key,
    /// What is in the table that the key holds.
    inner: Option<String>,
    tables: Vec<String>,
    /// The page about the first of these tables.
    page: String,
    /// In how many templates it stands in the table where it is met with most.
    uses: usize,
}

fn say(name: &str, places: Vec<(KeyPlace<'_>, Vec<&str>)>, tables: &[KeyTable], explanation: &mut Explanation) {
    let mut parts: Vec<KeyGroup<'_>> = Vec::new();
    for (KeyPlace { table, key }, forms) in places {
        let inner = inner_keys(tables, &table.dotted(&key.name));
        let (inner, page) = inner.map_or((None, table.page()), |(keys, page)| (Some(keys), page));
        let uses = likely::of_key(&table.path, &key.name);
        let alike = tables.iter().filter(|other| other.same_as.as_ref() == Some(&table.heading));
        let named = format!("{}{}", in_heading(table), by_choice(table, &forms));
        let named = std::iter::once(named).chain(alike.map(in_heading));
        match parts.iter_mut().find(|part| part.key == key && part.inner == inner) {
            Some(part) => {
                part.tables.extend(named);
                part.uses = part.uses.max(uses);
            }
            None => parts.push(KeyGroup { key, inner, tables: named.collect(), page, uses }),
        }
    }
    for KeyGroup { key, inner, tables, page, uses } in parts {
        explanation.part(name, &format!("key `{}` in {}", key.name, tables.join(", ")), uses);
        explanation.say(&value(key));
        explanation.say(&key.about);
        explanation.say(&inner.unwrap_or_default());
        explanation.read(&page);
    }
}

/// The forms of a table that have a key, in brackets; nothing if all have it.
fn by_choice(table: &KeyTable, forms: &[&str]) -> String {
    let Some(choice) = table.choice.as_ref().filter(|_| forms.len() < table.forms.len()) else { return String::new() };
    let forms: Vec<String> = forms.iter().map(|form| format!("\"{form}\"")).collect();
    format!(" ({choice} = {})", forms.join(", "))
}

/// A table by its heading.
fn in_heading(table: &KeyTable) -> String {
    if table.path.is_empty() { "the scenario".to_owned() } else { format!("`{}`", table.heading) }
}

/// What is in the table that a key holds, and its page; `None` if it holds no table or different ones.
fn inner_keys(tables: &[KeyTable], path: &str) -> Option<(String, String)> {
    let mut inner = tables.iter().filter(|table| table.path == path);
    let (Some(inner), None) = (inner.next(), inner.next()) else { return None };
    let (what, names): (String, Vec<&str>) = match &inner.choice {
        Some(choice) => (format!("`{choice}`"), inner.forms.iter().filter_map(|form| form.name.as_deref()).collect()),
        None => {
            ("keys".to_owned(), inner.forms.iter().flat_map(|form| &form.keys).map(|key| key.name.as_str()).collect())
        }
    };
    Some((format!("Its {what}: {}.", names.join(", ")), inner.page()))
}
