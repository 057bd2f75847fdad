//! `hetsim measure --kernels`: measured calls to tables, and to a platform that runs.

use std::fmt::Write as _;
use std::fs;

use hetsim::engine::Streams;
use predicates::prelude::*;
use predicates::str::contains;
use rand::RngExt as _;
use rand_distr::{Distribution as _, StandardNormal};
use serde_json::Value as Json;

use crate::support::{entries, here, hetsim, metric, printed, read_in};

/// Calls of dgemm on two nodes of two processors, of which node 1, processor 0 is a fifth slower; and of dtrsm on node 0.
fn calls() -> String {
    let mut text = "node,cpu,kernel,m,n,k,seconds,gflops\n".to_owned();
    let mut stream = Streams::new(1, 0).stream("calls", 0);
    for number in 0..2000 {
        let (node, cpu) = (number % 2, number / 2 % 2);
        let [m, n, k] = [64, 64, 16].map(|most| 8 * stream.random_range(1..=most));
        let half: f64 = StandardNormal.sample(&mut stream);
        let noise = 1.0 + 0.03 * (half.abs() - 0.7979) / 0.6028;
        let slowness = if (node, cpu) == (1, 0) { 1.2 } else { 1.0 };
        let seconds = (2e-6 + 3e-10 * f64::from(m * n * k)) * slowness * noise;
        let _ = writeln!(text, "{node},{cpu},dgemm,{m},{n},{k},{seconds:e},1");
        if node == 0 {
            let _ = writeln!(text, "0,{cpu},dtrsm,{k},{n},1,{:e},1", 2e-10 * f64::from(k * k * n) * noise);
        }
    }
    text
}

