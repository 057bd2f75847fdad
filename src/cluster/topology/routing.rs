//! Whose rule chooses among ways.

crate::registry::names! {
    /// Whose rule chooses the way of a message where a topology leaves a choice.
    "routing": Routing {
        #[default]
        Hetsim "hetsim" = "the rule of this topology's own",
        Simgrid "simgrid" = "what SimGrid 4 does",
    }
}
