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
        if samples.is_empty() || samples.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut values = robust::sorted(samples);
        let count = values.len();
        let cut = ((count as f64 * 0.2).floor() as usize).min((count - 1) / 2);
        let (low, high) = (values[cut], values[count - 1 - cut]);
        let left = count - 2 * cut;
        // Use differences from the middle, so that equal values have exactly that mean.
        let middle = values[count / 2];
        let kept = &values[cut..count - cut];
        let value = middle + kept.iter().map(|value| value - middle).sum::<f64>() / left as f64;
        if count == 1 {
            return Some(Self::without_error(value));
        }
        for value in &mut values {
            *value = value.clamp(low, high);
        }
        let mean = middle + values.iter().map(|value| value - middle).sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let freedom = (left - 1).max(1) as f64;
        let error = (squares / (left as f64 * freedom)).sqrt();
        Some(Self { value, error: Some(error), freedom })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trimmed_mean_by_hand() {
        // Of ten values two are trimmed at either end: the mean of 3..=8; winsorised 3 3 3 4 5 6 7 8 8 8, squares 42.5.
        let values: Vec<f64> = (1..=9).map(f64::from).chain([1000.0]).collect();
        let estimate = Estimate::of(&values).unwrap();
        assert_eq!((estimate.value, estimate.freedom), (5.5, 5.0));
        assert!((estimate.error.unwrap() - (42.5_f64 / 30.0).sqrt()).abs() < 1e-12);
        assert_eq!(Estimate::of(&[7.0]), Some(Estimate::without_error(7.0)));
        assert_eq!(Estimate::of(&[1.0, f64::NAN]), None);
        // Without trimming it is the plain mean with its plain error.
        let plain = Estimate::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(plain.value, 2.5);
        assert!((plain.error.unwrap() - (5.0_f64 / 12.0).sqrt()).abs() < 1e-12);
    }
}
