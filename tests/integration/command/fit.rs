//! `hetsim fit`, as a shell and its user see it.

use std::fmt::Write as _;
use std::fs;

use assert_cmd::Command;
use hetsim::fit::runtime::data::{Data, Reading};
use hetsim::formula::Formula;
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::hetsim;

fn fit(folder: &TempDir, words: &str) -> Command {
    let mut command = hetsim(folder);
    command.env("COLUMNS", "100").arg("fit").args(words.split(' '));
    command
}

/// Times of a protocol switch at 512 bytes, without noise.
fn table() -> String {
    let mut text = "p,bytes,time_us,part\n".to_owned();
    for p in [2_u32, 4, 8, 16, 32] {
        for step in 0..20 {
            let bytes = (4.0 * 1.7_f64.powi(step)).round();
            let (a, b) = if bytes <= 512.0 { (25.0, 0.045) } else { (60.0, 0.035) };
            let time = 10.0 + f64::from(p) * (a + b * bytes);
            let part = if (p + step as u32).is_multiple_of(3) { "test" } else { "train" };
            let _ = writeln!(text, "{p},{bytes},{time},{part}");
        }
    }
    text
}

#[test]
fn a_table_becomes_formulas_tables_and_charts() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("scatter.csv"), table()).unwrap();
    let words = "scatter.csv --target time_us --by p,bytes --split part --generations 20 --folds 2";
    fit(&folder, words)
        .assert()
        .success()
        .stdout(contains("Knee").or(contains("time_us =")).and(contains("curve fitting")).and(contains("< 0.01")))
        .stderr(contains("training points"));
    let output = folder.path().join("output/fit-scatter");
    let formula = Formula::from_toml(&fs::read_to_string(output.join("formula.toml")).unwrap()).unwrap();
    assert_eq!((formula.target.as_str(), formula.names()), ("time_us", vec!["p", "bytes"]));
    let predicted = formula.expression.value(&[8.0, 1000.0]).unwrap();
    assert!((predicted / 770.0 - 1.0).abs() < 0.02, "{predicted}");
    let deviations = fs::read_to_string(output.join("deviations.csv")).unwrap();
    assert!(deviations.starts_with("approach,points,error_percent,below_0.01_percent,"), "{deviations}");
    assert!(deviations.contains("\ncurve fitting,unseen,") && deviations.contains("\ngp,unseen,"), "{deviations}");
    assert!(
        deviations.contains("\ngp,cross-validated,") && !deviations.contains("curve fitting,cross"),
        "{deviations}"
    );
    assert!(fs::read_to_string(output.join("formulas.csv")).unwrap().contains("knee"));
    let notations = fs::read_to_string(output.join("formulas.txt")).unwrap();
    assert!(["latex:", "rust:", "python:", "c:"].iter().all(|name| notations.contains(name)), "{notations}");
    for chart in ["front", "predicted", "deviation-p", "deviation-bytes"] {
        assert!(fs::read_to_string(output.join(format!("charts/{chart}.svg"))).unwrap().starts_with("<svg"));
    }
}

#[test]
fn a_seed_gives_the_same_files_again() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.csv"), table()).unwrap();
    for out in ["one", "two"] {
        fit(&folder, &format!("a.csv --target time_us --by p,bytes --generations 5 --folds 0 -q --out {out}"))
            .env("RAYON_NUM_THREADS", if out == "one" { "1" } else { "2" })
            .assert()
            .success()
            .stdout("");
    }
    for file in ["formula.toml", "formulas.csv", "deviations.csv", "charts/front.svg"] {
        let read = |out: &str| fs::read(folder.path().join(out).join("fit-a").join(file)).unwrap();
        assert_eq!(read("one"), read("two"), "{file}");
    }
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.csv"), "p,t\n1,2\nx,3\n").unwrap();
    for (words, message) in [
        ("a.csv --target t --by p", "line 3"),
        ("a.csv --target time --by p", "no column \"time\""),
        ("a.csv --target t", "no column is named"),
        ("b.csv --target t --by p", "b.csv"),
        ("a.csv --target t --by p --held-back 2", "share"),
    ] {
        fit(&folder, words).assert().code(2).stderr(contains(message));
    }
    fit(&folder, "a.csv --target t --by p --method magic").assert().code(2).stderr(contains("piecewise"));
}

