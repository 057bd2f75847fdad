use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::cluster::{Span, Timeline};
use crate::record::Value as Cell;
use crate::report::Reported as _;
use crate::scenario::{Scenario, TracedLink};

fn events(traced: &Traced) -> Vec<Value> {
    let mut text = Vec::new();
    write_events(traced, &mut text).unwrap();
    let file: Value = serde_json::from_slice(&text).unwrap();
    file["traceEvents"].as_array().unwrap().clone()
}

fn of_phase<'e>(events: &'e [Value], phase: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["ph"] == phase).collect()
}

fn number(event: &Value, key: &str) -> f64 {
    event[key].as_f64().unwrap_or_else(|| panic!("no {key} in {event}"))
}

/// Panics where a viewer could not show a trace as it is meant: bars of one thread overlap, or an arrow has no bar.
fn check(traced: &Traced) {
    let events = events(traced);
    let end = traced.tick.picoseconds(traced.end) as f64 / 1e6;
    let near = 1e-9 * end;
    let place = |event: &Value| (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
    let threads = of_phase(&events, "M").into_iter().filter(|event| event["name"] == "thread_name");
    let mut free: BTreeMap<(u64, u64), f64> = threads.map(|thread| (place(thread), 0.0)).collect();
    for bar in of_phase(&events, "X") {
        let (start, length) = (number(bar, "ts"), number(bar, "dur"));
        assert!(length >= 0.0 && start + length <= end + near, "{bar} ends after {end}");
        let free = free.get_mut(&place(bar)).unwrap_or_else(|| panic!("{bar} has a thread without a name"));
        assert!(start >= *free - near, "{bar} starts before {free}");
        *free = start + length;
    }
    // The critical path has no gap.
    let named = |event: &&&Value| event["name"] == "process_name" && event["args"]["name"] == "critical path";
    let path = of_phase(&events, "M").iter().find(named).map(|event| event["pid"].clone());
    let parts = of_phase(&events, "X").into_iter().filter(|event| Some(&event["pid"]) == path.as_ref());
    let length: f64 = parts.map(|part| number(part, "dur")).sum();
    let known = traced.timeline.path.as_ref().map_or(Time::ZERO, CriticalPath::end);
    assert!((length - traced.tick.picoseconds(known) as f64 / 1e6).abs() <= near, "{length} of {known:?}");
    let at = |event: &Value| (event["pid"].clone(), event["tid"].clone(), event["ts"].clone());
    for (place, event) in events.iter().enumerate() {
        // An arrow starts in the bar before and ends at the bar behind.
        let bar = match event["ph"].as_str().unwrap() {
            "s" => &events[place - 1],
            "f" => &events[place + 1],
            _ => continue,
        };
        assert!(bar["ph"] == "X" && at(bar) == at(event), "{event} has no bar");
    }
    let arrows = |phase: &str| -> BTreeMap<u64, (&Value, f64)> {
        let ends = of_phase(&events, phase).into_iter();
        ends.map(|event| (event["id"].as_u64().unwrap(), (&event["name"], number(event, "ts")))).collect()
    };
    let (starts, heads) = (arrows("s"), arrows("f"));
    assert!(starts.keys().eq(heads.keys()));
    for (id, (name, start)) in &starts {
        assert!(heads[id].0 == *name && heads[id].1 >= start - near, "message {id}");
    }
    let timeline = &traced.timeline;
    assert_eq!(of_phase(&events, "f").len(), timeline.receptions.len(), "each reception has its message");
    let rates: usize = traced.links.iter().map(|link| link.rates.len()).sum();
    assert_eq!(of_phase(&events, "C").len(), rates);
}

fn scenario(path: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    Scenario::load(&path, &overrides).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn traces_of_any_kind_are_sound() {
    for kind in ["broadcast", "collective", "independent", "phases", "stream", "taskgraph"] {
        let scenario = scenario(&format!("crates/scenario/src/templates/{kind}.toml"), &[]);
        check(&scenario.trace(0, 0).unwrap());
    }
    // Shared links; messages in turn and at once.
    let contention = scenario("scenarios/contention.toml", &[]);
    for point in 0..contention.points.len() {
        check(&contention.trace(point, 0).unwrap());
    }
}

#[test]
fn bars_add_up_to_what_the_record_says() {
    let scenario = scenario("crates/scenario/src/templates/independent.toml", &[]);
    let (record, traced) = (scenario.run(0, 0).unwrap(), scenario.trace(0, 0).unwrap());
    let mut busy: BTreeMap<String, f64> = BTreeMap::new();
    let events = events(&traced);
    for bar in of_phase(&events, "X").iter().filter(|bar| bar["name"] == "compute") {
        *busy.entry(bar["tid"].to_string()).or_default() += number(bar, "dur") * 1e-6;
    }
    let longest = busy.into_values().fold(0.0, f64::max);
    let expected = record.get("busy_max_s").and_then(Cell::number).unwrap();
    assert!((longest - expected).abs() < 1e-9 * expected, "{longest} is not {expected}");
}

/// A node sends two messages at once, of which one is lost; links are named, and a tick is 7 ps.
fn small() -> Traced {
    let send = |bytes, start, arrival| SendSeen {
        from: NodeId(0),
        to: NodeId(1),
        bytes,
        start: Time(start),
        free: Time(arrival),
        arrival: Time(arrival),
        message: "",
    };
    let down = Span { at: NodeId(1), activity: Activity::Down, start: Time(30), end: Time(50) };
    let reception =
        ReceiveSeen { at: NodeId(1), from: NodeId(0), message: "", overhead: Time(2), now: Time(u64::MAX / 7) };
    let mut timeline = Timeline::default();
    timeline.spans.push(down);
    timeline.messages.extend([send(8, 0, 40), send(9, 10, 60)]);
    timeline.receptions.push(reception);
    Traced {
        timeline,
        clusters: vec!["lab \"A\"".to_owned()],
        cluster_of: vec![0, 0],
        tick: Tick::new(7).unwrap(),
        loads: Vec::new(),
        tasks: None,
        calls: None,
        links: vec![TracedLink { name: "up".to_owned(), capacity: 4.0, rates: vec![(Time(10), 2.0), (Time(60), 0.0)] }],
        cores: vec![1, 1],
        end: Time(u64::MAX / 7),
    }
}

#[test]
fn a_small_trace_is_this() {
    let mut text = Vec::new();
    write_events(&small(), &mut text).unwrap();
    insta::assert_snapshot!(String::from_utf8(text).unwrap());
}

#[test]
fn a_lost_message_is_not_received() {
    check(&small());
    let events = events(&small());
    let ids: Vec<&Value> = of_phase(&events, "s").iter().map(|event| &event["id"]).collect();
    assert_eq!(ids, [1]);
}

#[test]
fn no_digit_is_lost() {
    assert_eq!(microseconds(Tick::PICOSECOND, Time::ZERO), "0");
    assert_eq!(microseconds(Tick::PICOSECOND, Time(1)), "0.000001");
    assert_eq!(microseconds(Tick::PICOSECOND, Time(120_000_000)), "120");
    assert_eq!(microseconds(Tick::PICOSECOND, Time(u64::MAX - 1)), "18446744073709.551614");
    assert_eq!(microseconds(Tick::new(1000).unwrap(), Time(1_500)), "1.5");
}
