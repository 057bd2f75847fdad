use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use rand::RngExt;

use super::data::{Data, Points, Reading, Repeats};
use super::error::Deviations;
use super::*;
use hetsim_base::engine::Streams;
use hetsim_formula::{Binary, Node, Notation, parse, print};

const NAMES: [&str; 2] = ["p", "bytes"];

/// A normal deviate by the Box–Muller transform.
fn normal(stream: &mut hetsim_base::engine::Stream) -> f64 {
    let (a, b): (f64, f64) = (1.0 - stream.random::<f64>(), stream.random());
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// The times of a formula with relative noise on a grid of processors and bytes, split alternately: two training
/// points, one test point.
fn measured(formula: &str, noise: f64) -> (Points, Points) {
    let formula = parse(formula, &NAMES).unwrap();
    let mut stream = Streams::new(11, 0).stream("noise", 0);
    let mut all = Points { columns: vec![Vec::new(), Vec::new()], ..Points::default() };
    for p in [2, 3, 4, 8, 12, 16, 32] {
        for step in 0..32 {
            let (p, bytes) = (f64::from(p), (4.0 * 1.43_f64.powi(step)).round());
            all.columns[0].push(p);
            all.columns[1].push(bytes);
            all.target.push(formula.value(&[p, bytes]).unwrap() * (noise * normal(&mut stream)).exp());
            all.weights.push(1.0);
        }
    }
    let (held, fitted): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|at| at % 3 == 2);
    (all.chosen(&fitted), all.chosen(&held))
}

fn request(method: Method, folds: usize) -> Request {
    let mut request = Request { method, folds, ..Request::default() };
    (request.paper.generations, request.paper.runs) = (300, 1);
    request
}

fn found(points: &Points, method: Method) -> FittedFormulas {
    fit(points, &request(method, 0), &AtomicBool::new(false), &mut |_| {}).unwrap()
}

fn error(expression: &Expression, points: &Points) -> f64 {
    Deviations::of(expression, points).unwrap().mean
}

const KNOWN: [&str; 4] = [
    "10.28 + 91.59*p + 0.03*p*bytes",
    "40 + 12*ln(p)*(1 + 0.002*bytes)",
    "exp(2 + 0.5*ln(p)) + 0.3*sqrt(bytes)*p",
    "if(bytes <= 512, 10 + 25*p + 0.045*p*bytes, 10 + 60*p + 0.035*p*bytes)",
];

#[test]
fn known_formulas_are_recovered_without_noise() {
    for formula in KNOWN {
        let (fitted, unseen) = measured(formula, 0.0);
        let found = found(&fitted, Method::Gp);
        let best = &found.front[found.chosen];
        let reached = error(&best.expression, &unseen);
        let text = print(&best.expression.rounded(4), &NAMES, Notation::Text);
        assert!(reached < 0.3, "{formula}: {reached} % by {text}");
    }
}

/// The floor is the error of the true formula on the same test points.
#[test]
fn known_formulas_are_recovered_from_noise() {
    for formula in KNOWN {
        let (fitted, unseen) = measured(formula, 0.05);
        let floor = error(&parse(formula, &NAMES).unwrap(), &unseen);
        assert!((3.0..5.0).contains(&floor), "{floor}");
        let found = found(&fitted, Method::Gp);
        let reached = error(&found.front[found.chosen].expression, &unseen);
        assert!(reached < 1.2 * floor, "{formula}: {reached} %, floor {floor} %");
    }
}

#[test]
fn borders_are_found_with_the_formulas_between_them() {
    let formula = "if(bytes <= 512, 10 + 25*p, if(bytes <= 4096, 90*p + 0.03*p*bytes, 300 + 0.08*p*bytes))";
    let (fitted, unseen) = measured(formula, 0.0);
    let found = found(&fitted, Method::Piecewise);
    let best = &found.front[found.chosen].expression;
    let text = print(best, &NAMES, Notation::Text);
    assert!(text.contains("bytes <= 512,") && text.contains("bytes <= 4096,"), "{text}");
    assert_eq!(best.borders(), 2, "{text}");
    assert!(error(best, &unseen) < 1e-6, "{text}");
}

