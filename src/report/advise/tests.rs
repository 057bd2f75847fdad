//! The files for MPICH and UCC, read as their sources read them.

use serde_json::Value as Json;

use super::*;
use crate::communication::Algorithm;
use crate::workload::advise::AdvisedMethod;

pub(super) fn choice(operation: Operation, ranks: u32, bytes: u64, taken: &[(Algorithm, f64)]) -> Choice {
    let timed = |&(algorithm, seconds): &(Algorithm, f64)| Timed {
        candidate: Candidate { method: AdvisedMethod::Plain(algorithm), segment: None },
        seconds,
        measured: false,
    };
    let timed = taken.iter().map(timed).collect();
    Choice {
        operation,
        ranks,
        ranks_per_node: None,
        has_shared_nodes: false,
        bytes,
        benchmark: false,
        timed,
        error: None,
        own: Vec::new(),
        scale: None,
    }
}

/// Every operation among 4, 6 and 40 ranks, at two sizes: every algorithm is the fastest of all somewhere, in turn.
fn everything() -> Vec<Choice> {
    let mut choices = Vec::new();
    for &operation in Operation::ALL {
        for ranks in [4, 6, 40] {
            let algorithms: Vec<Algorithm> = operation.algorithms().collect();
            for bytes in if operation == Operation::Barrier { [0].as_slice() } else { &[8, 1000] } {
                let turn = algorithms.len() * (ranks as usize + *bytes as usize) / 50;
                let time = |place: usize| (place + turn) % algorithms.len();
                let times: Vec<_> =
                    algorithms.iter().enumerate().map(|(place, one)| (*one, 1.0 + time(place) as f64)).collect();
                choices.push(choice(operation, ranks, *bytes, &times));
            }
        }
    }
    choices
}

/// A call, as MPICH's conditions see it.
#[derive(Clone, Copy)]
struct Call<'a> {
    collective: &'a str,
    ranks: u64,
    /// The bytes of a vector, or of a block.
    bytes: u64,
    is_plain: bool,
}

/// The collectives that have a size of either kind (`get_avg_msgsize` and `get_total_msgsize` in `csel.c`).
const AVERAGE: [&str; 4] = ["allreduce", "bcast", "reduce", "alltoall"];
const TOTAL: [&str; 6] = ["allgather", "allgatherv", "gather", "scatter", "reduce_scatter", "reduce_scatter_block"];

impl Call<'_> {
    /// Whether a condition holds; those of sizes only where the collective has one.
    fn meets(&self, condition: &str) -> bool {
        let blocking = self.collective.strip_prefix('i').filter(|rest| *rest != "nter").unwrap_or(self.collective);
        if let Some((what, most)) = condition.split_once("<=") {
            let most = i32::try_from(most.parse::<u64>().unwrap()).unwrap() as u64;
            return match what {
                "comm_size" => self.ranks <= most,
                "avg_msg_size" if AVERAGE.contains(&blocking) => self.bytes <= most,
                "total_msg_size" if TOTAL.contains(&blocking) || AVERAGE.contains(&blocking) => {
                    self.bytes * self.ranks <= most
                }
                _ => panic!("{condition} for {}", self.collective),
            };
        }
        match condition {
            "comm_type=intra" | "comm_size=any" => true,
            "comm_type=inter" => false,
            "comm_size=pow2" => self.ranks.is_power_of_two(),
            "count<pow2" => self.bytes / 4 < 1 << self.ranks.ilog2(),
            "is_sendbuf_inplace=yes" | "is_commutative=no" | "is_op_built_in=no" => !self.is_plain,
            _ => panic!("csel.c knows no {condition}"),
        }
    }

    /// The algorithm: the first condition that holds is entered for good.
    fn selected(&self, rules: &Json) -> String {
        let rules = rules.as_object().unwrap();
        let (key, inside) = rules.iter().find(|(key, _)| key.starts_with("algorithm=") || self.meets(key)).unwrap();
        match key.strip_prefix("algorithm=") {
            None => self.selected(inside),
            Some(name) => {
                assert_eq!(rules.len(), 1, "an algorithm stands alone");
                let parameters = inside.as_object().unwrap().keys();
                parameters.fold(name.to_owned(), |name, parameter| format!("{name} {parameter}"))
            }
        }
    }
}

fn mpich_file(choices: &[Choice]) -> Json {
    serde_json::from_str(&selection_json(choices).unwrap()).unwrap()
}

