//! Operations on several levels: plans of one level each, one after the other.
//!
//! Each group of ranks has a coordinator, its first member, who alone takes part in the level above. What the ranks
//! have goes up to the coordinators, level by level; those of the top level carry out the operation; what they have
//! then goes down again. So an all-reduce is a reduction in each cluster, an all-reduce among the coordinators, and a
//! broadcast in each cluster. Blocks travel together: a coordinator hands on those of all ranks below it.

use super::algorithm::{Algorithm, PlanError};
use super::cost::Cost;
use super::operation::{Collective, Operation};
use super::steps::{Layer, StepPlan};

/// A member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its rank.
    pub rank: u32,
    /// How many ranks it stands for in its group, itself included.
    pub stands_for: u32,
}

/// The groups of a level.
pub type Level = Vec<Vec<Member>>;

/// The plan of an operation on levels, the top one first: `top` among the members of its only group, `inside` in the
/// groups of all others. Rank 0, the root, is the coordinator of each group that it is in. `cost` is what a message of
/// so many bytes costs among some ranks, the coordinator first.
///
/// # Errors
/// Where an algorithm does not do what it is to do, or the operation is not done on levels.
pub fn on_levels(
    call: &Collective<'_>,
    levels: &[Level],
    [top, inside]: [Algorithm; 2],
    cost: &dyn Fn(&[u32], u64) -> Cost,
) -> Result<StepPlan, PlanError> {
    let Collective { operation, ranks, size, .. } = *call;
    if !operation.is_done_on_levels() {
        return Err(PlanError::OneLevel(operation));
    }
    if !top.fits(operation) {
        return Err(PlanError::Other { algorithm: top.name(), operation });
    }
    if !inside.fits_below(operation) {
        return Err(PlanError::Below { algorithm: inside.name(), operation });
    }
    let layer = |level: &Level, part: Operation, size: u64, algorithm: Algorithm| -> Result<Layer, PlanError> {
        let mut groups = Vec::new();
        for members in level.iter().filter(|members| members.len() > 1) {
            let blocks = matches!(part, Operation::Scatter | Operation::Gather | Operation::AllGather);
            let lengths = members.iter().filter(|_| blocks).map(|member| size.saturating_mul(member.stands_for.into()));
            let lengths: Vec<u64> = lengths.collect();
            let group: Vec<u32> = members.iter().map(|member| member.rank).collect();
            let (ranks, cost) = (group.len() as u32, &|bytes| cost(&group, bytes));
            let call = Collective { operation: part, ranks, root: 0, size, lengths: &lengths, cost, ..*call };
            let plan = algorithm.steps(&call)?;
            let plan = if operation == Operation::Barrier { plan.without_combining() } else { plan };
            groups.push((group, plan));
        }
        Ok(Layer::new(ranks, groups))
    };
    let [up, down] = operation.up_and_down();
    let Some((highest, below)) = levels.split_first() else { return Ok(StepPlan::layered(ranks, Vec::new())) };
    let mut layers = Vec::new();
    for level in below.iter().rev() {
        if let Some(up) = up {
            layers.push(layer(level, up, size, inside)?);
        }
    }
    layers.push(layer(highest, operation, size, top).map_err(PlanError::among_coordinators)?);
    // What goes down after an all-gather is everything.
    let whole = if operation == Operation::AllGather { size.saturating_mul(ranks.into()) } else { size };
    for level in below {
        if let Some(down) = down {
            layers.push(layer(level, down, whole, inside)?);
        }
    }
    Ok(StepPlan::layered(ranks, layers))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::steps::Step;

    /// Clusters of these sizes, the ranks dealt out to them in turn, and each cluster in halves where `deep`.
    fn levels(sizes: &[u32], deep: bool) -> (u32, Vec<Level>) {
        let mut clusters: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
        let mut ranks = 0;
        while clusters.iter().zip(sizes).any(|(cluster, size)| (cluster.len() as u32) < *size) {
            for (cluster, size) in clusters.iter_mut().zip(sizes) {
                if (cluster.len() as u32) < *size {
                    cluster.push(ranks);
                    ranks += 1;
                }
            }
        }
        let one = |&rank: &u32| Member { rank, stands_for: 1 };
        let all = |ranks: &[u32]| Member { rank: ranks[0], stands_for: ranks.len() as u32 };
        let top = vec![clusters.iter().map(|cluster| all(cluster)).collect()];
        if !deep {
            return (ranks, vec![top, clusters.iter().map(|cluster| cluster.iter().map(one).collect()).collect()]);
        }
        let halves = |cluster: &Vec<u32>| -> Vec<Vec<u32>> {
            cluster.chunks(cluster.len().div_ceil(2)).map(<[u32]>::to_vec).collect()
        };
        let middle = clusters.iter().map(|cluster| halves(cluster).iter().map(|half| all(half)).collect()).collect();
        let bottom = clusters.iter().flat_map(halves).map(|half| half.iter().map(one).collect()).collect();
        (ranks, vec![top, middle, bottom])
    }

    /// Follows a plan: how often the contribution of each rank has reached each other one in the end, where whole
    /// vectors travel, and how many bytes have. Every message is awaited, and nobody waits forever.
    fn follow(plan: &StepPlan, starts: impl Fn(u32) -> bool) -> (Vec<Vec<u32>>, Vec<u64>) {
        let ranks = plan.ranks();
        let own = |rank: u32| (0..ranks).map(|other| u32::from(other == rank && starts(rank))).collect::<Vec<_>>();
        let mut held: Vec<Vec<u32>> = (0..ranks).map(own).collect();
        let mut received = vec![0; ranks as usize];
        let mut here = vec![0; ranks as usize];
        let mut inbox = std::collections::BTreeMap::new();
        loop {
            let before = here.clone();
            for rank in 0..ranks {
                let place = rank as usize;
                while let Some(step) = plan.step(rank, here[place]) {
                    match step {
                        Step::Send { to, bytes, receive, .. } => {
                            let message = (rank, bytes, held[place].clone());
                            assert!(inbox.insert((to, receive), message).is_none());
                        }
                        Step::Local { .. } => {}
                        Step::Receive { from, combine, .. } => {
                            let Some((sender, bytes, content)) = inbox.remove(&(rank, here[place])) else { break };
                            assert_eq!(sender, from);
                            received[place] += bytes;
                            for (mine, theirs) in held[place].iter_mut().zip(content) {
                                *mine = if combine.is_some() { *mine + theirs } else { theirs.max(*mine) };
                            }
                        }
                    }
                    here[place] += 1;
                }
            }
            if here == before {
                break;
            }
        }
        assert!(inbox.is_empty());
        assert!((0..ranks).all(|rank| here[rank as usize] == plan.steps_of(rank)));
        (held, received)
    }

    /// Whether a vector travels in parts or segments, which are followed by their slots elsewhere.
    fn in_parts(algorithm: Algorithm) -> bool {
        use Algorithm::{
            BineBlocks, BineRemap, BineSegmented, InOrderBinary, Pipeline, Rabenseifner, Ring, SegmentedBinary,
        };
        [BineBlocks, BineRemap, BineSegmented, InOrderBinary, Pipeline, Rabenseifner, Ring, SegmentedBinary]
            .contains(&algorithm)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// On any clusters, every rank ends with every byte that its operation promises, and nothing is combined twice.
        #[test]
        fn nothing_is_lost(sizes in prop::collection::vec(1u32..7, 1..6), deep: bool, size in 1u64..300) {
            let (ranks, levels) = levels(&sizes, deep);
            for &operation in Operation::ALL.iter().filter(|operation| operation.is_done_on_levels()) {
                let fits = |inside: &Algorithm| inside.fits_below(operation);
                let tops: Vec<Algorithm> = operation.algorithms().collect();
                let insides: Vec<Algorithm> = Algorithm::ALL.iter().copied().filter(fits).collect();
                for (&top, &inside) in tops.iter().flat_map(|top| insides.iter().map(move |inside| (top, inside))) {
                    let call = Collective { segment: 70, ..Collective::new(operation, ranks, size) };
                    let plan = match on_levels(&call, &levels, [top, inside], &|_, _| Cost::default()) {
                        Err(PlanError::Odd { .. } | PlanError::NoPower { .. }) => continue,
                        plan => plan.unwrap(),
                    };
                    let has = |rank| rank == 0 || !matches!(operation, Operation::Broadcast | Operation::Scatter);
                    let (held, received) = follow(&plan, has);
                    let whole = |rank: u32| held[rank as usize].iter().all(|count| *count == 1);
                    let others = u64::from(ranks) - 1;
                    for rank in 0..ranks {
                        let bytes = received[rank as usize];
                        let what = format!("{operation} {top}+{inside} {sizes:?}, rank {rank}: {held:?} {received:?}");
                        match operation {
                            Operation::Broadcast => prop_assert!(held[rank as usize][0] == 1 && bytes >= size * u64::from(rank > 0), "{what}"),
                            Operation::Scatter if rank > 0 => prop_assert!(bytes >= size, "{what}"),
                            Operation::Gather if rank == 0 => prop_assert!(bytes == others * size && whole(0), "{what}"),
                            Operation::AllGather => prop_assert!(bytes >= others * size && whole(rank), "{what}"),
                                            Operation::Reduce if rank == 0 && ![top, inside].into_iter().any(in_parts) => prop_assert!(whole(0), "{what}"),
                            Operation::Barrier => prop_assert!(held[rank as usize].iter().all(|count| *count > 0), "{what}"),
                            Operation::AllReduce if ![top, inside].into_iter().any(in_parts) => prop_assert!(whole(rank), "{what}"),
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    /// Also where no level has two members, as on one cluster or one rank.
    #[test]
    fn algorithms_must_fit_wherever_they_stand() {
        for sizes in [&[4][..], &[1], &[1, 1]] {
            let (ranks, levels) = levels(sizes, false);
            let error = |operation, algorithms| {
                let call = Collective::new(operation, ranks, 1);
                on_levels(&call, &levels, algorithms, &|_, _| Cost::default()).unwrap_err().to_string()
            };
            let top = error(Operation::AllReduce, [Algorithm::Binomial; 2]);
            assert!(top.starts_with("binomial is not an algorithm for all_reduce"), "{top}");
            assert!(error(Operation::AllReduce, [Algorithm::Ring; 2]).starts_with("below the top"));
        }
        let (ranks, levels) = levels(&[2, 2, 2], false);
        let call = Collective::new(Operation::AllGather, ranks, 1);
        let algorithms = [Algorithm::NeighbourExchange, Algorithm::Binomial];
        let error = on_levels(&call, &levels, algorithms, &|_, _| Cost::default()).unwrap_err();
        assert_eq!(error.to_string(), "neighbour_exchange needs an even number of coordinators, there are 3");
    }

    #[test]
    fn what_is_not_done_on_levels_is_said() {
        let (ranks, levels) = levels(&[2, 2], false);
        let error = |operation, algorithms| {
            on_levels(&Collective::new(operation, ranks, 1), &levels, algorithms, &|_, _| Cost::default())
                .unwrap_err()
                .to_string()
        };
        for operation in [Operation::AllToAll, Operation::ReduceScatter, Operation::Scan] {
            assert!(error(operation, [Algorithm::Linear; 2]).contains("on one level only"));
        }
        let below = error(Operation::AllReduce, [Algorithm::Ring, Algorithm::Ring]);
        let expected = "below the top all_reduce needs an algorithm for reduce and broadcast: linear, chain, pipeline, binary, \
                        segmented_binary, binomial, k_nomial, bine_tree, bine_remap; ring is none";
        assert_eq!(below, expected);
        assert!(
            error(Operation::Scatter, [Algorithm::Linear, Algorithm::Ring])
                .contains("an algorithm for scatter: linear,")
        );
    }
}
