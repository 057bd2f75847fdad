//! The attributes of a DOT file that give the work of a task and the data of an edge, and notes about others.

use std::collections::BTreeMap;

use super::super::{ReadError, number};

/// The owner of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Of {
    /// A node, which is a task.
    Task,
    /// An edge.
    Edge,
    /// The graph, whose attributes never count.
    Graph,
}

/// Attribute names for the work of a task, the most specific first, in lower case without underscores.
const WORK: &[&str] = &[
    "operations",
    "ops",
    "flops",
    "flop",
    "work",
    "computation",
    "computationcost",
    "comp",
    "compcost",
    "cost",
    "weight",
    "size",
    "runtime",
    "executiontime",
    "exectime",
    "duration",
    "time",
    "seconds",
];

/// How many of them, the last ones, name times: a number without a unit in them is in seconds.
const TIMES: usize = 6;

/// Whether the value of an attribute for work, by its rank, is a time.
pub(super) fn is_time(rank: usize, value: &str) -> bool {
    if value.trim().parse::<f64>().is_ok() { rank >= WORK.len() - TIMES } else { number::operations(value).is_err() }
}

/// Attribute names for the data of an edge, the most specific first, in lower case without underscores.
const DATA: &[&str] = &[
    "bytes",
    "data",
    "datasize",
    "communication",
    "communicationcost",
    "communicationvolume",
    "comm",
    "commcost",
    "commvolume",
    "volume",
    "transfer",
    "message",
    "messagesize",
    "size",
    "weight",
    "cost",
    LABEL,
];

/// It counts for an edge only if it is a quantity; it may be any text.
const LABEL: &str = "label";

/// Attributes that Graphviz uses for drawing; a number in them is not data.
const DRAWING: &str = " area arrowhead arrowsize arrowtail bb bgcolor center charset class cluster clusterrank color colorscheme \
    comment compound concentrate constraint damping decorate dim dimen dir distortion dpi edgetooltip epsilon \
    esep fillcolor fixedsize fontcolor fontname fontpath fontsize forcelabels gradientangle group headclip \
    headhref headport headtarget headtooltip headurl height href id image imagepos imagescale inputscale k \
    labelangle labeldistance labelfloat labelfontcolor labelfontname labelfontsize labelhref labeljust labelloc \
    labeltarget labeltooltip labelurl landscape layer layers layerselect layersep layout len levels levelsgap \
    lhead lheight lp ltail lwidth margin maxiter mclimit mindist minlen mode model newrank nodesep nojustify \
    normalize notranslate nslimit nslimit1 oneblock ordering orientation outputorder overlap overlapscaling pack \
    packmode pad page pagedir pencolor penwidth peripheries pin pos quadtree quantum rank rankdir ranksep ratio \
    rects regular remincross repulsiveforce resolution root rotate rotation samehead sametail samplepoints scale \
    searchsize sep shape shapefile showboxes sides size skew smoothing sortv splines start style stylesheet \
    tailclip tailhref tailport tailtarget tailtooltip tailurl target tooltip truecolor url vertices viewport \
    voromargin width xdotversion xlp z ";

/// Normalises a name: case and underscores do not matter.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

impl Of {
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Task => WORK,
            Self::Edge => DATA,
            Self::Graph => &[],
        }
    }

    /// The rank of an attribute that counts: 0 for the most specific.
    pub(super) fn rank(self, name: &str, value: &str) -> Option<usize> {
        let name = plain(name);
        let rank = self.names().iter().position(|known| *known == name)?;
        (name != LABEL || number::bytes(value).is_ok()).then_some(rank)
    }

    /// Whether two values are the same amount, however they are written.
    pub(super) fn alike(self, one: &str, other: &str) -> bool {
        match self {
            Self::Task => number::work(one).ok() == number::work(other).ok(),
            Self::Edge => number::bytes(one).ok() == number::bytes(other).ok(),
            Self::Graph => true,
        }
    }

    /// Whether Graphviz uses the attribute for drawing only.
    fn draws(self, name: &str) -> bool {
        let name = plain(name);
        let known = self.names().contains(&name.as_str());
        self == Self::Graph
            || (self == Self::Task && name == LABEL)
            || (!known && DRAWING.contains(&format!(" {name} ")))
    }
}

