//! Compares profiles with SimGrid's own rule, unrolled: the first date counts from the start, each other one from the
//! date before it, and the first of each further round from the last date plus the delay.

use proptest::prelude::*;

use crate::decimal::Decimal;
use crate::profile::Profile;
use hetsim_text::{Node, Place, Value};

fn decimal(number: u32) -> Decimal {
    Decimal::read(&number.to_string()).expect("a number").0
}

/// The value at `time`: 1 before the first date.
fn unrolled(steps: &[(u32, u32)], delay: Option<u32>, time: u32) -> u32 {
    let (mut now, mut held) = (0, 1);
    loop {
        let mut before = 0;
        for &(date, value) in steps {
            now += date - before;
            before = date;
            if now > time {
                return held;
            }
            held = value;
        }
        let Some(delay) = delay else { return held };
        now += delay;
    }
}

fn text(steps: &[(u32, u32)], delay: Option<u32>) -> String {
    let steps = steps.iter().map(|(date, value)| format!("{date} {value}"));
    let lines: Vec<String> = steps.chain(delay.map(|delay| format!("LOOPAFTER {delay}"))).collect();
    lines.join("\n")
}

/// A whole number of seconds in hetsim's notation.
fn seconds(value: &Value) -> u32 {
    let Value::Text(text) = value else { panic!("{value:?} is no time") };
    text.strip_suffix('s').expect("seconds").parse().expect("whole seconds")
}

fn find<'t>(entries: &'t [(&'static str, Node)], key: &str) -> Option<&'t Value> {
    entries.iter().find(|entry| entry.0 == key).map(|entry| &entry.1.value)
}

/// The value of a factor in hetsim: 1 before `start` and before the first step of each period from there on.
fn factor(entries: &[(&'static str, Node)], time: u32) -> f64 {
    let start = find(entries, "start").map_or(0, seconds);
    let Some(since) = time.checked_sub(start) else { return 1.0 };
    let within = find(entries, "period").map_or(since, |period| since % seconds(period));
    let Some(Value::Array(steps)) = find(entries, "steps") else { panic!("no steps") };
    let mut held = steps.iter().filter(|step| seconds(super::at(step, &["from"])) <= within);
    held.next_back().map_or(1.0, |step| match super::at(step, &["value"]) {
        Value::Float(value) => *value,
        other => panic!("{other:?} is no number"),
    })
}

fn steps(values: u32) -> impl Strategy<Value = Vec<(u32, u32)>> {
    let steps = prop::collection::vec((0u32..4, 0..values), 1..6);
    steps.prop_map(|steps| {
        let mut date = 0;
        let dated = steps.into_iter().map(|(gap, value)| {
            date += gap;
            (date, value)
        });
        dated.collect()
    })
}

proptest! {
    #[test]
    fn factors_are_those_of_simgrid(steps in steps(3), delay in prop::option::of(0u32..5)) {
        prop_assume!(delay.is_none_or(|delay| steps[steps.len() - 1].0 + delay > 0));
        let profile = Profile::read(&text(&steps, delay), None).expect("a profile");
        let entries = profile.factor(Decimal::ONE, &Place::default()).expect("exact");
        for time in 0..60 {
            prop_assert_eq!(factor(&entries, time), f64::from(unrolled(&steps, delay, time)), "at {}", time);
        }
        // Steps rise and end before the period does; otherwise they are not a function of time in hetsim.
        let Some(Value::Array(written)) = find(&entries, "steps") else { panic!("no steps") };
        let dates: Vec<u32> = written.iter().map(|step| seconds(super::at(step, &["from"]))).collect();
        prop_assert!(dates.windows(2).all(|two| two[0] < two[1]));
        if let (Some(period), Some(last)) = (find(&entries, "period"), dates.last()) {
            prop_assert!(*last < seconds(period));
        }
    }

    #[test]
    fn outages_are_those_of_simgrid(steps in steps(2), delay in prop::option::of(0u32..5)) {
        prop_assume!(delay.is_none_or(|delay| steps[steps.len() - 1].0 + delay > 0));
        let profile = Profile::read(&text(&steps, delay), None).expect("a profile");
        let outages: Vec<Node> =
            profile.outages().expect("exact").into_iter().map(|outage| outage.write(&Place::default())).collect();
        let down = |time: u32| outages.iter().filter(move |outage| {
            let Value::Table(entries) = &outage.value else { panic!("no table") };
            let entry = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| seconds(&entry.value.value));
            let (from, until) = (entry("from").expect("a start"), entry("until"));
            let rounds = entry("period").map_or(1, |period| 60 / period + 1);
            (0..rounds).any(|round| {
                let shift = round * entry("period").unwrap_or(0);
                from + shift <= time && until.is_none_or(|until| time < until + shift)
            })
        });
        // At most one outage is active at a time.
        for time in 0..60 {
            prop_assert_eq!(down(time).count(), usize::from(unrolled(&steps, delay, time) == 0), "at {}", time);
        }
    }

    #[test]
    fn a_period_is_a_delay_after_the_last_date(steps in steps(3), delay in 1u32..5) {
        let last = steps[steps.len() - 1].0;
        let after = Profile::read(&text(&steps, Some(delay)), None);
        prop_assert_eq!(&after, &Profile::read(&text(&steps, None), Some(decimal(last + delay))));
        let line = format!("PERIODICITY {}\n{}", last + delay, text(&steps, None));
        prop_assert_eq!(after, Profile::read(&line, None));
    }
}

/// SimGrid treats values that are not positive as down, and has no use for such a speed.
#[test]
fn below_zero_is_down() {
    let profile = |text| Profile::read(text, None).expect("a profile");
    assert_eq!(profile("0 1\n5 -1.0").outages(), profile("0 1\n5 0").outages());
    let refused = profile("0 1\n5 -1.0").factor(Decimal::ONE, &Place::default());
    assert_eq!(refused, Err("line 2: the value is below zero".to_owned()));
    assert!(profile("5 -0.0").factor(Decimal::ONE, &Place::default()).is_ok());
}

#[test]
fn what_is_no_profile_is_refused() {
    for (text, message) in [
        ("", "the profile has no line `date value`"),
        ("# 1 2\n% 3 4\n", "the profile has no line `date value`"),
        ("1 2 3", "line 1: expected a date and a value, not \"1 2 3\""),
        ("1", "line 1: expected a date and a value, not \"1\""),
        ("\n1 x", "line 2: expected a number, not \"x\""),
        ("abc", "line 1: expected a date and a value, not \"abc\""),
        ("fast 1", "line 1: expected a number, not \"fast\""),
        ("1 2s", "line 1: expected a number, not \"2s\": \"s\" is not part of one"),
        ("-1 1", "line 1: -1 is below zero"),
        ("1 --1", "line 1: -1 is below zero"),
        ("2 1\n1 1", "line 2: dates must not fall"),
        ("STOCHASTIC\nDET 1 NORM 2 3", "line 1: random profiles are not supported"),
        ("NORM 1 1 DET 2", "line 1: random profiles are not supported"),
        ("5 1\nPERIODICITY 4", "the profile starts over before its last date"),
        ("0 1\nLOOPAFTER 0", "the profile starts over without any time in between"),
        ("LOOPAFTER 1\nPERIODICITY 4\n1 1", "line 2: there is another line with a repetition"),
    ] {
        assert_eq!(Profile::read(text, None), Err(message.to_owned()), "{text:?}");
    }
}
