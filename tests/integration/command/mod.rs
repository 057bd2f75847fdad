//! The verbs of `hetsim`, as a shell and its user see them.

mod advise;
mod advise_mapped;
mod advise_tasks;
mod answers;
mod calibrate;
mod coarse_ticks;
mod control_characters;
mod convert;
mod explain;
mod file_limits;
mod fit;
mod forecasts;
mod help_and_lists;
mod interruptions;
mod measure;
mod measure_kernels;
mod measure_tasks;
mod measure_workflows;
mod measured_files;
mod plot;
mod runs;
mod shell;
mod templates;
mod trace_and_compare;
mod unwritable_streams;
mod validate;
