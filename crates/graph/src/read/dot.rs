//! Graphviz: a `digraph` of nodes, edges and subgraphs, without ports and HTML labels.
//!
//! A node must give its work in an attribute such as `operations`, `work`, `cost`, `weight` or `size`. An edge may give
//! its data in one such as `bytes`, `data`, `comm`, `volume`, `size`, `weight` or `label`; the default is zero. If
//! there are several, the most specific one counts (`attributes` lists them in this order). `node [...]` and
//! `edge [...]` set defaults for later items of the same subgraph. Numbers may have a unit. A number in an attribute
//! that is neither read nor used by Graphviz for drawing gives a note.

mod attributes;
pub(super) mod drawing;
mod lexer;

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::collector::Collector;
use super::{Instance, ReadError, Reader, number};
use attributes::{Of, Unread, is_time};
use lexer::{Lexer, Token};

/// The format's reader.
#[derive(Debug)]
pub(super) struct Dot;

/// The maximum nesting depth of subgraphs.
const DEEPEST: usize = 64;

/// The most edges from subgraphs as ends: two of them give as many as the product of their nodes.
const MOST_EDGES: usize = 1 << 24;

/// The most nodes that reopened subgraphs may repeat.
const MOST_REPEATED: usize = 1 << 22;

/// The value of the most specific attribute: its rank among the names, its name and text, and its position.
type Found<'a> = Option<(usize, [Cow<'a, str>; 2], usize)>;

impl Reader for Dot {
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError> {
        let parser = Parser {
            lexer: Lexer::new(text),
            text,
            graph: Collector::new(text),
            works: Vec::new(),
            scopes: vec![Scope::default()],
            subgraphs: FxHashMap::default(),
            product: 0,
            repeated: 0,
            unread: Unread::new(text),
            firsts: [None; 2],
            timed: None,
            worked: None,
        };
        parser.read()
    }
}

/// Distinct nodes in the order of their first appearance.
#[derive(Default)]
struct Members {
    nodes: Vec<u32>,
    seen: FxHashSet<u32>,
}

impl Members {
    fn add(&mut self, node: u32) {
        if self.seen.insert(node) {
            self.nodes.push(node);
        }
    }
}

/// The state of an open graph or subgraph.
#[derive(Default)]
struct Scope {
    /// The last values of `node [...]` and `edge [...]`.
    work: Option<f64>,
    bytes: u64,
    /// The nodes named in it.
    members: Members,
}

/// A node or a subgraph: what may stand at an end of an edge.
struct End {
    nodes: Vec<u32>,
    at: usize,
    is_subgraph: bool,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    text: &'a str,
    graph: Collector<'a>,
    /// The work of each task so far, if known, and the position where the task first appears.
    works: Vec<(Option<f64>, usize)>,
    /// The graph and its open subgraphs; never empty.
    scopes: Vec<Scope>,
    /// The nodes of named subgraphs.
    subgraphs: FxHashMap<Cow<'a, str>, Members>,
    /// The number of edges from subgraphs.
    product: usize,
    /// The number of nodes that reopened subgraphs have repeated.
    repeated: usize,
    unread: Unread<'a>,
    /// Where the first work and the first time of a task stand.
    firsts: [Option<usize>; 2],
    /// The first time with a unit, and where it stands.
    timed: Option<(String, usize)>,
    /// The first work with a unit, and where it stands.
    worked: Option<(String, usize)>,
}

impl<'a> Parser<'a> {
    fn read(mut self) -> Result<Vec<Instance>, ReadError> {
        self.lexer.enter_digraph()?;
        while self.statement()? {}
        let (at, token) = self.lexer.next()?;
        if token != Token::End {
            return Err(ReadError::at(self.text, at, "expected nothing after the graph's `}`"));
        }
        let mut works = Vec::with_capacity(self.works.len());
        for (task, (work, at)) in (0..).zip(self.works) {
            let work = work.ok_or_else(|| {
                let name = self.graph.name(task);
                ReadError::at(self.text, at, format!("task {name:?} has no work: give it the attribute `operations`"))
            })?;
            works.push((work, at));
        }
        let mut notes = self.unread.notes();
        if let [Some(work), Some(time)] = self.firsts {
            let message =
                "some tasks give times and others work, and a second counts as one operation: give all in one way";
            notes.push(ReadError::at(self.text, work.max(time), message));
        }
        let timed = self.timed.map(|(time, at)| {
            ReadError::at(self.text, at, format!("`{time}` is a time, and how much work it is depends on the machine"))
        });
        let worked = self.worked.map(|(work, at)| ReadError::at(self.text, at, number::no_time(&work)));
        Ok(vec![Instance { name: None, graph: self.graph.build(&works, None)?, notes, timed, worked }])
    }

