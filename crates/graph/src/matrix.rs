//! The time of each task on each of several unrelated processors.

use super::GraphError;

/// The time in seconds of each task on each processor, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct CostMatrix {
    processors: u32,
    seconds: Vec<f64>,
}

impl CostMatrix {
    /// Makes a matrix from its rows, one per task, each with `processors` values in seconds.
    ///
    /// # Errors
    /// No processor, an incomplete row, or a value that is negative or not finite.
    pub fn new(processors: u32, seconds: Vec<f64>) -> Result<Self, GraphError> {
        let columns = processors as usize;
        if columns == 0 || !seconds.len().is_multiple_of(columns) {
            return Err(GraphError::MatrixShape { values: seconds.len(), processors });
        }
        match seconds.iter().position(|&value| !(value.is_finite() && value >= 0.0)) {
            Some(index) => {
                Err(GraphError::BadSeconds { task: index / columns, processor: index % columns, value: seconds[index] })
            }
            None => Ok(Self { processors, seconds }),
        }
    }

    /// The number of processors, at least 1.
    #[must_use]
    pub fn processors(&self) -> u32 {
        self.processors
    }

    /// The number of tasks.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.seconds.len() / self.processors as usize
    }

    /// The time of a task in seconds on each processor.
    #[must_use]
    #[inline]
    pub fn row(&self, task: u32) -> &[f64] {
        let columns = self.processors as usize;
        &self.seconds[task as usize * columns..(task as usize + 1) * columns]
    }

    /// The time of a task in seconds on a processor.
    #[must_use]
    #[inline]
    pub fn seconds(&self, task: u32, processor: u32) -> f64 {
        self.row(task)[processor as usize]
    }

    /// The mean time of a task in seconds over the processors.
    #[must_use]
    pub fn mean(&self, task: u32) -> f64 {
        self.row(task).iter().sum::<f64>() / f64::from(self.processors)
    }
}
