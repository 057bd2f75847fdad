//! The coverage of 95 % intervals of the mean: of several intervals at fixed numbers of replicas, and of runs with the
//! stopping rule of `stopping`. Prints Markdown tables for the documentation.

use hetsim::engine::{Stream, Streams};
use hetsim::statistics::stopping::{Decision, Estimate, StoppingRule, Target, run_until};
use hetsim::statistics::{Confidence, bootstrap, mean_interval};
use rand_distr::{Distribution, Exp1, StandardNormal};

/// The number of cases per line; the standard error of a share of 95 % is then 0.5 %.
const CASES: u64 = 2000;

/// The number of cases of Student's interval at fixed numbers, which are cheap: a standard error of 0.15 %.
const MANY_CASES: u64 = 20_000;

/// A distribution: its name, its mean and its generator.
type Source = (&'static str, f64, fn(&mut Stream) -> f64);

fn normal(stream: &mut Stream) -> f64 {
    let z: f64 = StandardNormal.sample(stream);
    10.0 + 3.0 * z
}

fn exponential(stream: &mut Stream) -> f64 {
    Exp1.sample(stream)
}

fn lognormal(stream: &mut Stream) -> f64 {
    let z: f64 = StandardNormal.sample(stream);
    z.exp()
}

fn sources() -> [Source; 3] {
    [
        ("normal, deviation 30 % of the mean", 10.0, normal),
        ("exponential (100 %)", 1.0, exponential),
        ("lognormal, σ = 1 (131 %)", 0.5f64.exp(), lognormal),
    ]
}

fn main() {
    fixed();
    println!();
    stopping();
}

/// Intervals at fixed numbers of replicas.
fn fixed() {
    println!("| values | n | Student | percentile | BCa |\n|---|---|---|---|---|");
    for (name, mean, draw) in sources() {
        for count in [10, 30, 100] {
            let mut covered = [0u32; 3];
            for case in 0..MANY_CASES {
                // Separate streams for the distributions; otherwise the errors of their lines would be correlated.
                let mut stream = Streams::new(1, case).stream(name, count);
                let values: Vec<f64> = (0..count).map(|_| draw(&mut stream)).collect();
                let mut note = |kind: usize, interval: Option<(f64, f64)>| {
                    covered[kind] += u32::from(interval.is_some_and(|(low, high)| low <= mean && mean <= high));
                };
                note(0, mean_interval(&values, Confidence::P95));
                if case < CASES {
                    note(1, bootstrap::percentile(&values, Confidence::P95, 1000, &mut stream));
                    note(2, bootstrap::bca(&values, Confidence::P95, 1000, &mut stream));
                }
            }
            let [student, percentile, bca] = covered;
            let (student, percentile, bca) = (share(student, MANY_CASES), share(percentile, CASES), share(bca, CASES));
            println!("| {name} | {count} | {student} | {percentile} | {bca} |");
        }
    }
}

/// Runs with a stopping rule.
fn stopping() {
    println!("| values | target | first look | held the mean | replicas, mean | median | reached the cap |");
    println!("|---|---|---|---|---|---|---|");
    for (name, mean, draw) in sources() {
        for (target, first) in [(0.2, 30), (0.1, 30), (0.05, 30), (0.02, 30), (0.01, 30), (0.1, 10), (0.1, 100)] {
            let rule = StoppingRule { first, most: 1 << 17, ..StoppingRule::new(Target::Relative(target)) };
            let (mut covered, mut capped, mut counts) = (0, 0, Vec::new());
            for case in 0..CASES {
                let mut stream = Streams::new(2, case).stream(name, 0);
                let (_, decision) = run_until(&rule, |range| range.map(|_| Some(draw(&mut stream))).collect());
                let (Decision::Enough(reached) | Decision::Exhausted(reached)) = decision else { continue };
                capped += u32::from(matches!(decision, Decision::Exhausted(_)));
                covered += u32::from(holds(reached, mean));
                counts.push(reached.replicas);
            }
            counts.sort_unstable();
            let average = counts.iter().sum::<usize>() / counts.len();
            let (median, percent) = (counts[counts.len() / 2], 100.0 * target);
            let (covered, capped) = (share(covered, CASES), share(capped, CASES));
            println!("| {name} | ±{percent:.0} % | {first} | {covered} | {average} | {median} | {capped} |");
        }
    }
}

fn holds(reached: Estimate, mean: f64) -> bool {
    reached.mean.zip(reached.half_width).is_some_and(|(found, half)| (found - mean).abs() <= half)
}

fn share(count: u32, of: u64) -> String {
    format!("{:.1} %", 100.0 * f64::from(count) / of as f64)
}
