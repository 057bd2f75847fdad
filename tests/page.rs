//! The page in a real browser, headless: on a phone and on a wide screen, in light and in dark, with its script and
//! without. Where there is no Chromium, the test says so and passes; `HETSIM_BROWSER` names another one.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Charts of several kinds over the same series, one with more values than a page of a table has.
const SCENARIO: &str = r#"version = 1
question = "Which broadcast is fastest on 12 nodes?"
replicas = 5
[platform.cluster.lab]
nodes = 12
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
jitter = 0.1
[workload]
kind = "broadcast"
algorithm = "binomial"
size = "1KiB"
segment = "8KiB"
[sweep]
"workload.algorithm" = ["linear", "binomial", "pipeline"]
"workload.size" = ["1KiB", "8KiB", "64KiB", "512KiB"]
[[table]]
title = "Completion"
rows = "size"
columns = "algorithm"
metric = "completion_s"
[[chart]]
name = "completion"
x = "size"
y = "completion_s"
series = "algorithm"
x_scale = "log"
y_scale = "log"
y_label = "completion time"
[[chart]]
name = "bars"
kind = "bar"
x = "size"
y = "completion_s"
series = "algorithm"
[[chart]]
name = "cells"
kind = "heatmap"
x = "size"
y = "algorithm"
value = "completion_s"
[[chart]]
name = "work"
kind = "gantt"
where = { algorithm = "pipeline", size = "64KiB" }
[[chart]]
name = "many"
kind = "gantt"
where = { algorithm = "pipeline", size = "512KiB" }
[[chart]]
name = "tree"
kind = "tree"
where = { algorithm = "binomial", size = "1KiB" }
[[expect]]
metric = "messages"
where = { algorithm = "binomial", size = "1KiB" }
value = 11
source = "P − 1"
[[expect]]
metric = "messages"
where = { algorithm = "linear", size = "1KiB" }
value = 12
source = "P, which is wrong"
note = "A reason of many words, long enough to be broken in several lines on the screen of a telephone."
"#;

/// A browser in `PATH`.
fn browser() -> Option<String> {
    let own = std::env::var("HETSIM_BROWSER").ok();
    let known = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    let starts = |name: &String| {
        let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    own.into_iter().chain(known).find(starts)
}

/// What the browser finds in the page, shown in frames of two widths.
fn examined(browser: &str, folder: &Path, dark: bool) -> Value {
    let page = fs::read_to_string(folder.join("output/mine/report.html")).unwrap();
    let page = serde_json::to_string(&page).unwrap().replace('<', "\\u003c");
    let frame = folder.join("frame.html");
    fs::write(&frame, include_str!("page/frame.html").replacen("PAGE", &page, 1)).unwrap();
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(["--window-size=1400,900", "--virtual-time-budget=60000", "--dump-dom"])
        .arg(format!("file://{}", frame.display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.split_once("<pre id=\"results\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let Some((found, _)) = found else {
        panic!("no results: {}\n{}", &text[..text.len().min(2000)], String::from_utf8_lossy(&output.stderr))
    };
    serde_json::from_slice(&decoded(found)).unwrap()
}

/// The bytes of a text in base 64.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let digits: Vec<usize> = digits.collect();
    let bytes = |chunk: &[usize]| {
        let bits = chunk.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - chunk.len()));
        [bits >> 16, bits >> 8, bits].map(|byte| (byte & 255) as u8)[..chunk.len() - 1].to_vec()
    };
    digits.chunks(4).flat_map(bytes).collect()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// A duration as a cell shows it, in seconds.
fn seconds(text: &str) -> f64 {
    let (number, unit) = text.split_once('\u{a0}').unwrap_or_else(|| panic!("{text}"));
    let unit = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "µs" => 1e-6,
        other => panic!("{other} in {text}"),
    };
    number.parse::<f64>().unwrap() * unit
}

