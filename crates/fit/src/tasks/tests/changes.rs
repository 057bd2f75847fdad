//! Machines that change their speed: found where and as they were drawn, and nowhere else.

use std::fmt::Write as _;

use rand_distr::{Distribution, Exp1, Gamma, StandardNormal};

use super::{near, read};
use crate::tasks::{MachineFit, TaskFit, TaskLog};
use hetsim_base::engine::Streams;

/// The speeds of a machine, each from an instant on.
type Steps = Vec<(f64, f64)>;

/// A farm without a server: each slot of each machine runs task after task until an instant.
struct DrawnFarm {
    machines: Vec<Steps>,
    slots: usize,
    until: f64,
    /// One after the other in this order, of equal numbers.
    kinds: Vec<(&'static str, f64)>,
}

/// When a task of some work ends that starts at an instant.
fn ended(steps: &[(f64, f64)], start: f64, work: f64) -> f64 {
    let (mut at, mut left) = (start, work);
    for (number, &(_, speed)) in steps.iter().enumerate() {
        let end = steps.get(number + 1).map_or(f64::INFINITY, |step| step.0);
        if end > at && left > 0.0 {
            let until = f64::min(end, at + left / speed);
            (left, at) = (left - (until - at) * speed, until);
            if until < end {
                break;
            }
        }
    }
    at
}

impl DrawnFarm {
    fn of(machines: &[&[(f64, f64)]]) -> Self {
        let machines = machines.iter().map(|steps| steps.to_vec()).collect();
        Self { machines, slots: 1, until: 200.0, kinds: vec![("long", 2.0), ("short", 0.7)] }
    }

    /// The log, in the order of ends, as many systems write it.
    fn text(&self, seed: u64, noise: impl Fn(usize, &mut dyn FnMut() -> [f64; 3]) -> f64) -> String {
        let mut stream = Streams::new(seed, 0).stream("log", 0);
        let mut rows = Vec::new();
        for (machine, steps) in self.machines.iter().enumerate() {
            for slot in 0..self.slots {
                let (mut at, mut number) = (0.01 * slot as f64, slot);
                while at < self.until {
                    let (kind, mean) = self.kinds[number % self.kinds.len()];
                    let gamma = Gamma::new(25.0, 1.0 / 25.0).unwrap();
                    let mut draw =
                        || [gamma.sample(&mut stream), Exp1.sample(&mut stream), StandardNormal.sample(&mut stream)];
                    let end = ended(steps, at, mean * noise(machine, &mut draw));
                    rows.push((end, format!("{kind},m{machine},{at:.6},{end:.6}")));
                    (at, number) = (end + 0.05, number + 1);
                }
            }
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.iter().fold("type,machine,started,ended\n".to_owned(), |text, (_, row)| text + row + "\n")
    }

    /// With noise of 20 %.
    fn log(&self, seed: u64) -> TaskLog {
        read(&self.text(seed, |_, draw| draw()[0]))
    }
}

fn machine<'f>(log: &TaskLog, fit: &'f TaskFit, name: &str) -> &'f MachineFit {
    &fit.machines[log.machines().iter().position(|own| own == name).unwrap()]
}

fn changed(fit: &TaskFit) -> usize {
    fit.machines.iter().filter(|machine| !machine.parts.is_empty()).count()
}

const STEADY: &[(f64, f64)] = &[(0.0, 1.0)];
const FAST: &[(f64, f64)] = &[(0.0, 2.0)];
const FALLS: &[(f64, f64)] = &[(0.0, 1.0), (100.0, 0.25)];

