//! An estimated quantity with its uncertainty.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::robust;

/// An estimated quantity with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate in the base unit of the quantity.
    pub value: f64,
    /// The standard error; `None` if there is too little data for one.
    pub error: Option<f64>,
    /// The degrees of freedom of the error for Student's t; infinite if the error is known.
    pub freedom: f64,
}

impl Estimate {
    /// The 20 % trimmed mean of samples, with the error from the winsorised variance (Tukey and McLaughlin, Sankhyā A
    /// 25, 1963). Fewer than five samples are not trimmed. Returns `None` without samples or if one is not finite.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        robust::trimmed_mean(samples, 0.2)
    }

    /// An estimate without an error, for a known quantity or an unknown error.
    #[must_use]
    pub const fn without_error(value: f64) -> Self {
        Self { value, error: None, freedom: f64::INFINITY }
    }

    /// The sum of independent estimates, each times a factor, with the degrees of freedom of Welch and Satterthwaite.
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

    /// The 95 % confidence interval by Student's t; `None` without an error.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        // Beyond this, Student's t equals the normal distribution.
        let freedom = self.freedom.min(1e6);
        let factor = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975);
        let half = factor * self.error?;
        Some((self.value - half, self.value + half))
    }

    /// Whether the interval contains `truth`, within rounding; `None` without an interval.
    #[must_use]
    pub fn holds(&self, truth: f64) -> Option<bool> {
        let (low, high) = self.interval()?;
        let digits = 1e-9 * truth.abs().max(self.value.abs());
        Some(low - digits <= truth && truth <= high + digits)
    }
}
