//! The user log of HTCondor: events of several lines, each closed by a line of three dots.

use rustc_hash::FxHashMap;

use super::time::instant;
use super::{LoggedTask, TaskLog};
use crate::read::ReadError;

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
        let mut has_value_0 = false;
        let mut slot = None;
        loop {
            match lines.next().map(|(_, text)| text.trim()) {
                Some("...") => break,
                Some(text) => {
                    has_value_0 |= text.contains("(return value 0)");
                    slot = slot.or_else(|| text.strip_prefix("SlotName: "));
                }
                None => return Err(ReadError::at(line, "this event is not closed by `...`: the log may be cut off")),
            }
        }
        let job = jobs.entry(event.job).or_default();
        match event.number {
            "000" => *job = QueuedJob { submitted: Some(event.at), ..QueuedJob::default() },
            "001" => {
                let named = slot.and_then(|slot| slot.split_once('@'));
                job.machine = named.map_or_else(|| host(event.rest), |(_, machine)| machine);
                job.slot = slot;
                job.started = Some(event.at);
            }
            // Evicted, terminated, aborted, held: whatever ran has ended.
            "004" | "005" | "009" | "012" => {
                if let Some(started) = job.started.take() {
                    let task = LoggedTask {
                        kind: log.kind(event.job.split('.').next().unwrap_or_default()),
                        machine: log.machine(job.machine),
                        slot: job.slot.map(|slot| log.slots.number(slot)),
                        has_failed: event.number != "005" || !has_value_0,
                        submitted: job.submitted,
                        started: Some(started),
                        seconds: event.at - started,
                        ..LoggedTask::default()
                    };
                    log.push(task).map_err(|message| ReadError::at(line, message))?;
                }
                // It waits again, from now on.
                job.submitted = Some(event.at);
            }
            _ => log.ignore("other events"),
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
