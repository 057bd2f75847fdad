//! Settings for UCC, as environment variables: which algorithm its transport layer UCP takes by size and number of
//! ranks (`UCC_TL_UCP_TUNE`), and the radices of those that have one.
//!
//! The grammar is that of `src/coll_score/ucc_coll_score.c` and `docs/user_guide.md`, the names are those of
//! `src/components/tl/ucp/*/*.c`, as read in 1.8.0 and on the main branch: entries between `#`, each of qualifiers
//! between `:`. At the end of a range the next one holds.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::doubt::head;
use super::{Choice, ranges, ranks_of, source};
use crate::communication::{Algorithm, Operation};
use crate::workload::advise::{AdvisedMethod, Candidate};

/// What UCC calls an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// The setting of its radix or its number of messages under way.
    pub setting: Option<Setting>,
}

/// A variable, without `UCC_TL_UCP_`, and its value.
type Setting = (&'static str, u32);

/// What UCC calls an algorithm among so many ranks, with `bytes` as the operation counts them; nothing where it has
/// none.
#[must_use]
#[expect(clippy::match_same_arms, reason = "a line for each algorithm, as in a table")]
pub fn ucc(operation: Operation, candidate: &Candidate, ranks: u32, bytes: u64) -> Option<Named> {
    use Algorithm::{
        Binomial, Bruck, KNomial, Linear, LinearSynchronised, NeighbourExchange, Pairwise, Rabenseifner,
        RecursiveDoubling, RecursiveHalving, Ring, ScatterRecursiveDoubling, Sparbit,
    };
    let AdvisedMethod::Plain(algorithm) = candidate.method else { return None };
    let plain = |name| Some(Named { name, setting: None });
    let set = |name, variable, value| Some(Named { name, setting: Some((variable, value)) });
    let is_power = ranks.is_power_of_two();
    match (operation, algorithm) {
        (Operation::AllGather, Bruck) => plain("bruck"),
        (Operation::AllGather, NeighbourExchange) => plain("neighbor"),
        (Operation::AllGather, RecursiveDoubling) if is_power => set("knomial", "ALLGATHER_KN_RADIX", 2),
        (Operation::AllGather | Operation::AllReduce | Operation::ReduceScatter, Ring) => plain("ring"),
        (Operation::AllGather, Sparbit) => plain("sparbit"),
        (Operation::AllReduce, Rabenseifner) => set("sra_knomial", "ALLREDUCE_SRA_KN_RADIX", 2),
        (Operation::AllReduce, RecursiveDoubling) => set("knomial", "ALLREDUCE_KN_RADIX", 2),
        (Operation::AllToAll, Bruck) => plain("bruck"),
        (Operation::AllToAll, Pairwise) if is_in_turn(ranks, bytes) => plain("pairwise"),
        (Operation::AllToAll, Linear | LinearSynchronised) if !is_in_turn(ranks, bytes) => plain("pairwise"),
        (Operation::Broadcast, KNomial) => set("knomial", "BCAST_KN_RADIX", 4),
        (Operation::Broadcast, ScatterRecursiveDoubling) if is_power => set("sag_knomial", "BCAST_SAG_KN_RADIX", 2),
        (Operation::Reduce, Binomial) => set("knomial", "REDUCE_KN_RADIX", 2),
        (Operation::Reduce, KNomial) => set("knomial", "REDUCE_KN_RADIX", 4),
        (Operation::Reduce, Rabenseifner) => set("srg", "REDUCE_SRG_KN_RADIX", 2),
        (Operation::ReduceScatter, RecursiveHalving) if is_power => set("knomial", "REDUCE_SCATTER_KN_RADIX", 2),
        _ => None,
    }
}

/// Whether UCC's pairwise all-to-all deals with one partner at a time, and not with all at once
/// (`alltoall_pairwise.c`).
fn is_in_turn(ranks: u32, bytes: u64) -> bool {
    ranks > 32 && bytes.saturating_mul(ranks.into()) > 66_000
}

/// The name of an operation there, if it has several algorithms, and whether the size of all blocks counts
/// (`ucc_coll_args_msgsize`).
const fn collective(operation: Operation) -> Option<(&'static str, bool)> {
    Some(match operation {
        Operation::AllGather => ("allgather", true),
        Operation::AllReduce => ("allreduce", false),
        Operation::AllToAll => ("alltoall", true),
        Operation::Broadcast => ("bcast", false),
        Operation::Reduce => ("reduce", false),
        Operation::ReduceScatter => ("reduce_scatter", false),
        _ => return None,
    })
}

/// The settings of an operation, one for each variable, which holds for all numbers of ranks and sizes. Of several
/// values that is the one by which the calls lose least, by the ratios of their times.
fn kept(choices: &[Choice], operation: Operation) -> Vec<Setting> {
    let calls: Vec<&Choice> = choices.iter().filter(|choice| choice.operation == operation).collect();
    let named = |call: &Choice, candidate: &Candidate| ucc(operation, candidate, call.ranks, call.bytes);
    let settings =
        calls.iter().flat_map(|call| call.timed.iter().filter_map(move |timed| named(call, &timed.candidate)?.setting));
    let settings: Vec<Setting> = settings.collect::<BTreeSet<Setting>>().into_iter().collect();
    let loss = |&(variable, value): &Setting| -> f64 {
        let is_left = |own: &Setting| own.0 != variable || own.1 == value;
        let left = |named: &Named| named.setting.as_ref().is_none_or(is_left);
        let ratio = |call: &&Choice| {
            let (fastest, _) = call.fastest_known(|candidate| named(call, candidate))?;
            let best = call.fastest_known(|candidate| named(call, candidate).filter(left));
            Some(best.map_or(f64::INFINITY, |(best, _)| best.seconds / fastest.seconds))
        };
        calls.iter().filter_map(ratio).sum()
    };
    let of_variable = settings.chunk_by(|a, b| a.0 == b.0);
    of_variable.filter_map(|values| values.iter().copied().min_by(|a, b| loss(a).total_cmp(&loss(b)))).collect()
}

/// The settings as lines for a shell; only algorithms that UCC has take part. Without any there is nothing.
///
/// `choices` go by operation, rising ranks and rising size; `platform` is its name.
#[must_use]
pub fn settings(choices: &[Choice], platform: &str) -> Option<String> {
    let mut entries = Vec::new();
    let mut variables = BTreeSet::new();
    for &operation in Operation::ALL {
        let Some((name, counts_all)) = collective(operation) else { continue };
        let (ranks, kept) = (ranks_of(choices, operation), kept(choices, operation));
        for (number, &least) in ranks.iter().enumerate() {
            let ranges = ranges(choices, operation, least, &|choice| {
                let is_kept = |named: &Named| named.setting.is_none_or(|setting| kept.contains(&setting));
                choice.fastest_known(|candidate: &Candidate| {
                    ucc(operation, candidate, least, choice.bytes).filter(is_kept)
                })
            });
            let first = if number == 0 { 1 } else { least };
            let last = ranks.get(number + 1).map_or_else(|| "inf".to_owned(), |next| (next - 1).to_string());
            let together = if counts_all { u64::from(least) } else { 1 };
            let starts = ranges.iter().map(|(from, ..)| from.saturating_mul(together));
            let ends = starts.clone().skip(1).map(|end| end.to_string()).chain(["inf".to_owned()]);
            for ((start, end), (.., Named { name: algorithm, setting })) in starts.zip(ends).zip(&ranges) {
                entries.push(format!("{name}:host:[{first}-{last}]:{start}-{end}:@{algorithm}"));
                variables.extend(*setting);
            }
        }
    }
    if entries.is_empty() {
        return None;
    }
    let mut text = format!(
        "# Algorithms for {platform}, {} by hetsim, for UCC from 1.8 on. To be used, with Open MPI:\n\
         #   . THIS_FILE\n\
         #   mpirun --mca coll_ucc_enable 1 --mca coll_ucc_priority 100 ...\n\
         {}export UCC_TL_UCP_TUNE='{}'\n",
        source(choices),
        head(choices),
        entries.join("#")
    );
    for (variable, value) in variables {
        let _ = writeln!(text, "export UCC_TL_UCP_{variable}={value}");
    }
    Some(text)
}
