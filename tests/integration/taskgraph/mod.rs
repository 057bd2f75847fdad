//! Task graphs, their schedules and mappings.

mod adversarial_instances;
mod arrivals;
mod caches;
mod mapping_searches;
mod recorded;
mod shared_processors;
mod simulated_schedules;
mod task_systems;
