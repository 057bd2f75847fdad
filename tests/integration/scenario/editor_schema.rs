//! The schema for editors: it accepts what hetsim accepts, refuses plain mistakes, and is short.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hetsim::report::Reported as _;
use hetsim::report::spec::NOTATION;
use hetsim::scenario::{Described, Scenario, Source, TEMPLATES, editor_schema, key_tables, template};
use serde_json::Value as Json;

/// Whether a schema accepts a value; of the words of JSON schema those that ours has, and no other.
fn accepts(root: &Json, schema: &Json, value: &Json) -> bool {
    let Some(words) = schema.as_object() else { return schema == &Json::Bool(true) };
    let all = |list: &Json, of: &dyn Fn(&Json) -> bool| list.as_array().unwrap().iter().all(of);
    let number = value.as_f64();
    words.iter().all(|(word, said)| match word.as_str() {
        "$ref" => accepts(root, root.pointer(&said.as_str().unwrap()[1..]).unwrap(), value),
        "allOf" => all(said, &|part| accepts(root, part, value)),
        "anyOf" => said.as_array().unwrap().iter().any(|part| accepts(root, part, value)),
        "oneOf" => said.as_array().unwrap().iter().filter(|part| accepts(root, part, value)).count() == 1,
        "if" => accepts(root, said, value) || accepts(root, &schema["else"], value),
        "enum" => said.as_array().unwrap().contains(value),
        "const" => said == value,
        "type" => match said.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            other => panic!("no type: {other}"),
        },
        // Two names with a plus between them, each out of a list.
        "pattern" => {
            let parts = said.as_str().unwrap().trim_start_matches("^(").trim_end_matches(")$").split_once(")\\+(");
            let (first, second) = parts.unwrap();
            let pair = value.as_str().and_then(|value| value.split_once('+'));
            pair.is_some_and(|pair| {
                first.split('|').any(|one| one == pair.0) && second.split('|').any(|one| one == pair.1)
            })
        }
        "properties" => value.as_object().is_none_or(|table| {
            said.as_object()
                .unwrap()
                .iter()
                .all(|(key, part)| table.get(key).is_none_or(|own| accepts(root, part, own)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|table| {
            let known = |key: &str| schema["properties"].get(key).is_some();
            table.iter().all(|(key, own)| known(key) || accepts(root, said, own))
        }),
        "required" => value.as_object().is_none_or(|table| all(said, &|key| table.contains_key(key.as_str().unwrap()))),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| accepts(root, said, item))),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= said.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= said.as_u64().unwrap()),
        "minimum" => number.is_none_or(|number| number >= said.as_f64().unwrap()),
        "maximum" => number.is_none_or(|number| number <= said.as_f64().unwrap()),
        "exclusiveMinimum" => number.is_none_or(|number| number > said.as_f64().unwrap()),
        "exclusiveMaximum" => number.is_none_or(|number| number < said.as_f64().unwrap()),
        "else" | "$defs" | "$schema" | "title" | "description" | "default" | "examples" => true,
        other => panic!("no word of ours: {other}"),
    })
}

fn read(text: &str) -> Json {
    toml::from_str(text).unwrap()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The TOML files in a folder of the repository.
fn files(folder: &str) -> Vec<(String, Json)> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    texts.map(|path| (path.display().to_string(), read(&std::fs::read_to_string(&path).unwrap()))).collect()
}

fn is_platform(path: &str) -> bool {
    path.ends_with(".platform.toml")
}

#[test]
fn every_scenario_fits_the_schema() {
    for explained in [false, true] {
        let schema = editor_schema(NOTATION.schema(), Described::Scenario, explained);
        let mut seen = 0;
        for (path, scenario) in files("scenarios").into_iter().chain(files("scenarios/scale")) {
            if !is_platform(&path) {
                assert!(accepts(&schema, &schema, &scenario), "{path}");
                seen += 1;
            }
        }
        assert!(seen > 50);
        for (kind, _) in TEMPLATES {
            assert!(accepts(&schema, &schema, &read(template(kind).unwrap())), "{kind}");
        }
        let schema = editor_schema(NOTATION.schema(), Described::Platform, explained);
        let platforms: Vec<_> = files("scenarios").into_iter().filter(|(path, _)| is_platform(path)).collect();
        assert!(platforms.len() >= 4);
        for (path, platform) in platforms {
            assert!(accepts(&schema, &schema, &platform), "{path}");
        }
    }
}

