//! Objective functions: benchmark functions with a known optimum.

mod landscapes;
mod waves;

use std::ops::RangeInclusive;

use hetsim_base::registry::names;

names! {
    /// A function to minimise. Each is 0 at its optimum, in any dimension, so its value is the error of a solution.
    ///
    /// The definitions and domains are the common ones of the literature: De Jong (1975) for the sphere and
    /// Rosenbrock's valley, Mühlenbein, Schomisch and Born (1991) for Rastrigin's generalised function, Bäck (1996) for
    /// Ackley's, Griewank (1981), Schwefel (1981).
    "objective": Objective {
        OneMax "one_max" = "the number of bits that are 0 (a real gene below 1/2 counts as such a bit)",
        #[default]
        Sphere "sphere" = "the sum of squares, on -5.12 to 5.12",
        Rosenbrock "rosenbrock" = "a bent valley with a flat floor, on -2.048 to 2.048; the optimum is at 1",
        Rastrigin "rastrigin" = "a bowl plus a cosine with a local optimum near every integer, on -5.12 to 5.12",
        Ackley "ackley" = "a plain of local optima around one hollow, on -32.768 to 32.768",
        Griewank "griewank" = "a wide bowl plus a product of cosines, on -600 to 600",
        Schwefel "schwefel" = "a function whose second-best optima lie far from the best, on -500 to 500; the optimum is at 420.97",
    }
}

impl Objective {
    /// The interval of every coordinate, from which first individuals are drawn.
    #[must_use]
    pub const fn domain(self) -> RangeInclusive<f64> {
        let (least, greatest) = match self {
            Self::OneMax => (0.0, 1.0),
            Self::Sphere | Self::Rastrigin => (-5.12, 5.12),
            Self::Rosenbrock => (-2.048, 2.048),
            Self::Ackley => (-32.768, 32.768),
            Self::Griewank => (-600.0, 600.0),
            Self::Schwefel => (-500.0, 500.0),
        };
        least..=greatest
    }

    /// The coordinate of the optimum, equal in all dimensions; the value there is 0 (for Schwefel's within rounding).
    #[must_use]
    pub const fn optimum(self) -> f64 {
        match self {
            Self::OneMax | Self::Rosenbrock => 1.0,
            Self::Schwefel => landscapes::SCHWEFEL_OPTIMUM,
            Self::Sphere | Self::Rastrigin | Self::Ackley | Self::Griewank => 0.0,
        }
    }

    /// The error of one point: 0 at the optimum, positive elsewhere; 0 for a point without coordinates.
    ///
    /// The result is NaN if a coordinate is NaN, and may be NaN if one is infinite. NaN never compares less, so a
    /// search does not prefer it.
    #[must_use]
    pub fn evaluate(self, point: &[f64]) -> f64 {
        let (lanes, _) = point.as_chunks::<1>();
        let [error] = self.evaluate_lanes(lanes);
        error
    }

