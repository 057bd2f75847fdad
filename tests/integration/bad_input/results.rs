//! Derived metrics, tables and expectations.

use super::{File, GOOD, one, problems_with_none, with};
use crate::support::try_read;
use hetsim::scenario::{Filter, Where};

/// Values of files that derived metrics are compared with.
#[test]
fn files_of_derivations() {
    let derive = |keys: &str| with("to = { algorithm = \"binomial\" }", keys);
    let keys = "file = \"o.csv\"\ncolumn = \"best\"";
    let at = "\"o.csv\"";
    let said =
        |content: &str, at: &str, parts: &[&str]| one(&derive(keys), &[("o.csv", content.as_bytes())], at, parts);
    said("", at, &["o.csv: the file is empty"]);
    said("size,bets\n1KiB,3\n", at, &["o.csv: there is no column `best`", "did you mean `bets`?"]);
    said("sizes,best\n1KiB,3\n", at, &["no column is named like a swept key", "size, algorithm"]);
    said("size,best\n1KiB,three\n", at, &["o.csv, line 2: `three` is not a number"]);
    said("# a\nsize,best\n# b\n1KiB,three\n", at, &["o.csv, line 4: `three` is not a number"]);
    said("size,best\n1KiB,inf\n", at, &["o.csv, line 2: `inf` is not a number"]);
    said("size,best\n1KiB\n", at, &["o.csv, line 2: 1 cells where the header has 2"]);
    said("size,best\n1KiB,3\n1024,4\n", at, &["o.csv, line 3: there is a row for the same values before"]);
    said("size,best\n7KiB,3\n", at, &["no row is one of a point of the sweep, by size"]);
    one(&derive(keys), &[], at, &["there is no file `o.csv`"]);
    let good: File<'_> = ("o.csv", b"size,best\n1KiB,3\n");
    one(&derive("file = \"o.csv\""), &[good], "[[derive]]", &["needs `column`"]);
    one(&derive("column = \"best\"\nto = { algorithm = \"linear\" }"), &[], "[[derive]]", &["speak of a `file`"]);
    one(&derive(&format!("{keys}\nto = {{ algorithm = \"linear\" }}")), &[good], at, &["give either `to`"]);
    one(&derive(&format!("{keys}\nby = {{ size = \"sice\" }}")), &[good], at, &["there is no column `sice`"]);
    one(&derive(&format!("{keys}\nby = {{ sice = \"size\" }}")), &[good], "sice", &["`sice` is not a swept key"]);
    let best = derive("file = \"o.csv\"").replace("how = \"speedup\"", "how = \"best\"\nover = \"size\"");
    one(&best, &[good], "file", &["`file` is a key of how \"speedup\", \"ratio\", \"difference\", not of `best`"]);
}

#[test]
fn derivations() {
    let to = "metric = \"completion_s\"\nto = { algorithm = \"binomial\" }\n";
    one(
        &with("metric = \"completion_s\"\nto", "metric = \"completion\"\nto"),
        &[],
        "\"completion\"",
        &["there is no metric `completion`", "did you mean `completion_s`?"],
    );
    one(
        &with("to = { algorithm = \"binomial\" }", "to = { algoritm = \"binomial\" }"),
        &[],
        "algoritm",
        &["`algoritm` is not a swept key", "did you mean `algorithm`?"],
    );
    one(
        &with("to = { algorithm = \"binomial\" }", "to = { algorithm = \"chain\" }"),
        &[],
        "\"chain\"",
        &["`algorithm` is never `chain` in the sweep", "expected one of: linear, binomial"],
    );
    one(&with("to = { algorithm = \"binomial\" }\n", ""), &[], "[[derive]]", &["this derivation needs `to`"]);
    one(
        &with(&format!("how = \"speedup\"\n{to}"), "how = \"best\"\nmetric = \"completion_s\"\n"),
        &[],
        "[[derive]]",
        &["`over` is missing in `derive`", "over: The swept key over which the best is sought"],
    );
    one(
        &with("how = \"speedup\"", "how = \"best\"\nover = \"size\""),
        &[],
        "to",
        &["`to` is a key of how \"speedup\", \"ratio\", \"difference\", \"crossover\", not of `best`"],
    );
    one(
        &with("name = \"gain\"", "name = \"messages\"").replace("metric = \"gain\"", "metric = \"messages\""),
        &[],
        "\"messages\"",
        &[
            "there is already a column `messages`",
            "is a metric: use it as it is; give the new one another name, such as messages_2",
        ],
    );
    one(
        &with("name = \"gain\"", "name = \"size\"").replace("metric = \"gain\"", "metric = \"size\""),
        &[],
        "\"size\"",
        &["there is already a column `size`", "is a swept key; give the new one another name, such as size_2"],
    );
    one(
        &with(
            "name = \"gain\"\nhow = \"speedup\"\nmetric = \"completion_s\"",
            "name = \"gain\"\nhow = \"speedup\"\nmetric = \"gain\"",
        ),
        &[],
        "\"gain\"",
        &["there is no metric `gain` yet", "derivations go in order"],
    );
    one(
        &with("metric = \"completion_s\"\nto", "metric = \"slr\"\nto"),
        &[],
        "\"slr\"",
        &["`slr` is a metric of `taskgraph`; this is `broadcast`"],
    );
    // There is a workload `fit` and a study `fit`.
    one(
        &with("metric = \"completion_s\"\nto", "metric = \"floor_percent\"\nto"),
        &[],
        "\"floor_percent\"",
        &["`floor_percent` is a metric of `fit`; this is `broadcast`"],
    );
}

