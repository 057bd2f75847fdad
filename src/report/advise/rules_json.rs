//! A file of rules for Open MPI's component `tuned` from version 6 on, in JSON, version 3 of the format
//! (`docs/tuning-apps/tuned_dynamic_file_schema.json` and `docs/tuning-apps/collectives/tuned.rst` of its sources).
//!
//! The first range of communicator sizes that a communicator is in holds, and in it the first range of message sizes;
//! both ends of a range belong to it.

use serde_json::{Map, Value as Json, json};

use super::libraries::TunedRule;
use super::rules::ranges;
use super::{Choice, ranks_of};
use crate::communication::Operation;

/// The name of an operation there.
const fn name(operation: Operation) -> Option<&'static str> {
    Some(match operation {
        Operation::AllGather => "allgather",
        Operation::AllReduce => "allreduce",
        Operation::AllToAll => "alltoall",
        Operation::Barrier => "barrier",
        Operation::Broadcast => "bcast",
        Operation::Gather => "gather",
        Operation::Reduce => "reduce",
        Operation::ReduceScatter => "reducescatter",
        Operation::Scatter => "scatter",
        // The message size there does not depend on the vector's.
        Operation::Scan => return None,
    })
}

/// The file; only algorithms that Open MPI has take part. Without any there is nothing.
///
/// `choices` go by operation, rising ranks and rising size.
#[must_use]
pub fn rules_json(choices: &[Choice]) -> Option<String> {
    let mut operations: Vec<Operation> = choices.iter().map(|choice| choice.operation).collect();
    operations.dedup();
    let named = operations.into_iter().filter_map(|operation| Some((name(operation)?.to_owned(), operation)));
    let collectives: Map<String, Json> =
        named.map(|(name, operation)| (name, communicators(choices, operation))).collect();
    if collectives.is_empty() {
        return None;
    }
    let file = json!({ "rule_file_version": 3, "module": "tuned", "collectives": collectives });
    Some(format!("{file:#}\n"))
}

/// The rules of an operation by the number of ranks: from one number to the next.
fn communicators(choices: &[Choice], operation: Operation) -> Json {
    let ranks = ranks_of(choices, operation);
    let one = |(number, &least): (usize, &u32)| {
        let ranges = ranges(choices, operation, least);
        let starts: Vec<u64> = ranges.iter().map(|(from, ..)| *from).collect();
        let rule = |(number, (from, _, rule)): (usize, (u64, String, TunedRule))| {
            let mut entry = Map::new();
            entry.insert("msg_size_min".to_owned(), from.into());
            entry.insert("msg_size_max".to_owned(), end(starts.get(number + 1).copied()));
            entry.insert("alg".to_owned(), rule.algorithm.into());
            if rule.fan > 0 {
                entry.insert("faninout".to_owned(), rule.fan.into());
            }
            if rule.segment > 0 {
                entry.insert("seg_size".to_owned(), rule.segment.into());
            }
            Json::Object(entry)
        };
        json!({
            "comm_size_min": if number == 0 { 0 } else { least },
            "comm_size_max": end(ranks.get(number + 1).copied().map(u64::from)),
            "rules": ranges.into_iter().enumerate().map(rule).collect::<Vec<_>>(),
        })
    };
    ranks.iter().enumerate().map(one).collect()
}

/// The last number before the next range; `inf` without one.
fn end(next: Option<u64>) -> Json {
    next.map_or_else(|| "inf".into(), |next| next.saturating_sub(1).into())
}
