//! Keys that several tables have are checked in each: ways to derive a metric, and groups of keys of workloads and
//! studies.

use std::fs;
use std::path::Path;

use hetsim::report::spec::NOTATION;
use hetsim::scenario::{KeyForm, key_tables};

use crate::support::{here, try_read_in};

/// The forms of the table of a schema that stands under this key: their names with their keys.
fn forms(path: &str) -> Vec<(String, Vec<String>)> {
    let tables = key_tables(NOTATION.schema());
    let table = tables.iter().find(|table| table.path.trim_end_matches("[]") == path && table.forms.len() > 1).unwrap();
    let keys = |form: &KeyForm| form.keys.iter().map(|key| key.name.clone()).collect();
    table.forms.iter().map(|form| (form.name.clone().unwrap(), keys(form))).collect()
}

/// Broadcasts by size and algorithm.
const BROADCASTS: &str = r#"version = 1
replicas = 2
[platform.cluster.lab]
nodes = 4
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
algorithm = "binomial"
size = "1KiB"
[sweep]
"workload.algorithm" = ["linear", "binomial"]
"workload.size" = ["1KiB", "8KiB"]
"#;

/// A good derivation of each kind.
const DERIVATIONS: &[(&str, &str)] = &[
    ("speedup", "metric = 'completion_s'\nto = { algorithm = 'linear' }"),
    ("ratio", "metric = 'completion_s'\nto = { algorithm = 'linear' }"),
    ("difference", "metric = 'completion_s'\nto = { algorithm = 'linear' }"),
    ("best", "metric = 'completion_s'\nover = 'algorithm'"),
    ("best_of", "metric = 'completion_s'\nover = 'algorithm'"),
    ("ratio_to_best", "metric = 'completion_s'\nover = 'algorithm'"),
    ("mean", "metric = 'completion_s'\nover = 'algorithm'"),
    ("crossover", "metric = 'completion_s'\nover = 'size'\nto = { algorithm = 'linear' }"),
    ("error", "metric = 'completion_s'\ntruth = 'predicted_s'"),
    ("quantile", "metric = 'completion_s'\nof = '1s'"),
    ("formula", "formula = 'completion_s * 2'"),
];

/// Wrong lines of each key of a derivation, and what is said of them.
const WRONG: &[(&str, &str, &str)] = &[
    ("name", "name = 'completion_s'", "completion_s"),
    ("metric", "metric = 'nope'", "`nope`"),
    ("to", "to = { nope = 1 }", "`nope`"),
    ("to", "to = { algorithm = 'nope' }", "nope"),
    ("file", "file = 'Cargo.toml'", "give either `to`"),
    ("column", "column = 'c'", "speak of a `file`"),
    ("by", "by = { nope = 'x' }", "`nope`"),
    ("over", "over = 'nope'", "`nope`"),
    ("among", "among = { nope = 1 }", "`nope`"),
    ("largest", "largest = true\nleast = true", "give either `largest` or `least`"),
    ("least", "metric = 'messages'\nleast = false", "has no best"),
    ("truth", "truth = 'nope'", "`nope`"),
    ("of", "of = 'nope'", "nope"),
    ("formula", "formula = 'nope * 2'", "`nope`"),
    ("values", "values = { nope = 'x' }", "nope"),
];

fn derived(how: &str, keys: &str, changed: &str) -> Result<(), String> {
    let mut table: toml::Table = keys.parse().unwrap();
    table.insert("name".to_owned(), "it".into());
    table.insert("how".to_owned(), how.into());
    table.extend(changed.parse::<toml::Table>().unwrap());
    let derivations = toml::Table::from_iter([("derive".to_owned(), toml::Value::Array(vec![table.into()]))]);
    let read = try_read_in(".", &format!("{BROADCASTS}{derivations}"), &[]);
    read.map(drop).map_err(|problems| problems.to_string())
}

