//! A level of detail for charts with more bars than pixels: bars are binned, and bins that look alike are merged.

/// With more bars a chart is binned.
pub(crate) const MOST_BARS: usize = 5_000;
/// A chart that is binned has no more rectangles: at some 120 bytes each they stay below two megabytes.
const MOST_RUNS: usize = 12_000;
/// In how many steps a bin tells how full it is.
pub(crate) const STEPS: u32 = 3;

/// A bar before it is binned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bar {
    pub(crate) lane: usize,
    /// From where to where, in pixels from the start of the lanes.
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) kind: usize,
    /// What share of the lane it takes, from 0 to 1.
    pub(crate) weight: f64,
}

/// Neighbouring bins of a lane that look alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BinRun {
    pub(crate) lane: usize,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// What takes most of the bins.
    pub(crate) kind: usize,
    /// How full they are, in so many [`STEPS`], one at least.
    pub(crate) step: u32,
}

/// The bars in bins of as many pixels as it takes to have few enough of them, and how many pixels those are.
pub(crate) fn binned(mut bars: Vec<Bar>, width: f64) -> (Vec<BinRun>, f64) {
    bars.retain(|bar| bar.to >= bar.from && bar.to >= 0.0 && bar.from <= width && bar.weight > 0.0);
    bars.sort_by_key(|bar| bar.lane);
    let kinds = bars.iter().map(|bar| bar.kind + 1).max().unwrap_or(1);
    let mut bin = 1.0;
    loop {
        let runs: Vec<BinRun> =
            bars.chunk_by(|a, b| a.lane == b.lane).flat_map(|lane| runs(lane, kinds, bin, width)).collect();
        if runs.len() <= MOST_RUNS || bin >= width {
            return (runs, bin);
        }
        bin *= 2.0;
    }
}

/// The runs of the bars of one lane.
fn runs(bars: &[Bar], kinds: usize, bin: f64, width: f64) -> Vec<BinRun> {
    let count = (width / bin).ceil().max(1.0) as usize;
    // The share of each bin that each kind takes.
    let mut shares = vec![0.0; count * kinds];
    for bar in bars {
        let (from, to) = (bar.from.max(0.0) / bin, bar.to.min(width) / bin);
        // A bar that ends on a bin's border is not in the next.
        let first = (from as usize).min(count - 1);
        let last = (to.ceil() as usize).saturating_sub(1).clamp(first, count - 1);
        for index in first..=last {
            let (start, end) = (index as f64, index as f64 + 1.0);
            // The shortest bars stay visible.
            let part = (to.min(end) - from.max(start)).max(1e-9);
            shares[index * kinds + bar.kind] += part * bar.weight;
        }
    }
    let mut runs: Vec<BinRun> = Vec::new();
    for (index, shares) in shares.chunks(kinds).enumerate() {
        let total: f64 = shares.iter().sum();
        if total <= 0.0 {
            continue;
        }
        // Of kinds that take as much the first: neighbours look alike then.
        let most = (0..kinds).fold(0, |most, kind| if shares[kind] > 1.02 * shares[most] { kind } else { most });
        let step = ((total - 1e-6) * f64::from(STEPS)).ceil().clamp(1.0, f64::from(STEPS)) as u32;
        let (from, to) = (index as f64 * bin, ((index + 1) as f64 * bin).min(width));
        match runs.last_mut() {
            Some(run) if run.to == from && run.kind == most && run.step == step => run.to = to,
            _ => runs.push(BinRun { lane: bars[0].lane, from, to, kind: most, step }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(lane: usize, from: f64, to: f64, kind: usize) -> Bar {
        Bar { lane, from, to, kind, weight: 1.0 }
    }

    #[test]
    fn touching_bars_are_one() {
        let (runs, bin) = binned(vec![bar(0, 0.0, 2.0, 1), bar(0, 2.0, 5.0, 1), bar(1, 3.0, 3.2, 0)], 10.0);
        assert_eq!(bin, 1.0);
        let whole = BinRun { lane: 0, from: 0.0, to: 5.0, kind: 1, step: 3 };
        let short = BinRun { lane: 1, from: 3.0, to: 4.0, kind: 0, step: 1 };
        assert_eq!(runs, [whole, short]);
    }

    #[test]
    fn many_bars_are_few_rectangles() {
        // A comb in which every other pixel is free.
        let comb = |lane: usize| {
            (0..400).map(move |tooth| bar(lane, f64::from(2 * tooth), f64::from(2 * tooth + 1), lane % 3))
        };
        let (runs, bin) = binned((0..1000).flat_map(comb).collect(), 800.0);
        assert!(runs.len() <= MOST_RUNS && bin > 1.0, "{} {bin}", runs.len());
        // Half of each bin is free.
        assert!(runs.iter().all(|run| run.step == 2), "{:?}", runs[0]);
        assert_eq!(runs.iter().map(|run| run.lane).max(), Some(999));
    }
}
