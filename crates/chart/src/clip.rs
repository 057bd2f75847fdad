//! Cutting off what lies beyond the plot.

/// A place on the sheet: pixels from the left and from the top.
pub type SheetPoint = (f64, f64);

/// A rectangle by its upper left and its lower right corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clip {
    pub(crate) low: SheetPoint,
    pub(crate) high: SheetPoint,
}

impl Clip {
    /// Whether a place lies inside, or on the rim.
    pub(crate) fn holds(&self, (x, y): SheetPoint) -> bool {
        let slack = 0.5;
        (self.low.0 - slack..=self.high.0 + slack).contains(&x)
            && (self.low.1 - slack..=self.high.1 + slack).contains(&y)
    }

    /// What is inside of both.
    pub(crate) fn and(self, other: Self) -> Self {
        let low = (self.low.0.max(other.low.0), self.low.1.max(other.low.1));
        Self { low, high: (self.high.0.min(other.high.0), self.high.1.min(other.high.1)) }
    }

    /// The part of a segment inside (Liang and Barsky 1984).
    fn segment(&self, a: SheetPoint, b: SheetPoint) -> Option<(SheetPoint, SheetPoint)> {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut from, mut to) = (0.0f64, 1.0f64);
        let sides =
            [(-dx, a.0 - self.low.0), (dx, self.high.0 - a.0), (-dy, a.1 - self.low.1), (dy, self.high.1 - a.1)];
        for (way, room) in sides {
            if way == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if way < 0.0 {
                from = from.max(room / way);
            } else {
                to = to.min(room / way);
            }
        }
        // Ends inside stay as they are, so that pieces go on in one another.
        let at = |t: f64| match t {
            0.0 => a,
            1.0 => b,
            _ => (a.0 + t * dx, a.1 + t * dy),
        };
        (from <= to).then(|| (at(from), at(to)))
    }

    /// The pieces of a line inside.
    pub(crate) fn line(&self, places: &[SheetPoint]) -> Vec<Vec<SheetPoint>> {
        if places.iter().all(|&place| self.holds(place)) {
            return vec![places.to_vec()];
        }
        let mut pieces: Vec<Vec<SheetPoint>> = Vec::new();
        for pair in places.windows(2) {
            let Some((from, to)) = self.segment(pair[0], pair[1]) else { continue };
            match pieces.last_mut() {
                Some(piece) if piece.last() == Some(&from) => piece.push(to),
                _ => pieces.push(vec![from, to]),
            }
        }
        pieces
    }

    /// The part of an area inside (Sutherland and Hodgman 1974).
    pub(crate) fn polygon(&self, corners: &[SheetPoint]) -> Vec<SheetPoint> {
        if corners.iter().all(|&place| self.holds(place)) {
            return corners.to_vec();
        }
        // How far inside of each side a place is.
        let sides: [&dyn Fn(SheetPoint) -> f64; 4] =
            [&|(x, _)| x - self.low.0, &|(x, _)| self.high.0 - x, &|(_, y)| y - self.low.1, &|(_, y)| self.high.1 - y];
        let mut area = corners.to_vec();
        for depth in sides {
            let mut kept = Vec::with_capacity(area.len() + 4);
            for (index, &to) in area.iter().enumerate() {
                let from = area[(index + area.len() - 1) % area.len()];
                let (before, after) = (depth(from), depth(to));
                if (before < 0.0) != (after < 0.0) {
                    let share = before / (before - after);
                    kept.push((from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1)));
                }
                if after >= 0.0 {
                    kept.push(to);
                }
            }
            area = kept;
        }
        area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Clip = Clip { low: (0.0, 0.0), high: (10.0, 10.0) };

    #[test]
    fn lines_end_at_the_rim() {
        assert_eq!(UNIT.line(&[(1.0, 1.0), (9.0, 9.0)]), [vec![(1.0, 1.0), (9.0, 9.0)]]);
        assert_eq!(UNIT.line(&[(5.0, 5.0), (5.0, 20.0)]), [vec![(5.0, 5.0), (5.0, 10.0)]]);
        assert!(UNIT.line(&[(20.0, 0.0), (20.0, 9.0)]).is_empty());
        // Out and in again: two pieces.
        let pieces = UNIT.line(&[(0.0, 5.0), (5.0, 25.0), (10.0, 5.0)]);
        assert_eq!(pieces, [vec![(0.0, 5.0), (1.25, 10.0)], vec![(8.75, 10.0), (10.0, 5.0)]]);
    }

    /// A zigzag through thirds and sevenths, then out: what is inside is one piece, with the places as they are.
    #[test]
    fn what_is_inside_stays_in_one_piece() {
        let mut places: Vec<SheetPoint> =
            (0..200).map(|i| (f64::from(i % 7 + 1) / 0.7 / 1.1, f64::from(i % 13 + 1) / 1.3 / 1.01)).collect();
        places.push((3.0, 20.0));
        let pieces = UNIT.line(&places);
        assert_eq!(pieces.len(), 1);
        assert_eq!(pieces[0][..200], places[..200]);
    }

    #[test]
    fn areas_end_at_the_rim() {
        let area = UNIT.polygon(&[(-5.0, 2.0), (15.0, 2.0), (15.0, 8.0), (-5.0, 8.0)]);
        let twice: f64 = (0..area.len())
            .map(|i| {
                let (a, b) = (area[i], area[(i + 1) % area.len()]);
                a.0 * b.1 - b.0 * a.1
            })
            .sum();
        assert!((twice.abs() / 2.0 - 60.0).abs() < 1e-9, "{area:?}");
        assert!(UNIT.polygon(&[(20.0, 20.0), (30.0, 20.0), (30.0, 30.0)]).is_empty());
    }
}
