//! Reading SimGrid's time-independent traces, as `smpirun -trace-ti` writes them.
//!
//! A line is an action of a rank: the rank, the action's name, and its arguments (SimGrid 3.32 to 4.0,
//! `smpi_replay.cpp` and the documentation of "Replaying a trace"). Lengths count elements of a datatype, which is given
//! by its number; without one it is a double if `init` has an argument, and a byte otherwise. Beyond SimGrid, `compute`
//! may have the name of a kernel of the platform and the sizes of its call in the place of a number of operations, and
//! collective operations may be those of [communicators](super::communicators).

use std::collections::HashMap;

use super::arguments::{ANY_SOURCE, ANY_TAG, Arguments, DATATYPES, NOBODY, OPEN, UNTOLD};
use super::collectives::Collectives;
use super::communicators::{declared, is_declaration};
use super::trace::{ANY, Action, MessageKey, Trace, TraceError};
use crate::call::KernelCall;

/// Reads a trace.
///
/// # Errors
/// The first line that is wrong, and why: an unknown action, too few arguments, ranks that take part in different
/// collective operations, or a receive without a message.
pub fn read(text: &str) -> Result<Trace, TraceError> {
    let ranks = text.lines().filter_map(|line| line.split_whitespace().next()?.parse::<u64>().ok()).max();
    let ranks = ranks.map_or(0, |last| last.saturating_add(1).min(MOST_RANKS)) as usize;
    let communicators = if ranks > 0 { declared(text, ranks as u32)? } else { Vec::new() };
    let trace = Trace { ranks: vec![Vec::new(); ranks], takes_any: vec![false; ranks], ..Trace::default() };
    let mut reader = Reader {
        line: 1,
        trace,
        usual: 0,
        collectives: Collectives::new(communicators, ranks),
        open: HashMap::new(),
        untold: HashMap::new(),
        sent: HashMap::new(),
        received: HashMap::new(),
    };
    for (line, number) in text.lines().zip(1..) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [rank, name, arguments @ ..] = words.as_slice() {
            if !rank.starts_with('#') && !is_declaration(rank) {
                reader.line = number;
                reader.action(rank, name, arguments)?;
            }
        } else if let [word] = words.as_slice()
            && !word.starts_with('#')
        {
            reader.line = number;
            return Err(reader.wrong(format!(
                "`{word}` is no action: a line has a rank, an action and its arguments; of a trace in several files, write \
                 them one after the other into one"
            )));
        }
    }
    reader.end()
}

/// The length of a receive that gets that of its message once the whole trace is read.
const UNTOLD_LENGTH: u64 = u64::MAX;

/// Actions that name ranks, and are no collective operations.
const OF_ALL: [&str; 7] = ["send", "isend", "recv", "irecv", "sendRecv", "sendrecv", "wait"];

/// The most ranks of a trace.
const MOST_RANKS: u64 = 1 << 20;

#[derive(Debug)]
struct Reader {
    line: usize,
    trace: Trace,
    /// The bytes of a datatype that is not named.
    usual: u64,
    collectives: Collectives,
    /// By rank: the line of its last receive whose sender is [`OPEN`].
    open: HashMap<u32, usize>,
    /// By rank: the line of its last receive whose length is not told.
    untold: HashMap<u32, usize>,
    /// By sender, receiver and tag: how many messages were sent.
    sent: HashMap<MessageKey, u32>,
    /// The same of receives, and the line of the last one.
    received: HashMap<MessageKey, (u32, usize)>,
}

impl Reader {
    fn wrong(&self, message: String) -> TraceError {
        TraceError { line: self.line, message }
    }

    /// Notes the call of a kernel.
    fn call(&mut self, call: KernelCall) -> Result<Action, TraceError> {
        let number = u32::try_from(self.trace.calls.len()).map_err(|_| self.wrong("too many calls".to_owned()))?;
        self.trace.calls.push(call);
        Ok(Action::Call(number))
    }

