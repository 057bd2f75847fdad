//! What many points share, since the same values reach it: it is made once.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::sweep::Points;

/// A part of what points are made into, such as the platform, which only the values on some axes reach.
#[derive(Debug)]
pub(super) struct Shared<T> {
    /// For each point, the number of its combination of values on these axes; none where all points are alike.
    combinations: Vec<u32>,
    /// What was made of the first combinations.
    made: Vec<OnceLock<Arc<T>>>,
}

impl<T> Shared<T> {
    /// Nothing made yet, of which at most `kept` are kept; `axes` are those whose values reach it.
    pub(super) fn new(points: &Points, axes: impl IntoIterator<Item = usize>, kept: usize) -> Self {
        let (mut combinations, mut count) = (Vec::new(), 1);
        for axis in axes {
            combinations.resize(points.len(), 0);
            let mut known = FxHashMap::default();
            for (number, choices) in combinations.iter_mut().zip(points.iter()) {
                let next = known.len() as u32;
                *number = *known.entry((*number, choices[axis])).or_insert(next);
            }
            count = known.len();
        }
        // What no two points share is not worth keeping here.
        let kept = if count < points.len() { count.min(kept) } else { 0 };
        Self { combinations, made: (0..kept).map(|_| OnceLock::new()).collect() }
    }

    /// That of a point, which is made unless it is there.
    pub(super) fn of<E>(&self, point: usize, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let combination = self.combinations.get(point).map_or(0, |&number| number as usize);
        let place = self.made.get(combination);
        if let Some(made) = place.and_then(OnceLock::get) {
            return Ok(Arc::clone(made));
        }
        let new = Arc::new(make()?);
        // Another thread may have made it meanwhile: then that one stays.
        Ok(place.map_or(&new, |place| place.get_or_init(|| Arc::clone(&new))).clone())
    }

    /// The first point with each combination of values, in the order of the points.
    pub(super) fn first_points(&self) -> impl Iterator<Item = usize> {
        // Combinations are numbered in the order in which points come to them.
        let mut next = 0;
        let is_first = move |&point: &usize| {
            let is_first = self.combinations.get(point).map_or(point, |&number| number as usize) == next;
            next += usize::from(is_first);
            is_first
        };
        (0..self.combinations.len().max(1)).filter(is_first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PLAIN, Scenario, Source};

    fn points() -> Points {
        let text = r#"
            version = 1
            [platform.cluster.a]
            nodes = 2
            network = { model = "hockney", latency = "10us", bandwidth = "1GB/s" }
            [workload]
            kind = "broadcast"
            algorithm = "binomial"
            size = "1KiB"
            [sweep]
            "platform.cluster.a.nodes" = [2, 8]
            "workload.size" = ["1KiB", "2KiB", "3KiB"]
            "workload.algorithm" = ["linear", "binomial"]
        "#;
        let source = Source { name: "s".to_owned(), folder: std::path::PathBuf::new(), text: text.into() };
        Points::clone(&Scenario::read_in(&PLAIN, "s".to_owned(), source, &[]).unwrap().points)
    }

    /// What is made for each point, and how often something is made.
    fn made(shared: &Shared<usize>, points: usize) -> (Vec<usize>, usize) {
        let mut count = 0;
        let mut of = |point| {
            let make = || {
                count += 1;
                Ok::<_, ()>(point)
            };
            *shared.of(point, make).unwrap()
        };
        ((0..points).map(&mut of).collect(), count)
    }

    #[test]
    fn points_share_what_the_same_values_reach() {
        let points = points();
        let nodes = Shared::new(&points, [0], 100);
        assert_eq!(made(&nodes, 12), ([[0; 6], [6; 6]].concat(), 2));
        assert_eq!(nodes.first_points().collect::<Vec<_>>(), [0, 6]);
        let workload = Shared::new(&points, [1, 2], 100);
        assert_eq!(made(&workload, 12), ((0..12).map(|point| point % 6).collect(), 6));
        assert_eq!(workload.first_points().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        let nothing = Shared::new(&points, [], 100);
        assert_eq!(made(&nothing, 12), (vec![0; 12], 1));
        assert_eq!(nothing.first_points().collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn only_so_much_is_kept() {
        let points = points();
        assert_eq!(made(&Shared::new(&points, [1, 2], 4), 12).1, 8);
        assert_eq!(made(&Shared::new(&points, [0, 1, 2], 100), 12).1, 12);
    }

    /// An error is not kept: the point is read again.
    #[test]
    fn what_is_wrong_is_made_again() {
        let shared = Shared::new(&points(), [0], 100);
        assert_eq!(shared.of(0, || Err("wrong")), Err("wrong"));
        assert_eq!(shared.of(1, || Ok::<_, ()>(7)).as_deref(), Ok(&7));
    }
}
