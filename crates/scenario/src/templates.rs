//! Scenario templates for `hetsim new`.

/// The templates of `hetsim new`: the name and the topic of each.
pub const TEMPLATES: &[(&str, &str)] = &[
    ("broadcast", "broadcast algorithms in one cluster, by message size"),
    ("collective", "algorithms of a collective operation, by size and number of ranks"),
    ("phases", "a program without code: computation, halo exchanges and collectives, by imbalance"),
    ("grid", "a broadcast over several clusters: schedules between them, algorithms inside them"),
    ("adaptive", "a broadcast that measures its clusters and chooses models, algorithms and schedule"),
    ("partition", "logical clusters from measured latencies, by measurement error"),
    ("schedules", "heuristics for a broadcast between clusters, on random grids"),
    ("independent", "independent tasks on unequal machines, by policy"),
    ("genetic", "a genetic algorithm with a server and workers: its scalability"),
    ("island", "a genetic algorithm on islands with migrants, by topology"),
    ("evolution", "an evolution strategy on loaded nodes, with and without a benchmark of the nodes"),
    ("measure", "measurements of a network that matches no model, and models fitted to them"),
    ("fit", "formulas for the time of an operation, by method"),
    ("taskgraph", "a task graph on unequal machines, by scheduler"),
    ("stream", "jobs of tasks that arrive in the course of a run, by the order of jobs"),
    ("adversarial", "a search for the task graph on which a scheduler does worst compared with another"),
    ("hpl", "High-Performance Linpack on unequal nodes, by grid of processes and broadcast"),
    ("traffic", "patterns of messages on networks of equal links, by topology"),
];

/// The text of a template; `None` for an unknown name.
#[must_use]
pub fn template(kind: &str) -> Option<&'static str> {
    match kind {
        "adaptive" => Some(include_str!("templates/adaptive.toml")),
        "adversarial" => Some(include_str!("templates/adversarial.toml")),
        "broadcast" => Some(include_str!("templates/broadcast.toml")),
        "collective" => Some(include_str!("templates/collective.toml")),
        "evolution" => Some(include_str!("templates/evolution.toml")),
        "fit" => Some(include_str!("templates/fit.toml")),
        "grid" => Some(include_str!("templates/grid.toml")),
        "hpl" => Some(include_str!("templates/hpl.toml")),
        "independent" => Some(include_str!("templates/independent.toml")),
        "genetic" => Some(include_str!("templates/genetic.toml")),
        "island" => Some(include_str!("templates/island.toml")),
        "measure" => Some(include_str!("templates/measure.toml")),
        "partition" => Some(include_str!("templates/partition.toml")),
        "phases" => Some(include_str!("templates/phases.toml")),
        "schedules" => Some(include_str!("templates/schedules.toml")),
        "stream" => Some(include_str!("templates/stream.toml")),
        "taskgraph" => Some(include_str!("templates/taskgraph.toml")),
        "traffic" => Some(include_str!("templates/traffic.toml")),
        _ => None,
    }
}
