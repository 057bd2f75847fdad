//! The user log of HTCondor: events of several lines, each closed by a line of three dots.
//!
//! Files of a job are transferred to its machine before it executes, and back before it is reported as terminated. The job
//! ends when its output begins to be transferred, or enters the queue for that. One that writes checkpoints transfers output
//! several times, the last time at its end; the log has only the bytes of all of them.

use rustc_hash::FxHashMap;

use super::time::instant;
use super::{LoggedTask, LoggedTransfer, TaskLog};
use crate::read::ReadError;
use crate::read::table::amount;

/// Old logs have no years; a date that lies so far back, in seconds, is of the next one.
const NEW_YEAR_S: f64 = 300.0 * 86400.0;

/// The length of a year for that: a leap year, so that there is every day.
const YEAR_S: f64 = 366.0 * 86400.0;

/// A job on its way.
#[derive(Default)]
struct QueuedJob<'t> {
    submitted: Option<f64>,
    started: Option<f64>,
    machine: &'t str,
    slot: Option<&'t str>,
    /// How long it was suspended, in seconds, and since when it is.
    suspended: f64,
    suspended_at: Option<f64>,
    /// What it reads and writes on the way, since it last waited.
    files: [FileTransfers; 2],
}

/// The transfers of a job's files in one direction.
#[derive(Clone, Copy, Default)]
struct FileTransfers {
    /// When the last of them began to wait for its turn, or to transfer if it did not wait.
    begun: Option<f64>,
    is_queued: bool,
    started: Option<f64>,
    /// How long the last took, in seconds.
    took: Option<f64>,
    count: usize,
}

impl FileTransfers {
    fn advance(&mut self, stage: TransferStage, at: f64) {
        match stage {
            TransferStage::Queued => *self = Self { begun: Some(at), is_queued: true, ..*self },
            TransferStage::Started => {
                let begun = self.begun.filter(|_| self.is_queued).or(Some(at));
                *self = Self { begun, is_queued: false, started: Some(at), took: None, count: self.count + 1 };
            }
            TransferStage::Finished => self.took = self.started.take().map(|started| at - started),
        }
    }

    /// The seconds of the only transfer, which the bytes of the job are those of.
    fn only(&self) -> Option<f64> {
        self.took.filter(|&took| self.count == 1 && took >= 0.0)
    }
}

/// What is said of a transfer.
#[derive(Clone, Copy)]
enum TransferStage {
    Queued,
    Started,
    Finished,
}

/// The stage and the direction, 0 in and 1 out, of `Started transferring input files`.
fn transfer(text: &str) -> Option<(TransferStage, usize)> {
    let stages =
        [("Entered queue to transfer ", TransferStage::Queued), ("Started transferring ", TransferStage::Started)];
    let stages = stages.into_iter().chain([("Finished transferring ", TransferStage::Finished)]);
    let (files, stage) = stages.into_iter().find_map(|(words, stage)| Some((text.strip_prefix(words)?, stage)))?;
    let direction = ["input files", "output files"].iter().position(|own| *own == files.trim_end())?;
    Some((stage, direction))
}

/// The head of an event: its number, its job and when it was.
struct Event<'t> {
    number: &'t str,
    job: &'t str,
    at: f64,
    rest: &'t str,
}

impl<'t> Event<'t> {
    /// Reads `005 (123.000.000) 2026-03-01 12:00:00 Job terminated.`, or with `03/01 12:00:00`; `latest` is the latest
    /// instant so far.
    fn of(line: &'t str, latest: f64) -> Option<Self> {
        let (number, rest) = line.split_once(" (")?;
        let (job, rest) = rest.split_once(") ")?;
        let (date, after) = rest.split_once([' ', 'T'])?;
        let (time, rest) = after.split_once(' ').unwrap_or((after, ""));
        let at = match date.split_once('/') {
            // An old date has no year.
            Some((month, day)) => {
                let mut at = instant(&format!("2000-{month:0>2}-{day:0>2}T{time}"))?;
                while at < latest - NEW_YEAR_S {
                    at += YEAR_S;
                }
                at
            }
            None => instant(&format!("{date}T{time}"))?,
        };
        let is_number = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(Self { number, job, at, rest })
    }
}

/// Whether a line begins an event.
pub(super) fn is_event(line: &str) -> bool {
    Event::of(line, f64::NEG_INFINITY).is_some()
}

