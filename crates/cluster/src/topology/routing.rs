//! The rule that chooses among paths.

hetsim_base::registry::names! {
    /// The rule that chooses a message's path where a topology leaves a choice.
    "routing": Routing {
        #[default]
        Hetsim "hetsim" = "the topology's own rule",
        Simgrid "simgrid" = "the rule of SimGrid 4",
    }
}
