//! Charts of every kind.

use super::{GOOD, after, one, problems_with_none};

#[test]
fn what_tables_and_charts_would_hide() {
    let with = |from: &str, to: &str| GOOD.replacen(from, to, 1);
    // Whatever varies among the points that are shown has to be shown as well.
    one(
        &with("series = \"algorithm\"\n", ""),
        &[],
        "[[chart]]",
        &["`algorithm` varies as well", "name it in `series`"],
    );
    one(&with("best = \"algorithm\"\n", ""), &[], "[[table]]", &["`algorithm` varies as well", "`columns` or `best`"]);
    let gantt = format!("{GOOD}[[chart]]\nname = \"who\"\nkind = \"gantt\"\n");
    one(&gantt, &[], "[[chart]]", &["`size` varies as well", "choose one value"]);
    let tolerance =
        "[[chart]]\nname = \"least\"\nkind = \"tolerance\"\nwhere = { size = \"1KiB\", algorithm = \"linear\" }\n";
    one(&format!("{GOOD}{tolerance}"), &[], "[[chart]]", &["the runs don't keep the table `tolerance`"]);
    // A metric that is a name is no number.
    one(&with("y = \"completion_s\"", "y = \"inside\""), &[], "\"inside\"", &["`inside` is a name"]);
}

#[test]
fn what_would_leave_a_chart_empty() {
    let with = |from: &str, to: &str| GOOD.replacen(from, to, 1);
    one(
        &with("series = \"algorithm\"", "series = \"size\"\nwhere = { algorithm = \"linear\" }"),
        &[],
        "\"size\"",
        &["`size` is `x` already"],
    );
    let log = with("[\"1KiB\", \"8KiB\"]", "[\"0B\", \"8KiB\"]").replacen(
        "x = \"size\"",
        "x = \"size\"\nx_scale = \"log\"",
        1,
    );
    one(&log, &[], "\"log\"", &["`size` 0B has no place on a logarithmic axis"]);
    let heatmap = "[[chart]]\nname = \"map\"\nkind = \"heatmap\"\nx = \"size\"\ny = \"size\"\nvalue = \"gain\"\nwhere = { algorithm = \"linear\" }\n";
    one(&format!("{GOOD}{heatmap}"), &[], "\"size\"", &["`size` is `x` already"]);
    let scatter = "[[chart]]\nname = \"map\"\nkind = \"scatter\"\nx = \"gain\"\ny = \"gain\"\n";
    one(&format!("{GOOD}{scatter}"), &[], "\"gain\"", &["`gain` is `y` already"]);
}

/// What is asked for and would not be seen, or would be misread, is refused where it stands.
#[test]
fn what_would_not_be_seen() {
    let chart = |more: &str| after("series = \"algorithm\"", more);
    let units = "`completion_s` and `messages` have different units";
    one(&chart("reference = [\"messages\"]"), &[], "\"messages\"", &[units, "make a chart of each"]);
    for (range, put, at) in [
        ("y_range = [\"0s\", \"1s\"]", "annotate = [{ text = \"limit\", y = \"2s\" }]", "\"2s\""),
        ("y_range = [\"0s\", \"1s\"]", "mark = [{ label = \"m\", x = \"1KiB\", y = \"2s\" }]", "\"2s\""),
        ("x_range = [\"1KiB\", \"8KiB\"]", "annotate = [{ text = \"limit\", x = \"9KiB\" }]", "\"9KiB\""),
        ("x_range = [\"1KiB\", \"8KiB\"]", "mark = [{ label = \"m\", x = \"9KiB\", y = \"2s\" }]", "\"9KiB\""),
    ] {
        let message = format!("`{}` lies outside of `{}`", at.trim_matches('"'), &range[..7]);
        one(&chart(&format!("{range}\n{put}")), &[], at, &[&message]);
        assert!(problems_with_none(&chart(put)), "without the range the axis reaches it: {put}");
    }
    let values = "[[chart]]\nname = \"h\"\nkind = \"histogram\"\nx = \"completion_s\"\nseries = \"algorithm\"\n\
        x_range = [\"0s\", \"1s\"]\nmark = [{ label = \"m\", value = \"2s\" }]\n";
    one(&format!("{GOOD}{values}"), &[], "\"2s\"", &["`2s` lies outside of `x_range`"]);
    let points = "[[chart]]\nname = \"s\"\nkind = \"scatter\"\nx = \"messages\"\ny = \"completion_s\"\nseries = \"algorithm\"\n\
        x_range = [0, 1]\nannotate = [{ text = \"limit\", x = 2 }]\n";
    one(&format!("{GOOD}{points}"), &[], "2", &["`2` lies outside of `x_range`"]);
    let cells = "[[chart]]\nname = \"m\"\nkind = \"heatmap\"\nx = \"size\"\ny = \"algorithm\"\nvalue = \"completion_s\"\n\
        legend = \"right\"\n";
    one(&format!("{GOOD}{cells}"), &[], "\"right\"", &["the cells of this chart have numbers"]);
    assert!(problems_with_none(&format!("{GOOD}{cells}mark = [{{ label = \"m\", x = \"1KiB\" }}]\n")));
    let table =
        "[[table]]\nrows = \"size\"\ncolumns = \"algorithm\"\nmetric = \"completion_s\"\nalso = [\"messages\"]\n";
    one(&format!("{GOOD}{table}"), &[], "[\"messages\"]", &["a table with `columns` shows one metric"]);
}