/// By hand: a second a task, then four; a second on the other machine.
#[test]
fn a_change_by_hand() {
    let mut text = "machine,started,ended\n".to_owned();
    for number in 0..40 {
        writeln!(text, "b,{},{}", 5 + number, 6 + number).unwrap();
    }
    for number in 0..10 {
        let slow = 15 + 4 * number;
        writeln!(text, "a,{},{}\na,{slow},{}", 5 + number, 6 + number, slow + 4).unwrap();
    }
    let log = read(&text);
    let fit = TaskFit::of(&log).unwrap();
    let (a, b) = (machine(&log, &fit, "a"), machine(&log, &fit, "b"));
    assert!(b.parts.is_empty() && b.interval.is_none(), "{b:?}");
    assert_eq!((a.tasks, a.interval, a.parts.len(), a.group), (20, None, 2, b.group));
    let [first, second] = [a.parts[0], a.parts[1]];
    assert_eq!((first.from, first.tasks, first.interval), (0.0, 10, None));
    assert_eq!((second.from, second.tasks), (10.0, 10));
    for (found, truth) in [(a.speed, 1.0), (b.speed, 1.0), (first.speed, 1.0), (second.speed, 0.25)] {
        near(found, truth, 1e-9);
    }
    // The tasks on either side of the change are left out, and no others.
    assert_eq!((fit.kinds[0].tasks, fit.kinds[0].outliers), (60, 2));
    near(fit.kinds[0].seconds, 1.0, 1e-9);
    // Half a second at 1 and one and a half at a quarter.
    near(a.mean_speed(9.5, 11.5), 0.4375, 1e-9);
    near(a.mean_speed(-2.0, 6.0), 1.0, 1e-9);
    near(a.mean_speed(12.0, 100.0), 0.25, 1e-9);
    near(a.mean_speed(10.0, 10.0), 0.25, 1e-9);
    assert_eq!(b.mean_speed(0.0, 9.0), b.speed);
}

/// Of a hundred logs, some 95 have the speed after a change within its interval.
#[test]
fn a_step_is_found_where_it_is() {
    let farm = DrawnFarm::of(&[STEADY, FALLS, FAST, STEADY]);
    let (mut held, mut within_a_task, mut others) = (0, 0, 0);
    for seed in 0..200 {
        let log = farm.log(seed);
        let fit = TaskFit::of(&log).unwrap();
        let own = machine(&log, &fit, "m1");
        near(own.speed, 1.0, 0.15);
        near(machine(&log, &fit, "m2").speed, 2.0, 0.15);
        assert!(own.parts.len() > 1, "{seed}");
        others += changed(&fit) + own.parts.len() - 3;
        let slow = own.parts[1];
        let (low, high) = slow.interval.unwrap();
        held += usize::from(low <= 0.25 && 0.25 <= high);
        within_a_task += usize::from((slow.from - 100.0).abs() < 8.0);
    }
    assert!((182..=198).contains(&held), "{held} of 200");
    assert!(within_a_task >= 195, "{within_a_task} of 200");
    assert!(others <= 10, "{others} of 200");
}

#[test]
fn two_changes_and_a_short_one() {
    let mut farm = DrawnFarm::of(&[STEADY, &[(0.0, 1.0), (70.0, 0.3), (150.0, 0.6)], FAST]);
    let log = farm.log(1);
    let fit = TaskFit::of(&log).unwrap();
    let own = machine(&log, &fit, "m1");
    assert_eq!(own.parts.len(), 3, "{own:?}");
    for (part, (from, speed)) in own.parts.iter().zip([(0.0, 1.0), (70.0, 0.3), (150.0, 0.6)]) {
        assert!((part.from - from).abs() < 7.0, "{part:?}");
        near(part.speed, speed, 0.15);
    }
    // A tenth of the log, in the middle of a long one.
    farm.until = 2000.0;
    farm.machines[1] = vec![(0.0, 1.0), (900.0, 0.5), (960.0, 1.0)];
    let log = farm.log(1);
    let fit = TaskFit::of(&log).unwrap();
    let own = machine(&log, &fit, "m1");
    assert_eq!((own.parts.len(), changed(&fit)), (3, 1), "{own:?}");
    near(own.parts[1].from, 900.0, 0.01);
    near(own.parts[2].from, 960.0, 0.01);
    near(own.parts[1].speed, 0.5, 0.15);
}

