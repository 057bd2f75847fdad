//! The forms that the time of a call may have, as sums of products of its sizes.

use hetsim_cluster::CallSize;

/// The most terms of a form.
pub(super) const MOST_TERMS: usize = 5;

/// The names of the coefficients, in formulas and in the columns of the file that has them.
pub const COEFFICIENTS: [&str; MOST_TERMS] = ["a", "b", "c", "d", "e"];

const SIZES: [&str; 3] = CallSize::NAMES;

/// Stands in a term for no size.
const ONE: usize = 3;

/// A product of at most three sizes, by their numbers.
type Factors = [usize; 3];

/// A form: `a + b*m*n`, for instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    terms: Vec<Factors>,
    /// How many of the first coefficients cannot be negative: nothing takes less than no time. The others correct the
    /// one before them, and may have either sign.
    physical: usize,
}

impl Form {
    /// The forms of calls whose sizes `m`, `n` and `k` vary or do not, simple ones first.
    pub(super) fn candidates(varies: [bool; 3]) -> Vec<Self> {
        let form = |more: &[Factors]| Self {
            terms: [[ONE; 3]].into_iter().chain(more.iter().copied()).collect(),
            physical: 2.min(more.len() + 1),
        };
        let sizes: Vec<usize> = (0..SIZES.len()).filter(|&size| varies[size]).collect();
        let mut forms = vec![form(&[])];
        forms.extend(sizes.iter().map(|&size| form(&[[size, ONE, ONE]])));
        for (place, &first) in sizes.iter().enumerate() {
            forms.extend(sizes[place + 1..].iter().map(|&second| form(&[[first, second, ONE]])));
        }
        if let [first, second, ..] = sizes[..] {
            forms.push(form(&[[first, first, second]]));
        }
        if sizes.len() == SIZES.len() {
            forms.push(form(&[[0, 1, 2]]));
            forms.push(form(&[[0, 1, 2], [0, 1, ONE], [0, 2, ONE], [1, 2, ONE]]));
        }
        forms
    }

    /// How many coefficients it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.terms.len()
    }

    /// Whether a coefficient cannot be below zero.
    pub(super) fn is_physical(&self, number: usize) -> bool {
        number < self.physical
    }

    /// The formula of the mean time of a call, in seconds, as a platform has it: `a + b*m*n`.
    #[must_use]
    pub fn formula(&self) -> String {
        let term = |(name, factors): (&&str, &Factors)| {
            let sizes = factors.iter().filter_map(|&size| SIZES.get(size));
            [*name].into_iter().chain(sizes.copied()).collect::<Vec<_>>().join("*")
        };
        COEFFICIENTS.iter().zip(&self.terms).map(term).collect::<Vec<_>>().join(" + ")
    }

    /// The terms of a call of these sizes, without coefficients; zeros behind them.
    pub(super) fn terms(&self, [m, n, k]: [f64; 3]) -> [f64; MOST_TERMS] {
        let sizes = [m, n, k, 1.0];
        let mut terms = [0.0; MOST_TERMS];
        for (term, [first, second, third]) in terms.iter_mut().zip(&self.terms) {
            *term = sizes[*first] * sizes[*second] * sizes[*third];
        }
        terms
    }

    /// The time of a call with these coefficients, in seconds.
    #[must_use]
    pub fn seconds(&self, coefficients: &[f64; MOST_TERMS], sizes: [f64; 3]) -> f64 {
        dot(coefficients, &self.terms(sizes))
    }
}

/// The sum of products.
pub(super) fn dot(a: &[f64; MOST_TERMS], b: &[f64; MOST_TERMS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sizes_that_vary_count() {
        let formulas = |varies| Form::candidates(varies).iter().map(Form::formula).collect::<Vec<String>>();
        assert_eq!(formulas([false; 3]), ["a"]);
        assert_eq!(formulas([false, true, false]), ["a", "a + b*n"]);
        assert_eq!(formulas([true, true, false]), ["a", "a + b*m", "a + b*n", "a + b*m*n", "a + b*m*m*n"]);
        let all = formulas([true; 3]);
        assert_eq!(all.len(), 10);
        assert_eq!(all[8..], ["a + b*m*n*k", "a + b*m*n*k + c*m*n + d*m*k + e*n*k"]);
    }

    /// The text of a form is the formula that platforms read.
    #[test]
    fn formulas_give_the_same_seconds() {
        let coefficients = [1.0, 2.0, -3.0, 4.0, 5.0];
        for form in Form::candidates([true; 3]) {
            let names: Vec<&str> = SIZES.into_iter().chain(COEFFICIENTS).collect();
            let read = hetsim_formula::parse(&form.formula(), &names).unwrap();
            let values: Vec<f64> = [7.0, 11.0, 13.0].into_iter().chain(coefficients).collect();
            assert_eq!(read.value(&values), Some(form.seconds(&coefficients, [7.0, 11.0, 13.0])), "{form:?}");
        }
    }
}
