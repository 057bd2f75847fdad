//! Kernels of the platform as the computations of phases, task graphs and replayed traces: closed forms by hand.

use std::fs;

use hetsim::record::Value;
use hetsim::scenario::PlatformTree;

use crate::support::{column, here, metric, near, read_in, refused, run, try_read_in};

/// A slow and a fast node without network costs.
const PAIR: &str = "version = 1\n[platform.cluster.cpu]\nnodes = 1\nnetwork = { model = \"ideal\" }\n\
                    [platform.cluster.gpu]\nnodes = 1\nnetwork = { model = \"ideal\" }\n\
                    [[platform.link]]\nbetween = [\"cpu\", \"gpu\"]\nnetwork = { model = \"ideal\" }\n";

/// Three calls of 4 ms on one node, of 1 ms on the other, which then waits.
#[test]
fn a_phase_calls_a_kernel_on_each_node_of_its_own() {
    let kernel =
        "[platform.kernel.copy]\nseconds = \"b*m*n\"\ncoefficients = { b = 1e-3 }\ncluster.gpu = { b = 2.5e-4 }\n";
    let phase = "[workload]\nkind = \"phases\"\n[[workload.phase]]\ncall = { kernel = \"copy\", m = 2, n = 2, times = 3 }\n\
                 [[workload.phase]]\ncompute = \"1Mop\"\n";
    let record = run(&format!("{PAIR}{kernel}{phase}\n[output]\ntables = [\"phases\"]\n"));
    near(metric(&record, "completion_s"), 0.012 + 1e-3);
    let names = record.tables[0].rows.iter().map(|row| row[1].clone()).collect::<Vec<_>>();
    assert_eq!(names, [Value::from("copy"), Value::from("compute")]);
    assert_eq!(column(&record, "phases", "least_s")[0], 0.003);
}

/// The chain of a Cholesky factorisation of 2 × 2 tiles, whose types have the names of kernels: each task is fastest on
/// another node than the one before, as no speed of nodes could say.
const CHAIN: &str = "[platform.kernel.potrf]\nseconds = \"b*m\"\ncoefficients = { b = 1e-9 }\ncluster.gpu = { b = 4e-9 }\n\
                     [platform.kernel.solve]\nseconds = \"b\"\ncoefficients = { b = 3.0 }\ncluster.gpu = { b = 1.0 }\n";

fn chain(calls: &str, more: &str) -> String {
    format!(
        "{PAIR}{CHAIN}[workload]\nkind = \"taskgraph\"\n{calls}{more}[workload.generate]\n\
         shape = {{ family = \"cholesky\", tiles = 2 }}\n\
         operations = {{ distribution = \"constant\", value = \"3Gop\" }}\n\
         bytes = {{ distribution = \"constant\", value = \"1MB\" }}\n"
    )
}

const CALLS: &str = "type.trsm.kernel = \"solve\"\ntype.syrk = { kernel = \"solve\", times = 2 }\n";

#[test]
fn tasks_call_the_kernel_of_their_type() {
    // A third of 3 Gop on the processor, 1 s and twice 1 s on the accelerator, a third on the processor again.
    let record = run(&chain(CALLS, "scheduler = \"heft\"\n"));
    for name in ["completion_s", "predicted_s", "lower_bound_s"] {
        near(metric(&record, name), 5.0);
    }
    // Either node alone takes 11 s.
    let all_on = |node: u32| run(&chain(CALLS, &format!("mapping = [{node}, {node}, {node}, {node}]\n")));
    near(metric(&all_on(0), "completion_s"), 11.0);
    near(metric(&all_on(1), "completion_s"), 11.0);
    near(metric(&record, "speedup"), 11.0 / 5.0);
    // Tasks without a kernel take their operations over the speed of 1 Gop/s.
    near(metric(&run(&chain("", "mapping = [0, 0, 0, 0]\n")), "completion_s"), 1.0 + 3.0 + 3.0 + 1.0);
}

/// Noise is the task's: wherever and whenever it runs, its call takes the same quantile of its times; schedulers plan with
/// means.
#[test]
fn the_noise_of_a_task_is_its_own() {
    let noisy = |more: &str| {
        let kernel = "[platform.kernel.trsm]\nseconds = \"1\"\ndeviation = \"0.3\"\nnoise = \"gamma\"\n";
        run(&(chain("", more).replace("[workload]", &format!("{kernel}[workload]"))
            + "[output]\ntables = [\"tasks\"]\n"))
    };
    let (one, other) = (noisy("mapping = [0, 0, 0, 0]\n"), noisy("mapping = [1, 1, 1, 1]\n"));
    let took = |record| column(record, "tasks", "finish_s")[1] - column(record, "tasks", "start_s")[1];
    assert!((took(&one) - 1.0).abs() > 1e-3, "{}", took(&one));
    near(took(&one), took(&other));
    assert!((metric(&one, "late_s") - (took(&one) - 1.0)).abs() < 1e-9);
}