/// Keys whose last parts are the same are called by more parts.
#[test]
fn keys_of_the_same_last_part() {
    let nodes = "\"platform.cluster.north.nodes\" = [2, 4]\n\"platform.cluster.south.nodes\" = [2, 3]";
    let rows = |rows: &str| {
        let text = with("\"workload.size\" = [\"1KiB\", \"8KiB\"]", nodes);
        let (head, _) = text.split_once("[[chart]]").unwrap();
        head.replacen(
            "rows = \"size\"\nbest = \"algorithm\"",
            &format!("rows = \"{rows}\"\nbest = [\"algorithm\", \"south.nodes\"]"),
            1,
        )
    };
    assert!(try_read(&rows("north.nodes")).is_ok());
    let both = "platform.cluster.north.nodes, platform.cluster.south.nodes";
    one(&rows("nodes"), &[], "\"nodes\"", &[&format!("`nodes` means several keys: {both}"), "write one of them"]);
    // A formula names them so, too.
    let formula = |formula: &str| {
        let derive = format!("[[derive]]\nname = \"ratio\"\nhow = \"formula\"\nformula = \"{formula}\"\n");
        format!("{}\n{derive}", rows("north.nodes").split("[[table]]").next().unwrap())
    };
    assert!(try_read(&formula("completion_s * north.nodes / platform.cluster.south.nodes")).is_ok());
    let unknown = "there is no metric, swept key or value `north.node`";
    one(&formula("north.node"), &[], "\"north.node\"", &[unknown, "platform.cluster.north.nodes"]);
}