impl QueuedJob<'_> {
    /// It goes on, if it was suspended.
    fn resume(&mut self, at: f64) {
        self.suspended += self.suspended_at.take().map_or(0.0, |since| at - since);
    }

    /// Ends what ran, if anything did, and tells its transfers.
    fn end(&mut self, event: &Event<'_>, body: &EventBody<'_>, log: &mut TaskLog) -> Option<LoggedTask> {
        // It waits again, from now on.
        let (submitted, files) = (self.submitted.replace(event.at), std::mem::take(&mut self.files));
        let started = self.started.take()?;
        self.resume(event.at);
        let suspended = std::mem::take(&mut self.suspended);
        let mut bytes = [None; 2];
        for (direction, files) in files.iter().enumerate() {
            let Some((seconds, passed)) = files.only().zip(body.bytes[direction]) else { continue };
            bytes[direction] = Some(passed);
            log.transfers.push(LoggedTransfer { is_output: direction == 1, bytes: passed, seconds });
        }
        // Whatever was evicted after a transfer had gone on from this checkpoint.
        let is_done = event.number == "005";
        let ended = files[1].begun.filter(|&begun| is_done && begun >= started).unwrap_or(event.at);
        Some(LoggedTask {
            kind: log.kind(event.job.split('.').next().unwrap_or_default()),
            machine: log.machine(self.machine),
            slot: self.slot.map(|slot| log.slots.number(slot)),
            has_failed: !is_done || !body.has_value_0,
            submitted,
            started: Some(started),
            seconds: if suspended > 0.0 { (ended - started - suspended).max(0.0) } else { ended - started },
            bytes,
            ..LoggedTask::default()
        })
    }
}

/// What the lines of an event say after its head.
#[derive(Default)]
struct EventBody<'t> {
    has_value_0: bool,
    slot: Option<&'t str>,
    /// The bytes that the job received and sent since it last waited.
    bytes: [Option<f64>; 2],
}

impl<'t> EventBody<'t> {
    fn take(&mut self, text: &'t str) {
        self.has_value_0 |= text.contains("(return value 0)");
        self.slot = self.slot.or_else(|| text.strip_prefix("SlotName: "));
        let Some((number, what)) = text.split_once("  -  Run Bytes ") else { return };
        let direction = ["Received By Job", "Sent By Job"].iter().position(|own| *own == what);
        if let Some(direction) = direction {
            self.bytes[direction] = amount(number.trim());
        }
    }
}

pub(super) fn read(text: &str, log: &mut TaskLog) -> Result<(), ReadError> {
    let mut jobs: FxHashMap<&str, QueuedJob<'_>> = FxHashMap::default();
    let mut lines = (1..).zip(text.lines());
    let mut latest = f64::NEG_INFINITY;
    while let Some((line, head)) = lines.next() {
        if head.trim().is_empty() {
            continue;
        }
        let expected = "expected an event such as `005 (123.000.000) 2026-03-01 12:00:00 Job terminated.`";
        let event = Event::of(head, latest).ok_or_else(|| ReadError::at(line, format!("{expected}, not `{head}`")))?;
        latest = latest.max(event.at);
        let mut body = EventBody::default();
        loop {
            match lines.next().map(|(_, text)| text.trim()) {
                Some("...") => break,
                Some(text) => body.take(text),
                None => return Err(ReadError::at(line, "this event is not closed by `...`: the log may be cut off")),
            }
        }
        let job = jobs.entry(event.job).or_default();
        match event.number {
            "000" => *job = QueuedJob { submitted: Some(event.at), ..QueuedJob::default() },
            "001" => {
                let named = body.slot.and_then(|slot| slot.split_once('@'));
                job.machine = named.map_or_else(|| host(event.rest), |(_, machine)| machine);
                job.slot = body.slot;
                job.started = Some(event.at);
            }
            // Evicted, terminated, lost with its shadow, aborted, held, not reconnected: whatever ran has ended.
            "004" | "005" | "007" | "009" | "012" | "024" => {
                let task = job.end(&event, &body, log);
                task.map_or(Ok(()), |task| log.push(task)).map_err(|message| ReadError::at(line, message))?;
            }
            // What was held begins to wait when it is released.
            "013" => job.submitted = Some(event.at),
            "010" => {
                job.suspended_at = job.started.map(|_| event.at);
                log.ignore("suspensions, whose time is none of their tasks'");
            }
            "011" => job.resume(event.at),
            number => match transfer(event.rest).filter(|_| number == "040") {
                Some((stage, direction)) => job.files[direction].advance(stage, event.at),
                None => log.ignore("other events"),
            },
        }
    }
    (0..jobs.values().filter(|job| job.started.is_some()).count()).for_each(|_| log.ignore("jobs that have not ended"));
    Ok(())
}

/// The machine in `Job executing on host: <10.0.0.1:9618?addrs=…&alias=node1.example.org&…>`.
fn host(text: &str) -> &str {
    let address = text.rsplit("host: ").next().unwrap_or_default().trim_matches(['<', '>', ' ']);
    let alias = address.split(['?', '&']).find_map(|part| part.strip_prefix("alias="));
    alias.unwrap_or_else(|| address.split([':', '?']).next().unwrap_or_default())
}
