//! Calls drawn from known kernels, which are found again.

use std::fmt::Write as _;

use super::*;
use hetsim_base::engine::{Stream, Streams};
use hetsim_cluster::{CallSize, Kernel, KernelTime, NodeId};
use hetsim_formula::{PointFormula, parse};
use rand::RngExt;
use rand_distr::{Distribution, LogNormal};

/// A kernel of one node.
fn kernel(seconds: &str, deviation: &str, noise: Noise) -> Kernel {
    let formula = |text: &str| PointFormula::from(parse(text, &CallSize::NAMES).unwrap());
    let time = KernelTime { seconds: formula(seconds), deviation: Some(formula(deviation)) };
    Kernel::new("drawn".to_owned(), vec![time], Vec::new(), noise).unwrap()
}

/// Calls that are drawn: by processor its slowness, its days, and how many calls of each.
struct Drawing {
    kernel: Kernel,
    slowness: Vec<f64>,
    days: u32,
    calls: usize,
    /// The standard deviation of a processor from day to day.
    drift: f64,
    /// One call in so many takes ten times as long; none for 0.
    outliers: usize,
    /// The sizes of a call.
    sizes: fn(&mut Stream) -> [f64; 3],
}

fn gemm_sizes(stream: &mut Stream) -> [f64; 3] {
    [64, 64, 16].map(|most| f64::from(8 * stream.random_range(1..=most)))
}

fn vector_sizes(stream: &mut Stream) -> [f64; 3] {
    [f64::from(stream.random_range(10..=5000)), 1.0, 1.0]
}

impl Drawing {
    fn new(seconds: &str, deviation: &str, noise: Noise, slowness: &[f64]) -> Self {
        let kernel = kernel(seconds, deviation, noise);
        Self { kernel, slowness: slowness.to_vec(), days: 1, calls: 400, drift: 0.0, outliers: 0, sizes: gemm_sizes }
    }

    /// The calls as CSV, of processors 0 and 1 of each node.
    fn csv(&self, seed: u64) -> String {
        let mut text = "node,cpu,kernel,m,n,k,seconds,day\n".to_owned();
        let mut stream = Streams::new(seed, 0).stream("calls", 0);
        for (processor, slowness) in self.slowness.iter().enumerate() {
            for day in 0..self.days {
                let moved = LogNormal::from_mean_cv(1.0, self.drift).unwrap().sample(&mut stream);
                for call in 0..self.calls {
                    let [m, n, k] = (self.sizes)(&mut stream);
                    let drawn = self.kernel.draw_s(NodeId(0), CallSize::new(m, n, k), &mut stream);
                    let is_outlier = self.outliers > 0 && call % self.outliers == 1;
                    let seconds = drawn * slowness * moved * if is_outlier { 10.0 } else { 1.0 };
                    let (node, cpu) = (processor / 2, processor % 2);
                    let _ = writeln!(text, "{node},{cpu},drawn,{m},{n},{k},{seconds},d{day}");
                }
            }
        }
        text
    }

    fn fit(&self, seed: u64) -> KernelFit {
        fits(&self.csv(seed)).remove(0)
    }
}

fn fits(text: &str) -> Vec<KernelFit> {
    let mut calls = KernelCalls::default();
    calls.read(text.as_bytes()).unwrap();
    calls.fit().unwrap()
}

fn differing(fit: &KernelFit) -> Vec<usize> {
    (0..fit.processors.len()).filter(|&number| fit.processors[number].differs).collect()
}

const GEMM: &str = "2e-6 + 7e-11*m*n*k";

