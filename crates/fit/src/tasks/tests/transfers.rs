//! Bandwidths: of drawn pauses, and by hand.

use super::*;
use crate::tasks::slots::Pause;

const BANDWIDTH: f64 = 1e8;

/// A farm of six machines with two slots each. Data of 2 MB in and 1 MB out in the mean take time `by_bytes` over the bandwidth;
/// besides them, a slot waits 50 ms, give or take a fifth.
fn farm(run: u64, tasks: usize, by_bytes: f64) -> TaskLog {
    let mut stream = Streams::new(11, run).stream("log", 0);
    let (short, varied) = (Gamma::new(25.0, 3.0 / 25.0).unwrap(), Gamma::new(2.0, 0.5).unwrap());
    let mut free = [(10.0_f64, 0.0_f64); 12];
    let mut text = "machine,submitted,started,ended,bytes_in,bytes_out\n".to_owned();
    for _ in 0..tasks {
        let slot = (0..12).min_by(|&a, &b| free[a].0.total_cmp(&free[b].0)).unwrap();
        let [read, wrote] = [2e6, 1e6].map(|mean: f64| (mean * varied.sample(&mut stream)).round());
        let noise: f64 = StandardNormal.sample(&mut stream);
        let (ended, before) = free[slot];
        let started = ended + 0.05 * (1.0 + 0.2 * noise) + by_bytes * (before + read) / BANDWIDTH;
        let ended = started + short.sample(&mut stream);
        writeln!(text, "m{},10,{started:.6},{ended:.6},{read},{wrote}", slot % 6).unwrap();
        free[slot] = (ended, wrote);
    }
    self::read(&text)
}

#[test]
fn a_bandwidth_is_found_again() {
    let log = farm(0, 3000, 1.0);
    let fit = TaskFit::of(&log).unwrap().transfers.unwrap();
    near(fit.bandwidth, BANDWIDTH, 0.02);
    assert!(fit.interval.1 / fit.interval.0 < 1.06, "{fit:?}");
    near(fit.pause.median, 0.05, 0.02);
    near(fit.turnaround.unwrap().median, 0.05, 0.02);
    // The first tasks have no task before them. Where two slots are free, it is not sure which task was before the next.
    let pauses = crate::tasks::slots::of(&log).pauses;
    assert_eq!((pauses.iter().filter(|own| !own.is_turnaround).count(), pauses.len()), (12, fit.count));
    // While one in four waited, another task started.
    let alone = pauses.iter().filter(|own| own.is_alone).count();
    assert_eq!((fit.turnaround.unwrap().count, fit.is_logged), (alone, false));
    assert!((2100..2400).contains(&alone), "{alone}");
    assert!((2600..2900).contains(&fit.count), "{fit:?}");
}

/// Of a hundred logs, some 95 have the true bandwidth within their interval.
#[test]
fn intervals_of_bandwidths_hold_as_often_as_they_say() {
    let held = (0..100).filter(|&run| {
        let (low, high) = TaskFit::of(&farm(run, 150, 1.0)).unwrap().transfers.unwrap().interval;
        low <= BANDWIDTH && BANDWIDTH <= high
    });
    let held = held.count();
    assert!((89..=99).contains(&held), "{held} of 100");
}

/// One of forty is expected to, since only one end of the interval tells.
#[test]
fn bytes_without_influence_tell_no_bandwidth() {
    let told = (0..100).filter(|&run| TaskFit::of(&farm(run, 150, 0.0)).unwrap().transfers.is_some()).count();
    assert!(told <= 5, "{told} of 100");
}

/// A machine that is farther away, and gets the long tasks, has other pauses than another: not for their bytes.
#[test]
fn machines_are_not_compared() {
    let pause = |number: u32| {
        let machine = number % 2;
        // The pauses of a machine have no order by bytes.
        let (far, own) = (f64::from(machine), f64::from(number / 2));
        Pause {
            machine,
            is_turnaround: true,
            is_alone: true,
            bytes: 1e6 * far + own,
            seconds: far + (own * 7.0 % 30.0) / 100.0,
        }
    };
    assert_eq!(TransferFit::of(&[], &(0..60).map(pause).collect::<Vec<_>>()), None);
}

/// What the task before wrote and what the next reads take 1 ms a byte, on top of half a second.
#[test]
fn pauses_by_hand() {
    let mut text = "machine,slot,started,ended,bytes_in,bytes_out\n".to_owned();
    let (mut ended, mut before) = (0.0, 0.0);
    // Of the fifth nothing is known, nor of what passes before and after it.
    for (read, wrote) in
        [("7", ""), ("", "40"), ("30", "10"), ("80", "0"), ("", ""), ("1", "2"), ("3", "400"), ("5", "6"), ("", "1")]
    {
        let bytes = |cell: &str| cell.parse().unwrap_or(0.0);
        let started: f64 = ended + 0.5 + (before + bytes(read)) / 1000.0;
        (ended, before) = (started + 1.0, bytes(wrote));
        writeln!(text, "x,a,{started},{ended},{read},{wrote}").unwrap();
    }
    let fit = TaskFit::of(&read(&text)).unwrap().transfers.unwrap();
    near(fit.bandwidth, 1000.0, 1e-9);
    near(fit.turnaround.unwrap().median, 0.5, 1e-9);
    // Of the eight turnarounds, six have known bytes.
    assert_eq!((fit.count, fit.is_logged), (6, false));
}