/// What issue reports bring: each is told with its line, or read as it is meant.
#[test]
fn every_bad_table_is_told_apart_from_a_good_one() {
    let folder = TempDir::new().unwrap();
    let refused = [
        ("a missing column", "p,b\n1,2\n2,3\n", "there is no column \"t\"; there are p, b"),
        ("text in a number column", "p,b,t\n1,2,3\n2,ten,4\n", "line 3: \"ten\" in column \"b\" is not a number"),
        ("nothing in a number column", "p,b,t\n1,2,3\n2,,4\n", "line 3: \"\" in column \"b\""),
        ("a negative time", "p,b,t\n1,2,3\n2,3,-4\n", "line 3: -4 in column \"t\" is not a run time"),
        ("a time of zero", "p,b,t\n1,2,0\n2,3,4\n", "line 2: 0 in column \"t\" is not a run time"),
        ("NaN", "p,b,t\n1,2,3\n2,NaN,4\n", "line 3: NaN in column \"b\" is not finite"),
        ("NaN as a time", "p,b,t\n1,2,nan\n2,3,4\n", "line 2: NaN in column \"t\" is not finite"),
        ("infinity", "p,b,t\n1,inf,3\n2,3,4\n", "line 2: inf in column \"b\" is not finite"),
        ("a single point", "p,b,t\n1,2,3\n", "1 points; at least 2"),
        ("one point again and again", "p,b,t\n1,2,3\n1,2,4\n1,2,5\n", "1 points; at least 2"),
        ("no point", "p,b,t\n", "0 points; at least 2"),
        ("nothing", "", "the file has no column names"),
    ];
    let words = "a.csv --target t --by p,b --held-back 0 --method ols";
    for (what, table, message) in refused {
        fs::write(folder.path().join("a.csv"), table).unwrap();
        let assert = fit(&folder, words).assert().code(2).stderr(contains(message));
        assert!(!folder.path().join("output").exists(), "{what}: {assert:?}");
    }
    let all = "p,b,t\n1,2,3\n1,2,4\n1,2,5\n";
    fs::write(folder.path().join("a.csv"), all).unwrap();
    fit(&folder, &format!("{words} --repeats all")).assert().code(2).stderr(contains("no variable varies"));

    // t = 1 + 2·p + 0.5·p·b, written in all the ways that are read alike.
    let rows = [(1, 4), (2, 4), (3, 8), (5, 16), (7, 2), (9, 32)];
    let table = |separator: &str, end: &str, extra: &str| {
        let line = |cells: [String; 3]| format!("{}{end}", cells.join(separator));
        let mut text = line(["p", "b", "t"].map(|name| format!("{extra}{name}{extra}")));
        for (p, b) in rows {
            text +=
                &line([p.to_string(), b.to_string(), (1.0 + 2.0 * f64::from(p) + 0.5 * f64::from(p * b)).to_string()]);
        }
        text
    };
    for (what, text) in [
        ("commas", table(",", "\n", "")),
        ("semicolons", table(";", "\n", "")),
        ("tabs and Windows' line ends", table("\t", "\r\n", "")),
        ("a byte order mark and quotes", format!("\u{feff}{}", table(",", "\n", "\""))),
        ("spaces and empty lines", table(" , ", "\n\n", "")),
    ] {
        fs::write(folder.path().join("a.csv"), text).unwrap();
        fit(&folder, words).assert().success();
        let formula = fs::read_to_string(folder.path().join("output/fit-a/formula.toml")).unwrap();
        let value = Formula::from_toml(&formula).unwrap().expression.value(&[4.0, 10.0]).unwrap();
        assert!((value - 29.0).abs() < 1e-9, "{what}: {formula}");
    }
    // A constant column among others is a note.
    fs::write(folder.path().join("a.csv"), "p,b,t\n4,1,2\n4,2,3\n4,3,4\n").unwrap();
    fit(&folder, words).assert().success().stderr(contains("note: p is 4 in all points"));
}

/// Rows that are made only when they are read.
struct Endless {
    rows: u64,
    buffer: Vec<u8>,
    most_ahead: usize,
}

impl std::io::Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        while self.buffer.is_empty() && self.rows > 0 {
            self.rows -= 1;
            self.buffer = format!("{},{},{}\n", self.rows % 97, self.rows, self.rows + 1).into_bytes();
        }
        let length = into.len().min(self.buffer.len());
        self.most_ahead = self.most_ahead.max(into.len());
        into[..length].copy_from_slice(&self.buffer[..length]);
        self.buffer.drain(..length);
        Ok(length)
    }
}

/// Ten times as many rows as are ever held: the reader asks for no more than a buffer at a time, and the sample is
/// even.
#[test]
fn of_many_rows_a_sample_is_held() {
    let names = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    let reading = Reading { target: "t".to_owned(), by: names(&["p", "row"]), held_back: 0.0, ..Reading::default() };
    let mut input = Endless { rows: 1_000_000, buffer: b"p,row,t\n".to_vec(), most_ahead: 0 };
    let data = Data::read(&mut input, &reading).unwrap();
    assert_eq!((data.train.len(), data.test.len(), input.rows), (100_000, 0, 0));
    assert!(input.most_ahead <= 1 << 20, "{} bytes at a time", input.most_ahead);
    let mean = data.train.columns[1].iter().sum::<f64>() / 100_000.0;
    // The mean of 100 000 of 0..1 000 000 has a standard error of 870.
    assert!((mean - 500_000.0).abs() < 4_000.0, "{mean}");
    assert!(data.notes.iter().any(|note| note.contains("100000 of 1000000 rows are used")), "{:?}", data.notes);
}