/// Form, coefficients, noise and the slow processors of what was drawn, also where one call in twenty takes ten times as
/// long.
#[test]
fn a_known_kernel_is_found_again() {
    for outliers in [0, 20] {
        let slowness = [1.0, 1.0, 1.06, 1.0, 1.0, 1.0, 0.97, 1.0];
        let drawing = Drawing::new(GEMM, "0.03*(2e-6 + 7e-11*m*n*k)", Noise::HalfNormal, &slowness);
        let fit = Drawing { outliers, ..drawing }.fit(1);
        assert_eq!(fit.form.formula(), "a + b*m*n*k");
        assert_eq!(fit.noise, Noise::HalfNormal);
        assert!((fit.variation - 0.03).abs() < 0.0015, "{}", fit.variation);
        assert_eq!(fit.coefficients[0].holds(2e-6), Some(true), "{:?}", fit.coefficients);
        assert_eq!(fit.coefficients[1].holds(7e-11), Some(true), "{:?}", fit.coefficients);
        assert!(fit.coefficients[1].error.unwrap() < 0.002 * 7e-11, "{:?}", fit.coefficients);
        assert_eq!(differing(&fit), [2, 6]);
        for (processor, slowness) in fit.processors.iter().zip(slowness) {
            let (low, high) = processor.slowness.interval().unwrap();
            assert!(high - low < 0.02, "{processor:?}");
            assert!(!processor.differs || processor.slowness.holds(slowness) == Some(true), "{processor:?}");
            // Slower by a factor: a fit of its own is no better.
            assert!(!processor.has_own);
        }
        assert_eq!(fit.processors[5].coefficients, fit.coefficients);
        let expected = 20 * fit.processors.len() * usize::from(outliers > 0);
        assert!((expected..=expected + 6).contains(&fit.outliers), "{}", fit.outliers);
        assert!(fit.error < 0.03 && (fit.unseen_error.unwrap() - fit.error).abs() < 0.001, "{}", fit.error);
    }
}

/// Ninety-five of a hundred intervals hold the true coefficients, and a processor that does not differ is told apart by
/// chance in no more than five of a hundred.
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let drawing = Drawing::new(GEMM, "0.05*(2e-6 + 7e-11*m*n*k)", Noise::HalfNormal, &[1.0; 4]);
    let fits: Vec<KernelFit> =
        (0..100).map(|seed| Drawing { calls: 60, ..drawing.with_days(1, 0.0) }.fit(seed)).collect();
    let held = |number: usize, truth: f64| {
        fits.iter().filter(|fit| fit.coefficients[number].holds(truth) == Some(true)).count()
    };
    let (a, b) = (held(0, 2e-6), held(1, 7e-11));
    assert!(a >= 88 && b >= 88, "{a} {b}");
    assert!(a + b < 200, "intervals are too wide: {a} {b}");
    let told_apart = fits.iter().filter(|fit| !differing(fit).is_empty()).count();
    assert!(told_apart <= 12, "{told_apart}");
}

impl Drawing {
    fn with_days(&self, days: u32, drift: f64) -> Self {
        Self { kernel: self.kernel.clone(), slowness: self.slowness.clone(), days, drift, ..*self }
    }
}

#[test]
fn forms_are_told_apart() {
    let polynomial = "2e-6 + 7e-11*m*n*k - 2e-10*m*n + 6e-9*m*k + 2e-9*n*k";
    for (seconds, sizes, formula) in [
        ("1e-5", gemm_sizes as fn(&mut Stream) -> [f64; 3], "a"),
        ("1e-7 + 4e-10*m", vector_sizes, "a + b*m"),
        ("2e-6 + 4e-9*m*n", gemm_sizes, "a + b*m*n"),
        ("1e-6 + 5e-11*m*m*n", gemm_sizes, "a + b*m*m*n"),
        (polynomial, gemm_sizes, "a + b*m*n*k + c*m*n + d*m*k + e*n*k"),
    ] {
        let drawing = Drawing::new(seconds, &format!("0.02*({seconds})"), Noise::Gamma, &[1.0; 2]);
        let fit = Drawing { sizes, ..drawing }.fit(3);
        assert_eq!(fit.form.formula(), formula);
        let sizes = [200.0, 300.0, 40.0];
        let kernel = kernel(seconds, "0", Noise::None);
        let truth = kernel.mean_s(NodeId(0), CallSize::new(200.0, 300.0, 40.0));
        let found = fit.form.seconds(&values(&fit.coefficients), sizes);
        assert!((found / truth - 1.0).abs() < 0.01, "{formula}: {found} {truth}");
    }
}

#[test]
fn distributions_are_told_apart() {
    for noise in [Noise::Normal, Noise::HalfNormal, Noise::LogNormal, Noise::Gamma] {
        // Wide enough to have a shape, and far from zero, where the normal distribution is cut.
        let drawing = Drawing::new(GEMM, "0.2*(2e-6 + 7e-11*m*n*k)", noise, &[1.0; 4]);
        let fit = Drawing { calls: 2000, ..drawing }.fit(5);
        assert_eq!(fit.noise, noise, "{}", fit.variation);
        assert!((fit.variation - 0.2).abs() < 0.01, "{noise:?}: {}", fit.variation);
    }
    let quiet = Drawing::new(GEMM, "0", Noise::None, &[1.0, 1.0, 1.2]).fit(1);
    assert_eq!((quiet.noise, quiet.outliers, differing(&quiet)), (Noise::None, 0, vec![2]));
}

