//! What each task takes on each of several unrelated processors.

use super::GraphError;

/// Seconds for each task on each processor, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct CostMatrix {
    processors: u32,
    seconds: Vec<f64>,
}

impl CostMatrix {
    /// A matrix from its rows, one task after the other, each with `processors` values in seconds.
    ///
    /// # Errors
    /// Where there is no processor, a row is not whole, or a value is negative or not finite.
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

    /// How many processors there are: at least 1.
    #[must_use]
    pub fn processors(&self) -> u32 {
        self.processors
    }

    /// How many tasks there are.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.seconds.len() / self.processors as usize
    }

    /// The seconds of a task on each processor.
    #[must_use]
    #[inline]
    pub fn row(&self, task: u32) -> &[f64] {
        let columns = self.processors as usize;
        &self.seconds[task as usize * columns..(task as usize + 1) * columns]
    }

    /// The seconds of a task on a processor.
    #[must_use]
    #[inline]
    pub fn seconds(&self, task: u32, processor: u32) -> f64 {
        self.row(task)[processor as usize]
    }

    /// The mean of a task's seconds over the processors.
    #[must_use]
    pub fn mean(&self, task: u32) -> f64 {
        self.row(task).iter().sum::<f64>() / f64::from(self.processors)
    }
}
