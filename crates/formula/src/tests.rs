use super::*;

const NAMES: [&str; 2] = ["p", "b"];

fn value(text: &str, p: f64, b: f64) -> f64 {
    parse(text, &NAMES).unwrap().value(&[p, b]).unwrap()
}

/// Evaluates over enough points that several chunks and a rest are met.
fn grid() -> [Vec<f64>; 2] {
    // Off the whole numbers, where minima and maxima have kinks.
    let point = |i: usize| ((1 + i % 37) as f64 + 0.25, (1 + i * i % 1009) as f64 + 0.5);
    [(0..300).map(|i| point(i).0).collect(), (0..300).map(|i| point(i).1).collect()]
}

const SAMPLES: [&str; 10] = [
    "3.5",
    "b",
    "p + 2*b - 3/p",
    "sqrt(b)*ln(p + 1) - exp(-p/40)",
    "min(p, b)*max(3, p) + if(b <= 512, p*b, 7 - b)",
    "(p - (b - 2))^2/(1 + p/(b*3))",
    "if(p <= 8, if(b <= 20, 1, p), 2*b) + 1e-6*p",
    "-(p + 1)*-2.5e-7*b",
    "exp(0.5*ln(b) + 0.25*ln(p)^2)",
    "p/b/2 - (p - b) - 4",
];

/// The paper's printed formulas (004, sections 2 and 4) at given points, worked out with Python's mathematical library.
#[test]
fn the_printed_formulas_of_the_paper() {
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
    let scatter = "10.28e-6 + 91.59e-6*p + 0.030e-6*p*b";
    close(value(scatter, 4.0, 4.0), 377.12e-6);
    close(value(scatter, 32.0, 240_000.0), 0.233_341_16);
    let single = "211.8e-6 + 0.030e-6*b";
    close(value(single, 2.0, 4000.0), 331.8e-6);
    let found =
        "1e-6*(b*p*(p^0.5 - 1)^0.5)^0.5 * (b*p*0.000625 + 0.00005*b + 0.00375*p^2 + 0.003*p + ln(exp(p/2)) + 49)^0.5";
    // p = 4, b = 100: b·p·√(√4 − 1) = 400; the second root is of 0.25 + 0.005 + 0.06 + 0.012 + 2 + 49 = 51.327.
    close(value(found, 4.0, 100.0), 1e-6 * 400_f64.sqrt() * 51.327_f64.sqrt());
    // p = 16, b = 4000: 64 000 · √3; 40 + 0.2 + 0.96 + 0.048 + 8 + 49 = 98.208.
    close(value(found, 16.0, 4000.0), 1e-6 * (64_000.0 * 3_f64.sqrt()).sqrt() * 98.208_f64.sqrt());
}

#[test]
fn all_points_at_once_as_one_by_one() {
    let columns = grid();
    for text in SAMPLES {
        let expression = parse(text, &NAMES).unwrap();
        let mut values = vec![0.0; 300];
        Evaluator::default().evaluate(&expression, &columns, &mut values);
        for (at, value) in values.iter().enumerate() {
            let exact = expression.value(&[columns[0][at], columns[1][at]]).unwrap();
            assert!((value - exact).abs() <= 1e-14 * exact.abs(), "{text}: {value} {exact}");
        }
    }
}

#[test]
fn slopes_are_those_of_small_differences() {
    let columns = grid();
    for text in SAMPLES {
        let expression = parse(text, &NAMES).unwrap();
        let numbers: Vec<f64> = expression.constants().collect();
        let mut values = vec![0.0; 300];
        let mut slopes = vec![vec![0.0; 300]; numbers.len()];
        Gradient::default().evaluate(&expression, &columns, &mut values, &mut slopes);
        for (number, slope) in slopes.iter().enumerate() {
            let at = |factor: f64| {
                let mut moved = numbers.clone();
                moved[number] += factor * 1e-6 * numbers[number].abs();
                let mut other = expression.clone();
                other.set_constants(&moved);
                let mut values = vec![0.0; 300];
                Evaluator::default().evaluate(&other, &columns, &mut values);
                values
            };
            let (above, below) = (at(1.0), at(-1.0));
            for point in 0..300 {
                let difference = (above[point] - below[point]) / (2e-6 * numbers[number].abs());
                let scale = values[point].abs().max(1e-3) / numbers[number].abs();
                assert!(
                    (slope[point] - difference).abs() < 1e-5 * scale.max(slope[point].abs()),
                    "{text} {number}: {} {difference}",
                    slope[point]
                );
            }
        }
    }
}