/// Every collective of MPICH has an algorithm for every call, by a name that MPICH knows, and none that the call does
/// not allow (`src/mpi/coll/coll_algorithms.txt`).
#[test]
fn mpich_finds_an_algorithm_for_every_call() {
    let known: Vec<&str> =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/advise/mpich.txt")).lines().skip(1).collect();
    let file = mpich_file(&everything());
    // All that MPI_COLL_TYPE lists in mpir_csel.h.
    assert_eq!(file.as_object().unwrap().len(), 44);
    for (name, rules) in file.as_object().unwrap() {
        let collective = name.strip_prefix("collective=").unwrap();
        for ranks in (1..70).chain([1000]) {
            for bytes in [0, 4, 7, 8, 12, 999, 1000, 5000, 70_000, 1 << 20, 1 << 33] {
                for is_plain in [true, false] {
                    let call = Call { collective, ranks, bytes, is_plain };
                    let selected = call.selected(rules);
                    let algorithm = selected.split(' ').next().unwrap();
                    assert!(known.contains(&algorithm), "{selected}");
                    assert!(algorithm.to_lowercase().starts_with(&format!("mpir_{collective}_")), "{selected}");
                    let of = |end: &str| algorithm.ends_with(end);
                    if of("Allgather_intra_recursive_doubling") {
                        assert!(ranks.is_power_of_two());
                    }
                    if of("reduce_scatter_allgather") || of("reduce_scatter_gather") {
                        assert!(is_plain && bytes / 4 >= 1 << ranks.ilog2());
                    }
                    if collective == "alltoall" {
                        assert_eq!(of("pairwise_sendrecv_replace"), !is_plain);
                    }
                    let commutes = ["recursive_halving", "Reduce_scatter_intra_pairwise", "block_intra_pairwise"];
                    if commutes.iter().any(|end| of(end)) || of("Allreduce_intra_ring") {
                        assert!(is_plain);
                    }
                }
            }
        }
    }
}

/// What is the fastest there of what MPICH has: below, at and above the sizes and numbers of ranks that were asked.
#[test]
fn mpich_runs_the_fastest_that_it_has() {
    use Algorithm::{Bruck, NeighbourExchange, RecursiveDoubling, Ring};
    let file = mpich_file(&[
        choice(Operation::AllGather, 4, 100, &[(NeighbourExchange, 1.0), (Bruck, 3.0), (RecursiveDoubling, 2.0)]),
        choice(Operation::AllGather, 4, 5000, &[(Ring, 1.0), (Bruck, 2.0), (RecursiveDoubling, 3.0)]),
        choice(Operation::AllGather, 10, 100, &[(Ring, 2.0), (Bruck, 1.0), (NeighbourExchange, 0.5)]),
    ]);
    let selected = |ranks, bytes| {
        let call = Call { collective: "allgather", ranks, bytes, is_plain: true };
        call.selected(&file["collective=allgather"]).replace("MPIR_Allgather_intra_", "")
    };
    for (ranks, bytes, expected) in [
        (4, 100, "recursive_doubling"),
        (2, 9000, "recursive_doubling"),
        // 4 · 5000 bytes and more; 6 and 7 ranks are no powers of two.
        (4, 5000, "ring"),
        (8, 2499, "recursive_doubling"),
        (8, 2500, "ring"),
        (7, 100, "brucks"),
        (6, 9999, "ring"),
        (10, 1, "brucks"),
        (1000, 1 << 30, "brucks"),
    ] {
        assert_eq!(selected(ranks, bytes), expected, "{ranks} {bytes}");
    }
    // No rule comes from nothing, and what nobody asked about is as before.
    assert_eq!(selection_json(&[choice(Operation::Gather, 4, 8, &[(Ring, 1.0)])]), None);
    let call = Call { collective: "barrier", ranks: 9, bytes: 0, is_plain: true };
    assert_eq!(call.selected(&file["collective=barrier"]), "MPIR_Barrier_intra_k_dissemination k=2");
}

/// Names of the algorithms of each collective in UCC 1.8.0 (`src/components/tl/ucp/*/*.c`).
const UCC: &[(&str, &[&str])] = &[
    ("allgather", &["knomial", "ring", "neighbor", "bruck", "sparbit", "linear", "batched"]),
    ("allreduce", &["knomial", "sra_knomial", "dbt", "sliding_window", "ring"]),
    ("alltoall", &["pairwise", "bruck", "onesided"]),
    ("bcast", &["knomial", "sag_knomial", "dbt"]),
    ("reduce", &["knomial", "dbt", "srg"]),
    ("reduce_scatter", &["ring", "knomial"]),
];

/// An entry: a collective, numbers of ranks and of bytes from one to another, and an algorithm.
type Entry<'a> = (&'a str, [u64; 2], [u64; 2], &'a str);

