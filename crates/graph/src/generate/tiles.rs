//! Dependencies of tiled factorisations: a task waits for the last writers of the tiles it uses.

use super::sketch::Sketch;

/// A matrix of tiles, each with the task that last wrote it.
#[derive(Debug)]
pub(super) struct Tiles {
    side: u32,
    writer: Vec<Option<u32>>,
}

impl Tiles {
    /// A square matrix without writers.
    pub(super) fn new(side: u32) -> Self {
        Self { side, writer: vec![None; side as usize * side as usize] }
    }

    fn index(&self, (row, column): (u32, u32)) -> usize {
        row as usize * self.side as usize + column as usize
    }

    /// Adds a task that runs a routine, changes one tile and reads others, all different from it, with an edge from the
    /// last writer of each.
    pub(super) fn write(
        &mut self,
        sketch: &mut Sketch,
        (routine, weight): (&'static str, f64),
        tile: (u32, u32),
        reads: &[(u32, u32)],
    ) {
        let task = sketch.typed_task(routine, weight);
        for &read in reads.iter().chain([&tile]) {
            if let Some(writer) = self.writer[self.index(read)] {
                sketch.edge(writer, task, 1.0);
            }
        }
        let index = self.index(tile);
        self.writer[index] = Some(task);
    }
}
