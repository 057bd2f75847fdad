//! The communicators of a trace: `communicator NAME RANK …` lines, beyond SimGrid's format.

use super::trace::TraceError;
use crate::communication::RankGroups;

/// The name of the communicator of all ranks, which no line declares.
const ALL: &str = "all ranks";

/// Groups of ranks of one name, of which a rank is in one at most; as after `MPI_Comm_split`, all may have the same name.
#[derive(Debug)]
pub(super) struct Communicator {
    pub(super) name: String,
    pub(super) ranks: RankGroups,
}

/// The communicators of a trace of so many ranks: first that of all, then those that it declares.
///
/// # Errors
/// A line whose ranks are none, or in two groups of one name.
pub(super) fn declared(text: &str, ranks: u32) -> Result<Vec<Communicator>, TraceError> {
    let mut names: Vec<(&str, Vec<Vec<u32>>, usize)> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let mut words = line.split_whitespace();
        if !words.next().is_some_and(is_declaration) {
            continue;
        }
        let wrong = |message: String| TraceError { line: number, message };
        let name = words.next().unwrap_or_default();
        let mut members = Vec::new();
        for word in words {
            let (first, last, step) = range(word).ok_or_else(|| {
                wrong(format!(
                    "`{word}` is no rank: expected a number, 4-7 for ranks 4 to 7, or 0-12:4 for every fourth"
                ))
            })?;
            if last >= ranks {
                return Err(wrong(format!("there is no rank {last}: the ranks are 0 to {}", ranks - 1)));
            }
            members.extend((first..=last).step_by(step));
            if members.len() > ranks as usize {
                return Err(wrong(format!("communicator `{name}` has a rank twice")));
            }
        }
        if members.is_empty() {
            return Err(wrong("a communicator has a name and ranks: `communicator row 0 1`".to_owned()));
        }
        match names.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, lists, last)) => {
                lists.push(members);
                *last = number;
            }
            None => names.push((name, vec![members], number)),
        }
    }
    let all = Communicator { name: ALL.to_owned(), ranks: RankGroups::All { ranks, root: 0 } };
    let apart = names.into_iter().map(|(name, lists, line)| {
        let groups = RankGroups::apart(&lists, 0, ranks);
        let ranks =
            groups.map_err(|message| TraceError { line, message: format!("communicator `{name}`: {message}") })?;
        Ok(Communicator { name: name.to_owned(), ranks })
    });
    std::iter::once(Ok(all)).chain(apart).collect()
}

/// Whether a line that begins with this word declares a communicator.
pub(super) fn is_declaration(word: &str) -> bool {
    word == "communicator"
}

/// The first rank, the last one and the step of `4`, `4-7` or `0-12:4`.
fn range(word: &str) -> Option<(u32, u32, usize)> {
    let (ends, step) = word.split_once(':').map_or((word, Some(1)), |(ends, step)| (ends, step.parse().ok()));
    let (first, last) = ends.split_once('-').unwrap_or((ends, ends));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last, step.filter(|&step| step > 0)?))
}
