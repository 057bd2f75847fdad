//! The second hierarchical level: the intercluster heuristic that ends earliest.

use hetsim_base::units::Time;
use hetsim_communication::intercluster::{Grid, Heuristic, IntraclusterStart, Schedule};

/// The intercluster schedule with the earliest predicted end.
#[derive(Debug, Clone)]
pub struct Composed {
    /// The heuristic that made it.
    pub heuristic: Heuristic,
    /// Who sends to whom.
    pub schedule: Schedule,
    /// The predicted time at which the last node has the message.
    pub end: Time,
    /// The predicted end of each candidate, in their order.
    pub ends: Vec<(Heuristic, Time)>,
}

/// Composes a broadcast on `grid`, whose intracluster times are the predictions of poly-adapt-2: takes the one of
/// `heuristics` whose schedule ends first by the `convention`; of equal ones the first. `None` without candidates.
#[must_use]
pub fn compose(grid: &Grid, convention: IntraclusterStart, heuristics: &[Heuristic]) -> Option<Composed> {
    let schedules = heuristics.iter().map(|&heuristic| {
        let schedule = heuristic.schedule(grid, convention);
        let end = schedule.completion(grid, convention);
        (heuristic, schedule, end)
    });
    let schedules: Vec<_> = schedules.collect();
    let ends = schedules.iter().map(|(heuristic, _, end)| (*heuristic, *end)).collect();
    let (heuristic, schedule, end) = schedules.into_iter().min_by_key(|(_, _, end)| *end)?;
    Some(Composed { heuristic, schedule, end, ends })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_communication::intercluster::Matrix;

    /// GUSTO, 10 MB, in seconds (Bhat et al. 1998): flat 520, FEF and ECEF 317, optimal 296.
    #[test]
    fn the_earliest_end_wins() {
        let rows = [[0u64, 156, 325, 39], [156, 0, 163, 115], [325, 163, 0, 257], [39, 115, 257, 0]];
        let gap = Matrix::from_fn(4, |from, to| Time(rows[from][to]));
        let grid = Grid::new(gap, Matrix::from_fn(4, |_, _| Time::ZERO), vec![Time::ZERO; 4], 0).unwrap();
        let of = |heuristics: &[Heuristic]| compose(&grid, IntraclusterStart::AfterSends, heuristics).unwrap();
        let paper = of(&[Heuristic::Flat, Heuristic::Fef, Heuristic::Ecef]);
        assert_eq!((paper.heuristic, paper.end, paper.ends[0].1), (Heuristic::Fef, Time(317), Time(520)));
        assert_eq!(of(Heuristic::ALL).end, Time(296));
        assert!(compose(&grid, IntraclusterStart::AfterSends, &[]).is_none());
    }
}
