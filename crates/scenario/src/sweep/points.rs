//! The points of a sweep: which value each has on each axis.

use std::ops::Index;

/// A point: the number of its value on each axis.
pub type Choices = [u32];

/// The points of a sweep, in their order: four bytes a point and axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Points {
    axes: usize,
    count: usize,
    choices: Vec<u32>,
}

impl Default for Points {
    /// The one point where nothing varies.
    fn default() -> Self {
        Self { axes: 0, count: 1, choices: Vec::new() }
    }
}

impl Points {
    /// No points yet, over so many axes.
    pub(super) const fn over(axes: usize) -> Self {
        Self { axes, count: 0, choices: Vec::new() }
    }

    /// Makes room for so many more points.
    pub(super) fn reserve(&mut self, points: usize) {
        self.choices.reserve_exact(points * self.axes);
    }

    pub(super) fn push(&mut self, choices: &Choices) {
        debug_assert_eq!(choices.len(), self.axes, "a value on each axis");
        self.choices.extend_from_slice(choices);
        self.count += 1;
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of a point's value on an axis.
    #[must_use]
    pub fn choice(&self, point: usize, axis: usize) -> usize {
        self[point][axis] as usize
    }

    /// The points one by one.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Choices> {
        (0..self.count).map(|point| &self[point])
    }
}

impl Index<usize> for Points {
    type Output = Choices;

    fn index(&self, point: usize) -> &Choices {
        &self.choices[point * self.axes..(point + 1) * self.axes]
    }
}