/// Two slots without names: 1 s before its start, only one had ended; where both had, neither of the next two is sure.
#[test]
fn several_free_slots_tell_nothing() {
    let rows = |names: [&str; 6]| {
        let times = [(0.0, 4.0), (0.0, 6.0), (5.0, 9.0), (10.0, 12.0), (10.5, 15.0), (13.0, 14.0)];
        let row = |(name, (started, ended)): (&str, (f64, f64))| format!("x,{name},{started},{ended},1\n");
        names.into_iter().zip(times).map(row).collect::<String>()
    };
    let pauses = |names| {
        let log = read(&format!("machine,slot,started,ended,bytes_in\n{}", rows(names)));
        crate::tasks::slots::of(&log).pauses.iter().map(|pause| pause.seconds).collect::<Vec<_>>()
    };
    assert_eq!(pauses(["a", "b", "a", "a", "b", "a"]), [1.0, 1.0, 4.5, 1.0]);
    let log = read(&format!("machine,started,ended,bytes_in\n{}", rows(["-"; 6]).replace("x,-,", "x,")));
    let Overheads { used, pauses, .. } = crate::tasks::slots::of(&log);
    assert_eq!(pauses.iter().map(|pause| pause.seconds).collect::<Vec<_>>(), [1.0, 1.0]);
    assert_eq!(used[0].turnaround.unwrap().count, 4);
}

/// Jobs that wait for their transfers, that write checkpoints, and that are evicted after one.
#[test]
fn transfers_of_htcondor_by_hand() {
    let events = "000 0 00:00 Job submitted from host: <s>
040 0 00:01 Entered queue to transfer input files
040 0 00:02 Started transferring input files\n\tSeconds spent in queue: 1\n\tTransferring to host: <s?alias=e1>
040 0 00:06 Finished transferring input files
001 0 00:07 Job executing on host: <s>\n\tSlotName: slot1_1@e1
040 0 01:00 Entered queue to transfer output files
040 0 01:03 Started transferring output files
040 0 01:05 Finished transferring output files
005 0 01:06 Job terminated.\n\t(1) Normal termination (return value 0)
\t1024  -  Run Bytes Sent By Job\n\t2048  -  Run Bytes Received By Job\n\t4096  -  Total Bytes Sent By Job
001 1 01:10 Job executing on host: <s>\n\tSlotName: slot1_1@e1
040 1 01:20 Started transferring output files
040 1 01:22 Finished transferring output files
040 1 01:30 Started transferring output files
040 1 01:31 Finished transferring output files
005 1 01:32 Job terminated.\n\t(1) Normal termination (return value 0)
\t30  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job
001 2 01:40 Job executing on host: <s>\n\tSlotName: slot1_1@e1
040 2 01:45 Started transferring output files
040 2 01:46 Finished transferring output files
040 2 01:50 Paused transferring output files
004 2 01:55 Job was evicted.\n\t(0) CPU times\n\t50  -  Run Bytes Sent By Job\n\t60  -  Run Bytes Received By Job";
    let event = |text: &str| {
        let [number, job, at, rest]: [&str; 4] = text.splitn(4, ' ').collect::<Vec<_>>().try_into().unwrap();
        format!("{number} (7.00{job}.000) 2026-03-01 12:{at} {rest}\n...\n")
    };
    let lines = events.replace("\n\t", "\u{1}");
    let text: String = lines.lines().map(|line| event(line).replace('\u{1}', "\n\t")).collect();
    let mut log = TaskLog::default();
    assert_eq!(log.read(&text, None, &[]), Ok(LogFormat::Condor));
    let seen = |task: &LoggedTask| (task.seconds, task.bytes, task.has_failed);
    assert_eq!(
        log.tasks.iter().map(seen).collect::<Vec<_>>(),
        [(53.0, [Some(2048.0), Some(1024.0)], false), (20.0, [None, None], false), (15.0, [None, Some(50.0)], true)]
    );
    let transfer = |is_output, bytes, seconds| LoggedTransfer { is_output, bytes, seconds };
    assert_eq!(log.transfers, [transfer(false, 2048.0, 4.0), transfer(true, 1024.0, 2.0), transfer(true, 50.0, 1.0)]);
    assert_eq!(log.ignored.get("other events"), Some(&1));
    let turnaround = TaskFit::of(&log).unwrap().machines[0].used.turnaround.unwrap();
    assert_eq!((turnaround.median, turnaround.count), (10.0, 2));
}

/// Transfers go before pauses, and each direction has a pause of its own.
#[test]
fn logged_transfers_by_hand() {
    let transfer = |number: u32| {
        let is_output = number.is_multiple_of(2);
        let bytes = 1e6 * f64::from(if is_output { number } else { number + 100 });
        LoggedTransfer { is_output, bytes, seconds: bytes / 1e6 + if is_output { 2.0 } else { 5.0 } }
    };
    let pause = |number: u32| {
        let bytes = 1e6 * f64::from(number);
        Pause { machine: 0, is_turnaround: true, is_alone: true, bytes, seconds: bytes / 1e6 + 9.0 }
    };
    let (transfers, pauses): (Vec<_>, Vec<_>) = (0..11).map(|number| (transfer(number), pause(number))).unzip();
    let fit = TransferFit::of(&transfers, &pauses).unwrap();
    near(fit.bandwidth, 1e6, 1e-9);
    assert_eq!((fit.pause.median, fit.turnaround.unwrap().median), (2.0, 9.0));
    assert_eq!((fit.count, fit.is_logged), (11, true));
    assert_eq!(TransferFit::of(&transfers[..4], &pauses), None);
}
