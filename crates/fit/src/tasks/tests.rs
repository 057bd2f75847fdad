//! Logs drawn from known machines and systems, whose values are found again.

mod changes;
mod transfers;

use std::fmt::Write as _;

use rand::RngExt as _;
use rand_distr::{Distribution as _, Gamma, StandardNormal};

use super::*;
use hetsim_base::engine::Streams;

fn read(text: &str) -> TaskLog {
    let mut log = TaskLog::default();
    log.read(text, Some(LogFormat::Csv), &[]).unwrap();
    log
}

fn read_slurm(text: &str) -> TaskLog {
    let mut log = TaskLog::default();
    log.read(text, Some(LogFormat::Slurm), &[]).unwrap();
    log
}

/// The speeds of the machines of a drawn farm, each with two slots.
const SPEEDS: [f64; 6] = [1.0, 1.0, 1.0, 2.0, 2.0, 4.0];

/// A farm whose tasks of two types are all submitted at second 10, and then dispatched every 20 ms at the earliest; a slot
/// waits 50 ms from the end of a task to the next. One task in a hundred hangs.
fn farm(tasks: usize, variation: f64) -> String {
    let mut stream = Streams::new(7, 0).stream("log", 0);
    let gamma = Gamma::new(variation.powi(-2), variation.powi(2)).unwrap();
    let mut free = [10.0_f64; 12];
    let mut dispatched = 10.0_f64;
    let mut text = "type,machine,submitted,started,ended\n".to_owned();
    for number in 0..tasks {
        let slot = (0..12).min_by(|&a, &b| free[a].total_cmp(&free[b])).unwrap();
        dispatched = free[slot].max(dispatched + 0.02);
        let (kind, mean) = [("long", 8.0), ("short", 3.0)][stream.random_range(0..2)];
        let hangs = if number % 100 == 50 { 30.0 } else { 1.0 };
        let seconds: f64 = hangs * mean * gamma.sample(&mut stream) / SPEEDS[slot % 6];
        let ended = dispatched + seconds;
        writeln!(text, "{kind},m{},10,{dispatched:.6},{ended:.6}", slot % 6).unwrap();
        free[slot] = ended + 0.05;
    }
    text
}

/// The columns of Slurm.
const SLURM: &str = "JobID|NodeList|State|Submit|Start|End\n";

/// A farm under a scheduler that starts tasks in the first tenth of a second, of which the log keeps whole seconds; tasks of
/// `shortest` seconds and up to three times as long on a machine of speed 1. And the mean seconds from a start to the
/// next on the same slot.
fn farm_by_the_second(speeds: &[f64], tasks: usize, shortest: f64) -> (String, f64) {
    let mut stream = Streams::new(11, 0).stream("log", 0);
    let (mut free, mut last) = (vec![0.0_f64; speeds.len()], vec![0.0_f64; speeds.len()]);
    let (mut text, mut cycles) = (SLURM.to_owned(), 0.0);
    for number in 0..tasks {
        let slot = (0..speeds.len()).min_by(|&a, &b| free[a].total_cmp(&free[b])).unwrap();
        let started = free[slot].floor() + 1.0 + 0.1 * stream.random::<f64>();
        cycles += if number < speeds.len() { 0.0 } else { started - last[slot] };
        last[slot] = started;
        free[slot] = started + shortest * (1.0 + 2.0 * stream.random::<f64>()) / speeds[slot];
        writeln!(text, "{number}|m{slot}|COMPLETED|0|{}|{}", started.floor(), free[slot].floor()).unwrap();
    }
    (text, cycles / (tasks - speeds.len()) as f64)
}

/// A clock of whole seconds makes no outliers of tasks that take one more or less, and leaves speeds as uncertain as it is.
#[test]
fn a_clock_of_whole_seconds_is_no_noise() {
    for (shortest, tasks) in [(0.7, 400), (4.0, 400), (5.0, 100)] {
        let (log, cycle) = farm_by_the_second(&[1.0, 1.0, 1.0, 2.0], tasks, shortest);
        let log = read_slurm(&log);
        let fit = TaskFit::of(&log).unwrap();
        // What is cut off of a task is in the time up to the next.
        let seconds = log.tasks.iter().map(|task| task.seconds).sum::<f64>() / tasks as f64;
        near(seconds + fit.mean_turnaround.unwrap().mean, cycle, 0.02);
        assert_eq!(fit.kinds[0].outliers, 0, "{shortest}");
        for (machine, speed) in fit.machines.iter().zip([1.0, 1.0, 1.0, 2.0]) {
            let holds =
                machine.interval.map_or(speed == 1.0 || shortest < 1.0, |(low, high)| low < speed && speed < high);
            assert!(holds, "{shortest}: {machine:?}");
        }
    }
    // Tasks alike seem to take the same time each: 6 s may be 6.9 s, however many they are.
    let row = |begin: u32| format!("1|a|COMPLETED|0|{begin}|{}\n2|b|COMPLETED|0|{begin}|{}\n", begin + 6, begin + 12);
    let log = SLURM.to_owned() + &(0..40).map(|task| row(task * 20)).collect::<String>();
    let fit = TaskFit::of(&read_slurm(&log)).unwrap();
    let (low, high) = fit.machines.iter().find_map(|machine| machine.interval).unwrap();
    assert!(high / low > 1.15, "{low} to {high}");
}

#[track_caller]
fn near(found: f64, truth: f64, within: f64) {
    assert!((found / truth - 1.0).abs() < within, "{found}, not {truth}");
}