    fn scope(&mut self) -> &mut Scope {
        let innermost = self.scopes.len() - 1;
        &mut self.scopes[innermost]
    }

    /// Reads a statement. Returns false at the end of the graph or subgraph.
    fn statement(&mut self) -> Result<bool, ReadError> {
        let (at, token) = self.lexer.next()?;
        match token {
            Token::Mark('}') => Ok(false),
            Token::Mark(';') => Ok(true),
            Token::Id { text, quoted: false }
                if ["node", "edge", "graph"].iter().any(|word| text.eq_ignore_ascii_case(word)) =>
            {
                self.defaults(&text)?;
                Ok(true)
            }
            Token::Id { .. } if !token.is_word("subgraph") && self.lexer.peek()?.1 == Token::Mark('=') => {
                self.lexer.next()?;
                let (at, value) = self.lexer.next()?;
                if matches!(value, Token::Id { .. }) {
                    Ok(true)
                } else {
                    Err(ReadError::at(self.text, at, "expected a value"))
                }
            }
            Token::Id { .. } | Token::Mark('{') => {
                let end = self.end(at, token)?;
                self.follows(end)?;
                Ok(true)
            }
            Token::End => Err(ReadError::at(self.text, at, "the text ends within the graph: expected `}`")),
            _ => Err(ReadError::at(self.text, at, "expected a node, an edge, a subgraph or `}`")),
        }
    }

    /// `node [...]`, `edge [...]` or `graph [...]`.
    fn defaults(&mut self, kind: &str) -> Result<(), ReadError> {
        if kind.eq_ignore_ascii_case("node") {
            let work = self.work()?;
            let scope = self.scope();
            scope.work = work.or(scope.work);
        } else if kind.eq_ignore_ascii_case("edge") {
            let bytes = self.bytes()?;
            let scope = self.scope();
            scope.bytes = bytes.unwrap_or(scope.bytes);
        } else {
            self.attributes(Of::Graph)?;
        }
        Ok(())
    }

    /// Reads a node, or a subgraph with its content.
    fn end(&mut self, at: usize, token: Token<'a>) -> Result<End, ReadError> {
        let mut name = None;
        let (mut brace, mut token) = (at, token);
        let is_subgraph = token.is_word("subgraph");
        if is_subgraph {
            (brace, token) = self.lexer.next()?;
            if let Token::Id { text, .. } = token {
                name = Some(text);
                (brace, token) = self.lexer.next()?;
            }
        }
        match token {
            Token::Mark('{') => {
                let nodes = self.subgraph(name, at)?;
                Ok(End { nodes, at, is_subgraph: true })
            }
            _ if is_subgraph => Err(ReadError::at(self.text, brace, "expected `{` and the content of the subgraph")),
            Token::Id { text, .. } => {
                if self.lexer.peek()?.1 == Token::Mark(':') {
                    let (at, _) = self.lexer.next()?;
                    return Err(ReadError::at(self.text, at, "ports are not supported"));
                }
                Ok(End { nodes: vec![self.task(text, at)?], at, is_subgraph: false })
            }
            _ => Err(ReadError::at(self.text, at, "expected the name of a node, or a subgraph")),
        }
    }

    /// Reads the content of a subgraph. Returns its nodes in the order in which they are named.
    fn subgraph(&mut self, name: Option<Cow<'a, str>>, at: usize) -> Result<Vec<u32>, ReadError> {
        if self.scopes.len() > DEEPEST {
            return Err(ReadError::at(self.text, at, format!("subgraphs are nested deeper than {DEEPEST}")));
        }
        let Scope { work, bytes, .. } = *self.scope();
        self.scopes.push(Scope { work, bytes, members: Members::default() });
        while self.statement()? {}
        let mut nodes = self.scopes.pop().map_or_else(Vec::new, |scope| scope.members.nodes);
        if let Some(name) = name {
            // Subgraphs of the same name accumulate nodes: each has those of the previous ones.
            let all = self.subgraphs.entry(name).or_default();
            self.repeated = self.repeated.saturating_add(all.nodes.len());
            if self.repeated > MOST_REPEATED {
                let message = format!("subgraphs that are named again repeat more than {MOST_REPEATED} nodes");
                return Err(ReadError::at(self.text, at, message));
            }
            for &node in &nodes {
                all.add(node);
            }
            nodes.clone_from(&all.nodes);
        }
        if self.scopes.len() > 1 {
            let scope = self.scope();
            for &node in &nodes {
                scope.members.add(node);
            }
        }
        Ok(nodes)
    }

