//! What messages and nodes of a platform cost, share and lose.

mod allocation;
mod bounded_sends;
mod cells;
mod every_scenario_under_fair;
mod fitted_formulas;
mod full_nodes;
mod kernels;
mod levels;
mod link_faults;
mod over_time;
mod power;
mod routed_costs;
mod shared_links;
mod shared_memory;
mod snake;