/// A protocol switch at 512 bytes: no single model, but one at each size.
#[test]
fn the_poly_model_is_for_single_messages() {
    let folder = TempDir::new().unwrap();
    let mut text = "bytes,us\n".to_owned();
    for step in 0..16_u32 {
        let bytes = 2_u32.pow(step);
        let time = if bytes <= 512 { 10.0 + 0.02 * f64::from(bytes) } else { 40.0 + 0.01 * f64::from(bytes) };
        let _ = writeln!(text, "{bytes},{time}");
    }
    fs::write(folder.path().join("a.csv"), text).unwrap();
    fs::write(folder.path().join("scatter.csv"), table()).unwrap();
    fit(&folder, "a.csv --target us --by bytes --method poly --held-back 0")
        .assert()
        .success()
        .stdout(contains("poly").and(contains("curve fitting")));
    let read = |file: &str| fs::read_to_string(folder.path().join("output/fit-a").join(file)).unwrap();
    let formula = Formula::from_toml(&read("formula.toml")).unwrap();
    assert!((formula.expression.value(&[256.0]).unwrap() / 15.12 - 1.0).abs() < 1e-9);
    assert!((formula.expression.value(&[8192.0]).unwrap() / 121.92 - 1.0).abs() < 1e-9);
    // Through all of its points the error says nothing: beside it stands that on sizes left out.
    let deviations = read("deviations.csv");
    let error = |points: &str| {
        let row = deviations.lines().find(|line| line.starts_with(&format!("poly,{points},"))).unwrap();
        row.split(',').nth(2).unwrap().parse::<f64>().unwrap()
    };
    assert!(error("fitted") < 1e-6 && error("cross-validated") > 1.0, "{deviations}");
    // Beside other methods it stands where the data may be single messages, and nowhere else.
    fit(&folder, "a.csv --target us --by bytes --method relative").assert().success().stdout(contains("poly-model"));
    fit(&folder, "scatter.csv --target time_us --by p,bytes --method relative")
        .assert()
        .success()
        .stdout(contains("poly-model").not());
    fit(&folder, "scatter.csv --target time_us --by p,bytes --method poly")
        .assert()
        .code(2)
        .stderr(contains("single messages").and(contains("depend on p, bytes")));
}

const SCENARIO: &str = r#"
version = 1

[study]
kind = "fit"
method = "ols"
file = "scatter.csv"
target = "time_us"
by = ["p", "bytes"]
split = "part"

[sweep]
"study.method" = ["ols", "rich", "piecewise"]

[output]
tables = ["points", "front"]

[[expect]]
metric = "unseen_error_percent"
where = { method = "piecewise" }
at_most = 1
source = "the table has two straight pieces"
"#;

#[test]
fn a_scenario_fits_a_file() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("scatter.csv"), table()).unwrap();
    fs::write(folder.path().join("s.toml"), SCENARIO).unwrap();
    let run = || hetsim(&folder).args(["run", "s.toml", "--strict", "-q"]).assert();
    run().success();
    let results = fs::read_to_string(folder.path().join("output/s/results.csv")).unwrap();
    assert!(results.lines().next().unwrap().contains("unseen_below_10_percent"), "{results}");
    assert_eq!(results.lines().count(), 4);
    assert!(!results.contains("fitting_s"));
    fs::write(folder.path().join("scatter.csv"), "p,bytes,time_us,part\n2,4,1,train\n2,x,1,train\n").unwrap();
    run().failure().stderr(contains("line 3").and(contains("\"x\"")));
}

/// A formula that is given has to have a value at each point; the first without one is named.
#[test]
fn a_formula_without_a_value_is_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("few.csv"), "p,time_us\n2,1\n0,2\n4,3\n").unwrap();
    let mut command = fit(&folder, "few.csv --target time_us --by p --held-back 0 --method given --formula 1/p");
    command.assert().code(2).stderr(contains("the formula has no value at p = 0"));
    let (study, _) = SCENARIO.split_once("split =").unwrap();
    let given =
        study.replace("scatter", "few").replace("\"ols\"", "\"given\"\nformula = \"1/p\"").replace(", \"bytes\"", "");
    fs::write(folder.path().join("s.toml"), format!("{given}held_back = 0\n")).unwrap();
    let run = |more: &[&str]| hetsim(&folder).env("COLUMNS", "400").args(["run", "s.toml"]).args(more).assert();
    run(&[]).code(1).stderr(contains("run 0: the formula has no value at p = 0"));
    let held = "the formula has no value at p = 0, so runs that hold this point back have no unseen error";
    let said = hetsim(&folder).env("COLUMNS", "400").args(["check", "s.toml", "--set", "study.held_back=0.4"]).assert();
    said.success().stdout(contains(held));
    let many = run(&["--set", "study.held_back=0.9"]).code(2);
    many.stderr(contains("`held_back` leaves too few points to fit to: 2 of 3 are held back, 1 point"));
}
