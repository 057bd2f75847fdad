//! The `hetsim` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    hetsim::main()
}