/// Processors that drift do not differ thereby; the drift is found, and is none where noise explains the days.
#[test]
fn drift_is_no_slowness() {
    let drawing = Drawing::new(GEMM, "0.02*(2e-6 + 7e-11*m*n*k)", Noise::HalfNormal, &[1.0, 1.0, 1.0, 1.0, 1.2, 1.0]);
    let drifting = Drawing { calls: 60, ..drawing.with_days(8, 0.03) }.fit(2);
    assert!((drifting.drift - 0.03).abs() < 0.01, "{}", drifting.drift);
    assert_eq!(differing(&drifting), [4]);
    assert!(drifting.processors[4].slowness.holds(1.2) == Some(true), "{:?}", drifting.processors[4]);
    let (_, low, high) = drifting.moved[0];
    assert!(low < 1.0 && high > low * 1.05, "{:?}", drifting.moved);
    assert!((drifting.variation - 0.02).abs() < 0.001, "{}", drifting.variation);
    let still = Drawing { calls: 60, ..drawing.with_days(8, 0.0) }.fit(2);
    assert_eq!((still.drift, still.moved.len()), (0.0, 0));
}

/// A processor whose start-up alone is longer has coefficients of its own.
#[test]
fn a_processor_of_another_shape_has_its_own_coefficients() {
    let plain = Drawing::new(GEMM, "0.02*(2e-6 + 7e-11*m*n*k)", Noise::HalfNormal, &[1.0; 4]);
    let other = Drawing::new("4e-5 + 8e-11*m*n*k", "0.04*(4e-5 + 8e-11*m*n*k)", Noise::HalfNormal, &[1.0]);
    let rows = other.csv(9);
    let rows = rows.lines().skip(1).map(|row| row.replacen("0,0,", "7,1,", 1) + "\n");
    let fit = fits(&(plain.csv(8) + &rows.collect::<String>())).remove(0);
    assert_eq!(differing(&fit), [4]);
    let own = &fit.processors[4];
    assert_eq!((own.place, own.has_own), (CallPlace { node: 7, cpu: Some(1) }, true));
    assert!((own.coefficients[0].value / 4e-5 - 1.0).abs() < 0.05, "{own:?}");
    assert!((own.coefficients[1].value / 8e-11 - 1.0).abs() < 0.02, "{own:?}");
    assert!((own.variation - 0.04).abs() < 0.005 && (fit.variation - 0.02).abs() < 0.002, "{own:?}");
}

#[test]
fn few_calls_are_fitted_too() {
    let one = fits("node,seconds\n3,0.5\n").remove(0);
    assert_eq!((one.name.as_str(), one.form.formula().as_str(), one.unseen_error), ("call", "a", None));
    assert_eq!((one.coefficients[0].value, one.noise, one.variation), (0.5, Noise::None, 0.0));
    // Each processor with a size of its own: no size is common, and none is slow for sure.
    let apart = fits("node,m,seconds\n0,1,1\n1,2,2\n2,3,3\n3,4,4\n4,5,5\n5,6,6\n").remove(0);
    assert_eq!(differing(&apart), Vec::<usize>::new());
    let huge = "node,m,seconds\n0,1,1e-300\n1,2,1e-300\n";
    let mut calls = KernelCalls::default();
    calls.read(huge.as_bytes()).unwrap();
    assert!(calls.fit().unwrap_err().to_string().contains("`call`"));
}

/// What a call takes over its processor's mean says nothing where each processor has a single call.
#[test]
fn processors_of_one_call_each_tell_the_form_and_the_noise() {
    let row = |node: usize| {
        let (m, off) = ([500, 1000, 2000, 4000][node % 4], [0.8, 1.2, 0.9, 1.1, 1.0][node % 5]);
        format!("{node},{m},{}\n", 1e-6 * f64::from(m) * off)
    };
    let text: String = (0..60).map(row).fold("node,m,seconds\n".to_owned(), |text, row| text + &row);
    let fit = fits(&text).remove(0);
    assert_eq!((fit.form.formula().as_str(), differing(&fit)), ("a + b*m", Vec::new()));
    assert!((fit.coefficients[1].value / 1e-6 - 1.0).abs() < 0.1, "{fit:?}");
    assert!(fit.error > 0.05 && fit.unseen_error.is_some_and(|error| error > 0.05), "{fit:?}");
    assert!((fit.variation - 0.144).abs() < 0.02, "{fit:?}");
}
