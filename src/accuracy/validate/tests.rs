//! Tests of validations, on numbers worked out by hand.

use std::fmt::Write as _;

use super::summary::spearman;
use super::*;
use crate::fit::read::collectives::{GivenColumns, read};
use crate::scenario::{PlatformTree, Source};

/// Points of one choice and size per line `run,algorithm,bytes,measured,predicted` (µs); `-` for no prediction.
fn judged(rows: &[(&str, &str, u64, f64, Option<f64>)]) -> Validation {
    let mut text = "system,run,operation,algorithm,nodes,bytes,time_us,p10_us,p90_us\n".to_owned();
    for (run, algorithm, bytes, measured, _) in rows {
        let p90 = 1.5 * measured;
        writeln!(text, "s,{run},bcast,{algorithm},8,{bytes},{measured},{measured},{p90}").unwrap();
    }
    let points = read(&text, &GivenColumns::default()).unwrap().points.into_iter().zip(rows);
    let judged = |(measured, (.., predicted)): (Measurement, &(&str, &str, u64, f64, Option<f64>))| Judged {
        predicted: predicted.map(|us| us / 1e6).ok_or(Unpredicted::LibraryChoice),
        counts: true,
        expected_error: 0.15,
        measured,
    };
    Validation::new(points.map(judged).collect())
}

fn near(found: Option<f64>, expected: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() < 1e-9), "{found:?} {expected}");
}

#[test]
fn errors_in_a_few_numbers() {
    let all = judged(&[
        ("r", "binomial", 1, 10.0, Some(10.9)),
        ("r", "binomial", 2, 10.0, Some(8.0)),
        ("r", "binomial", 3, 20.0, Some(42.0)),
        ("r", "linear", 1, 40.0, Some(19.0)),
        ("r", "default", 1, 40.0, None),
    ]);
    let summary = all.summary();
    // +9 %, −20 %, +110 %, −52.5 %.
    assert_eq!(summary.count, 4);
    near(summary.median, 0.3625);
    near(summary.mean, (0.09 + 0.2 + 1.1 + 0.525) / 4.0);
    near(summary.bias, -0.055);
    near(summary.within_10, 0.25);
    near(summary.within_25, 0.5);
    near(summary.within_double, 0.5);
    let names = |grouping| -> Vec<String> { all.by(grouping).into_iter().map(|summary| summary.group).collect() };
    assert_eq!(names(Grouping::Algorithm), ["broadcast binomial", "broadcast linear"]);
    assert_eq!(names(Grouping::Size), ["1B", "2B", "3B"]);
    assert_eq!((names(Grouping::Ranks), names(Grouping::Operation)), (vec!["8".into()], vec!["broadcast".into()]));
    assert_eq!(all.unpredicted(), [("broadcast: the library's own choice".to_owned(), 1)]);
}

