//! A dense square matrix.

use std::ops::{Index, IndexMut};

/// A square matrix, row by row: `matrix[(from, to)]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix<T> {
    size: usize,
    cells: Vec<T>,
}

impl<T> Matrix<T> {
    /// The matrix of `size` rows whose cells are `cell(row, column)`.
    pub fn from_fn(size: usize, mut cell: impl FnMut(usize, usize) -> T) -> Self {
        let cells = (0..size * size).map(|index| cell(index / size, index % size)).collect();
        Self { size, cells }
    }

    /// The matrix of these rows; none where a row's length is not their number.
    #[must_use]
    pub fn from_rows(rows: Vec<Vec<T>>) -> Option<Self> {
        let size = rows.len();
        let square = rows.iter().all(|row| row.len() == size);
        square.then(|| Self { size, cells: rows.into_iter().flatten().collect() })
    }

    /// The number of rows, which is that of columns.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The cells of `row`, column by column.
    ///
    /// # Panics
    /// Where there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        &self.cells[row * self.size..(row + 1) * self.size]
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (row, column): (usize, usize)) -> &T {
        debug_assert!(column < self.size, "column {column} of {}", self.size);
        &self.cells[row * self.size + column]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut T {
        debug_assert!(column < self.size, "column {column} of {}", self.size);
        &mut self.cells[row * self.size + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_row_by_row() {
        let mut matrix = Matrix::from_fn(3, |row, column| 10 * row + column);
        assert_eq!(Matrix::from_rows(vec![vec![0, 1, 2], vec![10, 11, 12], vec![20, 21, 22]]), Some(matrix.clone()));
        matrix[(1, 2)] = 7;
        assert_eq!((matrix.size(), matrix[(1, 2)], matrix.row(1)), (3, 7, &[10, 11, 7][..]));
        assert_eq!(Matrix::from_rows(vec![vec![1, 2]]), None);
    }
}