#[test]
fn keys_of_derivations_are_checked_in_every_kind() {
    let mut unsaid = Vec::new();
    for (how, keys) in forms("derive") {
        let good =
            DERIVATIONS.iter().find(|(own, _)| *own == how).unwrap_or_else(|| panic!("no derivation {how} here")).1;
        assert_eq!(derived(&how, good, ""), Ok(()), "{how}");
        for key in keys {
            let mut wrong = WRONG.iter().filter(|(own, ..)| *own == key).peekable();
            assert!(wrong.peek().is_some(), "{how}: `{key}` has a wrong value here");
            for (_, line, says) in wrong {
                let said = derived(&how, good, line).err().unwrap_or_default();
                if !said.contains(says) {
                    unsaid.push(format!("{how}: {line}: `{says}` should be in `{said}`"));
                }
            }
        }
    }
    assert!(unsaid.is_empty(), "{}", unsaid.join("\n"));
}

/// A group of keys: a key that each scenario with the group gives, and wrong values of the group's keys with what is
/// said of them.
type Group = (&'static str, &'static [(&'static str, &'static str, &'static str)]);

/// The groups that several workloads and studies have, below the table of each.
const GROUPS: &[Group] = &[
    (
        "task.distribution",
        &[
            ("task", "{ distribution = 'constant', operations = '0op' }", "must be above zero"),
            ("task", "{ distribution = 'exponential', mean = '0op' }", "must be above zero"),
            ("task", "{ distribution = 'uniform', from = '2Mop', to = '1Mop' }", "must not be above `to`"),
            ("task", "{ distribution = 'trace', operations = [] }", "a trace needs"),
        ],
    ),
    (
        "farm.server",
        &[
            ("farm.server", "99", "99"),
            ("farm.chunk", "0", "`chunk` must be at least 1"),
            ("farm.timeout", "'0s'", "`timeout` must be above zero"),
            ("farm.task_timeout", "'0s'", "`task_timeout` must be above zero"),
            ("farm", "{ policy = 'static_equal', protocol = 'signals' }", "deals without being asked"),
            ("farm", "{ policy = 'static_shares' }", "shares"),
            ("farm", "{ policy = 'adaptive', shares = [1.0] }", "shares"),
        ],
    ),
    (
        "search.genes",
        &[
            ("search.genes", "0", "at least one gene"),
            ("search.crossover", "2.0", "a probability from 0 to 1"),
            ("search.mutation", "-1.0", "a probability from 0 to 1"),
            ("search.bits_per_gene", "60", "1 to 52 bits"),
            ("search.mutation_step", "-1.0", "the step must be 0 or more"),
        ],
    ),
    (
        "search.dimension",
        &[
            ("search.dimension", "0", "must be at least 1"),
            ("search.mutations", "0", "must be at least 1"),
            ("search.offspring", "0", "must be at least 1"),
            ("search.first_step", "0.0", "the first step must be positive"),
            ("search.least_step", "-1.0", "the least step must be 0 or more"),
            ("search.change", "2.0", "a factor above 0 and at most 1"),
            ("search.threshold", "2.0", "a share from 0 to 1"),
        ],
    ),
    (
        "genetic.population",
        &[
            ("method", "'given'", "formula"),
            ("formula", "'bytes'", "given"),
            ("short", "'3s'", "short"),
            ("repeats", "'most'", "most"),
            ("genetic.generations", "0", "generations"),
            ("genetic.islands", "0", "islands"),
            ("genetic.patience", "0", "patience"),
            ("genetic.most_nodes", "0", "most_nodes"),
            ("genetic.population", "1", "population"),
            ("paper.generations", "0", "generations"),
            ("paper.population", "1", "population"),
            ("paper.depth", "101", "depth"),
            ("paper.most_nodes", "0", "most_nodes"),
            ("paper.runs", "0", "runs"),
            ("paper.linear", "2.0", "linear"),
        ],
    ),
];

/// A good scenario of each kind that has one of the groups: a golden run, or keys of a study.
const KINDS: &[(&str, &str, &str)] = &[
    ("workload", "independent", "policies"),
    ("workload", "genetic", "genetic"),
    ("workload", "evolution", "evolution"),
    ("workload", "island", "island"),
    ("workload", "taskgraph", "mapping"),
    ("workload", "fit", "fit"),
    ("study", "fit", ""),
];

const FIT: &str = "version = 1\n[study]\nkind = 'fit'\nfile = 'times.csv'\ntarget = 'us'\nby = ['bytes']\nmethod = 'ols'\n\
                   genetic = { population = 20 }\n";

/// A scenario without what varies, as a table.
fn plain(golden: &str) -> toml::Table {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{golden}.toml"));
    let text = if golden.is_empty() { FIT.to_owned() } else { fs::read_to_string(file).unwrap() };
    text.split("[sweep]").next().unwrap().parse().unwrap()
}

/// The table that holds the last key of a dotted path, and that key.
fn place<'t, 'p>(table: &'t mut toml::Table, path: &'p str) -> (&'t mut toml::Table, &'p str) {
    match path.split_once('.') {
        None => (table, path),
        Some((first, rest)) => {
            let inner = table.entry(first).or_insert_with(|| toml::Table::new().into());
            place(inner.as_table_mut().unwrap(), rest)
        }
    }
}

/// The scenario with a value put at a dotted path.
fn edited(good: &toml::Table, path: &str, value: &str) -> toml::Table {
    let mut changed = good.clone();
    let value = format!("it = {value}").parse::<toml::Table>().unwrap().remove("it").unwrap();
    let (inner, last) = place(&mut changed, path);
    inner.insert(last.to_owned(), value);
    changed
}

#[test]
fn groups_of_keys_are_checked_in_every_workload_and_study() {
    let times: Vec<String> = (1..20).map(|bytes| format!("{bytes},{}\n", 3 * bytes + 7)).collect();
    let folder = here(&[("times.csv", &format!("bytes,us\n{}", times.concat()))]);
    let read = |table: &toml::Table| {
        let read = try_read_in(&folder, &table.to_string(), &[]);
        read.map(drop).map_err(|problems| problems.to_string())
    };
    let (mut unsaid, mut checked) = (Vec::new(), 0);
    let kinds =
        ["workload", "study"].into_iter().flat_map(|part| forms(part).into_iter().map(move |form| (part, form)));
    for (part, (kind, keys)) in kinds {
        let has = |key: &str| keys.iter().any(|own| own == key);
        let groups: Vec<&Group> = GROUPS.iter().filter(|group| has(group.0.split('.').next().unwrap())).collect();
        if groups.is_empty() {
            continue;
        }
        let known = KINDS.iter().find(|(own, name, _)| *own == part && *name == kind);
        let mut good = plain(known.unwrap_or_else(|| panic!("{part} {kind} has no scenario here")).2);
        if has("farm") {
            good = edited(&good, &format!("{part}.farm.server"), "0");
        }
        assert_eq!(read(&good), Ok(()), "{part} {kind}");
        for (mark, wrong) in groups {
            // Searches of two kinds stand under one key.
            let mark = format!("{part}.{mark}");
            let (inner, last) = place(&mut good, &mark);
            if !inner.contains_key(last) {
                continue;
            }
            checked += 1;
            for (key, value, says) in *wrong {
                let said = read(&edited(&good, &format!("{part}.{key}"), value)).err().unwrap_or_default();
                if !said.contains(says) {
                    unsaid.push(format!("{part} {kind}: {key} = {value}: `{says}` should be in `{said}`"));
                }
            }
        }
    }
    assert!(unsaid.is_empty(), "{}", unsaid.join("\n"));
    assert_eq!(checked, 11, "each kind with each of its groups");
}