/// Whether a value is a number, possibly with a unit.
fn is_number(value: &str) -> bool {
    let value = value.trim();
    let number = value.trim_start_matches(['+', '-']);
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_')).trim_start();
    let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '%' | '+' | '-');
    value.parse::<f64>().is_ok_and(f64::is_finite)
        || (number.starts_with(|c: char| c.is_ascii_digit()) && unit.len() <= 8 && unit.chars().all(rest))
}

/// The attributes that look like numbers and are not read, by owner and name, with the first position and the count.
#[derive(Debug, Default)]
pub(super) struct Unread<'a> {
    found: BTreeMap<(Of, String, Option<&'static str>), (usize, usize)>,
    text: &'a str,
}

impl<'a> Unread<'a> {
    /// No attributes so far.
    pub(super) fn new(text: &'a str) -> Self {
        Self { found: BTreeMap::new(), text }
    }

    /// Notes an attribute that does not count, or that ranks below the attribute of rank `instead`.
    pub(super) fn pass(&mut self, of: Of, (name, value): (&str, &str), at: usize, instead: Option<usize>) {
        // Most of what is passed over are words, which need no more.
        if !is_number(value) {
            return;
        }
        // Beside an edge's data, its weight only says how straight to draw it.
        let draws = of.draws(name) || (of == Of::Edge && plain(name) == "weight" && instead.is_some());
        if !draws {
            let instead = instead.and_then(|rank| of.names().get(rank).copied());
            self.found.entry((of, name.to_owned(), instead)).or_insert((at, 0)).1 += 1;
        }
    }

    /// The notes, each with its position.
    pub(super) fn notes(&self) -> Vec<ReadError> {
        let note = |((of, name, instead), &(at, count)): (&(Of, String, Option<&str>), &(usize, usize))| {
            let (whose, what) = if *of == Of::Edge { ("an edge", "data") } else { ("a task", "work") };
            let times =
                if count > 1 { format!(", nor are {} others with that name", count - 1) } else { String::new() };
            let why = match instead {
                Some(instead) => format!("the {what} comes from `{instead}`"),
                None if plain(name) == LABEL => "it is not an amount of data".to_owned(),
                None => format!("it is not a known name for {what}; docs/graphs.md lists the known names"),
            };
            ReadError::at(self.text, at, format!("the number in `{name}` of {whose} is not read{times}: {why}"))
        };
        self.found.iter().map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_words() {
        for value in ["5", "-1.5", " 3e4", "10 MB", "5Mop", ".5", "1_000", "2GB/s", "7%"] {
            assert!(is_number(value), "{value}");
        }
        for value in ["", "a5", "10, 20", "3rd floor of it", "0.5 0.5 0.5", "nan", "inf", "-"] {
            assert!(!is_number(value), "{value}");
        }
    }

    #[test]
    fn all_names_are_documented() {
        let page = include_str!("../../../../../docs/graphs.md").replace('_', "");
        for name in WORK.iter().chain(DATA) {
            assert!(page.contains(&format!("`{name}`")), "docs/graphs.md does not tell of `{name}`");
        }
    }

    #[test]
    fn capitals_and_underscores_do_not_matter() {
        assert_eq!(Of::Edge.rank("Data_Size", "1"), Of::Edge.rank("datasize", "1"));
        assert!(Of::Edge.rank("label", "10kB").is_some() && Of::Edge.rank("label", "then").is_none());
        assert!(Of::Task.draws("pen_width") && !Of::Task.draws("alpha"));
    }
}