/// A speed that falls bit by bit becomes some steps.
#[test]
fn a_drift_is_steps() {
    let ramp: Steps = (0..40).map(|step| (10.0 * f64::from(step), 1.0 - 0.015 * f64::from(step))).collect();
    let mut farm = DrawnFarm::of(&[STEADY, &ramp, FAST]);
    farm.until = 400.0;
    let log = farm.log(1);
    let fit = TaskFit::of(&log).unwrap();
    let own = machine(&log, &fit, "m1");
    assert!((3..10).contains(&own.parts.len()) && changed(&fit) == 1, "{own:?}");
    assert!(own.parts.windows(2).all(|pair| pair[0].speed > pair[1].speed), "{own:?}");
    for at in [25.0, 110.0, 210.0, 310.0, 390.0] {
        near(own.speed_at(at), 1.0 - 0.0015 * at, 0.25);
    }
}

/// Of a hundred logs without a change, at most some five show any, whatever the noise is.
#[test]
fn without_a_change_there_is_none() {
    type Noise = fn(usize, &mut dyn FnMut() -> [f64; 3]) -> f64;
    let noises: [(&str, usize, Noise); 5] = [
        ("gamma", 1, |_, draw| draw()[0]),
        ("exponential", 1, |_, draw| draw()[1]),
        ("exponential on four slots", 4, |_, draw| draw()[1]),
        ("one that varies more", 1, |machine, draw| ((if machine == 1 { 0.8 } else { 0.1 }) * draw()[2]).exp()),
        ("some that hang", 1, |_, draw| {
            let [own, hangs, _] = draw();
            if hangs > 4.0 { 30.0 * own } else { own }
        }),
    ];
    for (name, slots, noise) in noises {
        let mut farm = DrawnFarm::of(&[STEADY, STEADY, FAST, STEADY]);
        farm.slots = slots;
        let found = |seed: &u64| changed(&TaskFit::of(&read(&farm.text(*seed, noise))).unwrap()) > 0;
        let found = (0..200).filter(found).count();
        assert!(found <= 10, "{name}: {found} of 200");
    }
}

/// Of tasks that start together, the short ones end first: they are no faster.
#[test]
fn tasks_that_start_together() {
    let mut farm = DrawnFarm::of(&[STEADY, FAST]);
    (farm.slots, farm.until) = (100, 10.0);
    let found = |seed: &u64| changed(&TaskFit::of(&read(&farm.text(*seed, |_, draw| draw()[1]))).unwrap()) > 0;
    let found = (0..20).filter(found).count();
    assert!(found <= 1, "{found} of 20");
}

#[test]
fn what_is_no_change_of_speed() {
    // A task that hangs, where the noise is small.
    let farm = DrawnFarm::of(&[STEADY, STEADY, FAST]);
    let text = farm.text(1, |_, draw| 1.0 + 0.01 * draw()[2]);
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    let start = rows[80].split(',').nth(2).unwrap().parse::<f64>().unwrap();
    let (row, _) = rows[80].rsplit_once(',').unwrap();
    rows[80] = format!("{row},{}", start + 100.0);
    let fit = TaskFit::of(&read(&rows.join("\n"))).unwrap();
    assert_eq!(changed(&fit), 0, "{fit:?}");
    assert_eq!(fit.kinds.iter().map(|kind| kind.outliers).sum::<usize>(), 1);
    // A machine that is quick at the type that comes first.
    let mut text = "type,machine,started,ended\n".to_owned();
    let mut at = [0.0, 0.0];
    for number in 0..60 {
        for (machine, at) in at.iter_mut().enumerate() {
            let kind = number / 30;
            let seconds = if kind == machine { 1.0 } else { 3.0 } + 0.01 * (number % 7) as f64;
            writeln!(text, "k{kind},m{machine},{at},{}", *at + seconds).unwrap();
            *at += seconds;
        }
    }
    assert_eq!(changed(&TaskFit::of(&read(&text)).unwrap()), 0);
    // Too few tasks, and tasks without instants.
    let few = "machine,started,ended\nx,0,1\nx,1,2\nx,2,3\nx,3,7\nx,7,11\nx,11,15\n";
    assert_eq!(changed(&TaskFit::of(&read(few)).unwrap()), 0);
}