/// The entries of a text of settings, as `ucc_coll_score.c` splits them.
fn entries(text: &str) -> Vec<Entry<'_>> {
    let line = text.lines().find_map(|line| line.strip_prefix("export UCC_TL_UCP_TUNE=")).unwrap();
    let tune = line.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap();
    let number = |text: &str| if text == "inf" { u64::MAX } else { text.parse().unwrap() };
    let range = |text: &str| {
        let (low, high) = text.split_once('-').unwrap();
        [number(low), number(high)]
    };
    let entry = |text| -> Entry<'_> {
        let [collective, "host", ranks, bytes, algorithm] = str::split(text, ':').collect::<Vec<_>>()[..] else {
            panic!("{text}")
        };
        let ranks = range(ranks.strip_prefix('[').unwrap().strip_suffix(']').unwrap());
        let algorithm = algorithm.strip_prefix('@').unwrap();
        let (_, known) = UCC.iter().find(|(name, _)| *name == collective).unwrap();
        assert!(known.contains(&algorithm), "{text}");
        (collective, ranks, range(bytes), algorithm)
    };
    tune.split('#').map(entry).collect()
}

/// The algorithm of a call: of two ranges that meet, the upper one has the size between them
/// (`ucc_coll_score_build_map`).
fn taken<'a>(entries: &[Entry<'a>], collective: &str, ranks: u64, bytes: u64) -> &'a str {
    let fits = |(name, among, sizes, _): &&Entry<'_>| {
        *name == collective && (among[0]..=among[1]).contains(&ranks) && (sizes[0]..sizes[1]).contains(&bytes)
    };
    let fitting: Vec<_> = entries.iter().filter(fits).collect();
    assert_eq!(fitting.len(), 1, "{collective} {ranks} {bytes}");
    fitting[0].3
}

#[test]
fn ucc_has_one_algorithm_for_every_call() {
    let text = settings(&everything(), "lab").unwrap();
    let entries = entries(&text);
    for (collective, _) in UCC {
        for ranks in (1..70).chain([1 << 20]) {
            for bytes in [0, 7, 8, 999, 1000, 4000, 40_000, 1 << 40] {
                taken(&entries, collective, ranks, bytes);
            }
        }
    }
    // A radix has one value.
    let variables: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("export ")?.split('=').next()).collect();
    assert!(variables.is_sorted_by(|a, b| a == &"UCC_TL_UCP_TUNE" || a < b), "{variables:?}");
}

#[test]
fn ucc_runs_the_fastest_that_it_has() {
    use Algorithm::{BineRemap, Linear, Pairwise, Rabenseifner, RecursiveDoubling, Ring};
    let text = settings(
        &[
            choice(Operation::AllReduce, 4, 8, &[(BineRemap, 1.0), (RecursiveDoubling, 2.0), (Rabenseifner, 3.0)]),
            choice(Operation::AllReduce, 4, 4096, &[(RecursiveDoubling, 3.0), (Rabenseifner, 2.0), (Ring, 4.0)]),
            choice(Operation::AllReduce, 4, 8192, &[(RecursiveDoubling, 3.0), (Rabenseifner, 2.0), (Ring, 4.0)]),
            choice(Operation::AllReduce, 16, 8, &[(Ring, 1.0), (Rabenseifner, 2.0)]),
            // One partner after the other is what UCC does among more than 32 ranks, above 66 kB, only.
            choice(Operation::AllToAll, 40, 100, &[(Pairwise, 1.0), (Linear, 2.0)]),
            choice(Operation::AllToAll, 40, 10_000, &[(Pairwise, 2.0), (Linear, 1.0)]),
        ],
        "lab",
    );
    let text = text.unwrap();
    let expected = "allreduce:host:[1-15]:0-4096:@knomial#allreduce:host:[1-15]:4096-inf:@sra_knomial#\
                    allreduce:host:[16-inf]:0-inf:@ring#alltoall:host:[1-inf]:0-inf:@pairwise";
    assert!(text.contains(&format!("TUNE='{expected}'\n")), "{text}");
    let radices = ["ALLREDUCE_KN_RADIX=2", "ALLREDUCE_SRA_KN_RADIX=2"];
    assert!(radices.iter().all(|radix| text.contains(&format!("export UCC_TL_UCP_{radix}\n"))), "{text}");
    assert_eq!(taken(&entries(&text), "allreduce", 8, 4096), "sra_knomial");
    let scan = [choice(Operation::Scan, 4, 8, &[(RecursiveDoubling, 1.0)])];
    assert_eq!((settings(&scan, "lab"), rules_json(&scan)), (None, None));
}

