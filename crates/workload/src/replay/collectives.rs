//! The collective operations of a trace: each rank says what it knows of one, and together they say all.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::arguments::{Arguments, Said, Told};
use super::communicators::Communicator;
use super::trace::{Action, Operated, TraceError};
use crate::communication::RankGroups;
use hetsim_text::suggest;

/// The operations that ranks have met so far.
#[derive(Debug, Default)]
pub(super) struct Collectives {
    communicators: Vec<Communicator>,
    /// By communicator and group: its operations in their order, by their numbers in `met`.
    order: Vec<Vec<Vec<u32>>>,
    /// By communicator and rank: how many it has taken part in.
    taken: Vec<Vec<usize>>,
    met: Vec<Met>,
}

/// An operation that some ranks have met.
#[derive(Debug)]
struct Met {
    operated: Operated,
    known: Known,
}

/// What is known of an operation so far.
#[derive(Debug)]
enum Known {
    /// All there is to know.
    All,
    /// What ranks have said of their own blocks: the root, who has the lengths of all, has not spoken.
    Own(Vec<OwnBlock>),
    /// What ranks have said of their blocks for each other.
    Pairs(Vec<OwnPairs>),
}

/// What a rank says of its own block.
#[derive(Debug, Clone, Copy)]
struct OwnBlock {
    rank: usize,
    bytes: u64,
    line: usize,
}

/// What a rank says of its blocks for, and of, each rank.
#[derive(Debug)]
struct OwnPairs {
    rank: usize,
    sent: Vec<u64>,
    received: Vec<u64>,
    line: usize,
}

impl Collectives {
    /// Before any rank has met any.
    pub(super) fn new(communicators: Vec<Communicator>, ranks: usize) -> Self {
        let order = communicators.iter().map(|communicator| vec![Vec::new(); communicator.ranks.count()]).collect();
        let taken = vec![vec![0; ranks]; communicators.len()];
        Self { communicators, order, taken, met: Vec::new() }
    }

    /// A rank takes part in an operation of a communicator: the action that it is.
    ///
    /// # Errors
    /// The rank is not in it, or says what others do not.
    pub(super) fn meet(
        &mut self,
        rank: usize,
        communicator: Option<&str>,
        arguments: &Arguments<'_>,
    ) -> Result<Action, TraceError> {
        let number = self.find(communicator).map_err(|message| arguments.wrong(message))?;
        let Communicator { name, ranks } = &self.communicators[number];
        let Some((group, own)) = ranks.seat(rank as u32) else {
            return Err(arguments.wrong(format!("rank {rank} is not in communicator `{name}`")));
        };
        let size = ranks.size(group);
        let Said { operated, work, told } = arguments.collective(own as usize, size as usize)?;
        if operated.root >= size {
            let root = operated.root;
            return Err(arguments.wrong(format!("there is no rank {root}: the ranks are 0 to {}", size - 1)));
        }
        let said = Said { operated: Operated { communicator: number, group, ..operated }, work, told };
        let (order, taken) = (&mut self.order[number][group], &mut self.taken[number][rank]);
        let place = *taken;
        *taken += 1;
        let number = order.get(place).copied().unwrap_or(self.met.len() as u32);
        if let Some(met) = self.met.get_mut(number as usize) {
            let is = |what: &str| format!("the collective operation {place} of rank {rank} is {what}");
            met.add(own as usize, said, arguments, is)?;
        } else {
            order.push(number);
            self.met.push(Met::new(own as usize, said, arguments.line));
        }
        Ok(Action::Collective { number, work })
    }

    /// The number of the communicator of this name.
    fn find(&self, name: Option<&str>) -> Result<usize, String> {
        let Some(name) = name else { return Ok(0) };
        let mut declared = self.communicators.iter().zip(0..).skip(1);
        declared.find(|(known, _)| known.name == name).map(|(_, number)| number).ok_or_else(|| {
            let names: Vec<&str> = self.communicators.iter().skip(1).map(|known| known.name.as_str()).collect();
            format!("there is no communicator `{name}`: {}", suggest(name, &names))
        })
    }

