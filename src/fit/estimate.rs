//! An estimated quantity and how far off it may be.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::robust;

/// An estimated quantity with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate, in the quantity's base unit.
    pub value: f64,
    /// Its standard error; nothing where a single sample says nothing about it.
    pub error: Option<f64>,
    /// Degrees of freedom of the error, for Student's t; infinite where the error is known.
    pub freedom: f64,
}

impl Estimate {
    /// The middle of samples: their mean without the fifth at either end, and its error from the winsorised variance (Tukey
    /// and McLaughlin, Sankhyā A 25, 1963). Fewer than five samples are all counted. Nothing for none, or where one is not finite.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        robust::trimmed_mean(samples, 0.2)
    }

    /// A quantity that is known, or whose error is not.
    #[must_use]
    pub const fn without_error(value: f64) -> Self {
        Self { value, error: None, freedom: f64::INFINITY }
    }

    /// The sum of independent estimates, each times a factor. Its degrees of freedom are those of Welch and Satterthwaite.
    #[must_use]
    pub fn combined(parts: &[(f64, Self)]) -> Self {
        let value = parts.iter().map(|(factor, part)| factor * part.value).sum();
        let variances = parts.iter().map(|(factor, part)| Some(((factor * part.error?).powi(2), part.freedom)));
        let Some(variances) = variances.collect::<Option<Vec<(f64, f64)>>>() else {
            return Self::without_error(value);
        };
        let variance: f64 = variances.iter().map(|(variance, _)| variance).sum();
        let below: f64 = variances.iter().map(|(variance, freedom)| variance * variance / freedom).sum();
        let freedom = if below > 0.0 { variance * variance / below } else { f64::INFINITY };
        Self { value, error: Some(variance.sqrt()), freedom }
    }

    /// The 95 % confidence interval by Student's t; nothing where the error is not known.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        // Beyond, Student's t is the normal distribution.
        let freedom = self.freedom.min(1e6);
        let factor = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975);
        let half = factor * self.error?;
        Some((self.value - half, self.value + half))
    }

    /// Whether the interval holds `truth`, give or take the last digits of a sum. Nothing without an interval.
    #[must_use]
    pub fn holds(&self, truth: f64) -> Option<bool> {
        let (low, high) = self.interval()?;
        let digits = 1e-9 * truth.abs().max(self.value.abs());
        Some(low - digits <= truth && truth <= high + digits)
    }
}