#[test]
fn a_farm_is_found_again() {
    let log = read(&farm(4000, 0.2));
    let fit = TaskFit::of(&log).unwrap();
    let of = |name: &str| &fit.machines[log.machines().iter().position(|own| own == name).unwrap()];
    for (number, speed) in SPEEDS.iter().enumerate() {
        let machine = of(&format!("m{number}"));
        near(machine.speed, *speed, 0.03);
        // The median machine is one of the three slow ones.
        let within = |(low, high): (f64, f64)| low < *speed && *speed < high && high / low < 1.05;
        assert_eq!(machine.interval.map(within), (*speed > 1.0).then_some(true), "{machine:?}");
        assert_eq!((machine.used.slots, machine.used.turnaround.is_some()), (2, true));
        near(machine.used.turnaround.unwrap().median, 0.05, 0.02);
    }
    // The machines that are as fast as each other are one, and no others.
    assert_eq!(["m1", "m2"].map(|name| of(name).group), [of("m0").group; 2]);
    assert_eq!(of("m3").group, of("m4").group);
    let groups: std::collections::BTreeSet<usize> = fit.machines.iter().map(|machine| machine.group).collect();
    assert_eq!(groups.len(), 3);
    near(fit.variation, 0.2, 0.05);
    assert_eq!(fit.noise, Noise::Gamma);
    near(fit.between_starts.unwrap().mean, 0.02, 0.05);
    near(fit.alone.unwrap().median, 0.05, 0.02);
    for (name, seconds) in [("long", 8.0), ("short", 3.0)] {
        let kind = fit.kinds[log.kinds().iter().position(|own| own == name).unwrap()];
        near(kind.seconds, seconds, 0.03);
        near(kind.variation, 0.2, 0.06);
        let hung = 40 * kind.tasks / 4000;
        assert!((hung - 8..=hung + 8).contains(&kind.outliers), "{kind:?}");
    }
}

/// Of a hundred logs, some 95 have the true ratio of two machines within their interval, although each ran most tasks of a type.
#[test]
fn intervals_hold_as_often_as_they_say() {
    let held = (0..200).filter(|&run| {
        let mut stream = Streams::new(3, run).stream("log", 0);
        let mut text = "type,machine,seconds\n".to_owned();
        for (number, machine) in (0..60).flat_map(|number| [(number, 'a'), (number, 'b'), (number + 1, 'b')]) {
            let kind = if (number % 6 == 0) == (machine == 'a') { 'k' } else { 'l' };
            let noise: f64 = StandardNormal.sample(&mut stream);
            let slowness: f64 = if machine == 'a' { 2.0 } else { 1.0 };
            writeln!(text, "{kind},{machine},{}", slowness * (0.3 * noise).exp()).unwrap();
        }
        let fit = TaskFit::of(&read(&text)).unwrap();
        // The slower one has the reference's speed.
        let (low, high) = fit.machines[1].interval.unwrap();
        near(fit.machines[0].speed, 1.0, 1e-9);
        low <= 2.0 && 2.0 <= high
    });
    let held = held.count();
    assert!((182..=197).contains(&held), "{held} of 200");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let rows = |kind: &str, machine: &str, seconds: &[f64]| -> String {
        seconds.iter().fold(String::new(), |text, seconds| text + &format!("{kind},{machine},{seconds}\n"))
    };
    let many = [1.0, 1.1, 0.9, 1.05, 0.95, 1.02];
    let part = rows("a", "x", &many) + &rows("a", "y", &many) + &rows("b", "z", &[7.0]);
    let fit = TaskFit::of(&read(&format!("type,machine,seconds\n{part}"))).unwrap();
    assert_eq!(fit.machines.iter().map(|own| own.is_compared).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!((fit.machines[2].speed, fit.machines[2].interval), (1.0, None));
    assert_eq!(fit.machines[0].group, fit.machines[1].group);
    near(fit.kinds[1].seconds, 7.0, 1e-9);
    // Without a task that succeeded there is no speed.
    assert_eq!(TaskFit::of(&read("machine,seconds\nx,0\n")), None);
    assert_eq!(TaskFit::of(&TaskLog::default()), None);
}

/// By hand: two slots, and of the waiting times those of a free slot alone.
#[test]
fn overheads_by_hand() {
    let log = read(
        "machine,submitted,started,ended\nx,0,1,5\nx,0,2,6\nx,0,5.5,9\nx,8,8.25,12\nx,20,20.25,21\nx,20,20.5,21\n",
    );
    let used = TaskFit::of(&log).unwrap().machines[0].used;
    assert_eq!(used.slots, 2);
    // The first two waited for 1 and 2 s; the fourth for 0.25 s, as the fifth, and the last for 0.5 s.
    let wait = used.wait.unwrap();
    assert_eq!((wait.count, wait.median, wait.interval), (5, 0.5, None));
    // The third waited for the end at 5.
    let turnaround = used.turnaround.unwrap();
    assert_eq!((turnaround.count, turnaround.median), (1, 0.5));
    // Slots with names are taken as they are.
    let named = read("machine,slot,started,ended\nx,a,0,1\nx,b,1,2\nx,a,3,4\nx,b,2.5,3\n");
    let fit = TaskFit::of(&named).unwrap();
    let used = fit.machines[0].used;
    assert_eq!((used.slots, used.turnaround.map(|middle| middle.median)), (2, Some(1.25)));
    // While the first slot was free from 1 to 3, the other started a task.
    assert_eq!(fit.alone.map(|middle| (middle.median, middle.count)), Some((0.5, 1)));
}
