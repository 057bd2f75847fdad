//! A selection file for MPICH (`MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`), as `src/mpi/coll/src/csel.c` and
//! `csel_container.c` of its releases 4.2.0 to 5.0.1 read it.
//!
//! Objects within objects, whose keys are conditions: in each object the first one that holds is entered, and nothing
//! behind it is looked at again. So each object ends with a condition that always holds (`=any`). The innermost object
//! names an algorithm. The file replaces MPICH's own rules, hence it has those of all collectives.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::{Choice, Timed, ranges, ranks_of};
use crate::communication::{Algorithm, Operation};
use crate::fit::read::collectives::Maker;
use crate::workload::advise::{AdvisedMethod, Candidate};

/// What MPICH calls an algorithm among so many ranks; nothing where it has none.
///
/// Names are those of `src/mpi/coll/coll_algorithms.txt`, which also says what each of them needs.
#[must_use]
#[expect(clippy::match_same_arms, reason = "a line for each algorithm, as in a table")]
pub fn mpich(operation: Operation, candidate: &Candidate, ranks: u32) -> Option<&'static str> {
    use Algorithm::{
        Binomial, BinomialMpich, Bruck, Dissemination, KBruck, LinearSynchronised, Pairwise, Rabenseifner,
        RecursiveDoubling, RecursiveHalving, Ring, ScatterRecursiveDoubling, ScatterRing,
    };
    let AdvisedMethod::Plain(algorithm) = candidate.method else { return None };
    Some(match (operation, algorithm) {
        (Operation::AllGather, Bruck) => "brucks",
        (Operation::AllGather, KBruck) => "k_brucks k=4",
        (Operation::AllGather, RecursiveDoubling) if ranks.is_power_of_two() => RECURSIVE_DOUBLING,
        (Operation::AllGather, Ring) => "ring",
        (Operation::AllReduce, RecursiveDoubling) => RECURSIVE_DOUBLING,
        (Operation::AllReduce, Ring) => "ring",
        (Operation::AllReduce, Rabenseifner) => "reduce_scatter_allgather",
        (Operation::AllToAll, Bruck) => "brucks",
        (Operation::AllToAll, Pairwise) => "pairwise",
        // Beyond, `MPIR_CVAR_ALLTOALL_THROTTLE` holds messages back.
        (Operation::AllToAll, LinearSynchronised) if ranks <= THROTTLE => "scattered",
        (Operation::Barrier, Dissemination) => "k_dissemination k=2",
        (Operation::Broadcast, BinomialMpich) => "binomial",
        (Operation::Broadcast, ScatterRecursiveDoubling) => "scatter_recursive_doubling_allgather",
        (Operation::Broadcast, ScatterRing) => "scatter_ring_allgather",
        (Operation::Gather | Operation::Scatter | Operation::Reduce, Binomial) => "binomial",
        (Operation::Reduce, Rabenseifner) => "reduce_scatter_gather",
        (Operation::ReduceScatter, RecursiveHalving) => "recursive_halving",
        (Operation::ReduceScatter, Pairwise) => "pairwise",
        (Operation::Scan, RecursiveDoubling) => RECURSIVE_DOUBLING,
        _ => return None,
    })
}

const RECURSIVE_DOUBLING: &str = "recursive_doubling";

/// Whether an algorithm of an all-gather is made for powers of two only.
pub(super) fn needs_power_of_two(name: &str) -> bool {
    name == RECURSIVE_DOUBLING
}

/// The default of `MPIR_CVAR_ALLTOALL_THROTTLE`.
const THROTTLE: u32 = 32;

/// The collectives of an operation there, and the size by which they are selected: that of the vector or the block, or
/// of all blocks together.
const fn collectives(operation: Operation) -> (&'static [&'static str], &'static str) {
    const OWN: &str = "avg_msg_size";
    const ALL: &str = "total_msg_size";
    match operation {
        Operation::AllGather => (&["allgather"], ALL),
        Operation::AllReduce => (&["allreduce"], OWN),
        Operation::AllToAll => (&["alltoall"], OWN),
        Operation::Barrier => (&["barrier"], OWN),
        Operation::Broadcast => (&["bcast"], OWN),
        Operation::Gather => (&["gather"], ALL),
        Operation::Reduce => (&["reduce"], OWN),
        Operation::ReduceScatter => (&["reduce_scatter", "reduce_scatter_block"], ALL),
        Operation::Scan => (&["scan"], OWN),
        Operation::Scatter => (&["scatter"], ALL),
    }
}

