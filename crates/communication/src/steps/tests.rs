//! Plans followed on symbols: what every rank holds in the end is what its operation promises.
//!
//! A slot holds contributions, each named by the rank that made it and counted. Messages take what is in the slots when
//! they are sent; ranks go on in any order, here each as far as it comes, so a plan that could wait forever does.

use super::{After, Blocks, Slots, Step, StepPlan};
use crate::{Algorithm, Collective, Cost, Operation, PlanError};
use hetsim_base::units::Time;

/// How often each rank's contribution is in a slot.
type Content = Vec<u32>;

/// A message under way: its sender, what is in it, and what the sender had in its slots.
type Sent = (u32, Blocks, Vec<Content>);

/// The step of a rank with a number.
type Steps<'a> = &'a dyn Fn(u32, u32) -> Option<Step>;

/// Goes through a plan; `held` is what each rank has in each slot at first. Combining must not count anything twice,
/// but where `knowledge` only is passed on.
fn follow(step_of: Steps<'_>, mut held: Vec<Vec<Content>>, knowledge: bool) -> Result<Vec<Vec<Content>>, String> {
    let (ranks, slots) = (held.len() as u32, held[0].len() as u32);
    let mut here = vec![0u32; held.len()];
    let of_rank = |rank| (0..).map_while(|number| step_of(rank, number)).map(|_| None).collect();
    let mut inbox: Vec<Vec<Option<Sent>>> = (0..ranks).map(of_rank).collect();
    loop {
        let mut moved = false;
        for rank in 0..ranks {
            while let Some(step) = step_of(rank, here[rank as usize]) {
                let own = &mut held[rank as usize];
                match step {
                    Step::Send { to, blocks, receive, .. } => {
                        let awaited = inbox[to as usize].get_mut(receive as usize);
                        let Some(awaited) = awaited.filter(|there| to != rank && there.is_none()) else {
                            return Err(format!("{rank} sends to {to} what nobody awaits"));
                        };
                        *awaited = Some((rank, blocks, own.clone()));
                    }
                    Step::Local { .. } => {}
                    Step::Receive { from, blocks, combine, .. } => {
                        let Some((sender, sent, content)) = inbox[rank as usize][here[rank as usize] as usize].take()
                        else {
                            break;
                        };
                        if sender != from || sent != blocks {
                            return Err(format!("{rank} awaits {blocks:?} of {from}, not {sent:?} of {sender}"));
                        }
                        for slot in (0..slots).filter(|&slot| blocks.contains(slot, slots)) {
                            let (mine, theirs) = (&mut own[slot as usize], &content[slot as usize]);
                            if combine.is_some() || knowledge {
                                for (count, more) in mine.iter_mut().zip(theirs) {
                                    *count = if knowledge { (*count).max(*more) } else { *count + more };
                                }
                            } else {
                                mine.clone_from(theirs);
                            }
                        }
                    }
                }
                here[rank as usize] += 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    match (0..ranks).find(|&rank| (here[rank as usize] as usize) < inbox[rank as usize].len()) {
        Some(rank) => Err(format!("{rank} waits forever at step {}", here[rank as usize])),
        None if inbox.iter().flatten().any(Option::is_some) => Err("a message is never received".to_owned()),
        None => Ok(held),
    }
}

/// A plan as steps.
fn planned(algorithm: Algorithm, collective: &Collective<'_>) -> Result<StepPlan, PlanError> {
    algorithm.plan(collective).map(crate::Plan::into_steps)
}

fn of(collective: &Collective<'_>, rank: u32) -> Content {
    (0..collective.ranks).map(|other| u32::from(other == rank)).collect()
}

/// Checks what everyone holds in the end.
fn check(collective: &Collective<'_>, plan: &StepPlan) -> Result<(), String> {
    let of_plan = |rank, number| plan.step(rank, number);
    assert!((0..plan.ranks()).all(|rank| plan.of(rank).count() == plan.steps_of(rank) as usize));
    check_steps(collective, plan.slots(), &of_plan, false)
}

/// `by_destination`: a slot of an all-to-all holds what is on its way to the rank of its number.
fn check_steps(
    collective: &Collective<'_>,
    slot: &Slots,
    step_of: Steps<'_>,
    by_destination: bool,
) -> Result<(), String> {
    use Operation::{AllGather, AllReduce, AllToAll, Barrier, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};
    let Collective { operation, ranks, .. } = *collective;
    let slots = slot.count();
    let slot_bytes = |number| slot.bytes(Blocks::Range { first: number, count: 1 });
    let nothing = vec![0; ranks as usize];
    let at_first = |rank: u32, slot: u32| {
        let has = match operation {
            Broadcast | Scatter => rank == 0,
            Gather | AllGather => slot == rank,
            Reduce | AllReduce | ReduceScatter | Scan | AllToAll | Barrier => true,
        };
        if has { of(collective, rank) } else { nothing.clone() }
    };
    let held = (0..ranks).map(|rank| (0..slots).map(|slot| at_first(rank, slot)).collect()).collect();
    let held = follow(step_of, held, operation == Barrier || by_destination)?;
    let one_slot_a_rank = matches!(operation, Scatter | Gather | AllGather | AllToAll | ReduceScatter);
    if ranks > 1 && one_slot_a_rank && slots != ranks {
        return Err(format!("{slots} slots"));
    }
    for rank in 0..ranks {
        for slot in 0..if ranks > 1 { slots } else { 0 } {
            let promised = match operation {
                Broadcast => of(collective, 0),
                Scatter if slot == rank => of(collective, 0),
                Gather if rank == 0 => of(collective, slot),
                AllGather => of(collective, slot),
                Reduce if rank == 0 => vec![1; ranks as usize],
                AllReduce | Barrier => vec![1; ranks as usize],
                ReduceScatter if slot == rank => vec![1; ranks as usize],
                Scan => (0..ranks).map(|other| u32::from(other <= rank)).collect(),
                // What all have for the rank.
                AllToAll if by_destination && slot == rank => vec![1; ranks as usize],
                AllToAll if by_destination => continue,
                // What has gone `slot` ranks far.
                AllToAll => of(collective, (rank + ranks - slot) % ranks),
                _ => continue,
            };
            // An empty part of a vector holds nothing, so it need not come.
            let empty = slot_bytes(slot) == 0;
            if !empty && held[rank as usize][slot as usize] != promised {
                return Err(format!("{rank} has {:?} in slot {slot}", held[rank as usize][slot as usize]));
            }
        }
    }
    Ok(())
}

/// A rank never waits for itself: with blocking calls (a message leaves when its receiver waits for it or has posted its
/// receive), every rank comes to its end.
fn check_blocking(plan: &StepPlan) -> Result<(), String> {
    let ranks = plan.ranks();
    // The steps of the group where each rank is, and which of them are done.
    let group = |rank: u32, from: u32| {
        (from..plan.steps_of(rank)).find(|&step| plan.after(rank, step) != After::GoesOn).unwrap_or(from) + 1
    };
    let mut here: Vec<(u32, u32)> = (0..ranks).map(|rank| (0, group(rank, 0))).collect();
    let mut done: Vec<Vec<bool>> = (0..ranks).map(|rank| vec![false; plan.steps_of(rank) as usize]).collect();
    let mut moves = true;
    while moves {
        moves = false;
        for rank in 0..ranks {
            let (from, to) = here[rank as usize];
            for number in from..to.min(plan.steps_of(rank)) {
                match plan.step(rank, number) {
                    Some(Step::Send { to: other, receive, .. }) if !done[rank as usize][number as usize] => {
                        let (first, last) = here[other as usize];
                        let ahead = last > first && plan.after(other, last - 1) == After::PostsAndWaits;
                        if (first..last + u32::from(ahead)).contains(&receive) {
                            done[rank as usize][number as usize] = true;
                            done[other as usize][receive as usize] = true;
                        }
                    }
                    Some(Step::Local { .. }) => done[rank as usize][number as usize] = true,
                    _ => {}
                }
            }
            if from < to && (from..to).all(|number| done[rank as usize].get(number as usize).is_none_or(|&done| done)) {
                let next = if to < plan.steps_of(rank) { group(rank, to) } else { to };
                here[rank as usize] = (to, next);
                moves = true;
            }
        }
    }
    match (0..ranks).find(|&rank| here[rank as usize].0 < plan.steps_of(rank)) {
        Some(rank) => Err(format!("{rank} blocks at step {}", here[rank as usize].0)),
        None => Ok(()),
    }
}

#[test]
fn every_algorithm_does_what_its_operation_promises() {
    for &operation in Operation::ALL {
        assert!(operation.algorithms().next().is_some(), "{operation}");
        for algorithm in operation.algorithms() {
            for ranks in (1..=40).chain([48, 64]) {
                for (size, segment, radix) in [(100, 0, 2), (5, 0, 3), (100, 9, 4), (5, 2, 5)] {
                    let (fanout, window) = (radix, radix);
                    let collective = Collective::new(operation, ranks, size);
                    let root = if operation.has_root() { radix % ranks } else { 0 };
                    let collective = Collective { root, segment, radix, fanout, window, ..collective };
                    match planned(algorithm, &collective) {
                        Ok(plan) => {
                            let of_plan = |rank, number| plan.step(rank, number);
                            assert!((0..ranks).all(|rank| plan.of(rank).count() == plan.steps_of(rank) as usize));
                            let by_destination =
                                algorithm == Algorithm::BinePermute && operation == Operation::AllToAll;
                            check_steps(&collective, plan.slots(), &of_plan, by_destination)
                                .and_then(|()| check_blocking(&plan))
                                .unwrap_or_else(|error| {
                                    panic!("{operation} {algorithm}, {ranks} ranks, {size} B by {segment}: {error}")
                                });
                        }
                        Err(PlanError::Odd { .. }) => assert!(ranks % 2 == 1),
                        Err(error) => {
                            assert!(!ranks.is_power_of_two() && matches!(error, PlanError::NoPower { .. }), "{error}");
                        }
                    }
                }
            }
        }
    }
}

/// The check itself sees a lost contribution, one counted twice and a circle of waiting.
#[test]
fn what_is_wrong_is_seen() {
    use super::{Fold, Pattern};
    let collective = Collective::new(Operation::AllReduce, 2, 1);
    let slots = Slots::each(1, 1);
    let wrong = |stages| check(&collective, &StepPlan::new(2, slots.clone(), Fold::none(2), true, stages)).unwrap_err();
    let up = Pattern::Up { combine: true };
    assert!(wrong(vec![up.clone()]).starts_with("1 has [0, 1]"));
    assert!(wrong(vec![up.clone(), up]).starts_with("0 has [1, 2]"));
    let waiting = |rank: u32, number: u32| match number {
        0 => Some(Step::Receive { from: 1 - rank, blocks: Blocks::WHOLE, bytes: 1, combine: Some(1) }),
        1 => Some(Step::Send { to: 1 - rank, blocks: Blocks::WHOLE, bytes: 1, receive: 0 }),
        _ => None,
    };
    assert!(check_steps(&collective, &slots, &waiting, false).unwrap_err().contains("waits forever"));
    let unheard = |rank: u32, number: u32| {
        (rank == 0 && number == 0).then_some(Step::Send { to: 1, blocks: Blocks::WHOLE, bytes: 1, receive: 0 })
    };
    assert!(check_steps(&collective, &slots, &unheard, false).unwrap_err().contains("what nobody awaits"));
}

#[test]
fn what_cannot_be_planned_is_said() {
    let of = |operation, ranks| Collective::new(operation, ranks, 1);
    let error = |algorithm: Algorithm, collective| algorithm.plan(&collective).unwrap_err().to_string();
    assert_eq!(
        error(Algorithm::Ring, of(Operation::Gather, 4)),
        "ring is not an algorithm for gather; expected one of linear, binomial, k_nomial, linear_nonblocking, \
         linear_synchronised, bine_tree"
    );
    assert!(error(Algorithm::NeighbourExchange, of(Operation::AllGather, 5)).contains("even number of ranks"));
    // A plan takes no memory, however many messages it has: here ten billion, then a million ranks on a tree.
    assert!(Algorithm::Ring.plan(&of(Operation::AllGather, 100_000)).is_ok());
    assert!(Algorithm::Binomial.plan(&of(Operation::Broadcast, 1 << 20)).is_ok());
    assert!(error(Algorithm::Ring, of(Operation::AllGather, u32::MAX)).contains("more steps a rank"));
    // 40 000 ranks that send to all others at once: 1.6 billion messages under way.
    assert!(error(Algorithm::Linear, of(Operation::AllToAll, 40_000)).contains("above the bound of 2 GiB"));
}

/// The bytes of all messages together.
pub(super) fn moved_bytes(plan: &StepPlan) -> u64 {
    let sent = plan.steps().filter_map(|step| if let Step::Send { bytes, .. } = step { Some(bytes) } else { None });
    sent.sum()
}

/// The bytes that are combined with what their receiver has.
fn combined_bytes(plan: &StepPlan) -> u64 {
    let combined =
        plan.steps().filter_map(|step| if let Step::Receive { combine, .. } = step { combine } else { None });
    combined.sum()
}

/// Bytes that leave all ranks, against what the operation cannot do without.
#[test]
fn nothing_is_sent_in_vain() {
    let moved = |algorithm: Algorithm, operation, ranks| {
        let plan = planned(algorithm, &Collective::new(operation, ranks, 96)).unwrap();
        (plan.messages(), moved_bytes(&plan), combined_bytes(&plan))
    };
    // Everyone lacks P − 1 blocks.
    for algorithm in [Algorithm::Ring, Algorithm::RecursiveDoubling, Algorithm::Bruck, Algorithm::NeighbourExchange] {
        assert_eq!(moved(algorithm, Operation::AllGather, 8).1, 8 * 7 * 96, "{algorithm}");
    }
    assert_eq!(moved(Algorithm::Bruck, Operation::AllGather, 12).1, 12 * 11 * 96);
    // A vector goes 2(P − 1)/P times out of each rank, and (P − 1)/P of it is combined in each.
    for algorithm in [Algorithm::Ring, Algorithm::Rabenseifner] {
        assert_eq!(
            moved(algorithm, Operation::AllReduce, 8),
            (8 * if algorithm == Algorithm::Ring { 14 } else { 6 }, 8 * 168, 8 * 84)
        );
    }
    // Bruck's all-to-all sends each block as often as its distance has digits set.
    assert_eq!(moved(Algorithm::Bruck, Operation::AllToAll, 8), (24, 8 * 12 * 96, 0));
    assert_eq!(moved(Algorithm::Pairwise, Operation::AllToAll, 8), (56, 56 * 96, 0));
    assert_eq!(moved(Algorithm::Dissemination, Operation::Barrier, 10).0, 40);
}

/// A plan has a pair only if all ranks do the same in each step, and their messages meet the same steps. Those of the
/// usual algorithms have one.
#[test]
fn a_pair_stands_for_ranks_that_do_the_same() {
    // What is done, not with whom nor with whose slots.
    let bare = |step: Step| match step.with(0) {
        Step::Send { to, bytes, receive, .. } => Step::Send { to, blocks: Blocks::NONE, bytes, receive },
        Step::Receive { from, bytes, combine, .. } => Step::Receive { from, blocks: Blocks::NONE, bytes, combine },
        local @ Step::Local { .. } => local,
    };
    let of = |plan: &StepPlan, rank: u32| -> Vec<(Step, After)> {
        plan.of(rank).zip(0..).map(|(step, number)| (bare(step), plan.after(rank, number))).collect()
    };
    let mut paired = Vec::new();
    for &operation in Operation::ALL {
        let mut algorithms = Vec::new();
        for algorithm in operation.algorithms() {
            for (ranks, size) in (2..18).flat_map(|ranks| [0, 7, 64, 720_720].map(|size| (ranks, size))) {
                let Ok(plan) = algorithm.plan(&Collective::new(operation, ranks, size)) else { continue };
                let plan = plan.into_steps();
                let Some(pair) = plan.pair() else { continue };
                for rank in 0..ranks {
                    assert_eq!(of(&plan, rank), of(&pair, 0), "{operation} {algorithm} {ranks} {size}");
                }
                assert_eq!(of(&pair, 1), of(&pair, 0));
                assert_eq!(pair.messages() * u64::from(ranks), plan.messages() * 2);
                if (ranks, size) == (8, 64) {
                    algorithms.push(algorithm.to_string());
                }
            }
        }
        if !algorithms.is_empty() {
            paired.push(format!("{operation}: {}", algorithms.join(", ")));
        }
    }
    let expected = [
        "all_reduce: ring, recursive_doubling, rabenseifner, bine_doubling, bine_remap",
        "all_gather: ring, recursive_doubling, neighbour_exchange, bine_permute",
        "reduce_scatter: ring, recursive_doubling, pairwise, recursive_halving, bine_permute",
        "all_to_all: bruck, pairwise, bine_permute",
        "barrier: recursive_doubling, dissemination",
    ];
    assert_eq!(paired, expected);
}

/// The textbook forms in α, β and γ (Thakur, Rabenseifner, Gropp 2005; Chan et al. 2007), P = 16, m = 1600.
#[test]
fn closed_forms_are_those_of_the_textbooks() {
    use Operation::{AllGather, AllReduce, AllToAll, Barrier, Broadcast, Gather, Reduce, Scatter};
    let (message, combine) = (|bytes: u64| Cost::hockney(Time(1000 + 3 * bytes)), |bytes: u64| Time(2 * bytes));
    let time = |algorithm: Algorithm, operation| {
        let call = Collective { cost: &message, combine: &combine, ..Collective::new(operation, 16, 1600) };
        algorithm.closed_form(&call).map(|time| time.0)
    };
    let (alpha, beta, gamma) = (1000, 3 * 1600, 2 * 1600);
    for (algorithm, operation, expected) in [
        (Algorithm::Binomial, Broadcast, 4 * (alpha + beta)),
        (Algorithm::ScatterRing, Broadcast, 19 * alpha + 2 * 15 * beta / 16),
        (Algorithm::ScatterRecursiveDoubling, Broadcast, 8 * alpha + 2 * 15 * beta / 16),
        (Algorithm::Binomial, Scatter, 4 * alpha + 15 * beta),
        (Algorithm::Binomial, Gather, 4 * alpha + 15 * beta),
        (Algorithm::Linear, Gather, 15 * (alpha + beta)),
        (Algorithm::Binomial, Reduce, 4 * (alpha + beta + gamma)),
        (Algorithm::Rabenseifner, Reduce, 8 * alpha + 2 * 15 * beta / 16 + 15 * gamma / 16),
        (Algorithm::Ring, AllGather, 15 * (alpha + beta)),
        (Algorithm::RecursiveDoubling, AllGather, 4 * alpha + 15 * beta),
        (Algorithm::Bruck, AllGather, 4 * alpha + 15 * beta),
        (Algorithm::NeighbourExchange, AllGather, 8 * alpha + 15 * beta),
        (Algorithm::RecursiveDoubling, AllReduce, 4 * (alpha + beta + gamma)),
        (Algorithm::Ring, AllReduce, 30 * alpha + 2 * 15 * beta / 16 + 15 * gamma / 16),
        (Algorithm::Rabenseifner, AllReduce, 8 * alpha + 2 * 15 * beta / 16 + 15 * gamma / 16),
        (Algorithm::ReduceBroadcast, AllReduce, 4 * (2 * alpha + 2 * beta + gamma)),
        (Algorithm::Pairwise, AllToAll, 15 * (alpha + beta)),
        (Algorithm::Bruck, AllToAll, 4 * alpha + 8 * 4 * beta),
    ] {
        assert_eq!(time(algorithm, operation), Some(expected), "{operation} {algorithm}");
    }
    assert_eq!(time(Algorithm::Dissemination, Barrier), time(Algorithm::RecursiveDoubling, Barrier));
}

/// A scatter leaves out what is empty: of 9 bytes for 8 ranks the last three blocks are.
#[test]
fn empty_blocks_are_not_scattered() {
    let plan = planned(Algorithm::ScatterRing, &Collective::new(Operation::Broadcast, 8, 9)).unwrap();
    let first = |rank: u32| plan.step(rank, 0).unwrap();
    assert!(matches!(first(4), Step::Receive { from: 0, .. }));
    // It has nobody to scatter to, and begins with the ring; rank 6 does so at once.
    assert!(matches!(plan.step(4, 1), Some(Step::Send { to: 5, .. })));
    assert!(matches!(first(6), Step::Send { to: 7, .. }));
}

/// Hockney's forms of a scatter and an all-gather are exact for P = 2^k and a message that P divides: here in ticks,
/// with α = 3 and β = 1.
#[test]
fn evaluations_are_the_closed_forms() {
    for exponent in 0..8u64 {
        let (ranks, size) = (1u64 << exponent, 5 << exponent);
        let moved = 2 * (ranks - 1) * (size / ranks);
        let expected = [(exponent + ranks - 1) * 3 + moved, 2 * exponent * 3 + moved];
        let collective = Collective::new(Operation::Broadcast, ranks as u32, size);
        let times = [Algorithm::ScatterRing, Algorithm::ScatterRecursiveDoubling].map(|algorithm| {
            let plan = algorithm.plan(&collective).unwrap();
            plan.arrivals(|bytes| Cost::hockney(Time(3 + bytes))).into_iter().max()
        });
        assert_eq!(times, expected.map(|time| Some(Time(time))));
    }
}