#[test]
fn text_is_read_back() {
    for text in SAMPLES {
        let expression = parse(text, &NAMES).unwrap();
        let printed = print(&expression, &NAMES, Notation::Text);
        let again = parse(&printed, &NAMES).unwrap();
        for point in [[3.0, 7.0], [16.0, 1000.0]] {
            let (a, b) = (expression.value(&point).unwrap(), again.value(&point).unwrap());
            assert!((a - b).abs() <= 1e-14 * a.abs(), "{text} became {printed}: {a} {b}");
        }
    }
}

#[test]
fn notations() {
    let negative = parse("p + -2*ln(b)/p + -3 - (-4 + p)*-1", &NAMES).unwrap();
    assert_eq!(print(&negative, &NAMES, Notation::Text), "p - 2*ln(b)/p - 3 - (-4 + p)*(-1)");
    let expression = parse("if(b <= 512, 2*sqrt(p), b^2/(p + 1e-6))", &NAMES).unwrap();
    let all: Vec<String> = Notation::ALL.iter().map(|(notation, _)| print(&expression, &NAMES, *notation)).collect();
    assert_eq!(all[0], "if(b <= 512, 2*sqrt(p), b^2/(p + 1e-6))");
    assert_eq!(
        all[1],
        "\\begin{cases} 2 \\cdot \\sqrt{p} & \\text{if } b \\le 512 \\\\ \\frac{\\left(b\\right)^{2}}{p + 10^{-6}} & \\text{otherwise} \\end{cases}"
    );
    assert_eq!(all[2], "(if b <= 512.0 { 2.0*f64::sqrt(p) } else { f64::powi(b, 2)/(p + 1e-6_f64) })");
    assert_eq!(all[3], "(b <= 512.0 ? 2.0*sqrt(p) : pow(b, 2.0)/(p + 1e-6))");
    assert_eq!(all[4], "(2.0*math.sqrt(p) if b <= 512.0 else (b)**2/(p + 1e-6))");
}

/// A number is one for the parser and for the list of names alike.
#[test]
fn numbers_are_no_names() {
    assert_eq!(parse("1.e3", &[]).unwrap(), parse("1000", &[]).unwrap());
    assert_eq!(names("1.e3*p + .5*b - 1.5e-3 + 2.*exp(x_1)/1e6 + p"), ["p", "b", "x_1"]);
}

/// Swept keys of one last part have columns by their whole keys.
#[test]
fn names_may_have_dots_between_their_parts() {
    let text = "if(a.nodes <= 2, .5*a.nodes, 2.*a.level.0.size/b_1.nodes + 1.)";
    let known = ["a.nodes", "a.level.0.size", "b_1.nodes"];
    assert_eq!(names(text), known);
    let expression = parse(text, &known).unwrap();
    assert_eq!(expression.value(&[4.0, 6.0, 3.0]), Some(5.0));
    let printed = print(&expression, &known, Notation::Text);
    assert_eq!(parse(&printed, &known).unwrap(), expression, "{printed}");
    assert_eq!(parse("a. + 1", &["a"]).unwrap_err().at, 2);
}

#[test]
fn what_is_no_formula_is_told_with_its_place() {
    for (text, at, part) in [
        ("p + q", 5, "no variable \"q\""),
        ("p + ", 5, "ends too early"),
        ("sin(p)", 1, "no function"),
        ("(p", 3, "')' is expected"),
        ("p p", 3, "nothing more"),
        ("p^b", 3, "an exponent is a number"),
        ("if(3 <= 4, p, b)", 4, "asks for a variable"),
        ("1e999", 1, "not a number within range"),
        ("1.2.3", 1, "not a number"),
    ] {
        let error = parse(text, &NAMES).unwrap_err();
        assert!(error.at == at && error.message.contains(part), "{text}: {error}");
    }
    assert!(parse(&"(".repeat(100_000), &NAMES).unwrap_err().message.contains("nested"));
}

#[test]
fn simpler_and_of_the_same_value() {
    for (text, simple) in [
        ("1*p + 0", "p"),
        ("ln(exp(p/2))", "p/2"),
        ("2*(3*p) + (1 + 2)", "3 + 6*p"),
        ("sqrt(p)^2 - p", "0"),
        ("p*0 + b*b", "b^2"),
        ("if(b <= 8, if(b <= 16, p, 1), if(b <= 4, 2, 3))", "if(b <= 8, p, 3)"),
        ("if(b <= 8, p, p)", "p"),
    ] {
        let simplified = simplify(&parse(text, &NAMES).unwrap());
        assert_eq!(print(&simplified, &NAMES, Notation::Text), simple, "{text}");
    }
    for text in SAMPLES {
        let expression = parse(text, &NAMES).unwrap();
        let simplified = simplify(&expression);
        assert!(simplified.size() <= expression.size());
        let (a, b) = (expression.value(&[5.0, 600.0]).unwrap(), simplified.value(&[5.0, 600.0]).unwrap());
        assert!((a - b).abs() <= 1e-12 * a.abs(), "{text}");
    }
}

