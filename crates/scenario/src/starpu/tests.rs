//! Small models in StarPU's layout, with numbers of our own.

use super::*;

/// A block of a device: its type and number, and what its only implementation took.
fn block(kind: u32, number: u32, cores: u32, implementations: &[String]) -> String {
    format!(
        "####################\n# COMB_{kind}\n# number of types devices\n1\n####################\n# DEV_0\n# device type (CPU - 0)\n\
         {kind}\n####################\n# DEV_0\n# device id \n{number}\n####################\n# DEV_0\n# number of cores \n{cores}\n\
         ##########\n# number of implementations\n{}\n{}",
        implementations.len(),
        implementations.concat()
    )
}

/// The implementation whose lines are these.
fn took(line: &str, power: &str, history: &[&str]) -> String {
    let mut text = format!(
        "#####\n# Model for some\n# number of entries\n{}\n# sumlnx\tsumlnx2\n1.0e+00\t2.0e+00\t3.0e+00\t4.0e+00\t{line}\n\
         # a\t\tb\t\tc\n{power}\n# not multiple-regression-base\n0\n# hash\t\tsize\n",
        history.len()
    );
    for calls in history {
        text.extend([*calls, "\n"]);
    }
    text + "\n"
}

const NO_LINE: &str = "nan            \tnan            \t0\t0              \t0              ";
const NO_POWER: &str = "nan            \tnan            \tnan            ";
const LARGE: &str =
    "0000beef\t8192           \t6.400000e+04   \t2.000000e+02   \t1.000000e+01   \t4.0e+03\t8.1e+05\t20";
const SMALL: &str =
    "0000cafe\t4096           \t0.000000e+00   \t5.000000e+01   \t0.000000e+00   \t1.5e+03\t7.5e+04\t30";

fn history(calls: &[&str]) -> String {
    took(NO_LINE, NO_POWER, calls)
}

fn model_of(blocks: &[String]) -> String {
    format!(
        "##################\n# Performance Model Version\n45\n\n####################\n# COMBs\n# number of combinations\n{}\n{}",
        blocks.len(),
        blocks.concat()
    )
}

fn source(text: &str) -> Source {
    Source { name: "models/scale.lab.example".to_owned(), folder: "models".into(), text: text.into() }
}

fn kernels(text: &str) -> StarpuKernels {
    assert!(is_starpu_model(text));
    starpu_kernels(&source(text)).expect("a model")
}

#[test]
fn one_footprint_is_the_kernel_of_the_codelet() {
    let text = model_of(&[block(1, 0, 1, &[history(&[LARGE])]), block(0, 0, 1, &[history(&[LARGE])])]);
    let made = kernels(&text);
    assert_eq!(
        made.text,
        "# Kernels of the codelet scale, by StarPU's performance model scale.lab.example (version 45), for `platform.include`.\n\
         # The platform must have a cluster for each device: cpu, cuda0. Any other needs a line `cluster.NAME` in each kernel.\n\
         # Coefficients are microseconds.\n\n\
         # 8192 bytes, 64000 operations, footprint 0000beef. Calls: 20 on cpu, 20 on cuda0.\n\
         [kernel.scale]\nseconds = \"1e-6*mean\"\ndeviation = \"1e-6*dev\"\nnoise = \"log_normal\"\n\
         cluster.cpu = { mean = 200.0, dev = 10.0 }\ncluster.cuda0 = { mean = 200.0, dev = 10.0 }\n"
    );
    // Version 44 may lack the line of the regression by several parameters.
    let older = text.replace("\n45\n", "\n44\n");
    let without = older.replace("# not multiple-regression-base\n0\n", "");
    for older in [older, without] {
        assert_eq!(kernels(&older).text, made.text.replace("version 45", "version 44"));
    }
}

#[test]
fn footprints_are_told_apart_by_their_size_or_their_hash() {
    let same_size = LARGE.replace("beef", "f00d");
    let names = |calls: &[&str]| kernels(&model_of(&[block(0, 0, 1, &[history(calls)])])).kernels;
    assert_eq!(names(&[LARGE, SMALL]), ["scale_4096", "scale_8192"]);
    assert_eq!(names(&[LARGE, &same_size, SMALL]), ["scale_4096", "scale_8192_0000beef", "scale_8192_0000f00d"]);
}

/// The non-linear regression goes before the line through logarithms, and means stay beside either.
#[test]
fn regressions_are_a_kernel_of_the_size() {
    let line = "2.000000e+00\t5.000000e-01\t40\t1024\t8192";
    let blocks = [
        block(0, 0, 1, &[took(line, "1.5e+00\t1.0e+00\t-3.0e+00", &[SMALL])]),
        block(2, 1, 1, &[took(line, NO_POWER, &[SMALL])]),
    ];
    let made = kernels(&model_of(&blocks));
    assert_eq!(made.kernels, ["scale", "scale_4096"]);
    let tables = made.text.split_once("\n\n").expect("tables").1;
    assert_eq!(
        tables,
        "# By the bytes of the data, m. Regression: non-linear on cpu (40 calls of 1024 to 8192), \
         log-log on opencl1 (40 calls of 1024 to 8192).\n\
         [kernel.scale]\nseconds = \"1e-6*(a*exp(b*ln(m)) + c)\"\n\
         cluster.cpu = { a = 1.5, b = 1.0, c = -3.0 }\ncluster.opencl1 = { a = 2.0, b = 0.5, c = 0.0 }\n\n\
         # 4096 bytes, footprint 0000cafe. Calls: 30 on cpu, 30 on opencl1.\n\
         [kernel.scale_4096]\nseconds = \"1e-6*mean\"\ndeviation = \"1e-6*dev\"\nnoise = \"log_normal\"\n\
         cluster.cpu = { mean = 50.0, dev = 0.0 }\ncluster.opencl1 = { mean = 50.0, dev = 0.0 }\n"
    );
}