/// Open MPI's binomial broadcast is one rule with two names. In benchmarks only the one that can be cut goes to the nearest
/// rank first, as Open MPI does; a measurement under either name is the rule's.
#[test]
fn a_rule_takes_the_time_of_what_the_library_runs() {
    use Algorithm::{Binary, Binomial, KNomial, SegmentedBinomial};
    let timed = |taken: &[(Algorithm, f64)], benchmark: bool| Choice {
        benchmark,
        ..choice(Operation::Broadcast, 8, 1024, taken)
    };
    let rule = |choice: &Choice| choice.for_open_mpi().map(|(timed, rule)| (timed.seconds, rule.algorithm));
    for (benchmark, expected) in [(false, (1.0, 6)), (true, (2.0, 5))] {
        let both = [(Binomial, 1.0), (SegmentedBinomial, 3.0), (Binary, 2.0)];
        assert_eq!(rule(&timed(&both, benchmark)), Some(expected));
    }
    for (name, expected) in [(Binomial, (0.5, 6)), (SegmentedBinomial, (2.0, 5))] {
        let mut choice = timed(&[(Binomial, 0.5), (SegmentedBinomial, 5.0), (Binary, 2.0), (KNomial, 3.0)], true);
        for timed in &mut choice.timed {
            timed.measured = timed.candidate.method == AdvisedMethod::Plain(name);
        }
        assert_eq!(rule(&choice), Some(expected), "{name}");
    }
}

/// A variable holds for all sizes: of two radices that one is written by which the times rise least, and where another
/// algorithm is better than that it is taken.
#[test]
fn a_radix_of_ucc_has_one_value_for_all_sizes() {
    use Algorithm::{Binomial, KNomial, Rabenseifner};
    // By hand: the ratios at 8, 64 and 512 bytes with radix 2 come to 3.4, 3.1 and 3.4, with radix 4 to 3.2, 3.2 and 4.
    for (radix_4_at_8, radix_2_at_64, radix, border) in [(1.2, 2.0, 4, 512), (1.2, 1.1, 2, 512), (2.0, 2.0, 2, 64)] {
        let of = |bytes, times: [f64; 3]| {
            let taken = [(Binomial, times[0]), (KNomial, times[1]), (Rabenseifner, times[2])];
            choice(Operation::Reduce, 16, bytes, &taken)
        };
        let calls = [of(8, [1.0, radix_4_at_8, 3.0]), of(64, [radix_2_at_64, 1.0, 1.4]), of(512, [9.0, 3.0, 2.0])];
        let text = settings(&calls, "lab").unwrap();
        let tune = format!("reduce:host:[1-inf]:0-{border}:@knomial#reduce:host:[1-inf]:{border}-inf:@srg");
        assert!(text.contains(&format!("TUNE='{tune}'\n")), "{text}");
        assert!(text.contains(&format!("REDUCE_KN_RADIX={radix}\n")), "{text}");
        assert_eq!(text.matches("REDUCE_KN_RADIX").count(), 1, "{text}");
    }
}

#[test]
fn what_a_library_does_not_have_is_said() {
    use Algorithm::{BineRemap, RecursiveDoubling, Ring};
    let choices = [
        choice(Operation::AllReduce, 4, 8, &[(RecursiveDoubling, 1.0), (BineRemap, 2.0)]),
        choice(Operation::AllReduce, 4, 9, &[(BineRemap, 1.0), (Ring, 2.0)]),
        choice(Operation::Scan, 4, 9, &[(RecursiveDoubling, 1.0)]),
    ];
    assert_eq!(
        without_counterpart(&choices),
        [
            "Open MPI's tuned has no counterpart of all_reduce by bine_remap; its file takes the next best",
            "MPICH has no counterpart of all_reduce by bine_remap; its file takes the next best",
            "UCC has no counterpart of all_reduce by bine_remap, scan by recursive_doubling; its file takes the next best"
        ]
    );
}

/// Open MPI's radix is that of the candidates; others are other algorithms.
#[test]
fn measured_algorithms_are_candidates_with_the_usual_parameters() {
    use crate::fit::read::collectives::{GivenColumns, read};
    let rows = "operation,algorithm,nodes,bytes,time_s\nbcast,knomial_ompi,8,8,1\nallgather,k_bruck_over,8,64,1\n\
        alltoall,linear_sync_ompi,8,64,1\nbcast,default_ompi,8,8,1\n";
    let points = read(rows, &GivenColumns::default()).unwrap().points;
    let found: Vec<Option<AdvisedMethod>> =
        points.iter().map(|point| candidate(point).map(|(_, candidate)| candidate.method)).collect();
    let plain = |algorithm| Some(AdvisedMethod::Plain(algorithm));
    assert_eq!(found, [plain(Algorithm::KNomial), None, plain(Algorithm::LinearSynchronised), None]);
}
