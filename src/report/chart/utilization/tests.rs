use super::*;
use crate::cluster::{NodeId, Span, Timeline};
use crate::record::Value;
use crate::report::Reported as _;
use crate::scenario::{Scenario, Source};
use crate::units::Tick;

/// A star of so many nodes, and what all of them do with 1 kB.
fn scenario(nodes: u32, operation: &str) -> Scenario {
    let text = format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\n\
         network = {{ model = 'fair', latency = '100us', bandwidth = '1MB/s' }}\n\
         [workload]\nkind = 'collective'\noperation = '{operation}'\nalgorithm = 'linear'\nsize = '1kB'\n"
    );
    let source = Source { name: "test".to_owned(), folder: ".".into(), text: text.into() };
    Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn star(nodes: u32, operation: &str) -> Traced {
    scenario(nodes, operation).trace(0, 0).unwrap()
}

fn near(shares: &[f64], expected: &[f64]) {
    let close = shares.len() == expected.len() && shares.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(close, "{shares:?} is not {expected:?}");
}

#[test]
fn means_are_integrals_over_parts() {
    let steps = [(Time(5), 1.0), (Time(25), 0.5), (Time(30), 0.0)];
    near(&means(&steps, Time(40), 4), &[0.5, 1.0, 0.75, 0.0]);
    // The last value holds until the end, and what comes later counts nothing.
    near(&means(&[(Time(10), 0.25)], Time(40), 2), &[0.125, 0.25]);
    near(&means(&[(Time(1), 1.0), (Time(90), 0.0)], Time(3), 1), &[2.0 / 3.0]);
    // Parts need not begin at whole ticks.
    near(&means(&[(Time(1), 1.0), (Time(2), 0.0)], Time(3), 2), &[1.0 / 3.0, 1.0 / 3.0]);
    near(&means(&steps, Time::ZERO, 2), &[0.0, 0.0]);
}

#[test]
fn one_message_fills_its_two_links_once_its_latency_is_over() {
    // 100 µs of latency, then 1000 bytes at a byte a microsecond.
    let traced = star(2, "broadcast");
    assert_eq!(traced.end, traced.tick.time(1100e-6));
    let names: Vec<&str> = traced.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["lab node 0 up", "lab node 1 down"]);
    let expected = [0.0].into_iter().chain([1.0; 10]).collect::<Vec<_>>();
    for link in &traced.links {
        assert_eq!(link.rates, [(traced.tick.time(100e-6), link.capacity), (traced.end, 0.0)]);
    }
    for row in used_links(&traced, 11) {
        near(&row.shares, &expected);
    }
}

#[test]
fn the_link_that_messages_share_is_the_first() {
    // Three messages leave node 0 at once: its link is full for 3 ms, theirs to a third.
    let traced = star(4, "broadcast");
    assert_eq!(traced.end, traced.tick.time(3100e-6));
    let rows = used_links(&traced, 31);
    assert_eq!(rows[0].name, "lab node 0 up");
    for (row, share) in rows.iter().zip([1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]) {
        near(&row.shares, &[0.0].into_iter().chain([share; 30]).collect::<Vec<_>>());
    }
    let picture = utilization(&traced, Of::Links, String::new(), None);
    assert_eq!((picture.rows.len(), picture.y_label.as_str()), (4, "links, the most used first"));
}

#[test]
fn the_use_over_the_run_is_that_of_the_record() {
    let traced = star(6, "all_to_all");
    let record = scenario(6, "all_to_all").run(0, 0).unwrap();
    let share = record.get("most_used_link_share").and_then(Value::number).unwrap();
    let rows = used_links(&traced, PARTS);
    assert_eq!(Some(rows[0].name.clone()), record.get("most_used_link").map(ToString::to_string));
    // Five messages of 1 ms up each link, after 100 µs.
    near(&[rows[0].mean(), share], &[5.0 / 5.1; 2]);
}

#[test]
fn a_core_is_in_use_while_it_computes_or_receives() {
    let span = |activity, start, end| Span { at: NodeId(0), activity, start: Time(start), end: Time(end) };
    let mut timeline = Timeline::default();
    timeline.spans.extend([
        span(Activity::Compute, 0, 20),
        span(Activity::Compute, 0, 40),
        // Three share two cores; what a port sends takes none.
        span(Activity::Compute, 10, 20),
        span(Activity::Send, 40, 80),
        span(Activity::Receive, 60, 70),
    ]);
    let traced = Traced {
        timeline,
        clusters: vec!["lab".to_owned()],
        cluster_of: vec![0],
        tick: Tick::PICOSECOND,
        loads: Vec::new(),
        tasks: None,
        calls: None,
        links: Vec::new(),
        cores: vec![2],
        end: Time(80),
    };
    let picture = utilization(&traced, Of::Nodes, String::new(), None);
    let expected = [(50, 1.0), (50, 0.5), (50, 0.0), (25, 0.5), (25, 0.0)];
    near(&picture.rows[0].shares, &expected.map(|(parts, share)| vec![share; parts]).concat());
    assert_eq!(picture.rows[0].name, "0");
}

#[test]
fn what_is_not_shown_is_counted() {
    let picture = utilization(&star(24, "all_to_all"), Of::Links, String::new(), None);
    assert_eq!((picture.rows.len(), picture.y_label.as_str()), (40, "the 40 most used of 48 links"));
}

#[test]
fn a_small_chart_is_this() {
    let row = |name: &str, shares: &[f64]| UsedRow { name: name.to_owned(), shares: shares.to_vec() };
    let chart = Utilization {
        title: "Two links".to_owned(),
        subtitle: Some("run 17".to_owned()),
        y_label: "links, the most used first".to_owned(),
        rows: vec![row("node 0 up", &[0.5, 1.0, 1.0, 0.0]), row("node 1 down", &[0.0, 0.25, 0.252, 0.0])],
        end: 0.004,
    };
    insta::assert_snapshot!(chart.svg());
}