    fn action(&mut self, word: &str, name: &str, arguments: &[&str]) -> Result<(), TraceError> {
        let rank: u64 = word
            .parse()
            .map_err(|_| self.wrong(format!("a line begins with the number of a rank, not with `{word}`")))?;
        if rank >= MOST_RANKS {
            return Err(
                self.wrong(format!("a trace has at most {MOST_RANKS} ranks, numbered from 0, and this is {rank}"))
            );
        }
        let rank = rank as usize;
        let (name, communicator) = name.split_once('@').map_or((name, None), |(name, of)| (name, Some(of)));
        let own = Arguments { name, words: arguments, line: self.line, usual: self.usual.max(1) };
        if let Some(communicator) = communicator {
            if OF_ALL.contains(&name) {
                return Err(self.wrong(format!("`{name}` is not of a communicator: its ranks are numbered among all")));
            }
            return self.collective(rank, Some(communicator), &own);
        }
        match name {
            "init" => self.usual = if arguments.is_empty() { 1 } else { DATATYPES[0] },
            "finalize" | "comm_size" | "comm_split" | "comm_dup" | "location" | "test" => {}
            "compute" => {
                let action = if let Some(call) = own.kernel()? {
                    self.call(call)?
                } else {
                    own.at_most(1)?;
                    Action::Compute(own.number(0)?)
                };
                self.push(rank, action);
            }
            "sleep" => {
                own.at_most(1)?;
                self.push(rank, Action::Sleep(own.number(0)?));
            }
            "send" | "isend" => {
                own.at_most(4)?;
                self.send(rank, own.integer(0)?, own.integer(1)?, own.bytes(2, 3)?, name == "send")?;
            }
            "recv" | "irecv" => {
                own.at_most(4)?;
                self.receive(rank, own.integer(0)?, own.integer(1)?, own.bytes_if_told(2, 3)?, name == "recv")?;
            }
            "sendRecv" | "sendrecv" => self.exchange(rank, &own)?,
            "wait" => {
                let (from, to) = (own.integer(0)?, own.integer(1)?);
                if from != NOBODY && to != NOBODY && to != UNTOLD {
                    let key = (own.source(0)?, own.rank(1)?, own.tag(2)?);
                    self.push(rank, Action::Wait(key));
                }
            }
            "waitall" => self.push(rank, Action::WaitAll),
            _ => self.collective(rank, None, &own)?,
        }
        Ok(())
    }

    fn collective(&mut self, rank: usize, communicator: Option<&str>, own: &Arguments<'_>) -> Result<(), TraceError> {
        let action = self.collectives.meet(rank, communicator, own)?;
        self.push(rank, action);
        Ok(())
    }

    fn push(&mut self, rank: usize, action: Action) {
        self.trace.ranks[rank].push(action);
    }

    fn send(&mut self, rank: usize, to: i64, tag: i64, bytes: u64, blocks: bool) -> Result<(), TraceError> {
        if [NOBODY, UNTOLD].contains(&to) {
            return Ok(());
        }
        let (to, tag) = (self.partner(to)?, self.tag(tag)?);
        let sent = self.sent.entry((rank as u32, to, tag)).or_default();
        let number = *sent;
        *sent += 1;
        self.push(rank, Action::Send { to, tag, bytes, number, blocks });
        Ok(())
    }

    fn receive(
        &mut self,
        rank: usize,
        from: i64,
        tag: i64,
        bytes: Option<u64>,
        blocks: bool,
    ) -> Result<(), TraceError> {
        if from == NOBODY {
            return Ok(());
        }
        let from = match from {
            UNTOLD if blocks => ANY,
            UNTOLD => {
                self.open.insert(rank as u32, self.line);
                OPEN
            }
            _ if ANY_SOURCE.contains(&from) => ANY,
            _ => self.partner(from)?,
        };
        let tag = if ANY_TAG.contains(&tag) { ANY } else { self.tag(tag)? };
        self.trace.takes_any[rank] |= from == ANY || (tag == ANY && from != OPEN);
        let line = self.line;
        let received = self.received.entry((from, rank as u32, tag)).or_default();
        let number = received.0;
        *received = (number + 1, line);
        if bytes.is_none() {
            self.untold.insert(rank as u32, line);
        }
        let bytes = bytes.unwrap_or(UNTOLD_LENGTH);
        self.push(rank, Action::Receive { from, tag, bytes, number, blocks });
        Ok(())
    }

    /// One of the ranks.
    fn partner(&self, number: i64) -> Result<u32, TraceError> {
        let ranks = self.trace.ranks.len();
        let known = u32::try_from(number).ok().filter(|&rank| (rank as usize) < ranks);
        known.ok_or_else(|| self.wrong(format!("there is no rank {number}: the trace has {ranks}, numbered from 0")))
    }

    fn tag(&self, number: i64) -> Result<u32, TraceError> {
        u32::try_from(number)
            .map_err(|_| self.wrong(format!("the tag {number} is not a whole number from 0 to 2^32 - 1")))
    }

    /// A send and a receive at once; it waits for both.
    fn exchange(&mut self, rank: usize, own: &Arguments<'_>) -> Result<(), TraceError> {
        let (to, from) = (own.integer(1)?, own.integer(3)?);
        // SimGrid does not write an exchange with nobody.
        let from = if from == UNTOLD { ANY_SOURCE[0] } else { from };
        self.receive(rank, from, 0, Some(own.bytes(2, 5)?), false)?;
        self.send(rank, to, 0, own.bytes(0, 4)?, false)?;
        if from != NOBODY {
            let from = if ANY_SOURCE.contains(&from) { ANY } else { own.rank(3)? };
            self.push(rank, Action::Wait((from, rank as u32, 0)));
        }
        if ![NOBODY, UNTOLD].contains(&to) {
            self.push(rank, Action::Wait((rank as u32, own.rank(1)?, 0)));
        }
        Ok(())
    }