#[test]
fn graphs_in_files_have_types() {
    let graph = "version = 1\ntasks = [\n  { name = \"a\", type = \"fold\", operations = 2 },\n  { name = \"b\", operations = 5e8 },\n]\n";
    let text = |call: &str| {
        format!(
            "{PAIR}[platform.kernel.fold]\nseconds = \"3*m\"\n[workload]\nkind = \"taskgraph\"\nfile = \"g.toml\"\n\
             mapping = [0, 0]\n{call}"
        )
    };
    let record = read_in(here(&[("g.toml", graph)]), &text("")).run(0, 0).expect("a run");
    near(metric(&record, "completion_s"), 6.5);
    let problems = |call: &str| {
        try_read_in(here(&[("g.toml", graph)]), &text(call), &[]).expect_err("this should be refused").to_string()
    };
    let unknown = problems("type.fald.kernel = \"fold\"\n");
    assert!(unknown.contains("no task of the graph is of type `fald`: did you mean `fold`?"), "{unknown}");
    let unknown = problems("type.fold.kernel = \"fond\"\n");
    assert!(unknown.contains("the platform has no kernel `fond`: did you mean `fold`?"), "{unknown}");
}

#[test]
fn traces_call_kernels_by_name() {
    let text = format!(
        "{PAIR}[platform.kernel.copy]\nseconds = \"1e-3*m*n + k - 1\"\n[workload]\nkind = \"replay\"\ntrace = \"t.txt\"\n"
    );
    let trace = |last: &str| format!("0 init\n0 compute copy 2 3\n0 compute 1e6\n1 init\n1 compute {last}\n");
    let done = |last: &str| {
        let record = read_in(here(&[("t.txt", &trace(last))]), &text).run(0, 0).expect("a run");
        metric(&record, "completion_s")
    };
    near(done("copy"), 7e-3);
    near(done("copy 1 1 3"), 2.001);
    let refusal = |last: &str| {
        let read = try_read_in(here(&[("t.txt", &trace(last))]), &text, &[]);
        read.expect_err("this should be refused").to_string()
    };
    let problem = refusal("copi 1");
    assert!(problem.contains("the platform has no kernel `copi`: did you mean `copy`?"), "{problem}");
    let problem = refusal("copy 1 2 3 4");
    assert!(problem.contains("line 5: a call of `copy` has at most three sizes: m, n and k"), "{problem}");
}

#[test]
fn wrong_kernels_and_calls_are_refused() {
    let kernel = "[platform.kernel.copy]\nseconds = \"b*m\"\n";
    let phase = |call: &str| format!("[workload]\nkind = \"phases\"\n[[workload.phase]]\ncall = {{ {call} }}\n");
    let given = "coefficients = { b = 1.0 }\n";
    refused(
        &format!("{PAIR}{kernel}{given}cluster.gp = {{ b = 2.0 }}\n{}", phase("kernel = \"copy\"")),
        "did you mean `gpu`?",
    );
    refused(
        &format!("{PAIR}{kernel}cluster.gpu = {{ b = 2.0 }}\n{}", phase("kernel = \"copy\"")),
        "`b` has no value on the cluster `cpu`",
    );
    refused(&format!("{PAIR}{}", phase("kernel = \"copy\"")), "it has none; give [platform.kernel.copy]");
    refused(&format!("{PAIR}{kernel}{given}{}", phase("kernel = \"copy\", m = -1")), "`m` must be at least 0");
    refused(&format!("{PAIR}{kernel}{given}{}", phase("kernel = \"copy\", times = 0")), "times");
    let both = phase("kernel = \"copy\"") + "compute = \"1Mop\"\n";
    refused(&format!("{PAIR}{kernel}{given}{both}"), "this phase has a `compute` already");
}

/// A kernel that drifts differs from run to run, and so does the plan that is made of it.
#[test]
fn plans_follow_the_drift_of_kernels() {
    let graph = "version = 1\ntasks = [\n  { name = \"a\", type = \"fold\", operations = 2 },\n]\n";
    let text = format!(
        "{PAIR}[platform.kernel.fold]\nseconds = \"3*m\"\ndrift = 0.2\n[workload]\nkind = \"taskgraph\"\n\
         file = \"g.toml\"\nmapping = [0]\n"
    );
    let scenario = read_in(here(&[("g.toml", graph)]), &format!("replicas = 2\n{text}"));
    let runs = [0, 1].map(|replica| scenario.run(0, replica).expect("a run"));
    let [first, second] = [0, 1].map(|replica: usize| metric(&runs[replica], "completion_s"));
    assert!((first - second).abs() > 1e-3, "{first} {second}");
    for record in &runs {
        near(metric(record, "predicted_s"), metric(record, "completion_s"));
    }
}

/// Predictions that are kept for a platform hold as long as the files that it names are the same.
#[test]
fn the_identity_of_a_platform_has_the_contents_of_its_files() {
    let cluster = "[cluster.lab]\nnodes = 1\nnetwork = { model = \"ideal\" }\n";
    let kernel = "[kernel.wait]\nseconds = \"slow\"\nfile = \"slow.csv\"\n";
    let folder = here(&[("lab.toml", &format!("{cluster}{kernel}")), ("slow.csv", "node,slow\n0,1\n")]);
    let path = folder.path().join("lab.toml");
    let identity = || PlatformTree::load(&path).expect("it is a platform").fingerprint();
    let first = identity();
    assert_eq!(identity(), first);
    fs::write(folder.path().join("slow.csv"), "node,slow\n0,2\n").expect("a folder");
    assert_ne!(identity(), first);
}
