//! How well the data determine what was found.

use super::loss::{loss_of, typical};
use super::quadratic::Quadratic;
use super::search::{Search, SearchPoint};
use super::{Halt, Stage};

/// The rise of the error at which a range ends: as a share of it, and at least so much.
pub const RISE: (f64, f64) = (0.1, 0.01);

/// Keys that move together are named where their estimates would correlate by more than this in pairs.
pub const CORRELATION: f64 = 0.95;

/// The distance from which the local model is made, as the logarithm of a ratio: beyond the rounding of ticks, and
/// short enough to be local.
const NEIGHBOUR: f64 = 0.02;

/// A key of which the deviations change less than this, when it changes by a factor of e, is not seen by the data.
const UNSEEN: f64 = 0.01;

/// How often a range is halved, in the logarithm of its length.
const HALVINGS: i32 = 4;

/// What is known of a key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyCertainty {
    /// The least and the greatest value at which the error has not risen by [`RISE`], the other keys following as well
    /// as they can; nothing where it does not rise so much before some bound is reached.
    pub low: Option<f64>,
    /// The same, above.
    pub high: Option<f64>,
}

/// Keys that move together while the predictions hardly change.
#[derive(Debug, Clone, PartialEq)]
pub struct TradeOff {
    /// Their numbers, and their parts: those with signs alike rise together, the others fall.
    pub keys: Vec<(usize, f64)>,
    /// How far each of all keys moves, as the logarithm of a ratio, while the one with the greatest part moves by 1.
    pub along: Vec<f64>,
}

/// One side of a key's range, while it is sought.
#[derive(Debug, Clone)]
struct Side {
    key: usize,
    /// How far all coordinates move for each unit of the way.
    along: Vec<f64>,
    /// The longest way known to be within the range, and the shortest known to end beyond.
    within: f64,
    beyond: Option<f64>,
    /// The way to the key's bound.
    most: f64,
}

impl Side {
    /// The next way to be tried; nothing once the end is known well enough.
    fn next(&self, guess: f64) -> Option<f64> {
        match self.beyond {
            None if self.within >= self.most => None,
            None if self.within == 0.0 => Some(guess.min(self.most)),
            None => Some((self.within * 2.0).min(self.most)),
            Some(beyond) if self.within == 0.0 => Some(beyond / 4.0).filter(|way| *way > 1e-6),
            Some(beyond) => {
                (beyond / self.within > 2f64.powf(0.5f64.powi(HALVINGS))).then(|| (beyond * self.within).sqrt())
            }
        }
    }
}

/// How well the data determine each key that is searched, and a better place if the way led to one.
pub(super) struct Certainty {
    pub ranges: Vec<KeyCertainty>,
    pub better: Option<SearchPoint>,
}

impl Search<'_, '_> {
    /// Moves each key either way until the error has risen, the others following by the local model of the loss.
    pub(super) fn certainty(&mut self, found: &SearchPoint) -> Result<Certainty, Halt> {
        let (quadratic, _) = self.quadratic(found, NEIGHBOUR)?;
        let error = typical(found.loss);
        let end = rise_of(found);
        let mut sides = Vec::new();
        let mut guesses = Vec::new();
        for key in 0..self.free.len() {
            let along = quadratic.along(key);
            // By the local model the loss rises by half the curvature times the square of the way.
            let guess = (2.0 * (end - found.loss) / quadratic.curvature(&along).max(1e-12)).sqrt();
            for sign in [-1.0, 1.0] {
                let along: Vec<f64> = along.iter().map(|part| sign * part).collect();
                let most = if sign < 0.0 { found.at[key] } else { 1.0 - found.at[key] };
                sides.push(Side { key, along, within: 0.0, beyond: None, most });
                guesses.push(guess);
            }
        }
        let mut better: Option<SearchPoint> = None;
        let mut round = 0.0;
        loop {
            let tried: Vec<Option<f64>> = sides.iter().zip(&guesses).map(|(side, guess)| side.next(*guess)).collect();
            let open: Vec<(usize, f64)> = tried.iter().enumerate().filter_map(|(i, way)| Some((i, (*way)?))).collect();
            if open.is_empty() {
                break;
            }
            let points: Vec<Vec<f64>> = open.iter().map(|(i, way)| moved(&found.at, &sides[*i].along, *way)).collect();
            let losses = self.losses(&points)?;
            for (((i, way), loss), at) in open.into_iter().zip(losses).zip(points) {
                if loss >= end {
                    sides[i].beyond = Some(way);
                } else {
                    sides[i].within = way;
                }
                if loss < better.as_ref().map_or(found.loss, |better| better.loss) {
                    better = Some(SearchPoint { at, loss });
                }
            }
            round += 1.0;
            (self.progress)(Stage::Ranges, round / (round + 4.0), error);
        }
        Ok(Certainty { ranges: sides.chunks_exact(2).map(|pair| self.range(found, pair)).collect(), better })
    }

    /// The keys that move together near what was found. Fixed ones are among them: along such a way a key
    /// runs to its bound.
    pub(super) fn trade_offs(&mut self, found: &SearchPoint) -> Result<Vec<TradeOff>, Halt> {
        let mut at: Vec<f64> = self.keys.iter().map(|key| key.share(key.start)).collect();
        self.fixed.iter().for_each(|fixed| at[fixed.key] = self.keys[fixed.key].share(fixed.value));
        self.free.iter().zip(&found.at).for_each(|(&key, share)| at[key] = *share);
        let mut all = Search {
            keys: self.keys,
            free: (0..self.keys.len()).collect(),
            fixed: Vec::new(),
            measured: self.measured,
            evaluations: self.evaluations,
            progress: self.progress,
        };
        let (quadratic, _) = all.quadratic(&SearchPoint { at, loss: found.loss }, NEIGHBOUR)?;
        let seen: Vec<usize> = (0..self.keys.len()).filter(|&key| all.seen(&quadratic, key)).collect();
        let named = |parts: Vec<(usize, f64)>| {
            let leader = parts.iter().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs())).map_or(0, |(key, _)| *key);
            let ways = quadratic.along(leader).into_iter().zip(all.keys);
            let along = ways.map(|(part, key)| part * key.width() / all.keys[leader].width()).collect();
            TradeOff { keys: parts, along }
        };
        Ok(quadratic.trade_offs(&seen, 1.0 - CORRELATION).into_iter().map(named).collect())
    }

    /// Whether the predictions change with a key at all.
    fn seen(&self, quadratic: &Quadratic, key: usize) -> bool {
        quadratic.sensitivity(key) / self.key(key).width() >= UNSEEN
    }

    fn range(&self, found: &SearchPoint, sides: &[Side]) -> KeyCertainty {
        let end = |side: &Side| {
            let at = moved(&found.at, &side.along, side.within);
            side.beyond.map(|_| self.key(side.key).at(at[side.key]))
        };
        KeyCertainty { low: end(&sides[0]), high: end(&sides[1]) }
    }
}

/// The loss at which the error has risen by [`RISE`].
pub(super) fn rise_of(found: &SearchPoint) -> f64 {
    let error = typical(found.loss);
    loss_of((error * (1.0 + RISE.0)).max(error + RISE.1))
}

/// The point some way along a direction; a coordinate that meets its bound stays there.
fn moved(at: &[f64], along: &[f64], way: f64) -> Vec<f64> {
    at.iter().zip(along).map(|(at, along)| (at + way * along).clamp(0.0, 1.0)).collect()
}
