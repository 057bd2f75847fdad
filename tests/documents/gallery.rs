//! `docs/gallery.md`: every kind of chart beside the TOML that makes it, from the scenarios in `docs/gallery/`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use hetsim::report::Reported as _;
use hetsim::report::Results;
use hetsim::report::chart::{self, Chart};
use hetsim::scenario::Scenario;

use super::{document, root};

/// The scenarios, in the order of the document.
const SCENARIOS: [&str; 6] = ["farm", "broadcast", "path", "graph", "design", "tolerance"];

const OPENING: &str = "# Gallery

Every kind of chart, and the TOML that makes it. Made by `HETSIM_BLESS=1 cargo test --test documents gallery` from the
scenarios in [gallery/](gallery/); run one to have its charts: `hetsim docs/gallery/farm.toml`. All keys are in the
[reference](reference.md).

## In a paper

`width` is the width in print: the chart is laid out for it, with type of 7 pt or more. SVG is always written; other
formats are asked for once, for all charts of a scenario:

```toml
[output]
format = [\"pdf\", \"tex\"]   # also \"png\", with 300 pixels an inch
```

A PDF has its fonts with it (Arimo, as wide as Helvetica), and its text can be selected. Beside it, `NAME.tex` has the
`figure` for LaTeX: its caption says what is shown, of how many runs, with which intervals, and by which scenario. PNG
needs a hetsim that was built with the feature `png`: `cargo install --locked --path . --features png`.

Charts are drawn again from stored runs, at another width, in other formats, or by an edited copy of the scenario. A copy
that needs other runs than are stored is refused:

```sh
hetsim plot output/farm --width 85mm --format pdf,tex --out figures
hetsim plot output/farm --scenario edited.toml --chart line --format svg,pdf
```

## Against the best

A chart of ratios to the best is one of a derived metric. Two lines say which, and `over` names the key whose values
compete; the best is that of the other keys' same values, replica by replica:

```toml
[[derive]]
name = \"to_best\"
how = \"ratio_to_best\"
metric = \"completion_s\"
over = \"algorithm\"

[[chart]]
name = \"ratio\"
x = \"size\"
y = \"to_best\"
series = \"algorithm\"
```
";

/// The results of all runs, without a store.
fn results(scenario: &Scenario) -> Results<'_> {
    let replicas = scenario.file.replicas.most();
    let runs = (0..scenario.points.len()).flat_map(|point| (0..replicas).map(move |replica| (point, replica)));
    Results::new(scenario, runs.map(|(point, replica)| (point, replica, scenario.run(point, replica).unwrap())))
}

#[test]
fn gallery() {
    let mut text = OPENING.to_owned();
    let mut shown = BTreeSet::new();
    for name in SCENARIOS {
        let path = root().join(format!("docs/gallery/{name}.toml"));
        let source = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let scenario = Scenario::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let spec = scenario.report();
        let pictures = chart::draw(&results(&scenario), &spec.chart, &spec.sensitivity).unwrap();
        let mut parts = source.split("[[chart]]\n");
        let runs = parts.next().unwrap().trim_end();
        let question = scenario.file.question.as_deref().unwrap();
        let _ = write!(text, "\n## {question}\n\n[gallery/{name}.toml](gallery/{name}.toml)\n\n```toml\n{runs}\n```\n");
        for ((chart, picture), part) in spec.chart.iter().zip(&pictures).zip(parts) {
            let kind = chart.name();
            let (_, about) = Chart::ALL.iter().find(|(name, _)| *name == kind).unwrap();
            let file = format!("pictures/gallery/{}.svg", picture.name);
            // A kind that comes again comes for another key.
            let heading = if shown.insert(kind) { kind } else { picture.name.as_str() };
            let _ = write!(
                text,
                "\n### {heading}\n\n{about}\n\n![{caption}]({file})\n\n```toml\n[[chart]]\n{toml}\n```\n",
                caption = picture.caption,
                toml = part.trim_end()
            );
            document(&format!("docs/{file}"), &picture.svg);
        }
    }
    let missing: Vec<&str> = Chart::ALL.iter().map(|(kind, _)| *kind).filter(|kind| !shown.contains(kind)).collect();
    assert!(missing.is_empty(), "no scenario in docs/gallery/ has a chart of these kinds: {missing:?}");
    document("docs/gallery.md", &text);
}
