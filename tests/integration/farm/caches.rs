//! The memory of tasks, and what it does to speeds.

use crate::support::run;

/// Working sets that fit the caches of many nodes but not that of one: the speedup is above s_max, labelled, not
/// clipped.
#[test]
fn caches_make_super_linear_speedup() {
    let text = r#"
version = 1
[platform.cluster.nodes]
nodes = 5
cache = "1MiB"
speed_beyond_cache = 0.5
network = { model = "ideal" }
[workload]
kind = "independent"
tasks = 64
task = { distribution = "constant", operations = "1Gop" }
[workload.farm]
policy = "static_equal"
task_memory = "64KiB"
"#;
    let record = run(text);
    let metric = |name: &str| record.get(name).unwrap().clone();
    // Alone, 64 tasks need 4 MiB and run at half speed; 16 of them fill 1 MiB exactly.
    assert_eq!(metric("speedup").number(), Some(8.0));
    assert_eq!(metric("s_max").number(), Some(4.0));
    assert_eq!(metric("scaling").to_string(), "super-linear");
    assert_eq!(metric("n_eff").number(), Some(4.0));
}
