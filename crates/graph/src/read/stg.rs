//! The Standard Task Graph Set (Kasahara laboratory, Waseda University).
//!
//! The first number is the number of tasks. Each further line is a task: its number, its processing time, the number of
//! its predecessors, and the predecessors. The published files do not count the two empty tasks at either end, so two
//! lines more than counted are valid. With communication, the cost of the edge follows each predecessor on the same
//! line, or stands with it on a line of its own. `#` starts a comment. Times become operations, costs become bytes.

use super::collector::Collector;
use super::{Instance, ReadError, Reader, number, one};

/// The format's reader.
#[derive(Debug)]
pub(super) struct Stg;

/// The numbers of a line with their positions.
type Words<'a> = Vec<(usize, &'a str)>;

impl Reader for Stg {
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError> {
        let mut lines = lines(text).peekable();
        let expected = "expected the number of tasks, alone on its line";
        let first = lines.next().ok_or_else(|| ReadError::at(text, 0, expected))?;
        let [(offset, count)] = first[..] else { return Err(ReadError::at(text, first[0].0, expected)) };
        let count: u32 = count.parse().map_err(|_| ReadError::at(text, offset, expected))?;
        let mut graph = Collector::new(text);
        // The first task with predecessors shows whether edges have costs.
        let mut costs = None;
        while let Some(words) = lines.next() {
            let predecessors = record(text, &mut graph, &words)?;
            let to = graph.tasks() as u32 - 1;
            let rest = &words[3..];
            if rest.is_empty() && predecessors > 0 {
                agree(text, &mut costs, true, words[0].0)?;
                for _ in 0..predecessors {
                    let pair = lines.next_if(|words| words.len() == 2).ok_or_else(|| {
                        ReadError::at(text, words[2].0, format!("expected {predecessors} predecessors to follow"))
                    })?;
                    edge(text, &mut graph, to, pair[0], Some(pair[1]))?;
                }
            } else if rest.len() == predecessors {
                if predecessors > 0 {
                    agree(text, &mut costs, false, words[0].0)?;
                }
                for &word in rest {
                    edge(text, &mut graph, to, word, None)?;
                }
            } else if Some(rest.len()) == predecessors.checked_mul(2) {
                agree(text, &mut costs, true, words[0].0)?;
                for pair in rest.chunks_exact(2) {
                    edge(text, &mut graph, to, pair[0], Some(pair[1]))?;
                }
            } else {
                let message = format!(
                    "expected {predecessors} predecessors after their number, or as many pairs of predecessor and cost; \
                     there are {} numbers",
                    rest.len()
                );
                return Err(ReadError::at(text, words[2].0, message));
            }
        }
        let (tasks, count) = (graph.tasks() as u64, u64::from(count));
        if tasks != count && tasks != count + 2 {
            let message = format!("the first line counts {count} tasks, but there are {tasks}: is the file truncated?");
            return Err(ReadError::at(text, offset, message));
        }
        Ok(one(graph.build(&[], None)?))
    }
}

/// The lines with content other than comments.
fn lines(text: &str) -> impl Iterator<Item = Words<'_>> {
    let start = text.as_ptr() as usize;
    text.lines()
        .map(move |line| {
            let code = line.split('#').next().unwrap_or_default();
            code.split_ascii_whitespace().map(|word| (word.as_ptr() as usize - start, word)).collect::<Words<'_>>()
        })
        .filter(|words| !words.is_empty())
}

/// Adds the task of a line and returns its stated number of predecessors.
fn record(text: &str, graph: &mut Collector<'_>, words: &Words<'_>) -> Result<usize, ReadError> {
    let [(at, id), (when, time), (place, predecessors), ..] = words[..] else {
        let expected = "expected a task: its number, its time, the number of its predecessors, and these";
        return Err(ReadError::at(text, words[0].0, expected));
    };
    let next = graph.tasks();
    if id.parse() != Ok(next) {
        return Err(ReadError::at(text, at, format!("expected task {next}, not {id}: tasks are numbered from 0")));
    }
    let time = number::operations(time).map_err(|message| ReadError::at(text, when, message))?;
    graph.task(time, when)?;
    predecessors
        .parse::<u32>()
        .map(|count| count as usize)
        .map_err(|_| ReadError::at(text, place, format!("expected the number of predecessors, not {predecessors}")))
}

fn edge(
    text: &str,
    graph: &mut Collector<'_>,
    to: u32,
    (at, from): (usize, &str),
    cost: Option<(usize, &str)>,
) -> Result<(), ReadError> {
    let from = from
        .parse()
        .map_err(|_| ReadError::at(text, at, format!("expected the number of a predecessor, not {from}")))?;
    let bytes = match cost {
        Some((at, cost)) => number::bytes(cost).map_err(|message| ReadError::at(text, at, message))?,
        None => 0,
    };
    graph.edge(from, to, bytes, at);
    Ok(())
}

/// Checks that either all edges of a file have costs, or none.
fn agree(text: &str, costs: &mut Option<bool>, now: bool, at: usize) -> Result<(), ReadError> {
    if *costs.get_or_insert(now) == now {
        return Ok(());
    }
    Err(ReadError::at(
        text,
        at,
        "either all predecessors of a file have costs or none; here they differ from the lines before",
    ))
}