#[test]
fn curve_fitting_gives_the_factors_back() {
    let (fitted, _) = measured("10.28 + 91.59*p + 0.03*p*bytes", 0.0);
    for method in [Method::Ols, Method::Relative] {
        let found = found(&fitted, method);
        let numbers: Vec<f64> = found.front[0].expression.constants().collect();
        for (number, exact) in numbers.iter().zip([10.28, 91.59, 0.03]) {
            assert!((number / exact - 1.0).abs() < 1e-9, "{numbers:?}");
        }
    }
    // A linear combination of other terms gets the factor 0 and not an infinite one.
    let columns = [vec![1.0; 4], vec![1.0, 2.0, 3.0, 4.0], vec![3.0, 5.0, 7.0, 9.0]];
    let factors = linear::factors(&columns, &[5.0, 8.0, 11.0, 14.0], &[1.0; 4], Loss::Squared).unwrap();
    assert!((factors[0] - 2.0).abs() < 1e-9 && (factors[1] - 3.0).abs() < 1e-9 && factors[2] == 0.0, "{factors:?}");
}

#[test]
fn weights_say_which_points_count() {
    // Two lines; the weights favour the second.
    let x: Vec<f64> = (1..=10).map(f64::from).collect();
    let column = [x.clone(), x.clone()].concat();
    let target = column.iter().enumerate().map(|(at, x)| if at < 10 { 1.0 + x } else { 5.0 + 2.0 * x }).collect();
    let weights = (0..20).map(|at| if at < 10 { 1e-9 } else { 1.0 }).collect();
    let points = Points { columns: vec![column], target, weights };
    let found = found(&points, Method::Relative);
    let numbers: Vec<f64> = found.front[0].expression.constants().collect();
    assert!((numbers[0] - 5.0).abs() < 1e-3 && (numbers[1] - 2.0).abs() < 1e-3, "{numbers:?}");
}

#[test]
fn numbers_in_a_formula_are_fitted() {
    let truth = parse("3.7*exp(-0.02*p) + sqrt(bytes + 250)", &NAMES).unwrap();
    let (mut points, _) = measured("1", 0.0);
    for at in 0..points.len() {
        points.target[at] = truth.value(&[points.columns[0][at], points.columns[1][at]]).unwrap();
    }
    let mut guess = parse("1*exp(-0.1*p) + sqrt(bytes + 100)", &NAMES).unwrap();
    let reached = constants::Fitter::default().fit(&mut guess, &points, 200);
    assert!(reached < 0.01, "{reached} % with {:?}", guess.constants().collect::<Vec<_>>());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (fitted, _) = measured(KNOWN[3], 0.05);
    let mut request = request(Method::Gp, 2);
    (request.genetic.generations, request.genetic.population) = (10, 30);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&fitted, &request, &AtomicBool::new(false), &mut |_| {}).unwrap())
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert!(one.front.len() > 5);
    request.genetic.seed = 2;
    let other = fit(&fitted, &request, &AtomicBool::new(false), &mut |_| {}).unwrap();
    assert_ne!(one.front, other.front);
}

#[test]
fn a_front_rises_in_size_and_falls_in_error() {
    let (fitted, _) = measured(KNOWN[1], 0.05);
    let found = found(&fitted, Method::SmoothGp);
    for pair in found.front.windows(2) {
        assert!(pair[0].size < pair[1].size && pair[0].error > pair[1].error);
    }
    for candidate in &found.front {
        assert_eq!((candidate.size, candidate.expression.borders()), (candidate.expression.size(), 0));
        assert!((candidate.error - error(&candidate.expression, &fitted)).abs() < 1e-9);
    }
}

/// What is measured along a diagonal, where p falls as bytes rise: a piece for some p says little about other bytes.
fn diagonal() -> Points {
    let mut points = Points { columns: vec![Vec::new(), Vec::new()], ..Points::default() };
    for step in 1..=60 {
        let (p, bytes) = (f64::from(step), f64::from(100 * (61 - step)));
        points.columns[0].push(p);
        points.columns[1].push(bytes);
        points.target.push(if step <= 30 { (p * bytes).powi(3) } else { 0.2 * (p * bytes).powi(3) });
        points.weights.push(1.0);
    }
    points
}

