//! The graph of processes as it is drawn: which wait for which, over operators and channels.

use std::collections::BTreeSet;

use hetsim_graph::read::Drawing;

/// The pairs of types of tasks of which one passes data to the other, maybe over nodes that are no processes.
pub(super) fn pairs(drawing: &Drawing, kinds: &[String]) -> Result<BTreeSet<(u32, u32)>, String> {
    let kind_of = processes(drawing, kinds)?;
    let mut next = vec![Vec::new(); kind_of.len()];
    for &(from, to) in &drawing.arrows {
        next[from as usize].push(to as usize);
    }
    let mut pairs = BTreeSet::new();
    for (node, from) in kind_of.iter().enumerate().filter_map(|(node, kind)| Some((node, kind.number()?))) {
        let mut seen = vec![false; kind_of.len()];
        let mut open = next[node].clone();
        while let Some(other) = open.pop() {
            if !std::mem::replace(&mut seen[other], true) {
                match kind_of[other] {
                    DrawnNode::Process(to) => {
                        pairs.insert((from, to));
                    }
                    DrawnNode::Idle => {}
                    DrawnNode::Channel => open.extend(&next[other]),
                }
            }
        }
    }
    Ok(pairs)
}

/// What a node of a drawing stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DrawnNode {
    /// The process of a type of tasks.
    Process(u32),
    /// A process without tasks, which passes nothing on.
    Idle,
    /// An operator or a channel, which passes data on.
    Channel,
}

impl DrawnNode {
    fn number(self) -> Option<u32> {
        match self {
            Self::Process(number) => Some(number),
            Self::Idle | Self::Channel => None,
        }
    }
}

/// What each node of a drawing stands for.
fn processes(drawing: &Drawing, kinds: &[String]) -> Result<Vec<DrawnNode>, String> {
    let mut is_drawn = vec![false; kinds.len()];
    let of_node = |(name, label): (&String, &Option<String>)| {
        let shown = label.as_ref().unwrap_or(name);
        let whole = kinds.iter().position(|kind| kind == shown);
        // Some drawings have a process without the workflows around it.
        let mut inner = (0..kinds.len()).filter(|&kind| kinds[kind].rsplit(':').next() == Some(shown));
        let found = whole.or_else(|| inner.next());
        if let (None, Some(one), Some(other)) = (whole, found, inner.next()) {
            return Err(format!("`{shown}` of the graph may be `{}` or `{}`", kinds[one], kinds[other]));
        }
        if let Some(kind) = found {
            is_drawn[kind] = true;
            return Ok(DrawnNode::Process(kind as u32));
        }
        let is_named = label.as_ref().is_some_and(|label| !label.is_empty());
        Ok(if is_named { DrawnNode::Idle } else { DrawnNode::Channel })
    };
    let found: Vec<DrawnNode> = drawing.names.iter().zip(&drawing.labels).map(of_node).collect::<Result<_, _>>()?;
    match kinds.iter().zip(is_drawn).find(|(_, is_drawn)| !is_drawn) {
        Some((kind, _)) => Err(format!("the graph has no process `{kind}`: is it of another workflow?")),
        None => Ok(found),
    }
}
