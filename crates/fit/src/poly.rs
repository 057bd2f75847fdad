//! Combines several models, each for the sizes at which it predicts best.

use super::{Fitted, PairSamples, Series};

/// The most parts into which sizes are dealt, each to be predicted by models of the others.
const MOST_PARTS: usize = 24;

/// A poly-model of single messages. Each measured size uses the model with the prediction nearest to the measurement;
/// any other size uses the model of the nearest measured one (Nasri, Steffenel and Trystram, IJGUC 2008, §3.4 and
/// Poly-adapt-1).
#[derive(Debug, Clone, PartialEq)]
pub struct Poly {
    models: Vec<Fitted>,
    /// The selected model for each size, by rising size.
    choices: Vec<(u64, usize)>,
}

impl Poly {
    /// Selects among fitted models by the half round trips of `samples`. The score of a model at a size is the relative
    /// error of its prediction plus `weight` for each message used for its parameters. The least score wins, ties go to
    /// the first model. With a weight of 0 no single model is nearer to any sample. Returns `None` without models or
    /// samples.
    #[must_use]
    pub fn choose(models: Vec<Fitted>, samples: &PairSamples, weight: f64) -> Option<Self> {
        let costs: Vec<f64> =
            models.iter().map(|fitted| weight * fitted.model().acquisition(samples).messages as f64).collect();
        let choice = |bytes: u64, measured: f64| {
            let score =
                |(index, fitted): (usize, &Fitted)| ((fitted.hop(bytes) / measured - 1.0).abs() + costs[index], index);
            models.iter().enumerate().map(score).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, index)| (bytes, index))
        };
        let measured = halves(samples).into_iter();
        let choices: Vec<(u64, usize)> = measured.filter_map(|(bytes, measured)| choice(bytes, measured)).collect();
        (!choices.is_empty()).then_some(Self { models, choices })
    }

    /// The sizes, dealt in turn to at most 24 parts: neighbours belong to different ones. To leave out one part after
    /// the other measures the error of a choice on sizes that it has not seen. Each part is sorted; none is empty.
    #[must_use]
    pub fn parts(samples: &PairSamples) -> Vec<Vec<u64>> {
        let sizes = halves(samples);
        let count = sizes.len().min(MOST_PARTS);
        let part = |number: usize| sizes.iter().skip(number).step_by(count).map(|(bytes, _)| *bytes).collect();
        (0..count).map(part).collect()
    }

    /// The model for messages of this size: that of the measured size nearest by ratio, ties to the smaller.
    #[must_use]
    pub fn model(&self, bytes: u64) -> &Fitted {
        let next = self.choices.partition_point(|(size, _)| *size < bytes);
        let shorter = next.checked_sub(1).map(|before| self.choices[before]);
        let nearest = match (shorter, self.choices.get(next)) {
            // a ≤ m < b: m is nearer to a by ratio if m² ≤ a·b. Sizes count from 1, so that an empty message has a
            // ratio.
            (Some((low, at_low)), Some(&(high, at_high))) => {
                let [low, high, size] = [low, high, bytes].map(|bytes| u128::from(bytes.max(1)));
                if size * size <= low * high { at_low } else { at_high }
            }
            (Some((_, index)), None) | (None, Some(&(_, index))) => index,
            (None, None) => 0,
        };
        &self.models[nearest]
    }

    /// The predicted time of one message in seconds.
    #[must_use]
    pub fn hop(&self, bytes: u64) -> f64 {
        self.model(bytes).hop(bytes)
    }

    /// The models by rising size, each with its upper border (`None` for the last). Adjacent sizes with the same model
    /// have no border between them.
    #[must_use]
    pub fn pieces(&self) -> Vec<(&Fitted, Option<f64>)> {
        let mut pieces: Vec<(&Fitted, Option<f64>)> = Vec::new();
        for (place, &(_, index)) in self.choices.iter().enumerate() {
            let next = self.choices.get(place + 1);
            if next.is_some_and(|&(_, other)| other == index) {
                continue;
            }
            let middle = next.map(|&(bytes, _)| (self.choices[place].0.max(1) as f64 * bytes.max(1) as f64).sqrt());
            pieces.push((&self.models[index], middle));
        }
        pieces
    }
}

/// The sizes with half their round trips.
fn halves(samples: &PairSamples) -> Vec<(u64, f64)> {
    let middle = |series: &Series| Some((series.bytes, series.middle()?.value / 2.0));
    samples.round_trips.iter().filter_map(middle).filter(|(_, measured)| *measured > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Model;
    use super::*;

    /// Half round trips of 1, 2, 4, … B: constant up to 64 B, then proportional to the size; the gaps are a fraction of
    /// them.
    fn samples() -> PairSamples {
        let series = |factor: f64| {
            move |power: u32| {
                let bytes = 1u64 << power;
                let half = if bytes <= 64 { 10e-6 } else { 1e-6 * bytes as f64 };
                Series { bytes, seconds: vec![factor * half; 3], ..Series::default() }
            }
        };
        let list = |factor| (0..=12).map(series(factor)).collect();
        PairSamples { round_trips: list(2.0), gaps: list(0.8), ..PairSamples::default() }
    }

    #[test]
    fn no_model_is_nearer_to_any_sample() {
        let samples = samples();
        let fitted = |model: &Model| Fitted::fit(*model, &samples).ok();
        let models: Vec<Fitted> = Model::ALL.iter().filter_map(fitted).collect();
        assert!(models.len() >= 2);
        let poly = Poly::choose(models.clone(), &samples, 0.0).unwrap();
        for series in &samples.round_trips {
            let error = |hop: f64| (hop / (series.seconds[0] / 2.0) - 1.0).abs();
            for model in &models {
                assert!(
                    error(poly.hop(series.bytes)) <= error(model.hop(series.bytes)),
                    "{model:?} at {}",
                    series.bytes
                );
            }
        }
        let of_all = samples.mean_percentage_error(|bytes| poly.hop(bytes)).unwrap();
        let best = models.iter().filter_map(|model| samples.mean_percentage_error(|bytes| model.hop(bytes)));
        assert!(best.fold(f64::INFINITY, f64::min) >= of_all);
    }

    #[test]
    fn other_sizes_go_by_the_nearest() {
        let samples = samples();
        let models: Vec<Fitted> = Model::ALL.iter().filter_map(|model| Fitted::fit(*model, &samples).ok()).collect();
        let poly = Poly::choose(models, &samples, 0.0).unwrap();
        // 64 · 128 = 90.5²: 90 B belong to 64 B and 91 B to 128 B.
        assert_eq!(poly.model(90), poly.model(64));
        assert_eq!(poly.model(91), poly.model(128));
        assert_eq!(poly.model(0), poly.model(1));
        assert_eq!(poly.model(1 << 40), poly.model(1 << 12));
        assert!(Poly::choose(Vec::new(), &samples, 0.0).is_none());
    }
}