/// Also where the piecewise formula leaves the bounds half-way between points, which other formulas must not.
#[test]
fn the_front_is_never_above_the_piecewise_formula() {
    let (noisy, _) = measured(KNOWN[3], 0.05);
    let mut beyond = 0;
    for points in [noisy, diagonal()] {
        let piecewise = found(&points, Method::Piecewise).front.remove(0);
        let sound = sound::Intermediate::new(&points).sound(&piecewise.expression, &mut Fitter::default());
        beyond += usize::from(!sound);
        let mut request = request(Method::Gp, 0);
        (request.genetic.generations, request.genetic.population) = (5, 20);
        let gp = fit(&points, &request, &AtomicBool::new(false), &mut |_| {}).unwrap();
        let least = gp.front.iter().map(|candidate| candidate.error).fold(f64::INFINITY, f64::min);
        assert!(least <= piecewise.error, "{least} {}", piecewise.error);
        assert!(gp.front.is_sorted_by_key(|candidate| candidate.size));
    }
    assert_eq!(beyond, 1);
}

/// The piecewise formula is fitted again without each fold, and the chosen formula is no worse by more than a standard
/// error on the points held out.
#[test]
fn the_piecewise_formula_is_cross_validated_too() {
    let (fitted, _) = measured(KNOWN[3], 0.05);
    let mut request = request(Method::Gp, 4);
    (request.genetic.generations, request.genetic.population) = (5, 20);
    let gp = fit(&fitted, &request, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let validation = gp.validation.unwrap();
    let (formula, held_out) = validation.piecewise.unwrap();
    assert_eq!(formula.expression, found(&fitted, Method::Piecewise).front[0].expression);
    for (fold, (others, own)) in fitted.folds(4, 1).into_iter().enumerate() {
        let refitted = piecewise::fit(&fitted.chosen(&others), 2 + fold as u64).pop().unwrap().expression;
        for at in own {
            let place = [fitted.columns[0][at], fitted.columns[1][at]];
            assert_eq!(refitted.value(&place).unwrap(), held_out.predicted[at]);
        }
    }
    let rows: Vec<&choice::HeldOut> = validation.sizes.iter().map(|(_, row)| row).chain([&held_out]).collect();
    let least = rows.iter().map(|row| row.error).fold(f64::INFINITY, f64::min);
    assert!(rows.iter().any(|row| row.good && row.error == least));
    let deviations = gp.held_out.unwrap();
    assert!(rows.iter().any(|row| row.good && (row.error - deviations.mean).abs() < 1e-9), "{}", deviations.mean);
}

#[test]
fn an_interrupt_gives_the_best_so_far() {
    let (fitted, _) = measured(KNOWN[0], 0.05);
    let stopped = AtomicBool::new(true);
    for method in [Method::Gp, Method::Paper] {
        let found = fit(&fitted, &request(method, 4), &stopped, &mut |_| {}).unwrap();
        assert!(!found.front.is_empty() && found.validation.is_none());
    }
}

/// As in section 4: on times with several protocols it is much better than curve fitting, uses only the paper's
/// operations, and respects the depth.
#[test]
fn the_paper_s_genetic_programming() {
    let (fitted, _) = measured(KNOWN[3], 0.05);
    let curve = found(&fitted, Method::Ols).front[0].error;
    let options = paper::Options { generations: 1500, runs: 1, depth: 9, ..paper::Options::default() };
    let mut heard = 0;
    let stop = AtomicBool::new(false);
    let (best, reached) = paper::search(&fitted, &options, &stop, &mut |_, _, _, _| heard += 1).unwrap();
    assert!(reached < curve, "{reached} {curve}");
    assert!((error(&best, &fitted) - reached).abs() < 1e-9 * reached);
    assert!(best.depth() <= 9 && heard > 0);
    for node in best.nodes() {
        let allowed = matches!(node, Node::Binary(Binary::Add | Binary::Multiply)) || node.arity() < 2;
        assert!(allowed, "{node:?}");
    }
    let again = paper::search(&fitted, &options, &stop, &mut |_, _, _, _| {}).unwrap();
    assert_eq!(again.0, best);
}

#[test]
fn deviations_in_the_paper_s_form() {
    let points =
        Points { columns: vec![vec![1.0, 2.0, 3.0, 4.0]], target: vec![1.0, 2.2, 2.0, 16.0], weights: vec![1.0; 4] };
    let deviations = Deviations::of(&parse("x", &["x"]).unwrap(), &points).unwrap();
    // 0, 0.2/2.2, 1/2 and 12/16.
    assert!((deviations.mean - (0.0 + 100.0 / 11.0 + 50.0 + 75.0) / 4.0).abs() < 1e-9);
    let shares: Vec<f64> = error::BOUNDS.iter().map(|bound| deviations.share_below(*bound)).collect();
    assert_eq!(shares, [25.0, 25.0, 25.0, 50.0, 50.0, 50.0, 100.0]);
    assert_eq!(Deviations::of(&parse("x", &["x"]).unwrap(), &Points::default()), None);
}

#[test]
fn extremes_of_the_front_are_no_knee() {
    let candidate = |size: usize, error: f64| {
        let expression = Expression::constant(1.0);
        ScoredFormula { expression, error, size, hash: 0 }
    };
    let front = front(vec![candidate(100, 4.0), candidate(1, 80.0), candidate(10, 5.0), candidate(12, 6.0)]);
    assert_eq!(front.iter().map(|candidate| candidate.size).collect::<Vec<_>>(), [1, 10, 100]);
    assert_eq!(knee(&front), Some(1));
    assert_eq!(knee(&front[..1]), Some(0));
    assert_eq!(knee(&[]), None);
}

fn reading() -> Reading {
    let names = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    Reading { target: "t".to_owned(), by: names(&["p", "b"]), held_back: 0.0, ..Reading::default() }
}

fn read(text: &str) -> Result<Data, String> {
    Data::read(text.as_bytes(), &reading()).map_err(|error| error.to_string())
}

#[test]
fn what_gives_no_data_is_told_with_its_line() {
    for (text, part) in [
        ("p,b\n1,2\n", "no column \"t\"; there are p, b"),
        ("p,b,t\n1,2,3\n2,x,4\n", "line 3: \"x\" in column \"b\" is not a number"),
        ("p,b,t\n1,2,3\n2,3,4,5\n", "line 3: this row has 4 cells, and there are 3 columns"),
        ("p,b,t,b\n1,2,3,4\n2,3,4,5\n", "columns 2 and 4 are both called \"b\""),
        ("p,b,t\n1,2,3\n2,3\n", "line 3: \"\" in column \"t\" is not a number"),
        ("p,b,t\n1,2,3\n2,3,0\n", "line 3: 0 in column \"t\" is not a run time"),
        ("p,b,t\n1,2,-3\n", "line 2: -3 in column \"t\" is not a run time"),
        ("p,b,t\n1,NaN,3\n", "line 2: NaN in column \"b\" is not finite"),
        ("p,b,t\n1,2,inf\n", "line 2: inf in column \"t\" is not finite"),
        // Lines that are passed over are counted.
        ("p,b,t\n# one\n1,2,3\n\n# two\n2,x,4\n", "line 6: \"x\""),
        ("p,b,t\r\n1,2,3\r\n# two\r\n2,x,4", "line 4: \"x\""),
        ("p,b,t\r\n1,x,3\r\n2,3,4\r\n", "line 2: \"x\""),
        ("# one\np,b,t\n# two\n1,x,3\n2,3,4\n", "line 4: \"x\""),
        // One column is one column, in whatever case it is asked for.
        ("P,b,T\n1,2,3\n2,x,4\n", "line 3: \"x\" in column \"b\""),
        ("p,b,t\n1,2,3\n", "1 points; at least 2"),
        ("p,b,t\n", "0 points"),
        ("", "the file has no column names"),
        ("p,b,t\n1,2,3\n1,2,4\n", "1 points"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(part), "{text:?}: {error}");
    }
    for (by, part) in [("T", "the time \"t\" can't depend on itself"), ("P", "the column \"p\" is named twice")] {
        let by = Reading { by: vec!["p".to_owned(), by.to_owned()], ..reading() };
        let error = Data::read("p,t\n1,3\n2,4\n".as_bytes(), &by).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let all = Reading { repeats: Repeats::All, ..reading() };
    let error = Data::read("p,b,t\n1,2,3\n1,2,4\n".as_bytes(), &all).unwrap_err().to_string();
    assert!(error.contains("no variable varies"), "{error}");
}

#[test]
fn separators_marks_and_blanks() {
    let plain = read("p,b,t\n1,2,3\n2,3,4.5\n").unwrap();
    assert_eq!(plain.train.columns, [vec![1.0, 2.0], vec![2.0, 3.0]]);
    assert_eq!(plain.train.target, [3.0, 4.5]);
    for text in
        ["p;b;t\n1;2;3\n2;3;4.5", "\u{feff}p\tb\tt\r\n1\t2\t3\r\n2\t3\t4.5\r\n", "\"p\", b ,t\n 1,\"2\",3\n2,3,4.5\n\n"]
    {
        assert_eq!(read(text).unwrap(), plain, "{text:?}");
    }
    // A constant column gives a note; unused columns may hold anything.
    let noted = read("p,x,b,t\n1,a,2,3\n1,,3,4\n").unwrap();
    assert!(noted.notes[0].contains("p is 1 in all points"), "{:?}", noted.notes);
}

#[test]
fn repeats_words_and_splits() {
    let text =
        "p,b,t,how,part\n1,2,3,ring,train\n1,2,9,ring,train\n1,2,4,ring,train\n2,2,5,tree,train\n3,2,7,tree,test\n";
    let mut reading = reading();
    reading.categories = vec!["how".to_owned()];
    reading.split = Some("part".to_owned());
    let data = Data::read(text.as_bytes(), &reading).unwrap();
    assert_eq!(data.names, ["p", "b", "how_ring", "how_tree"]);
    assert_eq!((data.train.target, data.test.target), (vec![4.0, 5.0], vec![7.0]));
    assert_eq!((data.train.columns[2].clone(), data.test.columns[3].clone()), (vec![1.0, 0.0], vec![1.0]));
    reading.repeats = Repeats::All;
    assert_eq!(Data::read(text.as_bytes(), &reading).unwrap().train.len(), 4);
    let wrong = text.replace("test", "spare");
    assert!(Data::read(wrong.as_bytes(), &reading).unwrap_err().to_string().contains("line 6: the split is"));
}

/// Names of variables are what formulas allow; two words that differ in signs alone would share one.
#[test]
fn words_that_become_one_name_are_refused() {
    let of = |words: [&str; 2], by: &str| {
        let text = format!("{by},t,how\n1,3,{}\n2,4,{}\n", words[0], words[1]);
        let categories = vec!["how".to_owned()];
        Data::read(text.as_bytes(), &Reading { by: vec![by.to_owned()], categories, ..reading() })
    };
    for (words, by, name) in [
        (["a-b", "a_b"], "p", "how_a_b"),
        (["v1.0", "v1_0"], "p", "how_v1_0"),
        (["ring", "tree"], "how_ring", "how_ring"),
    ] {
        let error = of(words, by).unwrap_err().to_string();
        assert!(error.starts_with(&format!("two variables would be called `{name}`")), "{error}");
    }
    assert_eq!(of(["a-b", "a_c"], "p").unwrap().names, ["p", "how_a_b", "how_a_c"]);
}

/// What the own language can't read would be written to files that nobody can read.
#[test]
fn columns_that_formulas_cannot_name_are_refused() {
    for column in ["message size", "1st", "a-b", ""] {
        let text = format!("{column},t,how\n1,3,ring\n2,4,tree\n");
        let by = Reading { by: vec![column.to_owned()], ..reading() };
        let category = Reading { categories: vec![column.to_owned()], ..reading() };
        for reading in [by, category] {
            let error = Data::read(text.as_bytes(), &reading).unwrap_err().to_string();
            assert!(error.starts_with(&format!("formulas can't name the column {column:?}: rename it")), "{error}");
        }
    }
}

/// Of many rows an even sample is kept, and no more are held in memory.
#[test]
fn many_rows_are_sampled() {
    let mut text = "p,b,t\n".to_owned();
    for row in 0..20_000 {
        let _ = writeln!(text, "{row},{},1", row % 7);
    }
    let reading = Reading { most_points: 500, ..reading() };
    let data = Data::read(text.as_bytes(), &reading).unwrap();
    assert_eq!(data.train.len(), 500);
    let mean = data.train.columns[0].iter().sum::<f64>() / 500.0;
    // The mean of 500 draws from 0..20 000 has a standard error of 258.
    assert!((mean - 10_000.0).abs() < 1000.0, "{mean}");
    assert!(data.notes[0].contains("500 of 20000 rows"), "{:?}", data.notes);
}

#[test]
fn random_splits_keep_their_share_and_folds_meet_every_point() {
    let mut text = "p,b,t\n".to_owned();
    for row in 0..100 {
        let _ = writeln!(text, "{row},{},1", row % 7);
    }
    let data = Data::read(text.as_bytes(), &Reading { held_back: 0.3, ..reading() }).unwrap();
    assert_eq!((data.train.len(), data.test.len()), (70, 30));
    let mut seen = vec![0; 70];
    for (fitted, left_out) in data.train.folds(4, 1) {
        assert_eq!(fitted.len() + left_out.len(), 70);
        for at in left_out {
            seen[at] += 1;
        }
    }
    assert!(seen.iter().all(|times| *times == 1));
}