#[test]
fn protected_operations_count_their_faults() {
    let columns = [vec![-4.0, 0.0, 4.0]];
    let mut values = [0.0; 3];
    let mut evaluator = Evaluator::default();
    let faults = evaluator.evaluate_protected(&parse("sqrt(x)", &["x"]).unwrap(), &columns, &mut values);
    assert_eq!((faults, values), (1, [0.0, 0.0, 2.0]));
    let faults = evaluator.evaluate_protected(&parse("ln(x)", &["x"]).unwrap(), &columns, &mut values);
    assert_eq!((faults, values[0], values[1]), (2, 0.0, 0.0));
    evaluator.evaluate(&parse("ln(x)", &["x"]).unwrap(), &columns, &mut values);
    assert!(values[0].is_nan());
}

#[test]
fn nodes_that_are_no_expression() {
    use Node::{Constant, Variable};
    let add = Node::Binary(Binary::Add);
    for nodes in [vec![], vec![add], vec![Variable(0), add], vec![Variable(0), Variable(1)], vec![Constant(f64::NAN)]] {
        assert_eq!(Expression::new(nodes), None);
    }
    let sum = Expression::new(vec![Variable(0), Constant(2.0), add]).unwrap();
    assert_eq!((sum.size(), sum.depth(), sum.variables(), sum.start(2)), (3, 2, 1, 0));
}

/// Whatever is nested, and however deep: the stack does not grow with the text, nor memory beyond it.
#[test]
fn deep_and_swollen_formulas_are_refused() {
    for (text, word) in [
        ("2^".repeat(35_000) + "2", "nested"),
        ("2^-".repeat(35_000) + "2", "nested"),
        ("(".repeat(100_000) + "p", "nested"),
        ("-(".repeat(100_000) + "p", "nested"),
        ("sqrt(".repeat(100_000) + "p", "nested"),
        ("min(1,".repeat(100_000) + "p", "nested"),
        ("if(p<=1,2,".repeat(100_000) + "p", "nested"),
        ("(".repeat(8) + "p" + &"^64)".repeat(8), "more than"),
        ("max(p^64*p^64, ".repeat(150) + "(p^64)^64" + &")".repeat(150) + &"+(p^64)^64".repeat(20), "more than"),
        ("p + ".repeat(200_000) + "p", "more than"),
    ] {
        let error = parse(&text, &NAMES).unwrap_err();
        assert!(error.message.contains(word), "{}: {error}", &text[..20]);
    }
}

/// The longest formulas that are read can be printed, simplified and evaluated.
#[test]
fn long_formulas_hold() {
    let texts = [
        "p + ".repeat(20_000) + "p",
        "-".repeat(100_000) + "p",
        "(".repeat(199) + "p" + &")".repeat(199),
        "sqrt(p + ".repeat(199) + "1" + &")".repeat(199),
        "p/(".repeat(199) + "p" + &")".repeat(199),
    ];
    for text in &texts {
        let expression = parse(text, &NAMES).unwrap();
        assert!(expression.value(&[5.0, 600.0]).is_some());
        let simplified = simplify(&expression);
        assert!(!print(&simplified, &NAMES, Notation::Text).is_empty());
        let back = parse(&print(&expression, &NAMES, Notation::Text), &NAMES).unwrap();
        assert_eq!(back.value(&[5.0, 600.0]), expression.value(&[5.0, 600.0]));
    }
}

#[test]
fn a_file_is_read_back() {
    let formula = Formula {
        target: "time_us".to_owned(),
        variables: vec![Variable { name: "p".to_owned(), least: 2.0, greatest: 64.0 }],
        expression: parse("0.1 + ln(p)/3", &["p"]).unwrap(),
        error: Some(4.25),
        unseen_error: None,
    };
    assert_eq!(Formula::from_toml(&formula.to_toml()).unwrap(), formula);
    assert!(Formula::from_toml("target = 'x'\nformula = 'q'\nvariable = []").is_err());
    // The second variable of a name would be read as the first.
    let twice = formula.to_toml() + "[[variable]]\nname = \"p\"\nleast = 0\ngreatest = 1\n";
    assert_eq!(Formula::from_toml(&twice).unwrap_err().to_string(), "two variables are called `p`");
}
