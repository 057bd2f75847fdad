//! Starting scenarios, for `hetsim new`.

/// What `hetsim new` can start: a name, and what the scenario is about.
pub const KINDS: &[(&str, &str)] = &[
    ("broadcast", "algorithms of a broadcast in one cluster, against the message size"),
    ("collective", "algorithms of a collective operation, against the size and the number of ranks"),
    ("phases", "a program without code: computing, halo exchanges and collectives, against the number of ranks"),
    ("grid", "a broadcast over several clusters, between them and inside them"),
    ("adaptive", "a broadcast that measures its clusters and chooses models, algorithms and schedule"),
    ("partition", "logical clusters from measured latencies, against the error of a measurement"),
    ("schedules", "heuristics for a broadcast between clusters, on random grids"),
    ("independent", "independent tasks on unequal machines, policy against policy"),
    ("genetic", "a genetic algorithm with a server and workers: how far it scales"),
    ("island", "islands with migrants on unequal machines, topology against topology"),
    ("evolution", "an evolution strategy on nodes under load, with and without measuring them first"),
    ("measure", "measuring a network that is no model, and fitting models to it"),
    ("fit", "formulas for the time of an operation, method against method"),
    ("taskgraph", "a task graph on unequal machines, scheduler against scheduler"),
    ("adversarial", "a search for the task graph on which one scheduler does worst beside another"),
    ("traffic", "how networks of the same links carry patterns of messages, topology against topology"),
];

/// The commented scenario of a kind.
#[must_use]
pub fn starting_scenario(kind: &str) -> Option<&'static str> {
    match kind {
        "adaptive" => Some(include_str!("start/adaptive.toml")),
        "adversarial" => Some(include_str!("start/adversarial.toml")),
        "broadcast" => Some(include_str!("start/broadcast.toml")),
        "collective" => Some(include_str!("start/collective.toml")),
        "evolution" => Some(include_str!("start/evolution.toml")),
        "fit" => Some(include_str!("start/fit.toml")),
        "grid" => Some(include_str!("start/grid.toml")),
        "independent" => Some(include_str!("start/independent.toml")),
        "genetic" => Some(include_str!("start/genetic.toml")),
        "island" => Some(include_str!("start/island.toml")),
        "measure" => Some(include_str!("start/measure.toml")),
        "partition" => Some(include_str!("start/partition.toml")),
        "phases" => Some(include_str!("start/phases.toml")),
        "schedules" => Some(include_str!("start/schedules.toml")),
        "taskgraph" => Some(include_str!("start/taskgraph.toml")),
        "traffic" => Some(include_str!("start/traffic.toml")),
        _ => None,
    }
}