/// What MPICH itself runs: conditions with algorithms, the last without one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Usual {
    #[serde(default)]
    intra: Vec<Vec<String>>,
    #[serde(default)]
    inter: Vec<Vec<String>>,
    /// The algorithm on communicators of both kinds, with that kind.
    any: Option<String>,
}

/// The file; only algorithms that MPICH has take part. Without any rule there is none.
///
/// `choices` go by operation, rising ranks and rising size.
#[must_use]
pub fn selection_json(choices: &[Choice]) -> Option<String> {
    // A test reads the data.
    let usual: BTreeMap<String, Usual> = toml::from_str(include_str!("mpich.toml")).ok()?;
    let mut own: Map<String, Json> = Map::new();
    for &operation in Operation::ALL {
        let (names, size) = collectives(operation);
        for &name in names {
            let rules = communicators(choices, operation, &Writer { collective: name, size });
            own.extend(rules.map(|rules| (name.to_owned(), rules)));
        }
    }
    if own.is_empty() {
        return None;
    }
    let collective = |(name, usual): (&String, &Usual)| {
        let writer = Writer { collective: name, size: "" };
        let kind = |kind: &str, rules: &[Vec<String>]| {
            let rule = |rule: &Vec<String>| match rule.as_slice() {
                [condition, algorithm] => (Some(condition.clone()), writer.algorithm(kind, algorithm)),
                rest => (None, writer.algorithm(kind, rest.first().map_or("", String::as_str))),
            };
            chain(rules.iter().map(rule).collect())
        };
        let rules = match &usual.any {
            Some(algorithm) => own.remove(name).unwrap_or_else(|| writer.named(algorithm)),
            None => json!({
                "comm_type=intra": own.remove(name).unwrap_or_else(|| kind("intra", &usual.intra)),
                "comm_type=inter": kind("inter", &usual.inter),
            }),
        };
        (format!("collective={name}"), rules)
    };
    let file: Map<String, Json> = usual.iter().map(collective).collect();
    Some(format!("{:#}\n", Json::Object(file)))
}

impl Choice {
    /// The fastest of those that MPICH has: of all, or of those that need no power of two. What MPICH would choose by
    /// itself takes its place where what is saved over that is within the error.
    pub(super) fn for_mpich(&self, power: bool) -> Option<(&Timed, &'static str)> {
        let own = self.kept(Maker::Mpich).and_then(|own| Some((own, self.in_mpich(&own.candidate, power)?)));
        own.or_else(|| self.fastest_for_mpich(power))
    }

    /// The fastest of those that MPICH has.
    pub(super) fn fastest_for_mpich(&self, power: bool) -> Option<(&Timed, &'static str)> {
        self.fastest_known(|candidate| self.in_mpich(candidate, power))
    }

    fn in_mpich(&self, candidate: &Candidate, power: bool) -> Option<&'static str> {
        mpich(self.operation, candidate, self.ranks).filter(|name| power || !needs_power_of_two(name))
    }
}