#[test]
fn several_figures_in_a_chart() {
    let with = |from: &str, to: &str| GOOD.replacen(from, to, 1);
    let y = |metrics: &str| with("y = \"completion_s\"", &format!("y = {metrics}"));
    one(&y("[\"completion_s\", \"gains\"]"), &[], "\"gains\"", &["there is no metric `gains`", "did you mean `gain`?"]);
    one(&y("[\"gain\", \"gain\"]"), &[], "\"gain\"", &["`gain` is given twice"]);
    one(&y("[]"), &[], "[[chart]]", &["this chart needs `y`"]);
    one(
        &y("[\"gain\", \"completion_s\"]"),
        &[],
        "\"completion_s\"",
        &["`gain` and `completion_s` have different units"],
    );
    one(
        &y("[\"completion_s\", \"predicted_s\"]\nkind = \"bar\""),
        &[],
        "[[chart]]",
        &["bars stand for the values of `series` or for several metrics, not for both"],
    );
    one(
        &y("\"completion_s\"\nlabels = { completion = \"time\" }"),
        &[],
        "completion",
        &["this chart does not show `completion`", "did you mean `completion_s`?"],
    );
}

#[test]
fn stacks() {
    let stacked = |more: &str| {
        let chart = "kind = \"stacked\"\ny = [\"completion_s\", \"predicted_s\"]\nwhere = { algorithm = \"linear\" }\n";
        GOOD.replacen("y = \"completion_s\"\nseries = \"algorithm\"\n", &format!("{chart}{more}"), 1)
    };
    one(&stacked("series = \"algorithm\"\n"), &[], "series", &["unknown key `series`", "not of `stacked`"]);
    one(&stacked("y_scale = \"log\"\n"), &[], "\"log\"", &["stacks add up, and logarithms don't"]);
    one(
        &stacked("reference = [\"gain\"]\n"),
        &[],
        "reference",
        &["`reference` is a key of kind \"line\", not of `stacked`"],
    );
}