    /// The ranks of each communicator, and the operations, equal ones once, whose numbers actions get in the place of their
    /// own; `line` is the trace's last.
    ///
    /// # Errors
    /// A rank has not taken part in all operations of its communicators, or blocks differ from one rank to another.
    pub(super) fn end(
        self,
        actions: &mut [Vec<Action>],
        line: usize,
    ) -> Result<(Vec<RankGroups>, Vec<Operated>), TraceError> {
        for ((communicator, order), taken) in self.communicators.iter().zip(&self.order).zip(&self.taken) {
            for (rank, &own) in taken.iter().enumerate() {
                let Some((group, _)) = communicator.ranks.seat(rank as u32) else { continue };
                let all = order[group].len();
                if own != all {
                    let name = &communicator.name;
                    let message = format!("rank {rank} takes part in {own} collective operations of {all} ({name})");
                    return Err(TraceError { line, message });
                }
            }
        }
        let mut operations = Vec::new();
        let mut numbers = HashMap::new();
        let mut number = |met: Met| match numbers.entry(met.end()?) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(new) => {
                operations.push(new.key().clone());
                Ok(*new.insert(operations.len() as u32 - 1))
            }
        };
        let order = self.met.into_iter().map(&mut number).collect::<Result<Vec<u32>, TraceError>>()?;
        for action in actions.iter_mut().flatten() {
            if let Action::Collective { number, .. } = action {
                *number = order[*number as usize];
            }
        }
        let communicators = self.communicators.into_iter().map(|communicator| communicator.ranks);
        Ok((communicators.collect(), operations))
    }
}

impl Met {
    /// What the first rank says.
    fn new(rank: usize, Said { operated, told, .. }: Said, line: usize) -> Self {
        let known = match told {
            Told::All => Known::All,
            Told::Own(bytes) => Known::Own(vec![OwnBlock { rank, bytes, line }]),
            Told::Pairs { sent, received } => Known::Pairs(vec![OwnPairs { rank, sent, received, line }]),
        };
        Self { operated, known }
    }

    /// What another rank says.
    fn add(
        &mut self,
        rank: usize,
        Said { operated, told, .. }: Said,
        arguments: &Arguments<'_>,
        is: impl Fn(&str) -> String,
    ) -> Result<(), TraceError> {
        let line = arguments.line;
        let same = (operated.operation, operated.root) == (self.operated.operation, self.operated.root);
        match (told, &mut self.known) {
            (Told::All, Known::All) if operated == self.operated => return Ok(()),
            (Told::Own(bytes), Known::All) if same => return self.operated.has(OwnBlock { rank, bytes, line }),
            (Told::Own(bytes), Known::Own(blocks)) if same => {
                blocks.push(OwnBlock { rank, bytes, line });
                return Ok(());
            }
            (Told::All, Known::Own(blocks)) if same => {
                let blocks = std::mem::take(blocks);
                *self = Self { operated, known: Known::All };
                return blocks.into_iter().try_for_each(|own| self.operated.has(own));
            }
            (Told::Pairs { sent, received }, Known::Pairs(pairs)) if same => {
                pairs.push(OwnPairs { rank, sent, received, line });
                return Ok(());
            }
            (Told::All | Told::Own(_) | Told::Pairs { .. }, _) => {}
        }
        let (own, other) = (operated.described(), self.operated.described());
        Err(arguments.wrong(format!("{}, where that of another rank is {other}", is(&own))))
    }

    /// The operation, once all ranks have said what they know of it.
    fn end(self) -> Result<Operated, TraceError> {
        let Self { mut operated, known } = self;
        let Known::Pairs(mut pairs) = known else { return Ok(operated) };
        pairs.sort_by_key(|own| own.rank);
        for to in &pairs {
            for from in &pairs {
                let (sent, received) = (from.sent[to.rank], to.received[from.rank]);
                if sent != received {
                    let message = format!(
                        "rank {} receives {received} B from rank {} in this {}, and is sent {sent} B (line {})",
                        to.rank, from.rank, operated.operation, from.line
                    );
                    return Err(TraceError { line: to.line, message });
                }
            }
        }
        operated.lengths = pairs.into_iter().flat_map(|own| own.sent).collect();
        operated.size = operated.lengths.iter().copied().max().unwrap_or(0);
        Ok(operated)
    }
}

impl Operated {
    /// What it is, in words.
    fn described(&self) -> String {
        let Self { operation, root, size, .. } = self;
        if operation.has_root() {
            format!("{operation} of {size} B from or to rank {root}")
        } else {
            format!("{operation} of {size} B")
        }
    }

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