/// Each text in the folder has one plain mistake.
#[test]
fn plain_mistakes_are_refused() {
    for explained in [false, true] {
        let schema = editor_schema(NOTATION.schema(), Described::Scenario, explained);
        let mistakes = files("tests/data/schema");
        assert!(mistakes.len() >= 8);
        for (path, scenario) in mistakes {
            assert!(!accepts(&schema, &schema, &scenario), "{path} is accepted");
        }
    }
}

/// Everything that can be left out of a value, each by itself.
fn without_one(value: &Json) -> Vec<Json> {
    let mut made = Vec::new();
    match value {
        Json::Object(table) => {
            for (key, own) in table {
                let mut less = table.clone();
                less.remove(key);
                made.push(Json::Object(less));
                for own in without_one(own) {
                    let mut changed = table.clone();
                    changed.insert(key.clone(), own);
                    made.push(Json::Object(changed));
                }
            }
        }
        Json::Array(items) => {
            for (index, own) in items.iter().enumerate() {
                for own in without_one(own) {
                    let mut changed = items.clone();
                    changed[index] = own;
                    made.push(Json::Array(changed));
                }
            }
        }
        _ => {}
    }
    made
}

/// What hetsim accepts with any one key left out, an editor accepts too.
#[test]
fn what_hetsim_accepts_fits_the_schema() {
    let schema = editor_schema(NOTATION.schema(), Described::Scenario, false);
    let mut accepted = 0;
    for kind in ["broadcast", "grid", "independent", "island", "measure", "phases", "taskgraph", "traffic"] {
        for changed in without_one(&read(template(kind).unwrap())) {
            let text = toml::to_string(&changed).unwrap();
            let source = Source { name: kind.to_owned(), folder: root(), text: text.as_str().into() };
            if Scenario::read(kind.to_owned(), source, &[]).is_ok() {
                accepted += 1;
                assert!(accepts(&schema, &schema, &changed), "{text}");
            }
        }
    }
    assert!(accepted > 50, "{accepted}");
}

#[test]
fn parts_of_a_platform_may_lie_in_the_included_file() {
    let schema = editor_schema(NOTATION.schema(), Described::Scenario, false);
    let with = |platform: &str| {
        let workload = "[workload]\nkind = \"broadcast\"\nsize = \"1KiB\"\nalgorithm = \"ecef+best\"\n";
        accepts(&schema, &schema, &read(&format!("version = 1\n{platform}\n{workload}")))
    };
    let include = "[platform]\ninclude = \"x.toml\"\n";
    assert!(with(include));
    assert!(with(&format!("{include}[platform.cluster.a]\nnodes = 3")));
    assert!(with(&format!("{include}[platform.cluster.a.network]\nlatency = \"3us\"")));
    assert!(!with(&format!("{include}[platform.cluster.a]\nnodes = \"3\"")));
    assert!(!with(&format!("{include}[platform.cluster.a]\nnode = 3")));
    assert!(!with(&format!("{include}[platform.cluster.a.network]\nlatenzy = \"3us\"")));
    // Without a file everything has to be there; items of lists always.
    assert!(!with("[platform]\n"));
    assert!(!with("[platform.cluster.a]\nnodes = 3"));
    assert!(!with(&format!("{include}[[platform.cluster.a.level]]\nsize = 3")));
    let fitted = "[platform.cluster.a]\nnodes = 3\nnetwork = { model = { fitted = \"f.toml\", beyond = \"refuse\" } }";
    assert!(with(fitted));
    assert!(!with(&fitted.replace("fitted =", "fited =")));
}

/// Everything that occurs again is said once: without that it had ten times as many bytes.
#[test]
fn the_schema_is_short() {
    let length = editor_schema(NOTATION.schema(), Described::Scenario, false).to_string().len();
    let tables = key_tables(NOTATION.schema());
    let forms = tables.iter().filter(|table| table.same_as.is_none()).flat_map(|table| &table.forms);
    let keys: Vec<_> = forms.flat_map(|form| &form.keys).collect();
    let names: BTreeSet<&str> = keys.iter().flat_map(|key| &key.names).map(|name| name.name.as_str()).collect();
    let entries = keys.len() + names.len();
    let most = 26 * entries;
    assert!(
        length <= most,
        "{length} of {most} bytes, for {entries} keys and names: say what occurs again once \
         (crates/scenario/src/editor/share.rs)"
    );
}