#[test]
fn tables_name_the_form_and_who_differs() {
    let folder = here(&[("calls.csv", &calls())]);
    let text = printed(hetsim(&folder).env("NO_COLOR", "1").args(["measure", "--kernels", "calls.csv"]));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "ignored: gflops",
        "dgemm: a + b*m*n*k seconds",
        "dtrsm: a + b*m*m*n seconds",
        "2000 calls on 4 processors; ",
        "Noise: half_normal, 3.",
        "3 of 4 processors do not differ and share these coefficients.",
        "dgemm: processors that differ",
        "No processor differs from the others for sure",
        "Processors without calls of it, 2, get these coefficients too.",
    ] {
        assert!(words.contains(part), "{part}: {text}");
    }
    let row = text.lines().find(|line| line.trim_start().starts_with("1 ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert!(cells[1] == "0" && (cells[2].parse::<f64>().unwrap() - 1.2).abs() < 0.01, "{row}");
    assert!(text.lines().all(|line| line.chars().count() <= 80) && !text.contains('\u{1b}'), "{text}");
}

/// HPL on the written platform takes as long as with the kernels that the calls were drawn from.
#[test]
fn a_written_platform_runs() {
    let folder = here(&[("calls.csv", &calls())]);
    let files = ["measure", "--kernels", "calls.csv", "--out", "made"];
    hetsim(&folder).args(files).assert().success().stderr(contains("kernels.platform.toml"));
    assert_eq!(entries(folder.path().join("made/measure-calls")), ["kernels.csv", "kernels.platform.toml"]);
    let scenario = |platform: &str| {
        format!(
            "version = 1\n{platform}\n[platform.cluster.a]\nnodes = 2\nranks_per_node = 4\nmap_by = \"socket\"\nspeed = \"1Gop/s\"\n\
             network = {{ model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }}\n\
             [[platform.cluster.a.level]]\ndomain = \"node\"\nsize = 4\nnetwork = {{ model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }}\n\
             [[platform.cluster.a.level]]\ndomain = \"socket\"\nsize = 2\nnetwork = {{ model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }}\n\
             [workload]\nkind = \"hpl\"\nn = 2000\nnb = 64\np = 2\nq = 4\n"
        )
    };
    let completion =
        |platform: &str| metric(&read_in(folder.path(), &scenario(platform)).run(0, 0).unwrap(), "completion_s");
    let found = completion("[platform]\ninclude = \"made/measure-calls/kernels.platform.toml\"");
    fs::write(folder.path().join("true.csv"), "node,cpu,slowness\n0,0,1\n0,1,1\n1,0,1.2\n1,1,1\n").unwrap();
    let truth = |slowness: &str| {
        let gemm = "2e-6 + 3e-10*m*n*k";
        completion(&format!(
            "[platform.kernel.dgemm]\nseconds = \"{slowness}*({gemm})\"\ndeviation = \"0.03*{slowness}*({gemm})\"\nfile = \"true.csv\"\n\
             [platform.kernel.dtrsm]\nseconds = \"2e-10*m*m*n\""
        ))
    };
    let (own, even) = (truth("slowness"), truth("(slowness/slowness)"));
    assert!((found / own - 1.0).abs() < 0.01, "{found} {own}");
    // The slow processor is felt, so its row was read.
    assert!(own > 1.05 * even, "{own} {even}");
}

#[test]
fn all_digits_are_given() {
    let folder = here(&[("calls.csv", &calls())]);
    let assert = hetsim(&folder).args(["measure", "--kernels", "calls.csv", "--json"]).assert().success();
    let output = assert.get_output();
    assert!(String::from_utf8_lossy(&output.stderr).contains("ignored: gflops"));
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    let kernel = &json["kernels"][0];
    let b = &kernel["coefficients"][1];
    let number = |value: &Json| value.as_f64().unwrap();
    assert_eq!((kernel["name"].as_str(), kernel["seconds"].as_str()), (Some("dgemm"), Some("a + b*m*n*k")));
    assert!(number(&b["low"]) < 3e-10 && 3e-10 < number(&b["high"]), "{b}");
    assert_eq!(
        (kernel["processors"][2]["node"].as_u64(), kernel["processors"][2]["merged"].as_bool()),
        (Some(1), Some(false))
    );
    let csv = printed(hetsim(&folder).args(["measure", "--kernels", "calls.csv", "--csv"]));
    let rows: Vec<&str> = csv.lines().collect();
    assert!(
        rows[0].starts_with("kernel,node,cpu,a,b,variation,slowness,slowness_low,slowness_high,merged,calls"),
        "{csv}"
    );
    // Every processor has a row for every kernel, also without calls.
    assert_eq!(rows.len(), 9);
    assert!(rows[7].starts_with("dtrsm,1,0,") && rows[7].contains(",,,,yes,0,0,"), "{csv}");
}

#[test]
fn what_is_wrong_is_said() {
    let good = "node,seconds\n1,2\n";
    let errors: [(&[u8], [&str; 2]); 8] = [
        (b"node,secnds\n1,2\n", ["line 1: ", "is it `secnds`?"]),
        (b"node,seconds\n1,2\n1,x\n", ["line 3: column `seconds`", "not `x`"]),
        (b"node,seconds\r\n1,2\r\n1,x\r\n1,3\r\n", ["line 3: column `seconds`", "not `x`"]),
        (b"node,seconds\n1,2\n\xff,1\n1,3\n", ["line 3: ", "UTF-8"]),
        (b"node,seconds\n1,-2\n", ["line 2: ", "above zero"]),
        (b"node,seconds\n1,2\n1", ["line 3: ", "cut off"]),
        (b"node,seconds\n", ["line 1: ", "no call"]),
        (b"node,cpu,seconds\n1,0,2\n", ["line 1: ", "need the same"]),
    ];
    for (text, parts) in errors {
        let folder = here(&[("good.csv", good)]);
        fs::write(folder.path().join("bad.csv"), text).unwrap();
        let assert = hetsim(&folder)
            .env("COLUMNS", "400")
            .args(["measure", "--kernels", "good.csv", "bad.csv", "--out", "made"])
            .assert();
        assert.code(2).stderr(contains("bad.csv").and(contains(parts[0])).and(contains(parts[1])));
        assert!(!folder.path().join("made").exists());
    }
    let folder = here(&[("good.csv", good)]);
    hetsim(&folder).args(["measure", "--kernels", "good.csv", "--model", "logp"]).assert().code(2);
    // Calls where ping-pongs are expected.
    hetsim(&folder).args(["measure", "good.csv"]).assert().code(2).stderr(contains("--kernels"));
}
