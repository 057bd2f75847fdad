//! Tasks that call a kernel, by closed forms.

use crate::support::{column, metric, near, refused, run};

/// A server and two workers of equal speed, the second of which runs the kernel in half the time. Messages are free.
fn farm(kernel: &str, more: &str) -> String {
    let cluster = |name: &str| {
        format!("[platform.cluster.{name}]\nnodes = 1\nspeed = \"1Gop/s\"\nnetwork = {{ model = \"ideal\" }}\n")
    };
    format!(
        "version = 1\n{}{}{}[platform.between]\nnetwork = {{ model = \"ideal\" }}\n[platform.kernel.render]\n{kernel}\n\
         [workload]\nkind = \"independent\"\ntasks = 30\ntask = {{ distribution = \"constant\", operations = \"1Mop\" }}\n{more}\n\
         [output]\ntables = [\"nodes\"]\n",
        cluster("server"),
        cluster("a"),
        cluster("b"),
    )
}

const RENDER: &str = "seconds = \"s*m\"\ncoefficients = { s = 2e-9 }\ncluster.b = { s = 1e-9 }";

#[test]
fn nodes_are_as_fast_as_the_kernel_says() {
    // Shares by the speeds at the kernel: 10 tasks of 2 ms and 20 of 1 ms. The best serial time is 30 of 1 ms.
    let call = "farm = { policy = \"static_nominal\", call = { kernel = \"render\" } }";
    let record = run(&farm(RENDER, call));
    near(metric(&record, "completion_s"), 0.02);
    assert_eq!(column(&record, "nodes", "tasks"), [10.0, 20.0]);
    assert_eq!(column(&record, "nodes", "speed_per_s"), [0.5e9, 1e9]);
    for (name, value) in [("speedup", 1.5), ("s_max", 1.5), ("efficiency", 1.0), ("lost_to_distribution", 0.0)] {
        near(metric(&record, name) + 1.0, value + 1.0);
    }
    // Without the call both are alike.
    let record = run(&farm(RENDER, "farm = { policy = \"static_nominal\" }"));
    near(metric(&record, "completion_s"), 0.015);
}

#[test]
fn calls_have_sizes_and_numbers_of_their_own() {
    let call = "farm = { policy = \"adaptive\", call = { kernel = \"render\", m = 2e6, times = 3 } }";
    // 30 tasks of three calls of 4 ms or 2 ms: while the first worker does one, the second does two.
    near(metric(&run(&farm(RENDER, call)), "completion_s"), 20.0 * 6e-3);
}

/// The noise is that of the task: whoever computes it, and in whichever order.
#[test]
fn policies_meet_the_same_noise() {
    let kernel = "seconds = \"1e-9*m\"\ndeviation = \"0.5e-9*m\"\nnoise = \"gamma\"";
    let busy = |policy: &str| {
        let farm = farm(kernel, &format!("farm = {{ policy = \"{policy}\", call = {{ kernel = \"render\" }} }}"));
        column(&run(&farm), "nodes", "busy_s").iter().sum::<f64>()
    };
    near(busy("adaptive"), busy("static_equal"));
    assert!((busy("adaptive") - 0.03).abs() > 1e-4, "there is noise");
}

#[test]
fn calls_that_cannot_be_are_refused() {
    let call = |kernel: &str, name: &str| farm(kernel, &format!("farm = {{ call = {{ kernel = \"{name}\" }} }}"));
    refused(&call(RENDER, "rendr"), "the platform has no kernel `rendr`: did you mean `render`?");
    refused(&call("seconds = \"0*m\"", "render"), "takes no time on node 1 by the kernel `render`");
}