    /// Decides whether receives from −333 are from any sender or from nobody: a rank's messages that no other receive
    /// takes are for those, all of them or none.
    fn close(&mut self) -> Result<(), TraceError> {
        let open = std::mem::take(&mut self.open);
        let mut ranks: Vec<(u32, usize)> = open.into_iter().collect();
        ranks.sort_unstable();
        for (rank, line) in ranks {
            let sent: u32 = self.sent.iter().filter(|((_, to, _), _)| *to == rank).map(|(_, sent)| sent).sum();
            let count = |open: bool| -> u32 {
                let own = self.received.iter().filter(|((from, to, _), _)| *to == rank && (*from == OPEN) == open);
                own.map(|(_, (count, _))| count).sum()
            };
            let (left, asked) = (sent.saturating_sub(count(false)), count(true));
            if left > 0 && left < asked {
                let message = format!(
                    "rank {rank} receives {asked} times from -333, any sender or nobody, and {left} of its messages are left \
                     for them: write -555 for any sender, -666 for nobody"
                );
                return Err(TraceError { line, message });
            }
            let is_any = left > 0;
            self.trace.takes_any[rank as usize] |= is_any;
            for action in &mut self.trace.ranks[rank as usize] {
                if let Action::Receive { from, .. } | Action::Wait((from, ..)) = action
                    && *from == OPEN
                    && is_any
                {
                    *from = ANY;
                }
            }
            let is_open =
                |action: &Action| matches!(action, Action::Receive { from: OPEN, .. } | Action::Wait((OPEN, ..)));
            self.trace.ranks[rank as usize].retain(|action| !is_open(action));
        }
        self.received.retain(|(from, ..), _| *from != OPEN);
        Ok(())
    }

    /// Gives receives whose length is not told that of their message, where it is known which that is.
    fn fill(&mut self) -> Result<(), TraceError> {
        if self.untold.is_empty() {
            return Ok(());
        }
        // A receive from nobody is gone by now.
        let is_untold = |action: &Action| matches!(action, Action::Receive { bytes: UNTOLD_LENGTH, .. });
        let Trace { ranks, takes_any, .. } = &self.trace;
        let could_take_any =
            |(rank, _): &(&u32, &usize)| takes_any[**rank as usize] && ranks[**rank as usize].iter().any(is_untold);
        if let Some((rank, &line)) = self.untold.iter().filter(could_take_any).min() {
            let message = format!(
                "rank {rank} receives a message of an unknown length; as it takes messages of any sender or tag, nothing \
                 says which"
            );
            return Err(TraceError { line, message });
        }
        let mut lengths: HashMap<MessageKey, Vec<u64>> = HashMap::new();
        for (actions, rank) in self.trace.ranks.iter().zip(0..) {
            for action in actions {
                if let Action::Send { to, tag, bytes, .. } = *action
                    && self.untold.contains_key(&to)
                {
                    lengths.entry((rank, to, tag)).or_default().push(bytes);
                }
            }
        }
        for &rank in self.untold.keys() {
            for action in &mut self.trace.ranks[rank as usize] {
                if let Action::Receive { from, tag, bytes, number, .. } = action
                    && *bytes == UNTOLD_LENGTH
                {
                    let sent = lengths.get(&(*from, rank, *tag)).and_then(|sent| sent.get(*number as usize));
                    // A receive without a message is refused in the end.
                    *bytes = sent.copied().unwrap_or(0);
                }
            }
        }
        Ok(())
    }

    /// The trace, once all lines are read.
    fn end(mut self) -> Result<Trace, TraceError> {
        if self.trace.ranks.is_empty() {
            return Err(TraceError { line: 1, message: "the trace has no actions".to_owned() });
        }
        let collectives = std::mem::take(&mut self.collectives);
        (self.trace.communicators, self.trace.operations) = collectives.end(&mut self.trace.ranks, self.line)?;
        self.close()?;
        self.fill()?;
        let unmet = |(key, received): (&MessageKey, &(u32, usize))| {
            let sent = self.sent.get(key).copied().unwrap_or(0);
            let exact = !self.trace.takes_any[key.1 as usize];
            (exact && received.0 > sent).then_some((received.1, *key, received.0, sent))
        };
        if let Some((line, (from, to, tag), received, sent)) = self.received.iter().filter_map(unmet).min() {
            self.line = line;
            return Err(self.wrong(format!(
                "rank {to} receives {received} messages with tag {tag} from rank {from}, which sends {sent}"
            )));
        }
        Ok(self.trace)
    }
}
