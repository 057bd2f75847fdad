//! Lines that lie one on another.

use super::canvas::SheetPoint;

/// Lines whose points are nowhere farther apart than this look like one.
const APART: f64 = 0.75;

/// For each line its place among those that lie on it, and how many they are: `(0, 1)` for a line of its own. The lines
/// of a group come in their order; `order` has all lines such that those of a group follow each other.
pub(crate) struct Coinciding {
    pub(crate) order: Vec<usize>,
    pub(crate) turns: Vec<(usize, usize)>,
}

impl Coinciding {
    /// The groups of lines through these places.
    pub(crate) fn of(lines: &[Vec<SheetPoint>]) -> Self {
        let near = |a: &SheetPoint, b: &SheetPoint| (a.0 - b.0).abs() <= APART && (a.1 - b.1).abs() <= APART;
        let alike = |a: &[SheetPoint], b: &[SheetPoint]| {
            // A single point may have another one behind it, and still both are seen.
            a.len() > 1 && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b))
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            match groups.iter_mut().find(|group| alike(&lines[group[0]], line)) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        let mut turns = vec![(0, 1); lines.len()];
        for group in &groups {
            for (place, &index) in group.iter().enumerate() {
                turns[index] = (place, group.len());
            }
        }
        Self { order: groups.into_iter().flatten().collect(), turns }
    }

    /// What is said of each group of several lines, by their names.
    pub(crate) fn notes(&self, called: &[&str]) -> Vec<String> {
        let mut notes = Vec::new();
        let mut rest = self.order.as_slice();
        while let Some(&first) = rest.first() {
            let (group, others) = rest.split_at(self.turns[first].1);
            let named: Vec<&str> = group.iter().map(|&line| called[line]).filter(|name| !name.is_empty()).collect();
            if let [before @ .., last] = named.as_slice()
                && !before.is_empty()
            {
                notes.push(format!("{} and {last} lie on one another", before.join(", ")));
            }
            rest = others;
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_on_one_another_are_a_group() {
        let line = |y: f64| vec![(0.0, y), (10.0, y)];
        let found = Coinciding::of(&[line(1.0), line(5.0), line(1.2), line(9.0), vec![(0.0, 1.0)]]);
        assert_eq!(found.order, [0, 2, 1, 3, 4]);
        assert_eq!(found.turns, [(0, 2), (0, 1), (1, 2), (0, 1), (0, 1)]);
        assert_eq!(found.notes(&["best", "a", "ecef", "", "c"]), ["best and ecef lie on one another"]);
        let three = Coinciding::of(&[line(1.0), line(5.0), line(1.2), line(1.1)]);
        assert_eq!(three.notes(&["a", "b", "c", "d"]), ["a, c and d lie on one another"]);
        // Lines without a name are not spoken of.
        assert!(three.notes(&["a", "b", "", ""]).is_empty());
    }
}