#[test]
fn histograms_and_marks() {
    let chart = |text: &str| GOOD.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let histogram = |more: &str| chart(&format!("kind = \"histogram\"\nx = \"completion_s\"\n{more}"));
    let alone = "series = \"algorithm\"\nwhere = { size = \"8KiB\" }\n";
    one(&histogram(alone), &[], "[[chart]]", &["one value makes no distribution", "replicas = 100"]);
    one(&histogram("y = \"completion_s\"\n"), &[], "y", &["unknown key `y`", "not of `histogram`"]);
    one(&chart("kind = \"histogram\"\n"), &[], "[[chart]]", &["`x` is missing", "x: The metric"]);
    one(&chart("kind = \"histogram\"\nx = \"inside\"\n"), &[], "\"inside\"", &["`inside` is a name"]);
    one(&chart("kind = \"histogram\"\nx = \"size\"\n"), &[], "\"size\"", &["there is no metric `size`"]);
    one(&histogram("bins = 0\n"), &[], "0", &["`bins` must be"]);
    let mark = |keys: &str| histogram(&format!("series = \"algorithm\"\n[[chart.mark]]\nlabel = \"printed\"\n{keys}"));
    one(&mark(""), &[], "[[chart.mark]]", &["`value` is missing in `chart.mark`"]);
    one(&mark("value = \"soon\"\n"), &[], "\"soon\"", &[]);
    one(&mark("value = true\n"), &[], "true", &["`completion_s` is a number, not true"]);
    one(&mark("value = 1\ny = 2\n"), &[], "y", &["unknown key `y` in `chart.mark`"]);
    one(&mark("value = 1\nseries = \"chain\"\n"), &[], "\"chain\"", &["`algorithm` is never `chain`"]);
    let point = |keys: &str| {
        let line = "x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\nx_scale = \"log\"\nwhere = { algorithm = \"linear\" }\n";
        chart(&format!("{line}[[chart.mark]]\nlabel = \"printed\"\n{keys}"))
    };
    one(&point("x = \"2KiB\"\n"), &[], "[[chart.mark]]", &["`y` is missing in `chart.mark`"]);
    one(&point("x = 0\ny = 1\n"), &[], "0", &["0 has no place on this axis"]);
    one(&point("x = \"two\"\ny = 1\n"), &[], "\"two\"", &["`size` is never `two`"]);
    one(
        &point("x = 2048\ny = 1\nseries = \"binomial\"\n"),
        &[],
        "\"binomial\"",
        &["this chart does not show `algorithm` = `binomial`"],
    );
    let bars = chart(
        "kind = \"bar\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\nmark = [{ label = \"a\", value = 1 }]\n",
    );
    one(&bars, &[], "mark", &["`mark` is a key of kind \"line\", \"histogram\", \"heatmap\", not of `bar`"]);
}

#[test]
fn scatter_charts() {
    let chart = |text: &str| GOOD.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let scatter = |more: &str| chart(&format!("kind = \"scatter\"\n{more}"));
    assert!(problems_with_none(&scatter(
        "x = \"completion_s\"\ny = \"gain\"\nseries = \"algorithm\"\npareto = true\n"
    )));
    one(&scatter("y = \"gain\"\n"), &[], "[[chart]]", &["`x` is missing"]);
    one(&scatter("x = \"size\"\ny = \"gain\"\n"), &[], "\"size\"", &["there is no metric `size`"]);
    one(
        &scatter("x = \"gain\"\ny = [\"completion_s\", \"predicted_s\"]\npareto = true\n"),
        &[],
        "true",
        &["a Pareto front is of one metric"],
    );
    let line = chart("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\npareto = true\n");
    one(&line, &[], "pareto", &["`pareto` is a key of kind \"scatter\", not of `line`"]);
}

#[test]
fn utilization() {
    let chart = |text: &str| GOOD.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let one_point = "where = { size = \"8KiB\", algorithm = \"linear\" }\n";
    let of_kind = |kind: &str, more: &str| chart(&format!("kind = \"{kind}\"\n{one_point}{more}"));
    one(&of_kind("gantt", "of = \"nodes\"\n"), &[], "of", &["`of` is a key of kind \"utilization\", not of `gantt`"]);
    one(
        &of_kind("utilization", "links = true\n"),
        &[],
        "links",
        &["`links` is a key of kind \"gantt\", not of `utilization`"],
    );
    one(&of_kind("utilization", "of = \"link\"\n"), &[], "\"link\"", &["links"]);
    one(&chart("kind = \"utilization\"\n"), &[], "[[chart]]", &["varies as well"]);
}

