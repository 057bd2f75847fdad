//! A file of rules for Open MPI's component `tuned`, in its classic format, version 1: whole numbers between white
//! space, `#` to the end of a line a comment (`ompi/mca/coll/tuned/coll_tuned_dynamic_file.c`).
//!
//! How many collectives; of each its number and how many communicator sizes; of each of these the size and how many
//! message sizes; of each of these the size (the first must be 0), the algorithm, the fan-out and the segment.
//!
//! 4.0.0, 4.1.0 and 5.0.9 take the rules of the greatest communicator size that is not above the communicator's. The
//! main branch (as read in August 2026) takes a size as the end of its range: the first one that is above. So each size
//! but the first stands there twice, first with the rules of the size before, then with its own, and both ways of
//! reading find the same.
//!
//! Two components stand above `tuned`, whose priority is 30. `han` (35) does from 5.0 on, and on several nodes with several
//! ranks each it takes most operations (`ompi/mca/coll/han/coll_han_module.c`): the rules would then hold only within its
//! parts, whose numbers of ranks are others. `hcoll` (90) takes them up to 5.0 where Open MPI is built with it. Both are
//! left out.

use std::fmt::Write as _;

use super::doubt::head;
use super::libraries::{TunedRule, collective_number, rule_size};
use super::{Choice, Timed, ranks_of, source};
use crate::communication::Operation;

/// The file; only algorithms that Open MPI has take part.
///
/// `choices` go by operation, rising ranks and rising size; `platform` is its name.
#[must_use]
pub fn rules(choices: &[Choice], platform: &str) -> String {
    let numbered = |choice: &Choice| (collective_number(choice.operation), choice.operation);
    let mut operations: Vec<(u32, Operation)> = choices.iter().map(numbered).collect();
    operations.dedup();
    let mut text = format!(
        "# Algorithms for {platform}, {} by hetsim. To be used:\n\
         #   mpirun --mca coll ^han,hcoll --mca coll_tuned_use_dynamic_rules 1 \\\n\
         #     --mca coll_tuned_dynamic_rules_filename THIS_FILE ...\n\
         # The components han (from Open MPI 5.0 on) and hcoll, where there is one, would bypass the rules.\n\
         # A rule holds from its size on. Each number of ranks but the first is given twice, since releases differ in\n\
         # whether it begins or ends a range.\n\
         {}\
         {} # collectives\n",
        source(choices),
        head(choices),
        operations.len()
    );
    for (number, operation) in operations {
        let ranks = ranks_of(choices, operation);
        let of_ranks: Vec<(u32, Vec<String>)> =
            ranks.iter().map(|&ranks| (ranks, lines(choices, operation, ranks))).collect();
        let again = of_ranks.windows(2).map(|pair| (pair[1].0, pair[0].1.as_slice()));
        let own = of_ranks.iter().map(|(ranks, lines)| (*ranks, lines.as_slice()));
        // A stable sort keeps the rules of the size before in front.
        let mut sections: Vec<(u32, &[String])> = again.chain(own).collect();
        sections.sort_by_key(|(ranks, _)| *ranks);
        let _ = writeln!(text, "\n{number} # {operation}");
        let _ = writeln!(text, "{} # numbers of ranks", sections.len());
        for (ranks, lines) in sections {
            let _ = writeln!(text, "{ranks} {} # ranks, rules: bytes, algorithm, fan-out, segment", lines.len());
            for line in lines {
                text.push_str(line);
            }
        }
    }
    text
}

/// The rules of an operation among so many ranks, a line each.
fn lines(choices: &[Choice], operation: Operation, ranks: u32) -> Vec<String> {
    let line = |(from, method, TunedRule { algorithm, fan, segment }): (u64, String, TunedRule)| {
        format!("{from:>12} {algorithm} {fan} {segment:<7} # {method}\n")
    };
    ranges(choices, operation, ranks).into_iter().map(line).collect()
}

/// The words behind a rule that leaves the choice to the library.
const OWN: &str = "its own choice";

/// From which size on which rule holds, with hetsim's name of the algorithm; what goes on as before is one range.
pub(super) fn ranges(choices: &[Choice], operation: Operation, ranks: u32) -> Vec<(u64, String, TunedRule)> {
    let found = super::ranges(choices, operation, ranks, &Choice::for_open_mpi);
    let counted = |(from, timed, rule): (u64, &Timed, TunedRule)| {
        let name = if rule == TunedRule::OWN { OWN.to_owned() } else { timed.candidate.method.to_string() };
        (rule_size(operation, ranks, from), name, rule)
    };
    found.into_iter().map(counted).collect()
}
