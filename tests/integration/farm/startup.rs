//! What a server takes before the first round, and before each.

use crate::support::{metric, near, run};

/// The server's start comes before everything else, once; the tasks are submitted before any of them is dealt, in every
/// round.
#[test]
fn a_server_starts_up_once_and_submits_in_every_round() {
    for (protocol, policy) in
        [("plain", "adaptive"), ("plain", "static_equal"), ("plain", "stealing"), ("signals", "adaptive")]
    {
        let completion = |startup: &str| {
            let record = run(&format!(
                "version = 1\n[platform.cluster.lab]\nnodes = 4\nspeed = \"1Gop/s\"\nnetwork = {{ model = \"ideal\" }}\n\
                 [workload]\nkind = \"independent\"\ntasks = 12\nrounds = 2\n\
                 task = {{ distribution = \"constant\", operations = \"1Mop\" }}\n\
                 farm = {{ protocol = \"{protocol}\", policy = \"{policy}\"{startup} }}\n",
            ));
            metric(&record, "completion_s")
        };
        near(completion(", startup = \"10Mop\""), completion("") + 0.01);
        near(completion(", submission = \"1Mop\""), completion("") + 0.024);
    }
}
