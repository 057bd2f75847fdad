//! The sizes of a grid of points.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hetsim_base::units::Bytes;

/// The most sizes of a grid.
const MOST: u64 = 1_000_000;

/// One size, or a range of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Sizes")]
pub enum GridSizes {
    /// This one.
    One(Bytes),
    /// Equal steps.
    Range(SizeRange),
}

/// Sizes in equal steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Range")]
pub struct SizeRange {
    /// The first.
    pub from: Bytes,
    /// None is above this; it belongs to the range where the steps meet it.
    pub to: Bytes,
    /// From one to the next.
    pub step: Bytes,
}

/// All of them in ascending order, each once.
pub(super) fn sizes(given: &[GridSizes]) -> Result<Vec<u64>, String> {
    let mut all = Vec::new();
    for sizes in given {
        match sizes {
            GridSizes::One(size) => all.push(size.count()),
            GridSizes::Range(SizeRange { from, to, step }) => {
                let (first, last, step) = (from.count(), to.count(), step.count());
                if step == 0 || last < first {
                    return Err(format!("a range goes up in steps above zero, which {from} to {to} does not"));
                }
                if (last - first) / step >= MOST {
                    return Err(format!("from {from} to {to} there are more than {MOST} steps"));
                }
                all.extend((0..=(last - first) / step).map(|number| first + number * step));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The whole numbers half-way between neighbours, rounded down, without those that are on the grid.
pub(super) fn between<N>(grid: &[N]) -> Vec<N>
where
    N: Copy + PartialEq + Into<u64> + TryFrom<u64>,
{
    let middle = |pair: &[N]| {
        let (low, high): (u64, u64) = (pair[0].into(), pair[1].into());
        N::try_from(u64::midpoint(low, high)).ok().filter(|middle| *middle != pair[0])
    };
    grid.windows(2).filter_map(middle).collect()
}