/// Speeds are relative: what all machines have at once is their tasks'. Three of four are machines.
#[test]
fn all_at_once_are_the_tasks() {
    let fast: &[(f64, f64)] = &[(0.0, 2.0), (100.0, 0.5)];
    let (mut found, mut own_ones, mut in_order) = (0, 0, 0);
    for seed in 0..20 {
        let farm = DrawnFarm::of(&[FALLS, FALLS, fast, FALLS]);
        found += changed(&TaskFit::of(&farm.log(seed)).unwrap());
        found += changed(&TaskFit::of(&DrawnFarm::of(&[FALLS]).log(seed)).unwrap());
        // The longest tasks first, on machines that keep their speed.
        let mut farm = DrawnFarm::of(&[STEADY, STEADY, FAST, STEADY]);
        for steps in &mut farm.machines {
            let speed = steps[0].1;
            *steps = (0..40).map(|step| (5.0 * f64::from(step), speed * 1.05_f64.powi(step))).collect();
        }
        in_order += changed(&TaskFit::of(&farm.log(seed)).unwrap());
        // And one that does not.
        farm.machines[1].iter_mut().filter(|step| step.0 >= 100.0).for_each(|step| step.1 /= 4.0);
        let log = farm.log(seed);
        let fit = TaskFit::of(&log).unwrap();
        let own = machine(&log, &fit, "m1");
        if changed(&fit) == 1 && own.parts.len() == 2 {
            own_ones += 1;
            near(own.parts[1].speed / own.parts[0].speed, 0.25, 0.15);
        }
    }
    assert!(found <= 2 && in_order <= 2 && own_ones >= 18, "{found} {in_order} {own_ones}");
    // Medians of whole machines lie on either side of the change.
    let mut text = "machine,started,ended\n".to_owned();
    for (machine, slowness, count) in [("x", 1.0, 30), ("y", 2.0, 14), ("z", 2.2, 12)] {
        let mut at = 0.0;
        for _ in 0..count {
            let seconds = if at < 10.0 { slowness } else { 2.0 * slowness } + 0.001 * (at % 1.0);
            writeln!(text, "{machine},{at},{}", at + seconds).unwrap();
            at += seconds + 0.01;
        }
    }
    assert_eq!(changed(&TaskFit::of(&read(&text)).unwrap()), 0);
    let log = DrawnFarm::of(&[FALLS, FALLS, fast, STEADY]).log(1);
    let fit = TaskFit::of(&log).unwrap();
    assert_eq!(changed(&fit), 3);
    for name in ["m0", "m1", "m2"] {
        let own = machine(&log, &fit, name);
        assert_eq!(own.parts.len(), 2, "{own:?}");
        assert!((own.parts[1].from - 100.0).abs() < 8.0, "{own:?}");
        near(own.parts[1].speed / own.parts[0].speed, 0.25, 0.15);
    }
}

/// Eight tasks run across the change, and are no part of their own.
#[test]
fn many_slots() {
    let mut farm = DrawnFarm::of(&[STEADY, FALLS, FAST]);
    farm.slots = 8;
    farm.kinds = vec![("only", 5.0)];
    let log = read(&farm.text(1, |_, draw| 1.0 + 0.01 * draw()[2]));
    let fit = TaskFit::of(&log).unwrap();
    let own = machine(&log, &fit, "m1");
    assert_eq!((own.used.slots, own.parts.len(), changed(&fit)), (8, 2, 1), "{own:?}");
    near(own.parts[1].speed, 0.25, 0.02);
}