    /// The errors of `LANES` points at once, where `genes[i][lane]` is coordinate i of point `lane`.
    ///
    /// Every bit equals that of [`evaluate`](Self::evaluate) for each point. It is several times faster for `LANES` of
    /// about 8.
    #[must_use]
    #[inline]
    pub fn evaluate_lanes<const LANES: usize>(self, genes: &[[f64; LANES]]) -> [f64; LANES] {
        match self {
            Self::OneMax => landscapes::zeros(genes),
            Self::Sphere => landscapes::sphere(genes),
            Self::Rosenbrock => landscapes::rosenbrock(genes),
            Self::Rastrigin => landscapes::rastrigin(genes),
            Self::Ackley => landscapes::ackley(genes),
            Self::Griewank => landscapes::griewank(genes),
            Self::Schwefel => landscapes::schwefel(genes),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{E, TAU};

    use proptest::prelude::*;

    use super::*;

    /// The functions in textbook form.
    fn textbook(objective: Objective, x: &[f64]) -> f64 {
        let n = x.len() as f64;
        let squares: f64 = x.iter().map(|x| x * x).sum();
        match objective {
            Objective::OneMax => x.iter().filter(|&&x| x < 0.5).count() as f64,
            Objective::Sphere => squares,
            Objective::Rosenbrock => {
                x.windows(2).map(|x| 100.0 * (x[1] - x[0].powi(2)).powi(2) + (1.0 - x[0]).powi(2)).sum()
            }
            Objective::Rastrigin => 10.0 * n + squares - x.iter().map(|x| 10.0 * (TAU * x).cos()).sum::<f64>(),
            Objective::Ackley => {
                let waves: f64 = x.iter().map(|x| (TAU * x).cos()).sum();
                20.0 + E - 20.0 * (-0.2 * (squares / n).sqrt()).exp() - (waves / n).exp()
            }
            Objective::Griewank => {
                let product: f64 = x.iter().zip(1..).map(|(x, i)| (x / f64::from(i).sqrt()).cos()).product();
                1.0 + squares / 4000.0 - product
            }
            Objective::Schwefel => 418.982_887_272_433_7 * n - x.iter().map(|x| x * x.abs().sqrt().sin()).sum::<f64>(),
        }
    }

    #[test]
    fn the_optimum_has_no_error_and_its_surroundings_have() {
        for &objective in Objective::ALL {
            for dimension in [1, 2, 10, 30] {
                let mut point = vec![objective.optimum(); dimension];
                assert!(objective.domain().contains(&objective.optimum()));
                assert!(objective.evaluate(&point) < 1e-9, "{objective} {dimension}");
                for step in [-0.6, 0.01] {
                    point[dimension / 2] = objective.optimum() + step;
                    let error = objective.evaluate(&point);
                    assert!(error > 1e-6 || (objective == Objective::OneMax && step > -0.5), "{objective} {step}");
                }
            }
        }
        assert_eq!(Objective::Rastrigin.evaluate(&[0.0; 10]), 0.0);
        assert_eq!(Objective::Ackley.evaluate(&[0.0; 10]), 0.0);
        assert_eq!(Objective::Sphere.evaluate(&[]), 0.0);
    }

    /// At integers the cosines are 1, so the values can be computed by hand.
    #[test]
    fn known_values() {
        assert_eq!(Objective::OneMax.evaluate(&[0.0, 1.0, 1.0, 0.0]), 2.0);
        assert_eq!(Objective::Rastrigin.evaluate(&[1.0, -2.0, 3.0]), 14.0);
        assert!((Objective::Rastrigin.evaluate(&[0.5]) - 20.25).abs() < 5e-14);
        assert_eq!(Objective::Rosenbrock.evaluate(&[-1.0, 2.0, 0.0]), 104.0 + 1601.0);
        assert!((Objective::Ackley.evaluate(&[1.0, 1.0]) - 20.0 * (1.0 - (-0.2_f64).exp())).abs() < 1e-14);
        // The best local optimum: x ≈ −302.5249 in one coordinate costs 118.438.
        let other = Objective::Schwefel.evaluate(&[-302.524_935, 420.968_746]);
        assert!((other - 118.438).abs() < 1e-3, "{other}");
    }

    #[test]
    fn schwefel_does_not_fall_beyond_its_domain() {
        for x in [500.0, 501.0, 900.0, 1e4, -700.0, 1e300] {
            assert!(Objective::Schwefel.evaluate(&[x]) > 100.0, "{x}");
        }
    }

    #[test]
    fn names_read_back() {
        for &objective in Objective::ALL {
            assert_eq!(objective.name().parse(), Ok(objective));
            let json = serde_json::to_string(&objective).unwrap();
            assert_eq!(json, format!("\"{objective}\""));
            assert_eq!(serde_json::from_str::<Objective>(&json).unwrap(), objective);
        }
        let unknown = "ackly".parse::<Objective>().unwrap_err();
        assert!(unknown.to_string().contains("expected one of one_max, sphere"), "{unknown}");
    }

    proptest! {
        #[test]
        fn lanes_are_points_and_points_are_the_textbooks(
            objective in prop::sample::select(Objective::ALL),
            unit in prop::collection::vec(prop::array::uniform5(0.0..1.0f64), 1..24),
        ) {
            let (least, greatest) = objective.domain().into_inner();
            let genes: Vec<[f64; 5]> = unit.iter().map(|row| row.map(|u| least + (greatest - least) * u)).collect();
            let lanes = objective.evaluate_lanes(&genes);
            for lane in 0..5 {
                let point: Vec<f64> = genes.iter().map(|row| row[lane]).collect();
                let error = objective.evaluate(&point);
                prop_assert_eq!(error.to_bits(), lanes[lane].to_bits());
                if point.len() > 1 || objective != Objective::Rosenbrock {
                    let expected = textbook(objective, &point);
                    prop_assert!((error - expected).abs() <= 1e-12 * expected.abs().max(100.0), "{error} {expected}");
                }
            }
        }
    }
}
