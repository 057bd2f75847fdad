//! Who sends how many individuals to whom: pure arithmetic.

/// Some individuals from one slave to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Move {
    /// The slave that has too many.
    pub from: u32,
    /// The slave that has too few.
    pub to: u32,
    /// How many.
    pub count: u32,
}

/// The moves that turn one distribution into another of as many individuals. Nobody both sends and receives, so no more
/// individuals travel than must; there are fewer moves than slaves.
pub(super) fn moves(have: &[u32], want: &[u32]) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut givers = (0..).zip(have.iter().zip(want)).filter(|(_, (have, want))| have > want);
    let mut giver = givers.next().map(|(from, (have, want))| (from, have - want));
    for (to, (have, want)) in (0..).zip(have.iter().zip(want)) {
        let mut missing = want.saturating_sub(*have);
        while let (true, Some((from, surplus))) = (missing > 0, giver) {
            let count = missing.min(surplus);
            moves.push(Move { from, to, count });
            missing -= count;
            giver = if surplus > count {
                Some((from, surplus - count))
            } else {
                givers.next().map(|(from, (have, want))| (from, have - want))
            };
        }
    }
    moves
}

/// What a slave knows of itself or of a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct State {
    /// Its individuals.
    pub count: u32,
    /// Its power: individuals a second.
    pub power: f64,
}

/// A ring's nodes have so many neighbours.
const DEGREE: f64 = 2.0;

/// How many individuals go from one of two neighbours in a ring to the other, or back where it is negative.
///
/// First-order diffusion on unequal nodes (Elsässer, Monien and Preis, Theory of Computing Systems 35, 2002): with load
/// w and capacity c, min(c_i, c_j)/(degree + 1)·(w_i/c_i − w_j/c_j), of which whole individuals are taken. A node never
/// gives away more than two thirds of what it has. Nothing moves where neither has any power.
pub(super) fn flow(from: State, to: State) -> i64 {
    let time = |state: State| match state.count {
        0 => 0.0,
        count => f64::from(count) / state.power,
    };
    let least = from.power.min(to.power);
    // A slave without power that still has individuals gives what it may, and gets none.
    let flow = match (from.power > 0.0, to.power > 0.0) {
        (true, true) => least / (DEGREE + 1.0) * (time(from) - time(to)),
        (false, true) => f64::from(from.count) / (DEGREE + 1.0),
        (true, false) => -f64::from(to.count) / (DEGREE + 1.0),
        (false, false) => 0.0,
    };
    flow.trunc() as i64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use hetsim_policy::apportion;

    #[test]
    fn moves_by_hand() {
        let found = moves(&[5, 1, 7, 0], &[3, 4, 3, 3]);
        let expected = [(0, 1, 2), (2, 1, 1), (2, 3, 3)].map(|(from, to, count)| Move { from, to, count });
        assert_eq!(found, expected);
        assert_eq!(moves(&[2, 2], &[2, 2]), []);
    }

    proptest! {
        #[test]
        fn moves_lead_from_one_distribution_to_the_other(
            total in 0u32..5000, have in prop::collection::vec(0.01..1.0f64, 2..30), seed in 0usize..29,
        ) {
            let mut other = have.clone();
            other.rotate_left(seed % have.len());
            let (mut now, want) = (apportion(total, &have), apportion(total, &other));
            let found = moves(&now, &want);
            prop_assert!(found.len() < have.len());
            for one in found {
                now[one.from as usize] -= one.count;
                now[one.to as usize] += one.count;
            }
            prop_assert_eq!(now, want);
        }

        /// Round by round every slave in a ring comes to its share, but for what lies below one individual a link.
        #[test]
        fn diffusion_evens_out(powers in prop::collection::vec(0.2..1.0f64, 3..9), start in 0usize..9) {
            let total = 100_000;
            let n = powers.len();
            let mut count = vec![0i64; n];
            count[start % n] = total;
            for _ in 0..2000 {
                let state = |i: usize| State { count: count[i] as u32, power: powers[i] };
                let flows: Vec<i64> = (0..n).map(|i| flow(state(i), state((i + 1) % n))).collect();
                for (i, flow) in flows.iter().enumerate() {
                    prop_assert_eq!(flow, &-self::flow(state((i + 1) % n), state(i)), "both ends agree");
                }
                for (i, flow) in flows.iter().enumerate() {
                    count[i] -= flow;
                    count[(i + 1) % n] += flow;
                }
                prop_assert!(count.iter().all(|&count| count >= 0));
            }
            let sum: f64 = powers.iter().sum();
            for (count, power) in count.iter().zip(&powers) {
                let share = total as f64 * power / sum;
                prop_assert!((*count as f64 / share - 1.0).abs() < 0.02, "{count} of {share}");
            }
        }
    }
}