/// A value that is a list is chosen as it is; several are in quotes.
#[test]
fn values_that_are_lists() {
    let text = |chosen: &str| {
        format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 4\nnetwork = {{ model = \"ideal\" }}\n[workload]\nkind = \"phases\"\n\
             grid = [4]\n[[workload.phase]]\nhalo = \"1KiB\"\n[sweep]\n\"workload.grid\" = [[4], [2, 2], [1, 4]]\n\
             [[table]]\nrows = \"grid\"\nmetric = \"completion_s\"\nwhere = {{ grid = {chosen} }}\n"
        )
    };
    for (chosen, points) in [("[2, 2]", 1), ("\"[2,2]\"", 1), ("[\"[4]\", \"[2,2]\"]", 2)] {
        let scenario = try_read(&text(chosen)).unwrap();
        let filter = toml::from_str::<Where>(&format!("grid = {chosen}")).unwrap();
        let filter = Filter::new(&scenario.axes, &filter);
        assert_eq!(scenario.points.iter().filter(|point| filter.lets_through(point)).count(), points, "{chosen}");
    }
    one(&text("\"[2, 2]\""), &[], "\"[2, 2]\"", &["its values are lists: `grid = [4]`"]);
}

/// A formula names each name that it cannot use, and what there is.
#[test]
fn derived_formulas() {
    let formula = |formula: &str| {
        let all = "how = \"speedup\"\nmetric = \"completion_s\"\nto = { algorithm = \"binomial\" }";
        with(all, &format!("how = \"formula\"\nformula = \"{formula}\"\nvalues = {{ price = 2 }}"))
    };
    for (wrong, parts) in [
        (
            "nodes * pric * completion_s",
            [
                "there is no metric, swept key or value `pric`",
                "a number of your own goes into `values = { pric = … }`; did you mean `price`?",
            ],
        ),
        ("completion * price", ["there is no metric, swept key or value `completion`", "completion_s"]),
        ("algorithm * price", ["the values of `algorithm` are no numbers", ""]),
        ("price * (completion_s", ["the formula can't be read, at character 22", "is expected"]),
        ("price + 3 completion_s", ["the formula can't be read, at character 11", "nothing more is expected"]),
    ] {
        one(&formula(wrong), &[], &format!("\"{wrong}\""), &parts);
    }
    assert!(try_read(&formula("nodes * price * completion_s / size")).is_ok());
    one(&formula("nodes * completion_s"), &[], "price", &["the formula does not have `price`: take it out"]);
}

#[test]
fn tables_and_charts() {
    one(
        &with("rows = \"size\"", "rows = \"sise\""),
        &[],
        "\"sise\"",
        &["`sise` is not a swept key", "did you mean `size`?"],
    );
    one(
        &with("best = \"algorithm\"\n", "best = \"algorithm\"\ncolumns = \"algorithm\"\n"),
        &[],
        "\"algorithm\"",
        &["a table has `columns` or `best`, not both"],
    );
    one(
        &with("best = \"algorithm\"", "best = \"algorithm\"\nalso = [\"gains\"]"),
        &[],
        "\"gains\"",
        &["did you mean `gain`?"],
    );
    one(
        &with("y = \"completion_s\"", "y = \"completions\""),
        &[],
        "\"completions\"",
        &["there is no metric `completions`"],
    );
    one(&with("x = \"size\"\n", ""), &[], "[[chart]]", &["`x` is missing in `chart`", "x: The swept key along x"]);
    one(
        &with("series = \"algorithm\"", "series = \"placement\""),
        &[],
        "\"placement\"",
        &["`placement` is not a swept key", "expected one of: size, algorithm"],
    );
    let twice = format!(
        "{GOOD}[[chart]]\nname = \"completion\"\nkind = \"gantt\"\nwhere = {{ size = \"1KiB\", algorithm = \"binomial\" }}\n"
    );
    one(&twice, &[], "\"completion\"", &["two charts are called `completion`"]);
    one(
        &with("name = \"completion\"", "name = \"../up\""),
        &[],
        "\"../up\"",
        &["a chart's name is the stem of a file"],
    );
    one(
        &with("series = \"algorithm\"", "where = { size = \"2KiB\" }"),
        &[],
        "\"2KiB\"",
        &["`size` is never `2KiB` in the sweep"],
    );
    let parts = "\"workload.size\" = [\"1KiB\"]\n\"workload.algorithm\" = [\"chain\"]\n";
    let two = GOOD
        .replace("[sweep]", &format!("[[sweep]]\n{parts}[[sweep]]"))
        .replace("series = \"algorithm\"", "where = { algorithm = \"chain\", size = \"8KiB\" }");
    one(&two, &[], "{ algorithm = \"chain\", size = \"8KiB\" }", &["no point of the sweep has all of these values"]);
    let start = GOOD.find("[sweep]").expect("there");
    let unswept = format!("{}[[chart]]\nname = \"c\"\nx = \"size\"\ny = \"messages\"\n", &GOOD[..start]);
    one(&unswept, &[], "\"size\"", &["`size` is not a swept key", "the scenario has no sweep"]);
}

#[test]
fn expectations() {
    one(
        &with("metric = \"gain\"", "metric = \"gian\""),
        &[],
        "\"gian\"",
        &["there is no metric `gian`", "did you mean `gain`?"],
    );
    one(&with("value = 1.0\n", ""), &[], "[[expect]]", &["an expectation needs one of `value`, `at_least`"]);
    one(
        &with("value = 1.0", "value = 1.0\nat_most = 2"),
        &[],
        "2",
        &["an expectation has just one of", "this one has `value` and `at_most`"],
    );
    one(&with("value = 1.0", "best = \"binomial\""), &[], "[[expect]]", &["`best` goes with `over`"]);
    one(
        &with("value = 1.0", "best = \"chain\"\nover = \"algorithm\""),
        &[],
        "\"chain\"",
        &["`algorithm` is never `chain`"],
    );
    one(
        &with("where = { algorithm = \"binomial\" }", "where = { algorithm = \"chain\" }"),
        &[],
        "\"chain\"",
        &["`algorithm` is never `chain`"],
    );
    one(
        &with("value = 1.0", "value = 1.0\ntolerance_percent = -1"),
        &[],
        "-1",
        &["`tolerance_percent` must be at least 0"],
    );
    let alone = |keys: &str, text: &str, message: &str| one(&with("value = 1.0", keys), &[], text, &[message]);
    alone("at_most = 2\ntolerance_percent = 3", "3", "`tolerance_percent` goes with a `value` that is a number");
    alone("at_most = 2\namong = [\"linear\"]", "[\"linear\"]", "`among` goes with `best`");
    let order = |key: &str| format!("less_than = {{ algorithm = {key} }}");
    alone(&order("\"binomial\""), "{ algorithm = \"binomial\" }", "each point would be compared with itself");
    alone(
        &order("[\"linear\", \"binomial\"]"),
        "[\"linear\", \"binomial\"]",
        "one value is expected, as points are compared with one",
    );
}

#[test]
fn quantiles_and_statistics() {
    let derive = |keys: &str| {
        GOOD.replacen("how = \"speedup\"\nmetric = \"completion_s\"\nto = { algorithm = \"binomial\" }\n", keys, 1)
    };
    let quantile = "how = \"quantile\"\nmetric = \"completion_s\"\n";
    one(&derive(quantile), &[], "[[derive]]", &["`of` is missing", "of: The value whose quantile"]);
    one(&derive(&format!("{quantile}of = true\n")), &[], "true", &["`completion_s` is a number, not true"]);
    let speedup = "how = \"speedup\"\nmetric = \"completion_s\"\nto = { algorithm = \"binomial\" }\nof = 3\n";
    one(&derive(speedup), &[], "of", &["`of` is a key of how \"quantile\", not of `speedup`"]);
    let name = GOOD.replacen("metric = \"gain\"", "metric = \"inside\"\nstatistic = \"median\"", 1);
    let name = name.replacen("value = 1.0", "value = \"linear\"", 1);
    one(&name, &[], "\"median\"", &["`inside` is a name, and has no statistic"]);
}

#[test]
fn comparisons_and_quantiles() {
    let compare = |keys: &str| format!("{GOOD}\n[[compare]]\nmetric = \"completion_s\"\n{keys}\n");
    let (a, b) = ("a = { algorithm = \"linear\" }", "b = { algorithm = \"binomial\" }");
    assert!(problems_with_none(&compare(&format!("{a}\n{b}"))));
    let wrong = |keys: &str, at: &str, parts: &[&str]| one(&compare(keys), &[], at, parts);
    wrong(
        &format!("{a}\nb = {{ algorithm = \"chain\" }}"),
        "\"chain\"",
        &["`algorithm` is never `chain` in the sweep"],
    );
    wrong(&format!("{a}\nb = {{ algorithm = \"linear\" }}"), "[[compare]]", &["`a` and `b` are the same"]);
    wrong(&format!("{a}\nb = {{ size = \"1KiB\" }}"), "[[compare]]", &["values to different keys"]);
    wrong(&format!("{a}\n{b}\nwhere = {{ algorithm = \"linear\" }}"), "\"linear\"", &["is what is compared"]);
    let several = "[\"linear\", \"binomial\"]";
    wrong(&format!("{a}\nb = {{ algorithm = {several} }}"), several, &["takes one value here"]);
    let unknown = compare(&format!("{a}\n{b}")).replacen(
        "[[compare]]\nmetric = \"completion_s\"",
        "[[compare]]\nmetric = \"speed\"",
        1,
    );
    one(&unknown, &[], "\"speed\"", &["there is no metric `speed`"]);
    let output = |keys: &str| format!("{GOOD}\n[output]\n{keys}\n");
    one(&output("quantiles = [0.5, 1.0]"), &[], "1.0", &["a quantile lies between 0 and 1"]);
    one(&output("quantiles = [0.5, 0.50]"), &[], "0.50", &["the quantile 0.5 is there already"]);
    let guess = output("interval = { method = \"guess\" }");
    one(&guess, &[], "\"guess\"", &["`guess` is not a value of `method`", "student"]);
}
