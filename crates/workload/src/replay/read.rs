//! Reading SimGrid's time-independent traces, as `smpirun -trace-ti` writes them.
//!
//! A line is an action of a rank: the rank, the action's name, and its arguments (SimGrid 3.32 to 4.0,
//! `smpi_replay.cpp` and the documentation of "Replaying a trace"). Lengths count elements of a datatype, which is given
//! by its number; without one it is a double if `init` has an argument, and a byte otherwise. Beyond SimGrid, `compute`
//! may have the name of a kernel of the platform and the sizes of its call in the place of a number of operations.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::arguments::{ANY_SOURCE, ANY_TAG, Arguments, DATATYPES, NOBODY, OPEN, Said, UNTOLD};
use super::trace::{ANY, Action, MessageKey, Operated, Trace, TraceError};
use crate::call::KernelCall;

/// Reads a trace.
///
/// # Errors
/// The first line that is wrong, and why: an unknown action, too few arguments, ranks that take part in different
/// collective operations, or a receive without a message.
pub fn read(text: &str) -> Result<Trace, TraceError> {
    let ranks = text.lines().filter_map(|line| line.split_whitespace().next()?.parse::<u64>().ok()).max();
    let ranks = ranks.map_or(0, |last| last.saturating_add(1).min(MOST_RANKS)) as usize;
    let trace = Trace { ranks: vec![Vec::new(); ranks], takes_any: vec![false; ranks], ..Trace::default() };
    let mut reader = Reader { trace, taken: vec![0; ranks], ..Reader::default() };
    for (line, number) in text.lines().zip(1..) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [rank, name, arguments @ ..] = words.as_slice() {
            if !rank.starts_with('#') {
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

/// The most ranks of a trace.
const MOST_RANKS: u64 = 1 << 20;

/// A collective operation that some ranks have met.
#[derive(Debug)]
struct Met {
    operated: Operated,
    /// Whether the lengths of its blocks are known: the root alone has them all.
    is_told: bool,
    /// Until they are: what other ranks have said of their own blocks.
    blocks: Vec<OwnBlock>,
}

/// What a rank says of its own block.
#[derive(Debug, Clone, Copy)]
struct OwnBlock {
    rank: usize,
    bytes: u64,
    line: usize,
}

#[derive(Debug, Default)]
struct Reader {
    line: usize,
    trace: Trace,
    /// The bytes of a datatype that is not named.
    usual: u64,
    /// By rank: how many collective operations it has taken part in.
    taken: Vec<usize>,
    /// All collective operations in their order.
    order: Vec<Met>,
    /// By rank: the line of its last receive whose sender is [`OPEN`].
    open: HashMap<u32, usize>,
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
        let rank = word.parse().ok().filter(|&rank: &usize| rank < self.trace.ranks.len());
        let rank =
            rank.ok_or_else(|| self.wrong(format!("a line begins with the number of a rank, not with `{word}`")))?;
        let own = Arguments { name, words: arguments, line: self.line, usual: self.usual.max(1) };
        match name {
            "init" => self.usual = if arguments.is_empty() { 1 } else { DATATYPES[0] },
            "finalize" | "comm_size" | "comm_split" | "comm_dup" | "location" | "test" => {}
            "compute" => {
                let action = match own.kernel()? {
                    Some(call) => self.call(call)?,
                    None => Action::Compute(own.number(0)?),
                };
                self.push(rank, action);
            }
            "sleep" => self.push(rank, Action::Sleep(own.number(0)?)),
            "send" | "isend" => self.send(rank, own.integer(0)?, own.integer(1)?, own.bytes(2, 3)?, name == "send")?,
            "recv" | "irecv" => {
                self.receive(rank, own.integer(0)?, own.integer(1)?, own.bytes(2, 3)?, name == "recv")?;
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
            _ => self.collective(rank, &own)?,
        }
        Ok(())
    }

    fn push(&mut self, rank: usize, action: Action) {
        self.trace.ranks[rank].push(action);
    }

    fn send(&mut self, rank: usize, to: i64, tag: i64, bytes: u64, blocks: bool) -> Result<(), TraceError> {
        if [NOBODY, UNTOLD].contains(&to) {
            return Ok(());
        }
        let (Some(to), Ok(tag)) = (self.partner(to), u32::try_from(tag)) else {
            return Err(self.wrong("a message goes to one of the ranks, with a tag of zero or more".to_owned()));
        };
        let sent = self.sent.entry((rank as u32, to, tag)).or_default();
        let number = *sent;
        *sent += 1;
        self.push(rank, Action::Send { to, tag, bytes, number, blocks });
        Ok(())
    }

    fn receive(&mut self, rank: usize, from: i64, tag: i64, bytes: u64, blocks: bool) -> Result<(), TraceError> {
        if from == NOBODY {
            return Ok(());
        }
        let from = match from {
            UNTOLD if blocks => Some(ANY),
            UNTOLD => {
                self.open.insert(rank as u32, self.line);
                Some(OPEN)
            }
            _ if ANY_SOURCE.contains(&from) => Some(ANY),
            _ => self.partner(from),
        };
        let tag = if ANY_TAG.contains(&tag) { Some(ANY) } else { u32::try_from(tag).ok() };
        let (Some(from), Some(tag)) = (from, tag) else {
            return Err(self.wrong("a message comes from one of the ranks, with a tag of zero or more".to_owned()));
        };
        self.trace.takes_any[rank] |= from == ANY || (tag == ANY && from != OPEN);
        let line = self.line;
        let received = self.received.entry((from, rank as u32, tag)).or_default();
        let number = received.0;
        *received = (number + 1, line);
        self.push(rank, Action::Receive { from, tag, bytes, number, blocks });
        Ok(())
    }

    /// One of the ranks.
    fn partner(&self, number: i64) -> Option<u32> {
        u32::try_from(number).ok().filter(|&rank| (rank as usize) < self.trace.ranks.len())
    }

    /// A send and a receive at once; it waits for both.
    fn exchange(&mut self, rank: usize, own: &Arguments<'_>) -> Result<(), TraceError> {
        let (to, from) = (own.integer(1)?, own.integer(3)?);
        // SimGrid does not write an exchange with nobody.
        let from = if from == UNTOLD { ANY_SOURCE[0] } else { from };
        self.receive(rank, from, 0, own.bytes(2, 5)?, false)?;
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

    fn collective(&mut self, rank: usize, own: &Arguments<'_>) -> Result<(), TraceError> {
        let ranks = self.trace.ranks.len();
        let Said { operated, work, own } = own.collective(rank, ranks)?;
        if self.partner(operated.root.into()).is_none() {
            return Err(self.wrong(format!("there is no rank {}: the ranks are 0 to {}", operated.root, ranks - 1)));
        }
        let place = self.taken[rank];
        self.taken[rank] += 1;
        self.push(rank, Action::Collective { number: place as u32, work });
        let own = own.map(|bytes| OwnBlock { rank, bytes, line: self.line });
        if place == self.order.len() {
            self.order.push(Met { operated, is_told: own.is_none(), blocks: own.into_iter().collect() });
            return Ok(());
        }
        let met = &mut self.order[place];
        let same = (operated.operation, operated.root) == (met.operated.operation, met.operated.root);
        match own {
            Some(own) if same && met.is_told => return met.operated.has(own),
            Some(own) if same => met.blocks.push(own),
            None if same && !met.is_told => {
                (met.operated, met.is_told) = (operated, true);
                return std::mem::take(&mut met.blocks).into_iter().try_for_each(|own| met.operated.has(own));
            }
            None if operated == met.operated => {}
            _ => {
                let say = |Operated { operation, root, size, .. }: &Operated| {
                    if operation.has_root() {
                        format!("{operation} of {size} B from or to rank {root}")
                    } else {
                        format!("{operation} of {size} B")
                    }
                };
                let (own, other) = (say(&operated), say(&met.operated));
                return Err(self.wrong(format!(
                    "the collective operation {place} of rank {rank} is {own}, where that of another rank is {other}"
                )));
            }
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

    /// Numbers the collective operations, equal ones alike.
    fn number(&mut self) {
        let mut numbers = HashMap::new();
        let mut number = |met: Met| match numbers.entry(met.operated) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.trace.operations.push(new.key().clone());
                *new.insert(self.trace.operations.len() as u32 - 1)
            }
        };
        let order: Vec<u32> = std::mem::take(&mut self.order).into_iter().map(&mut number).collect();
        for action in self.trace.ranks.iter_mut().flatten() {
            if let Action::Collective { number, .. } = action {
                *number = order[*number as usize];
            }
        }
    }

    /// The trace, once all lines are read.
    fn end(mut self) -> Result<Trace, TraceError> {
        if self.trace.ranks.is_empty() {
            return Err(TraceError { line: 1, message: "the trace has no actions".to_owned() });
        }
        if let Some(rank) = self.taken.iter().position(|&taken| taken != self.order.len()) {
            let (own, all) = (self.taken[rank], self.order.len());
            return Err(self.wrong(format!("rank {rank} takes part in {own} collective operations of {all}")));
        }
        self.close()?;
        self.number();
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

impl Operated {
    /// Whether the block that a rank says it has is as long as the root says.
    fn has(&self, own: OwnBlock) -> Result<(), TraceError> {
        let OwnBlock { rank, bytes, line } = own;
        let length = self.lengths.get(rank).copied().unwrap_or(self.size);
        if bytes == length {
            return Ok(());
        }
        let Self { operation, root, .. } = self;
        let message = format!(
            "the block of rank {rank} has {bytes} B in this {operation}, and {length} B on the line of its root, rank {root}"
        );
        Err(TraceError { line, message })
    }
}