#[test]
fn boxes_graphs_and_names() {
    let chart = |text: &str| GOOD.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let boxes = |more: &str| chart(&format!("kind = \"box\"\nx = \"size\"\n{more}"));
    one(
        &boxes("y = \"completion_s\"\nseries = \"algorithm\"\n"),
        &[],
        "[[chart]]",
        &["one value makes no distribution"],
    );
    one(&boxes(""), &[], "[[chart]]", &["`y` is missing"]);
    one(&boxes("y = \"complete_s\"\n"), &[], "\"complete_s\"", &["there is no metric `complete_s`"]);
    one(&boxes("y = \"inside\"\n"), &[], "\"inside\"", &["`inside` is a name"]);
    let replicated = boxes("y = [\"completion_s\", \"predicted_s\"]\nseries = \"algorithm\"\n");
    one(
        &replicated.replacen("version = 1\n", "version = 1\nreplicas = 9\n", 1),
        &[],
        "[[chart]]",
        &["boxes stand for the values of `series` or for several metrics, not for both"],
    );
    one(
        &chart("kind = \"boxes\"\nx = \"size\"\ny = \"gain\"\n"),
        &[],
        "\"boxes\"",
        &["`boxes` is not a value of `kind`", "box, "],
    );
    one(
        &boxes("y = \"completion_s\"\nnames = { linaer = \"L\" }\n"),
        &[],
        "\"L\"",
        &["no key of this chart has the value `linaer`"],
    );
    let graph = chart("kind = \"graph\"\nwhere = { size = \"8KiB\", algorithm = \"linear\" }\n");
    one(&graph, &[], "\"graph\"", &["only a task graph has a picture of this kind"]);
    // A tree is of one message to all.
    let of = |operation: &str| {
        let tree = chart("kind = \"tree\"\nwhere = { size = \"8KiB\", algorithm = \"linear\" }\n");
        tree.replacen("kind = \"broadcast\"", &format!("kind = \"collective\"\noperation = \"{operation}\""), 1)
    };
    one(&of("reduce"), &[], "\"tree\"", &["only a message from one root to all", "kind = \"gantt\""]);
    assert!(problems_with_none(&of("scatter")));
    let swept = |operation: &str| {
        let sweep = "[sweep]\n\"workload.operation\" = [\"broadcast\", \"gather\"]";
        let chosen = format!("where = {{ operation = \"{operation}\", size = \"8KiB\", algorithm = \"linear\" }}\n");
        let all = of("gather").replacen("[sweep]", sweep, 1);
        let (head, _) = all.split_once("[[derive]]").unwrap();
        format!("{head}[[chart]]\nname = \"t\"\nkind = \"tree\"\n{chosen}")
    };
    one(&swept("gather"), &[], "\"tree\"", &["only a message from one root to all"]);
    assert!(problems_with_none(&swept("broadcast")));
    let best = "how = \"ratio_to_best\"\nmetric = \"completion_s\"\n";
    let to = "metric = \"completion_s\"\nto = { algorithm = \"binomial\" }\n";
    let best = GOOD.replacen(&format!("how = \"speedup\"\n{to}"), best, 1);
    one(&best, &[], "[[derive]]", &["`over` is missing"]);
}

#[test]
fn charts_of_tables() {
    let kept = after("root = 0", "\n[output]\ntables = [\"nodes\"]");
    let chart = |text: &str| kept.replacen("x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n", text, 1);
    let nodes = |keys: &str| chart(&format!("table = \"nodes\"\nx = \"node\"\n{keys}"));
    let one_run = "where = { size = \"8KiB\", algorithm = \"linear\" }\n";
    let unknown = chart(&format!("table = \"noodles\"\nx = \"node\"\ny = \"completed_s\"\n{one_run}"));
    one(&unknown, &[], "\"noodles\"", &["this workload makes no table `noodles`", "did you mean `nodes`?"]);
    let kept_not = nodes(&format!("y = \"completed_s\"\n{one_run}")).replacen("tables = [\"nodes\"]", "tables = []", 1);
    one(&kept_not, &[], "\"nodes\"", &["the runs don't keep the table `nodes`", "[output] tables = [\"nodes\"]"]);
    one(
        &nodes(&format!("y = \"complete_s\"\n{one_run}")),
        &[],
        "\"complete_s\"",
        &["the table `nodes` has no column `complete_s`", "did you mean `completed_s`?"],
    );
    one(&nodes(&format!("y = \"cluster\"\n{one_run}")), &[], "\"cluster\"", &["`cluster` is a name"]);
    one(
        &nodes(&format!("y = \"completed_s\"\nseries = \"group\"\n{one_run}")),
        &[],
        "\"group\"",
        &["the table `nodes` has no column `group`"],
    );
    one(
        &nodes("y = \"completed_s\"\nwhere = { size = \"8KiB\" }\n"),
        &[],
        "[[chart]]",
        &["`algorithm` varies as well", "name it in `series`"],
    );
    one(
        &nodes(
            "y = \"completed_s\"\nseries = \"algorithm\"\nstep = true\nkind = \"bar\"\nwhere = { size = \"8KiB\" }\n",
        ),
        &[],
        "step",
        &["`step` is a key of kind \"line\", not of `bar`"],
    );
    one(
        &nodes(&format!("y = \"completed_s\"\nreference = [\"gain\"]\n{one_run}")),
        &[],
        "[\"gain\"]",
        &["a chart of a table has no `reference`"],
    );
}
