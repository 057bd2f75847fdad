//! Starting scenarios, for `hetsim new`.

/// What `hetsim new` can start: a name, and what the scenario is about.
pub const KINDS: &[(&str, &str)] = &[
    ("broadcast", "algorithms of a broadcast in one cluster, against the message size"),
    ("collective", "algorithms of a collective operation, against the size and the number of ranks"),
    ("phases", "a program without code: computing, halo exchanges and collectives, against the number of ranks"),
    ("grid", "a broadcast over several clusters, between them and inside them"),
    ("independent", "independent tasks on unequal machines, policy against policy"),
    ("genetic", "a genetic algorithm with a server and workers: how far it scales"),
    ("island", "islands with migrants on unequal machines, topology against topology"),
    ("evolution", "an evolution strategy on nodes under load, with and without measuring them first"),
    ("measure", "measuring a network that is no model, and fitting models to it"),
    ("taskgraph", "a task graph on unequal machines, scheduler against scheduler"),
];

/// The commented scenario of a kind.
#[must_use]
pub fn starting_scenario(kind: &str) -> Option<&'static str> {
    match kind {
        "broadcast" => Some(include_str!("start/broadcast.toml")),
        "collective" => Some(include_str!("start/collective.toml")),
        "evolution" => Some(include_str!("start/evolution.toml")),
        "grid" => Some(include_str!("start/grid.toml")),
        "independent" => Some(include_str!("start/independent.toml")),
        "genetic" => Some(include_str!("start/genetic.toml")),
        "island" => Some(include_str!("start/island.toml")),
        "measure" => Some(include_str!("start/measure.toml")),
        "phases" => Some(include_str!("start/phases.toml")),
        "taskgraph" => Some(include_str!("start/taskgraph.toml")),
        _ => None,
    }
}