/// The rules of an operation by the number of ranks, from one number to the next; nothing where none is known.
fn communicators(choices: &[Choice], operation: Operation, writer: &Writer<'_>) -> Option<Json> {
    let ranks: Vec<u32> = ranks_of(choices, operation);
    let known = |ranks: u32, power: bool| ranges(choices, operation, ranks, &move |choice| choice.for_mpich(power));
    let together = |ranks: u32| if writer.size == "total_msg_size" { u64::from(ranks) } else { 1 };
    let sizes = |ranks: u32, ranges: Vec<(u64, &Timed, &'static str)>| writer.sizes(together(ranks), &ranges);
    let mut rules: Vec<(Option<String>, Json)> = Vec::new();
    for (number, &least) in ranks.iter().enumerate() {
        let all = known(least, true);
        if all.is_empty() {
            continue;
        }
        let others = if operation == Operation::AllGather { known(least, false) } else { Vec::new() };
        // Other numbers of ranks of the same range are no powers of two.
        let needs_power = !others.is_empty() && all.iter().any(|(_, _, name)| needs_power_of_two(name));
        let tree = if needs_power {
            json!({ "comm_size=pow2": sizes(least, all), "comm_size=any": sizes(least, others) })
        } else {
            sizes(least, all)
        };
        let below = ranks.get(number + 1).map(|next| format!("comm_size<={}", next - 1));
        match rules.last_mut() {
            Some((before, same)) if *same == tree => *before = below,
            _ => rules.push((below, tree)),
        }
    }
    if rules.is_empty() { None } else { Some(chain(rules)) }
}

/// What the rules of a collective consist of.
struct Writer<'a> {
    collective: &'a str,
    /// The size by which it is selected.
    size: &'a str,
}

impl Writer<'_> {
    /// An algorithm, and its parameters behind it.
    fn algorithm(&self, kind: &str, algorithm: &str) -> Json {
        self.named(&format!("{kind}_{algorithm}"))
    }

    fn named(&self, algorithm: &str) -> Json {
        let mut words = algorithm.split(' ');
        let mut collective = self.collective.to_owned();
        if let Some(first) = collective.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let name = format!("algorithm=MPIR_{collective}_{}", words.next().unwrap_or_default());
        let parameters: Map<String, Json> = words.map(|word| (word.to_owned(), json!({}))).collect();
        json!({ name: parameters })
    }

    /// Rules by size, `together` blocks of which count.
    fn sizes(&self, together: u64, ranges: &[(u64, &Timed, &'static str)]) -> Json {
        let starts = ranges.iter().skip(1).map(|(from, ..)| from.saturating_mul(together));
        let mut rules = Vec::new();
        for ((_, _, name), next) in ranges.iter().zip(starts.map(Some).chain([None])) {
            // MPICH reads these numbers as C's int.
            let last = next.and_then(|next| i32::try_from(next.saturating_sub(1)).ok());
            rules.push((last.map(|last| format!("{}<={last}", self.size)), self.guarded(name)));
            if last.is_none() {
                break;
            }
        }
        self.sound(chain(rules))
    }

    /// An algorithm, with another one for the calls that it is not made for.
    fn guarded(&self, name: &str) -> Json {
        let instead = match name {
            "reduce_scatter_allgather" => RECURSIVE_DOUBLING,
            "reduce_scatter_gather" => "binomial",
            _ => return self.algorithm("intra", name),
        };
        let conditions = ["is_op_built_in=no", "count<pow2"].map(|condition| Some(condition.to_owned()));
        let mut rules: Vec<_> =
            conditions.into_iter().map(|condition| (condition, self.algorithm("intra", instead))).collect();
        rules.push((None, self.algorithm("intra", name)));
        chain(rules)
    }

    /// Rules, with one before them for the calls that none of them is made for.
    fn sound(&self, rules: Json) -> Json {
        let (condition, algorithm) = match self.collective {
            "alltoall" => ("is_sendbuf_inplace=yes", "pairwise_sendrecv_replace"),
            "reduce_scatter" | "reduce_scatter_block" | "allreduce" => ("is_commutative=no", RECURSIVE_DOUBLING),
            _ => return rules,
        };
        chain(vec![(Some(condition.to_owned()), self.algorithm("intra", algorithm)), (None, rules)])
    }
}

/// The conditions one after the other; the last one always holds.
fn chain(mut rules: Vec<(Option<String>, Json)>) -> Json {
    let Some((_, last)) = rules.pop() else { return json!({}) };
    if rules.is_empty() {
        return last;
    }
    let mut object: Map<String, Json> =
        rules.into_iter().map(|(condition, rule)| (condition.unwrap_or_default(), rule)).collect();
    object.insert("comm_size=any".to_owned(), last);
    Json::Object(object)
}