#[test]
fn rank_correlations() {
    near(spearman(&[(1.0, 10.0), (2.0, 20.0), (3.0, 15.0)]), 0.5);
    near(spearman(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
    // Two equal ones share rank 0.5: 1.5/√(1.5 · 2).
    near(spearman(&[(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)]), 1.5 / 3f64.sqrt());
    assert_eq!((spearman(&[]), spearman(&[(1.0, 1.0)]), spearman(&[(1.0, 1.0), (1.0, 2.0)])), (None, None, None));
}

#[test]
fn choices_and_their_regret() {
    let all = judged(&[
        ("r", "binomial", 1, 10.0, Some(5.0)),
        ("r", "linear", 1, 8.0, Some(6.0)),
        ("r", "chain", 1, 20.0, Some(7.0)),
        ("r", "default_ompi", 1, 16.0, None),
        // Carried out alike: the mean of both counts.
        ("r", "binomial", 2, 10.0, Some(5.0)),
        ("r", "linear", 2, 14.0, Some(5.0)),
        // Only one of the other run was predicted.
        ("q", "binomial", 1, 10.0, Some(5.0)),
        ("q", "linear", 1, 8.0, None),
    ]);
    let [first, second] = &all.choices[..] else { panic!("{:?}", all.choices) };
    assert_eq!((first.candidates, &*first.best, &*first.advice.names), (3, "linear", "binomial"));
    assert!(!first.advice.is_best && second.advice.is_best);
    near(Some(first.regret()), 0.25);
    near(first.default_regret(), 1.0);
    near(first.saved(), 0.375);
    // Measured 8, 10, 20 and predicted 6, 5, 7: ranks 0, 1, 2 and 1, 0, 2.
    near(first.correlation, 0.5);
    assert_eq!((&*second.advice.names, second.default_regret()), ("binomial = linear", None));
    near(Some(second.regret()), 0.2);
    let summary = all.choice_summary();
    assert_eq!((summary.count, summary.right), (2, 1));
    near(summary.regret, 0.225);
    near(summary.worst_regret, 0.25);
    near(summary.default_regret, 1.0);
    // Of the tests in two runs linear took 8 µs in both.
    assert_eq!((all.noise.repeated, all.noise.between_runs), (2, Some(1.0)));
    near(all.noise.spread, 1.5);
}

/// Repetitions of one algorithm are no choice, nor are algorithms of different libraries.
#[test]
fn a_choice_has_two_algorithms_of_one_library() {
    assert!(judged(&[("r", "linear", 1, 8.0, Some(8.0)), ("r", "linear", 1, 9.0, Some(8.0))]).choices.is_empty());
    let mut all = judged(&[("r", "linear", 1, 8.0, Some(8.0)), ("r", "binomial", 1, 9.0, Some(8.5))]);
    assert_eq!(all.choices.len(), 1);
    all.points[0].measured.library = "other".to_owned();
    assert!(Validation::new(all.points).choices.is_empty());
}

#[test]
fn bounds_are_kept_or_said() {
    let all = judged(&[("r", "binomial", 1, 10.0, Some(12.0)), ("r", "linear", 1, 8.0, Some(13.2))]);
    let missed = |text: &str| -> Vec<String> {
        text.parse::<Bounds>().unwrap().missed(&all).iter().map(ToString::to_string).collect()
    };
    assert_eq!(missed("median=43,within25=50,regret=26,right=0,unpredicted=0"), [""; 0]);
    assert_eq!(
        missed("median=15, within25=80%"),
        ["`median` is 42.5 %, but must be at most 15 %", "`within25` is 50.0 %, but must be at least 80 %"]
    );
    let none = Validation::new(Vec::new());
    let missed = "regret=4".parse::<Bounds>().unwrap().missed(&none);
    assert!(missed[0].to_string().contains("nothing to judge"), "{missed:?}");
    for (text, word) in [("median", "not a bound"), ("speed=3", "expected one of median"), ("mean=-1", "percentage")] {
        assert!(text.parse::<Bounds>().unwrap_err().contains(word), "{text}");
    }
}

/// A run that is stopped leaves what it has predicted; the next one predicts what is missing, or was for another seed.
#[test]
fn an_interrupted_validation_goes_on() {
    use std::fs;

    let source = Source {
        name: "p.toml".to_owned(),
        folder: ".".into(),
        text: "[cluster.lab]\nnodes = 2\nnetwork = { model = \"hockney\", latency = \"4us\", bandwidth = \"1GB/s\" }\n"
            .into(),
    };
    let machine = Machine { tree: PlatformTree::parse(source).unwrap() };
    let rows =
        "operation,algorithm,nodes,bytes,time_s\nbcast,binomial,4,8,1\nbcast,binomial,8,8,1\nbcast,binomial,16,8,1\n";
    let measured = read(rows, &GivenColumns::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("points.progress");
    let predicted = |seed: u64, goes_on: &(dyn Fn() -> bool + Sync)| {
        let left = fs::read_to_string(&file).unwrap_or_default();
        let open = fs::File::options().create(true).append(true).open(&file).unwrap();
        let kept = KeptPredictions::new(&left, open).unwrap();
        let request = Request::parse(&[], &[], seed).unwrap();
        let validation = Validation::of(&machine, &measured, &request, &kept, goes_on)?;
        Some(validation.points.iter().map(|point| point.predicted.clone().unwrap()).collect::<Vec<f64>>())
    };
    assert_eq!(predicted(1, &|| false), None);
    let left = fs::read_to_string(&file).unwrap();
    assert!((1..=3).contains(&left.lines().count()), "{left}");
    // What is kept is taken as it is; a line that is cut off is not.
    let (number, _) = left.lines().next().unwrap().split_once(' ').unwrap();
    fs::write(&file, format!("{number} {:016x}\n{number} 40", 42.0_f64.to_bits())).unwrap();
    let found = predicted(1, &|| true).unwrap();
    assert_eq!(found.iter().filter(|seconds| **seconds == 42.0).count(), 1, "{found:?}");
    assert_eq!(predicted(1, &|| true).unwrap(), found);
    assert!(predicted(2, &|| true).unwrap().iter().all(|seconds| *seconds < 1.0));
}
