//! One run as a trace that the viewers at ui.perfetto.dev and chrome://tracing open.
//!
//! The file has the Trace Event Format: each thing that takes time is a complete event (`X`), an arrow from where a
//! message is sent to where it is received is a pair of flow events (`s`, `f`), and what flows over a link is a counter
//! (`C`). The critical path is a "process" of its own, its stretches one after the other. A cluster is a "process" there. A node has up to three "threads": for what it sends, receives, and computes.
//! What overlaps in one of these, such as messages that leave at once, goes to further threads, since spans of one
//! thread must not overlap.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::cluster::{Activity, CriticalPath, NodeId, ReceiveSeen, Segment, SendSeen};
use crate::scenario::Traced;
use crate::units::{Tick, Time};

/// Writes a run as a trace. Times are exact: in microseconds, with as many digits as it takes.
///
/// # Errors
/// Where `out` fails.
pub fn write_events(traced: &Traced, out: &mut dyn Write) -> io::Result<()> {
    let mut file = File { out, tick: traced.tick, is_empty: true };
    // Viewers take the process and the thread 0 for the idle one, so both are counted from 1.
    for (process, name) in (1..).zip(&traced.clusters) {
        file.describe("process_name", (process, 0), &json!({ "name": name }))?;
    }
    let links = traced.clusters.len() + 1;
    if !traced.links.is_empty() {
        file.describe("process_name", (links, 0), &json!({ "name": "links" }))?;
    }
    let path = traced.timeline.path.as_ref().map_or(&[][..], CriticalPath::segments);
    let path_process = links + usize::from(!path.is_empty());
    // No thread has the number of a process: it would be taken for that one's main thread.
    let mut thread = path_process;
    for (node, (bars, cluster)) in bars(traced).into_iter().zip(&traced.cluster_of).enumerate() {
        for (role, bars) in ["sends", "receives", "computes"].iter().zip(bars) {
            for (row, bars) in rows(bars).iter().enumerate() {
                thread += 1;
                let place = (cluster + 1, thread);
                let further = if row > 0 { format!(" ({})", row + 1) } else { String::new() };
                file.describe("thread_name", place, &json!({ "name": format!("node {node} {role}{further}") }))?;
                file.describe("thread_sort_index", place, &json!({ "sort_index": thread }))?;
                bars.iter().try_for_each(|bar| file.bar(bar, place))?;
            }
        }
    }
    write_path(path, &mut file, (path_process, thread + 1))?;
    for link in &traced.links {
        for &(at, rate) in &link.rates {
            let rate = json!({ "bytes/s": rate * traced.tick.per_second() });
            file.event('C', &link.name, (links, 0), Some(at), &format!(r#""args":{rate}"#))?;
        }
    }
    file.end()
}

/// The stretches of the critical path, if there are any.
fn write_path(path: &[Segment], file: &mut File<'_>, place: (usize, usize)) -> io::Result<()> {
    if path.is_empty() {
        return Ok(());
    }
    let name = json!({ "name": "critical path" });
    file.describe("process_name", (place.0, 0), &name)?;
    file.describe("thread_name", place, &name)?;
    for &Segment { part, from, to, message, start, end, .. } in path {
        let places = if from == to { format!("node {from}") } else { format!("node {from} to {to}") };
        let args = json!({ "from": from.0, "to": to.0, "message": message });
        let name = format!("{}, {places}", part.name());
        file.bar(&Bar { start, end, name, args, arrow: None }, place)?;
    }
    Ok(())
}

/// Something that takes time on one node.
#[derive(Debug)]
struct Bar {
    start: Time,
    end: Time,
    name: String,
    args: Value,
    arrow: Option<Arrow>,
}

/// The end of an arrow at the start of a bar.
#[derive(Debug, Clone, Copy)]
struct Arrow {
    /// The number of the message.
    message: usize,
    name: &'static str,
    is_head: bool,
}

/// What each node sends, receives and computes. When it is down stands with what it computes.
fn bars(traced: &Traced) -> Vec<[Vec<Bar>; 3]> {
    let mut bars: Vec<[Vec<Bar>; 3]> = Vec::new();
    bars.resize_with(traced.cluster_of.len(), Default::default);
    let timeline = &traced.timeline;
    let sent = senders(traced);
    let mut received = vec![false; timeline.messages.len()];
    sent.iter().flatten().for_each(|&message| received[message] = true);
    for (number, (message, received)) in timeline.messages.iter().zip(received).enumerate() {
        let SendSeen { from, to, bytes, start, free, arrival, message: name } = *message;
        let args = json!({ "to": to.0, "bytes": bytes, "arrival_s": traced.tick.seconds(arrival) });
        let arrow = received.then_some(Arrow { message: number, name: called(name), is_head: false });
        bars[from.index()][0].push(Bar { start, end: free, name: format!("send {}", called(name)), args, arrow });
    }
    for (reception, sent) in timeline.receptions.iter().zip(sent) {
        let ReceiveSeen { at, from, message: name, overhead, now } = *reception;
        let arrow = sent.map(|message| Arrow { message, name: called(name), is_head: true });
        let name = format!("receive {}", called(name));
        bars[at.index()][1].push(Bar { start: now - overhead, end: now, name, args: json!({ "from": from.0 }), arrow });
    }
    let mut compute = |at: NodeId, start, end, name: String| {
        bars[at.index()][2].push(Bar { start, end, name, args: json!({}), arrow: None });
    };
    for span in &timeline.spans {
        match span.activity {
            Activity::Compute if traced.tasks.is_none() => compute(span.at, span.start, span.end, "compute".to_owned()),
            Activity::Down => compute(span.at, span.start, span.end, "down".to_owned()),
            _ => {}
        }
    }
    if let Some(tasks) = &traced.tasks {
        for (task, &(at, start, end)) in tasks.times.iter().enumerate().filter(|(_, (_, _, end))| *end < Time::NEVER) {
            compute(at, start, end, tasks.graph.label(task as u32));
        }
    }
    bars
}

/// What a message is called, also one without a name.
const fn called(name: &'static str) -> &'static str {
    if name.is_empty() { "message" } else { name }
}

/// For each reception the number of the message that was received. Of several that a node has sent to another under one
/// name, they are received in the order in which they arrive, but for those that the receiver loses when it goes down.
fn senders(traced: &Traced) -> Vec<Option<usize>> {
    let timeline = &traced.timeline;
    let mut order: Vec<usize> = (0..timeline.messages.len()).collect();
    order.sort_by_key(|&message| timeline.messages[message].arrival);
    let mut under_way: HashMap<(NodeId, NodeId, &str), VecDeque<usize>> = HashMap::new();
    for number in order {
        let message = &timeline.messages[number];
        under_way.entry((message.from, message.to, message.message)).or_default().push_back(number);
    }
    let mut outages: HashMap<NodeId, Vec<(Time, Time)>> = HashMap::new();
    for span in timeline.spans.iter().filter(|span| span.activity == Activity::Down) {
        outages.entry(span.at).or_default().push((span.start, span.end));
    }
    let sender = |reception: &ReceiveSeen| {
        let waiting = under_way.get_mut(&(reception.from, reception.at, reception.message))?;
        let outages = outages.get(&reception.at).map_or(&[][..], Vec::as_slice);
        let is_lost = |message: usize| {
            let arrival = timeline.messages[message].arrival;
            outages.iter().any(|&(start, end)| start < reception.now && end > arrival)
        };
        while waiting.pop_front_if(|message| is_lost(*message)).is_some() {}
        waiting.pop_front()
    };
    timeline.receptions.iter().map(sender).collect()
}

/// Deals bars to as few rows as will do, such that none overlap in a row.
fn rows(mut bars: Vec<Bar>) -> Vec<Vec<Bar>> {
    bars.sort_by_key(|bar| (bar.start, bar.end));
    let mut rows: Vec<Vec<Bar>> = Vec::new();
    for bar in bars {
        match rows.iter_mut().find(|row| row.last().is_none_or(|last| last.end <= bar.start)) {
            Some(row) => row.push(bar),
            None => rows.push(vec![bar]),
        }
    }
    rows
}

/// A length or an instant in microseconds, with all its digits, which no float has.
fn microseconds(tick: Tick, time: Time) -> String {
    let picoseconds = tick.picoseconds(time);
    let text = format!("{}.{:06}", picoseconds / 1_000_000, picoseconds % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The file under way.
struct File<'a> {
    out: &'a mut dyn Write,
    tick: Tick,
    is_empty: bool,
}

impl File<'_> {
    /// An event at an instant, or at none, with fields of its own.
    fn event(
        &mut self,
        phase: char,
        name: &str,
        (process, thread): (usize, usize),
        at: Option<Time>,
        fields: &str,
    ) -> io::Result<()> {
        let before = if self.is_empty { "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" } else { ",\n" };
        self.is_empty = false;
        let (name, at) = (json!(name), at.map(|at| format!(r#","ts":{}"#, microseconds(self.tick, at))));
        let at = at.unwrap_or_default();
        write!(self.out, r#"{before}{{"ph":"{phase}","name":{name},"pid":{process},"tid":{thread}{at},{fields}}}"#)
    }

    /// What a process or a thread is called, or where it stands.
    fn describe(&mut self, what: &str, place: (usize, usize), args: &Value) -> io::Result<()> {
        self.event('M', what, place, None, &format!(r#""args":{args}"#))
    }

    /// A bar, and the end of an arrow at its start. An arrow starts in the bar that is there already, and ends at the
    /// bar that comes next, so that bars without a length have theirs, too.
    fn bar(&mut self, bar: &Bar, place: (usize, usize)) -> io::Result<()> {
        if let Some(arrow) = bar.arrow.filter(|arrow| arrow.is_head) {
            self.arrow('f', arrow, bar.start, place)?;
        }
        let length = microseconds(self.tick, bar.end - bar.start);
        let fields = format!(r#""dur":{length},"args":{}"#, bar.args);
        self.event('X', &bar.name, place, Some(bar.start), &fields)?;
        match bar.arrow.filter(|arrow| !arrow.is_head) {
            Some(arrow) => self.arrow('s', arrow, bar.start, place),
            None => Ok(()),
        }
    }

    fn arrow(&mut self, phase: char, arrow: Arrow, at: Time, place: (usize, usize)) -> io::Result<()> {
        self.event(phase, arrow.name, place, Some(at), &format!(r#""cat":"message","id":{}"#, arrow.message))
    }

    fn end(&mut self) -> io::Result<()> {
        // A cluster at least has its name in the file.
        self.out.write_all(b"\n]}\n")
    }
}

#[cfg(test)]
mod tests;
