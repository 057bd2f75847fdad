//! What a scenario expects of its results.

use hetsim::report::Reported as _;
use hetsim::report::expect;

use super::{BROADCAST, LAB, made_up};
use crate::support::read;

#[test]
fn expectations_compare_a_statistic_over_replicas() {
    let expect = |statistic: &str, value: f64| {
        format!(
            "[[expect]]\nmetric = \"completion_s\"\nwhere = {{ algorithm = \"linear\" }}\n{statistic}value = {value}\ntolerance_percent = 0\nsource = \"s\"\n"
        )
    };
    let all = [
        expect("", 2.0),
        expect("statistic = \"median\"\n", 2.0),
        expect("statistic = \"min\"\n", 0.5),
        expect("statistic = \"max\"\n", 3.5),
        expect("statistic = \"max\"\n", 2.0),
    ];
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n{}",
        all.concat()
    ));
    let verdicts = expect::check(&made_up(&scenario), &scenario.report().expect);
    assert_eq!(verdicts.iter().map(|verdict| verdict.met).collect::<Vec<_>>(), [true, true, true, true, false]);
    assert_eq!(verdicts[0].place, "algorithm = linear");
    assert_eq!(verdicts[4].place, "algorithm = linear, greatest of replicas");
}

#[test]
fn an_order_compares_all_other_points_with_one() {
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n\
         [[expect]]\nmetric = \"completion_s\"\nless_than = {{ algorithm = \"binomial\" }}\nsource = \"s\"\n"
    ));
    let verdicts = expect::check(&made_up(&scenario), &scenario.report().expect);
    assert_eq!(verdicts.iter().map(|verdict| verdict.place.as_str()).collect::<Vec<_>>(), ["algorithm = linear"]);
}
