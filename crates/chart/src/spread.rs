//! Pushing labels apart: each as near as possible to where it wants to be.

/// Positions in the order of `wanted`, at least `gap` apart and inside `low..=high` where that can be, with the least
/// sum of squared moves (the pool-adjacent-violators algorithm on `wanted − rank × gap`).
///
/// Labels that do not fit at all keep their distance and run out at `high`.
pub(crate) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // A block is a run of labels that touch: the sum of their wishes, and how many they are.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (rank, &label) in order.iter().enumerate() {
        let mut block = (wanted[label] - rank as f64 * gap, 1);
        while let Some(&(sum, count)) = blocks.last() {
            if sum / count as f64 <= block.0 / block.1 as f64 {
                break;
            }
            block = (sum + block.0, count + block.1);
            blocks.pop();
        }
        blocks.push(block);
    }
    let room = (high - wanted.len().saturating_sub(1) as f64 * gap).max(low);
    let mut positions = vec![0.0; wanted.len()];
    let mut rank = 0;
    for (sum, count) in blocks {
        let base = (sum / count as f64).clamp(low, room);
        for &label in &order[rank..rank + count] {
            positions[label] = base + rank as f64 * gap;
            rank += 1;
        }
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_labels_stay_and_near_ones_part_evenly() {
        assert_eq!(spread(&[80.0, 10.0], 10.0, 0.0, 100.0), [80.0, 10.0]);
        assert_eq!(spread(&[50.0, 50.0], 10.0, 0.0, 100.0), [45.0, 55.0]);
        assert_eq!(spread(&[0.0, 1.0, 99.0], 10.0, 0.0, 100.0), [0.0, 10.0, 99.0]);
        assert_eq!(spread(&[5.0; 3], 10.0, 0.0, 12.0), [0.0, 10.0, 20.0]);
        assert!(spread(&[], 10.0, 0.0, 12.0).is_empty());
    }
}