#[test]
fn what_is_left_out_is_said() {
    let few = SMALL.replace("\t30", "\t9");
    let line = "0.000000e+00\t0.000000e+00\t9\t4096\t8192";
    let several =
        took(NO_LINE, NO_POWER, &[]).replace("# not multiple-regression-base\n0", "# n\tintercept\tM*N\n2\t1.0\t2.0");
    let pair = block(0, 0, 1, &[]).replace("devices\n1\n", "devices\n2\n").replace("\n##########\n#", "\n1\n0\n1\n#");
    let blocks = [
        block(0, 0, 1, &[took(line, NO_POWER, &[LARGE, &few]), history(&[LARGE])]),
        block(0, 0, 4, &[history(&[LARGE])]),
        block(1, 0, 1, &[history(&[LARGE, SMALL])]),
        block(1, 1, 1, &[several]),
        pair,
    ];
    let made = kernels(&model_of(&blocks));
    assert_eq!(
        made.left_out,
        [
            "a regression on cpu by 9 calls of 4096 to 8192 bytes",
            "footprints with fewer than 10 calls on cpu (1)",
            "implementation 1 on cpu",
            "the regression by several parameters on cuda1",
            "workers of several cores or devices (2)",
        ]
    );
    assert_eq!(
        (made.kernels, made.clusters),
        (vec!["scale_8192".to_owned()], vec!["cpu".to_owned(), "cuda0".to_owned()])
    );
    assert!(made.text.contains("# Left out: implementation 1 on cpu.\n"), "{}", made.text);
    // What is known of a part of the devices waits for the rest.
    let part = "\n# Not measured on cpu: add what it takes there, and uncomment it.\n\
                # # 4096 bytes, footprint 0000cafe. Calls: 30 on cuda0.\n# [kernel.scale_4096]\n";
    assert!(made.text.contains(part), "{}", made.text);
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    let right = model_of(&[block(0, 0, 1, &[took(NO_LINE, NO_POWER, &[LARGE, SMALL])])]);
    let wrong = |from: &str, to: &str, at: &str, message: &str| {
        let text = right.replacen(from, to, 1);
        let problems = starpu_kernels(&source(&text)).expect_err("a mistake");
        let report = &problems.reports()[0];
        assert!(report.message().contains(message), "{}", report.message());
        assert_eq!(report.at_fault().unwrap_or_default(), at, "{message}");
    };
    wrong("\n45\n", "\n43\n", "43", "version 43 of performance models is not read: 44 and 45 are");
    wrong("(CPU - 0)\n0\n", "(CPU - 0)\n9\n", "9", "there is no type 9 of devices");
    wrong("devices\n1\n", "devices\n0\n", "0", "at least one device");
    wrong("entries\n2\n", "entries\n2 3\n", "2", "the number of entries: 1 values expected, and the line has 2");
    wrong("entries\n2\n", "entries\nx\n", "x", "`x` is no whole number");
    wrong("entries\n2\n", "entries\n9\n", "", "the file ends where the calls of a footprint should stand");
    wrong("0000beef", "0000cafe", "0000cafe", "the footprint 0000cafe stands twice");
    wrong("0000beef", "beets", "beets", "`beets` is no hash of a footprint");
    wrong("2.000000e+02", "nan", "nan", "`nan` is no time");
    wrong("2.000000e+02", "2,0", "2,0", "`2,0` is no number");
    wrong("base\n0\n", "base\n3 1.0\n", "3", "3 coefficients are expected after this, and the line has 1");
    wrong("base\n0\n", "base\n18446744073709551615\n", "18446744073709551615", "coefficients are expected");
    wrong("combinations\n1\n", "combinations\n0\n", "", "scale.lab.example: no device has a footprint of 10 calls");
    let twice = model_of(&[block(0, 0, 1, &[history(&[LARGE])]), block(0, 0, 1, &[history(&[LARGE])])]);
    let problems = starpu_kernels(&source(&twice)).expect_err("a device twice");
    assert!(problems.to_string().contains("the device cpu stands twice"), "{problems}");
}

/// A text that is cut anywhere is refused or read, and nothing else happens.
#[test]
fn a_model_may_end_anywhere() {
    let text = model_of(&[block(0, 0, 1, &[history(&[LARGE, SMALL])]), block(1, 0, 1, &[history(&[SMALL])])]);
    for end in 0..text.len() {
        let _ = starpu_kernels(&source(&text[..end]));
    }
    assert!(is_starpu_model(&text.replace(' ', "\t")), "some tools make tabs of blanks");
    assert!(!is_starpu_model("digraph { a -> b }") && !is_starpu_model(""));
}