/// The means in `summary.csv`, by algorithm and by size as people write it.
fn means(folder: &Path) -> Vec<(String, String, f64)> {
    let mut csv = csv::Reader::from_path(folder.join("output/mine/summary.csv")).unwrap();
    let heads = csv.headers().unwrap().clone();
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap_or_else(|| panic!("{name} in {heads:?}"));
    let (algorithm, size, mean) = (at("algorithm"), at("size"), at("completion_s_mean"));
    let written = |bytes: &str| format!("{}\u{a0}KiB", bytes.parse::<f64>().unwrap() / 1024.0);
    let row = |row: csv::StringRecord| (row[algorithm].to_owned(), written(&row[size]), row[mean].parse().unwrap());
    csv.records().map(|record| row(record.unwrap())).collect()
}

/// What is told of each value: the series, the size and the mean.
fn told(values: &Value) -> Vec<(String, String, f64)> {
    let of_value = |lines: &Value| {
        let lines = strings(lines);
        let after = |head: &str| {
            let line = lines.iter().find_map(|line| line.strip_prefix(&format!("{head}: ")));
            line.unwrap_or_else(|| panic!("{head} in {lines:?}")).to_owned()
        };
        let completion = lines.iter().find_map(|line| line.strip_prefix("completion")?.split_once(": "));
        (after("algorithm"), after("size"), seconds(completion.unwrap().1))
    };
    values.as_array().unwrap().iter().map(of_value).collect()
}

#[track_caller]
fn assert_told(folder: &Path, values: &Value) {
    let (told, means) = (told(values), means(folder));
    assert_eq!(told.len(), means.len());
    for (algorithm, size, value) in told {
        let own = means.iter().find(|(a, s, _)| *a == algorithm && *s == size);
        let (.., mean) = own.unwrap_or_else(|| panic!("{algorithm} {size} in {means:?}"));
        // Six digits are told.
        assert!((value / mean - 1.0).abs() < 1e-5, "{algorithm} {size}: {value} and {mean}");
    }
}

fn check_with_script(folder: &Path, found: &Value) {
    assert_eq!(found["faults"], serde_json::json!([]), "{found}");
    assert_eq!(found["end"], serde_json::json!([]));
    assert_told(folder, &found["hovered"]);
    assert_told(folder, &found["bars"]);
    assert!(found["gantt"][0].to_string().contains("for: "), "{}", found["gantt"][0]);
    // A message is told where its arrow is.
    let gantt = found["gantt"].to_string();
    assert!(gantt.contains("lane: 0 → 1") && gantt.contains("lane: 10") && gantt.contains("sends"), "{gantt}");
    assert_eq!(found["keyed"][0], found["keyed"][2]);
    assert_ne!(found["keyed"][0], found["keyed"][1]);
    assert_eq!(found["hidden"], true);

    let [unsorted, ascending, descending] = ["unsorted", "ascending", "descending"]
        .map(|order| strings(&found[order]).into_iter().map(seconds).collect::<Vec<_>>());
    let mut sorted = unsorted.clone();
    sorted.sort_by(f64::total_cmp);
    assert_ne!(unsorted, sorted, "there is something to sort");
    assert_eq!(ascending, sorted);
    sorted.reverse();
    assert_eq!(descending, sorted);
    assert_eq!(found["sort"], "ascending");

    let pages = &found["pages"];
    let all = pages[0][0].as_str().unwrap().strip_prefix("1–100 of ").unwrap_or_else(|| panic!("{pages}"));
    assert!(all.trim_end_matches(" rows").parse::<usize>().unwrap() > 200, "{all}");
    assert_eq!(pages[1][0], format!("101–200 of {all}"));
    let [first, second, filtered] = [0, 1, 2].map(|page| strings(&pages[page][1]));
    assert_eq!((first.len(), second.len()), (100, 100));
    assert!(second.iter().all(|row| !first.contains(row)), "{pages}");
    assert!(!filtered.is_empty() && filtered.iter().all(|row| row.contains("sends") && row.contains("10")));
    assert_eq!(pages[3], serde_json::json!(["0–0 of 0 rows", []]));
    assert_eq!((found["rows"].as_u64(), found["note"].as_bool()), (Some(100), Some(false)));

    let picked = found["picked"].as_str().unwrap();
    assert_eq!(found["pressed"], "true");
    let dimmed = found["dimmed"].as_array().unwrap();
    for part in dimmed {
        let (name, opacity, figure) = (part[0].as_str().unwrap(), part[1].as_f64().unwrap(), part[2].as_str().unwrap());
        let is_other = name != picked && ["chart-completion", "chart-bars"].contains(&figure);
        assert_eq!(opacity < 0.5, is_other, "{picked}: {part}");
    }
    assert!(dimmed.iter().any(|part| part[0] != picked && part[2] == "chart-bars"), "{dimmed:?}");
    assert_eq!(found["undimmed"], true);

    let zoom = strings(&found["zoom"]);
    assert!(zoom[0] != zoom[1] && zoom[1] != zoom[2], "{zoom:?}");
    assert_eq!(zoom[0], zoom[3]);
    // Only the plot is looked at closely: the sheet stays, and the axis has other ticks.
    let [before, close, after] = [0, 1, 2].map(|step| strings(&found["axis"][step]));
    assert_eq!((before[0], &before), (close[0], &after));
    assert!(close.len() > 2 && before.len() > 2 && close[1..] != before[1..], "{before:?} {close:?}");
    // At the upper end of the lanes the name of the first group stands beside what is seen of it.
    let (hidden, down) = (&found["groups"][0][0], found["groups"][0][1].as_f64().unwrap());
    assert!(hidden == "" && (-10.0..400.0).contains(&down), "{}", found["groups"]);
    let (told, all) = (found["zoomed"].as_array().unwrap().len(), found["gantt"].as_array().unwrap().len());
    assert!(0 < told && told < all, "what is not seen is not told: {told} of {all}");
}

