//! Machines on which collectives and phases are worked out by hand.

/// Equal nodes of 1 Gop/s, Hockney with 20 µs and 8 ns a byte.
pub(super) fn text(nodes: u32, workload: &str) -> String {
    let network = "model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\"";
    format!(
        "version = 1\nreplicas = 100\n[platform.cluster.lab]\nnodes = {nodes}\nspeed = \"1Gop/s\"\nnetwork = {{ {network} }}\n\
         [workload]\n{workload}\n"
    )
}

/// Two clusters of two nodes, Hockney: a(m) = 20 µs + 8 ns·m inside, b(m) = 1 ms + 80 ns·m between.
pub(super) const TWO_BY_TWO: &str = "version = 1\n[platform.cluster.north]\nnodes = 2\n\
                          network = { model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }\n\
                          [platform.cluster.south]\nnodes = 2\n\
                          network = { model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }\n\
                          [platform.between]\nnetwork = { model = \"hockney\", latency = \"1ms\", bandwidth = \"100Mbit/s\" }\n";