    /// Reads what follows a node or a subgraph: edges, a node's attributes, or nothing.
    fn follows(&mut self, first: End) -> Result<(), ReadError> {
        let (next, token) = self.lexer.peek()?;
        match token {
            Token::Arrow => self.edges(first),
            Token::Line => Err(ReadError::at(self.text, next, "expected `->`: edges of a digraph have a direction")),
            _ if first.is_subgraph => Ok(()),
            _ => {
                let work = self.work()?;
                let default = self.scope().work;
                for task in first.nodes {
                    let known = &mut self.works[task as usize].0;
                    *known = work.or(*known).or(default);
                }
                Ok(())
            }
        }
    }

    /// `a -> b -> {c d} [...]`: the attributes apply to every edge, and a subgraph stands for each of its nodes.
    fn edges(&mut self, first: End) -> Result<(), ReadError> {
        let mut ends = vec![first];
        while self.lexer.peek()?.1 == Token::Arrow {
            self.lexer.next()?;
            let (at, token) = self.lexer.next()?;
            let end = self.end(at, token)?;
            ends.push(end);
        }
        let default = self.scope().bytes;
        let bytes = self.bytes()?.unwrap_or(default);
        for pair in ends.windows(2) {
            let (from, to) = (&pair[0], &pair[1]);
            if from.is_subgraph || to.is_subgraph {
                self.product = self.product.saturating_add(from.nodes.len().saturating_mul(to.nodes.len()));
                if self.product > MOST_EDGES {
                    let message = format!("subgraphs as ends produce more than {MOST_EDGES} edges");
                    return Err(ReadError::at(self.text, to.at, message));
                }
            }
            for &one in &from.nodes {
                for &other in &to.nodes {
                    self.graph.edge(one, other, bytes, from.at);
                }
            }
        }
        Ok(())
    }

    fn task(&mut self, name: Cow<'a, str>, at: usize) -> Result<u32, ReadError> {
        let task = self.graph.intern(name, at)?;
        if task as usize == self.works.len() {
            let work = self.scope().work;
            self.works.push((work, at));
        }
        // The nodes of the whole graph are never needed.
        if self.scopes.len() > 1 {
            self.scope().members.add(task);
        }
        Ok(task)
    }

    /// The work that the attributes give, if any.
    fn work(&mut self) -> Result<Option<f64>, ReadError> {
        let found = self.attributes(Of::Task)?;
        if let Some((rank, [_, value], at)) = &found {
            let timed = is_time(*rank, value);
            self.firsts[usize::from(timed)].get_or_insert(*at);
            if timed && self.timed.is_none() && number::work(value).is_ok() && number::operations(value).is_err() {
                self.timed = Some((value.trim().to_owned(), *at));
            }
            if number::is_in_operations(value) {
                self.worked.get_or_insert_with(|| (value.to_string(), *at));
            }
        }
        self.parsed(found, number::work)
    }

    /// The data that the attributes give, if any.
    fn bytes(&mut self) -> Result<Option<u64>, ReadError> {
        let found = self.attributes(Of::Edge)?;
        self.parsed(found, number::bytes)
    }

    /// Reads `[name = value, ...]`, any number of times, and finds the most specific attribute.
    fn attributes(&mut self, of: Of) -> Result<Found<'a>, ReadError> {
        let mut found: Found<'a> = None;
        let mut passed = Vec::new();
        while self.lexer.peek()?.1 == Token::Mark('[') {
            self.lexer.next()?;
            while let Some((attribute, at)) = self.lexer.attribute()? {
                let [name, value] = &attribute;
                match of.rank(name, value) {
                    // Of two equal ones the later counts.
                    Some(rank) if found.as_ref().is_none_or(|(best, ..)| rank <= *best) => {
                        passed.extend(found.replace((rank, attribute, at)).map(|(_, attribute, at)| (attribute, at)));
                    }
                    Some(_) => passed.push((attribute, at)),
                    None => self.unread.pass(of, (name, value), at, None),
                }
            }
        }
        if let Some((best, [chosen, same], _)) = &found {
            // Repeating the value, or overriding the same name, does not leave a number unread.
            let is_unread = |name: &str, value: &str| !of.alike(same, value) && *chosen != name;
            for ([name, value], at) in passed.iter().filter(|([name, value], _)| is_unread(name, value)) {
                self.unread.pass(of, (name, value), *at, Some(*best));
            }
        }
        Ok(found)
    }

    fn parsed<T>(&self, found: Found<'a>, parse: fn(&str) -> Result<T, String>) -> Result<Option<T>, ReadError> {
        let parse = |(_, [_, text], at): (usize, [Cow<'a, str>; 2], usize)| {
            parse(&text).map_err(|message| ReadError::at(self.text, at, message))
        };
        found.map(parse).transpose()
    }
}
