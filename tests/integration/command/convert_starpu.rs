//! `hetsim convert` of a performance model of StarPU: kernels that a scenario includes, with times by hand.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;

use crate::support::{here, hetsim, metric, near, printed, read_in, try_read_in, typed};

/// A codelet on a core and an accelerator: two footprints, a regression on the first, a line through logarithms on the second.
const MODEL: &str = "##################\n# Performance Model Version\n45\n\n####################\n# COMBs\n# number of combinations\n2\n\
    ####################\n# COMB_0\n# number of types devices\n1\n# DEV_0\n# device type (CPU - 0, CUDA - 1)\n0\n\
    # DEV_0\n# device id \n0\n# DEV_0\n# number of cores \n1\n##########\n# number of implementations\n1\n#####\n\
    # Model for cpu0_cores1_impl0 (Comb0)\n# number of entries\n2\n# sumlnx\tsumlnx2\n\
    1.000000e+02   \t1.000000e+02   \t1.000000e+02   \t1.000000e+02   \t2.000000e+00   \t1.000000e+00   \t50\t4096           \t8192           \n\
    # a\t\tb\t\tc\n1.500000e+00   \t1.000000e+00   \t-3.000000e+00  \n# not multiple-regression-base\n0\n# hash\t\tsize\n\
    0000cafe\t4096           \t0.000000e+00   \t5.000000e+01   \t0.000000e+00   \t1.000000e+03   \t5.000000e+04   \t20\n\
    0000beef\t8192           \t0.000000e+00   \t2.000000e+02   \t0.000000e+00   \t6.000000e+03   \t1.200000e+06   \t30\n\n\
    ####################\n# COMB_1\n# number of types devices\n1\n# DEV_0\n# device type (CPU - 0, CUDA - 1)\n1\n\
    # DEV_0\n# device id \n0\n# DEV_0\n# number of cores \n1\n##########\n# number of implementations\n1\n#####\n\
    # Model for cuda0_cores1_impl0 (Comb1)\n# number of entries\n2\n# sumlnx\tsumlnx2\n\
    1.000000e+02   \t1.000000e+02   \t1.000000e+02   \t1.000000e+02   \t2.000000e+00   \t5.000000e-01   \t50\t4096           \t8192           \n\
    # a\t\tb\t\tc\nnan            \tnan            \tnan            \n# not multiple-regression-base\n0\n# hash\t\tsize\n\
    0000cafe\t4096           \t0.000000e+00   \t3.000000e+01   \t0.000000e+00   \t6.000000e+02   \t1.800000e+04   \t20\n\
    0000beef\t8192           \t0.000000e+00   \t4.000000e+01   \t0.000000e+00   \t1.200000e+03   \t4.800000e+04   \t30\n\n";

/// A chain of four tasks, of which the accelerator has those in the middle; data cost nothing.
const CHAIN: &str = "version = 1\n[platform]\ninclude = \"scale.toml\"\nbetween = { network = { model = \"ideal\" } }\n\
    [platform.cluster.cpu]\nnodes = 1\nnetwork = { model = \"ideal\" }\n\
    [platform.cluster.cuda0]\nnodes = 1\nnetwork = { model = \"ideal\" }\n\
    [workload]\nkind = \"taskgraph\"\nmapping = [0, 1, 1, 0]\ntype.potrf = { kernel = \"scale_4096\", times = 2 }\n\
    type.trsm.kernel = \"scale_8192\"\ntype.syrk = { kernel = \"scale\", m = 4096 }\n[workload.generate]\n\
    shape = { family = \"cholesky\", tiles = 2 }\noperations = { distribution = \"constant\", value = \"1Gop\" }\n\
    bytes = { distribution = \"constant\", value = \"1MB\" }\n";

#[test]
fn a_model_of_starpu_becomes_kernels_that_run() {
    let folder = here(&[("scale.lab", MODEL)]);
    let said = contains("3 kernels for the clusters cpu, cuda0").and(contains("include = \"scale.toml\""));
    typed(&folder, "convert scale.lab scale.toml").assert().success().stderr(said);
    // Twice 50 µs, 40 µs on the accelerator, 2·√4096 µs there, twice 50 µs.
    let text = CHAIN;
    near(metric(&read_in(&folder, text).run(0, 0).expect("a run"), "completion_s"), 368e-6);
    // The regression of the core: 1.5·4096 − 3 µs.
    let text = CHAIN.replace("[0, 1, 1, 0]", "[0, 1, 0, 0]");
    near(metric(&read_in(&folder, &text).run(0, 0).expect("a run"), "completion_s"), 240e-6 + 6141e-6);
    // A cluster without a device of the model.
    let text =
        CHAIN.replace("[workload]", "[platform.cluster.cuda1]\nnodes = 1\nnetwork = { model = \"ideal\" }\n[workload]");
    let problems = try_read_in(&folder, &text, &[]).expect_err("a cluster too many").to_string();
    assert!(
        problems.contains("scale.toml:") && problems.contains("`a` has no value on the cluster `cuda1`"),
        "{problems}"
    );
}

#[test]
fn mistakes_in_a_model_are_shown_where_they_stand() {
    let folder = here(&[("scale.lab", &MODEL.replace("6.000000e+03", "many"))]);
    let text = printed(hetsim(&folder).args(["convert", "scale.lab", "-"]));
    assert!(text.contains("[kernel.scale_8192]"), "sums are not read: {text}");
    fs::write(folder.path().join("scale.lab"), MODEL.replace("2.000000e+02", "long")).unwrap();
    let wrong = typed(&folder, "convert scale.lab scale.toml").assert().code(2);
    wrong.stderr(contains("scale.lab:37:42").and(contains("`long` is no number")));
    fs::write(folder.path().join("scale.lab"), MODEL).unwrap();
    let to = typed(&folder, "convert scale.lab scale.toml --to dot").assert().code(2);
    to.stderr(contains("--to is for task graphs; scale.lab holds a performance model"));
    typed(&folder, "convert scale.lab scale.dot").assert().code(2).stderr(contains("give a .toml file"));
    assert!(!folder.path().join("scale.toml").exists());
    typed(&folder, "convert --help")
        .assert()
        .success()
        .stdout(contains("a performance model of StarPU (CODELET.HOST) to kernels"));
}
