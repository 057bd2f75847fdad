//! What a calibration leaves open, in sentences: keys taken out of the fit, keys that trade off, and what would tell them apart.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use super::points::{CalibrationPoints, described};
use crate::accuracy::calibrate::{CORRELATION, Calibration, FixedKey, Key, Simulated, TradeOff};
use crate::accuracy::{Machine, check_point};
use crate::fit::read::collectives::{GivenColumns, Measurement, read};

/// Operations that are quickly measured and differ in what they cost: of few messages one after the other, of many by one
/// rank or by all, and of blocks one by one. The last says whether a buffer has a block for each rank.
const USUAL: [(&str, &str, bool); 7] = [
    ("scatter", "linear", true),
    ("gather", "linear", true),
    ("broadcast", "linear", false),
    ("broadcast", "binomial", false),
    ("all_gather", "ring", true),
    ("all_gather", "bine_blocks", true),
    ("all_to_all", "linear", true),
];

/// The bytes of a block, or of a whole vector: what overheads, copies and bandwidths rule.
const SIZES: [u64; 3] = [256, 1 << 16, 1 << 22];

/// How far the first of the keys moves either way.
const MOVE: f64 = 1.25;

/// The least change that tells, as a share. The points used change by less: moved along an eigenvector with a value below
/// 1 − [`CORRELATION`], by ln(1.25²) √0.05 = 0.1 at most in the mean square. Benchmarks repeat themselves no better.
const TELLING: f64 = 0.1;

/// The most messages of a measurement that is proposed: none takes longer than the points of a usual calibration.
const MOST_MESSAGES: u64 = 100_000;

/// For each trade-off the usual measurement, on the most ranks among the points used, whose simulated time changes most
/// while its keys move; none where no one changes enough.
pub(super) fn telling(
    (machine, keys): (&Machine, &[Key]),
    found: &Calibration,
    points: &CalibrationPoints<'_>,
    (seed, stop): (u64, &AtomicBool),
) -> Vec<Option<String>> {
    if found.trade_offs.is_empty() {
        return Vec::new();
    }
    let usual = usual(points);
    let simulated = Simulated::new(machine, keys, &usual, seed).until(stop);
    let tells = |trade_off: &TradeOff| {
        let [up, down] = [MOVE, 1.0 / MOVE].map(|ratio| simulated.predict(&moved(keys, found, trade_off, ratio)));
        let changes = up.iter().zip(&down).map(|(up, down)| (up / down).ln().abs());
        let most = changes.zip(&usual).filter(|(change, _)| *change >= TELLING).max_by(|(a, _), (b, _)| a.total_cmp(b));
        most.map(|(_, point)| described(point))
    };
    found.trade_offs.iter().map(tells).collect()
}

/// The usual measurements on the most ranks among the points used.
fn usual(points: &CalibrationPoints<'_>) -> Vec<Measurement> {
    let largest = points.used.iter().max_by_key(|point| point.ranks());
    let Some((nodes, each)) = largest.map(|point| (point.nodes, point.ranks_per_node)) else { return Vec::new() };
    let mut table = "operation,algorithm,nodes,ranks_per_node,bytes,time_s\n".to_owned();
    for (operation, algorithm, in_blocks) in USUAL {
        for size in SIZES {
            let bytes = if in_blocks { size * u64::from(nodes) * u64::from(each) } else { size };
            let _ = writeln!(table, "{operation},{algorithm},{nodes},{each},{bytes},1");
        }
    }
    let mut usual = read(&table, &GivenColumns::default()).map(|read| read.points).unwrap_or_default();
    usual.retain(|point| point.model.is_some() && check_point(point, MOST_MESSAGES).is_ok());
    usual
}

/// The values where the first key of a trade-off is so many times as great, within the bounds.
fn moved(keys: &[Key], found: &Calibration, trade_off: &TradeOff, ratio: f64) -> Vec<f64> {
    let one = |((key, value), along): ((&Key, &f64), &f64)| match along {
        0.0 => *value,
        along => (value * ratio.powf(*along)).clamp(key.low, key.high),
    };
    keys.iter().zip(&found.values).zip(&trade_off.along).map(one).collect()
}

/// Why a key is fixed, in words for its line in the written platform.
pub(super) fn fixed_in_words(key: &Key, fixed: &FixedKey) -> String {
    format!("freed from the fit: the search ran to its bound, {}", key.text(fixed.bound))
}

/// The same as a sentence, with what is to be done.
pub(super) fn fixed_sentence(key: &Key, fixed: &FixedKey) -> String {
    let (name, why) = (&key.name, fixed_in_words(key, fixed));
    if fixed.value == key.start {
        return format!("{name}: {why}; it keeps the file's value, which explains the points as well.");
    }
    format!(
        "{name}: {why}; it stays there, since the file's value explains the points worse; --free {name}=LOW..HIGH sets \
         other bounds."
    )
}

/// The keys that trade off, and what would tell them apart.
pub(super) fn trade_off_sentence(keys: &[Key], trade_off: &TradeOff, tells: Option<&str>) -> String {
    let of_sign = |positive: bool| -> Vec<&str> {
        let parts = trade_off.keys.iter().filter(|(_, part)| (*part > 0.0) == positive);
        parts.map(|(key, _)| keys[*key].name.as_str()).collect()
    };
    let (mut up, mut down) = (of_sign(true), of_sign(false));
    if up.is_empty() {
        std::mem::swap(&mut up, &mut down);
    }
    let down = if down.is_empty() {
        " together".to_owned()
    } else {
        format!(" while {} {}", down.join(" and "), if down.len() > 1 { "fall" } else { "falls" })
    };
    let rise = if up.len() > 1 { "rise" } else { "rises" };
    let advice = tells.map_or_else(
        || {
            "no usual operation on as many ranks tells them apart, so give one of them what is known of the machine"
                .to_owned()
        },
        |point| format!("to tell them apart, add a measurement such as {point}"),
    );
    format!(
        "{} {rise}{down}, and the error hardly changes (correlation above {CORRELATION}): these points determine their \
         combination, not each; {advice}.",
        up.join(" and ")
    )
}