fn check(folder: &Path, found: &Value, dark: bool) {
    assert_eq!(found["error"], Value::Null, "{}", found["error"]);
    let width = found["width"].as_u64().unwrap();
    assert_eq!((found["overflow"].as_i64(), found["opened"].as_i64()), (Some(0), Some(0)), "at {width} px");
    assert_eq!(found["back"] == "rgb(23, 23, 23)", dark);
    assert_eq!(found["filter"] != "none", dark);
    assert_eq!(found["unread"], serde_json::json!([]));
    let means = means(folder);
    for row in found["best"].as_array().unwrap() {
        let [size, best] = strings(row)[..] else { panic!("one is best: {row}") };
        let least = means.iter().filter(|(_, own, _)| own == size).min_by(|a, b| a.2.total_cmp(&b.2));
        assert_eq!(least.unwrap().0, best, "{size}");
    }
    let drawn = found["drawn"].as_array().unwrap();
    assert_eq!(drawn.len(), 6, "each chart is seen once: {drawn:?}");
    for chart in drawn {
        let (kind, drawn) = (chart[0].as_str().unwrap(), chart[1].as_u64().unwrap());
        assert_eq!(kind == "phone", width == 390, "{chart}");
        assert!(drawn <= width && (kind == "wide" || drawn >= 330), "{chart} at {width} px");
    }
    if found["scripts"] == true {
        check_with_script(folder, found);
    } else {
        assert_eq!((found["rows"].as_u64(), found["more"].as_bool()), (Some(200), Some(true)));
        assert_eq!(found["tip"], false);
    }
}

#[test]
fn the_page_in_a_browser() {
    let Some(browser) = browser() else {
        println!("skipped: there is no Chromium in PATH, and HETSIM_BROWSER names no other browser");
        return;
    };
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("mine.toml"), SCENARIO).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_hetsim"))
        .args(["mine.toml", "--quiet"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for dark in [false, true] {
        let found = examined(&browser, folder.path(), dark);
        assert_eq!(found["dark"], dark);
        let results = found["results"].as_array().unwrap();
        assert_eq!(results.len(), 4);
        for result in results {
            check(folder.path(), result, dark);
        }
    }
}
