//! Batches and what they leave: the same bytes however they are computed.

mod file_names;
mod replicas_until;
mod results_folders;
mod same_results;
mod shards;
mod wall_clock;
