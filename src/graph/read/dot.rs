//! Graphviz: a `digraph` of nodes and edges, without subgraphs, ports and HTML labels.
//!
//! A node's work stands in its attribute `operations`, `cost`, `weight` or `size` (the first of these that is there), and
//! must be given; an edge's data in `bytes`, `data`, `communication`, `size` or `weight`, and is zero if not. `node [...]`
//! and `edge [...]` give values to those that come later. Numbers may have a unit. Other attributes are for drawing and are
//! left alone.

mod lexer;

use std::borrow::Cow;

use super::gather::Gather;
use super::{Instance, ReadError, Reader, number, one};
use lexer::{Lexer, Token};

/// The format's reader.
#[derive(Debug)]
pub(super) struct Dot;

const WORK: [&str; 4] = ["operations", "cost", "weight", "size"];
const DATA: [&str; 5] = ["bytes", "data", "communication", "size", "weight"];

/// The value of the most telling attribute: its rank among the names, its text, its place.
type Found<'a> = Option<(usize, Cow<'a, str>, usize)>;

impl Reader for Dot {
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError> {
        Parser { lexer: Lexer::new(text), text, graph: Gather::new(text), works: Vec::new(), work: None, bytes: 0 }
            .read()
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    text: &'a str,
    graph: Gather<'a>,
    /// The work of each task met so far, where it is known, and the place where the task was met first.
    works: Vec<(Option<f64>, usize)>,
    /// What `node [...]` and `edge [...]` said last.
    work: Option<f64>,
    bytes: u64,
}

impl<'a> Parser<'a> {
    fn read(mut self) -> Result<Vec<Instance>, ReadError> {
        let (mut at, mut token) = self.lexer.next()?;
        if token.is_word("strict") {
            (at, token) = self.lexer.next()?;
        }
        if !token.is_word("digraph") {
            return Err(ReadError::at(self.text, at, "expected `digraph`"));
        }
        (at, token) = self.lexer.next()?;
        if matches!(token, Token::Id { .. }) {
            (at, token) = self.lexer.next()?;
        }
        if token != Token::Mark('{') {
            return Err(ReadError::at(self.text, at, "expected `{`"));
        }
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
        Ok(one(self.graph.build(&works, None)?))
    }

    /// Reads a statement; false at the end of the graph.
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
            Token::Id { text, quoted: false } if text.eq_ignore_ascii_case("subgraph") => Err(self.no_subgraphs(at)),
            Token::Mark('{') => Err(self.no_subgraphs(at)),
            Token::Id { text, .. } => self.named(text, at),
            Token::End => Err(ReadError::at(self.text, at, "the text ends within the graph: expected `}`")),
            _ => Err(ReadError::at(self.text, at, "expected a node, an edge or `}`")),
        }
    }

    fn no_subgraphs(&self, at: usize) -> ReadError {
        ReadError::at(self.text, at, "subgraphs are not read; write their nodes and edges one by one")
    }

    /// `node [...]`, `edge [...]` or `graph [...]`.
    fn defaults(&mut self, kind: &str) -> Result<(), ReadError> {
        if kind.eq_ignore_ascii_case("node") {
            let found = self.attributes(&WORK)?;
            self.work = self.parsed(found, number::operations)?.or(self.work);
        } else {
            let found = self.attributes(&DATA)?;
            if kind.eq_ignore_ascii_case("edge") {
                self.bytes = self.parsed(found, number::bytes)?.unwrap_or(self.bytes);
            }
        }
        Ok(())
    }

    /// What follows a name: `= value`, `-> other`, or its attributes.
    fn named(&mut self, name: Cow<'a, str>, at: usize) -> Result<bool, ReadError> {
        let (next, token) = self.lexer.peek()?;
        match token {
            Token::Mark('=') => {
                self.lexer.next()?;
                let (at, value) = self.lexer.next()?;
                if !matches!(value, Token::Id { .. }) {
                    return Err(ReadError::at(self.text, at, "expected a value"));
                }
            }
            Token::Arrow => self.edges(name, at)?,
            Token::Mark(':') => return Err(ReadError::at(self.text, next, "ports are not read")),
            Token::Line => {
                return Err(ReadError::at(self.text, next, "expected `->`: edges of a digraph have a direction"));
            }
            _ => {
                let task = self.task(name, at)?;
                let found = self.attributes(&WORK)?;
                let work = self.parsed(found, number::operations)?;
                let known = &mut self.works[task as usize].0;
                *known = work.or(*known).or(self.work);
            }
        }
        Ok(true)
    }

    /// `a -> b -> c [...]`: the attributes are those of every edge.
    fn edges(&mut self, first: Cow<'a, str>, at: usize) -> Result<(), ReadError> {
        let mut ends = vec![(self.task(first, at)?, at)];
        while self.lexer.peek()?.1 == Token::Arrow {
            self.lexer.next()?;
            let (at, token) = self.lexer.next()?;
            let Token::Id { text, .. } = token else {
                return Err(ReadError::at(self.text, at, "expected the name of a node"));
            };
            ends.push((self.task(text, at)?, at));
        }
        let found = self.attributes(&DATA)?;
        let bytes = self.parsed(found, number::bytes)?.unwrap_or(self.bytes);
        for pair in ends.windows(2) {
            self.graph.edge(pair[0].0, pair[1].0, bytes, pair[0].1);
        }
        Ok(())
    }

    fn task(&mut self, name: Cow<'a, str>, at: usize) -> Result<u32, ReadError> {
        let task = self.graph.meet(name, at)?;
        if task as usize == self.works.len() {
            self.works.push((self.work, at));
        }
        Ok(task)
    }

    /// Reads `[name = value, ...]`, any number of times, and finds the first of `names` that is there.
    fn attributes(&mut self, names: &[&str]) -> Result<Found<'a>, ReadError> {
        let mut found: Found<'a> = None;
        while self.lexer.peek()?.1 == Token::Mark('[') {
            self.lexer.next()?;
            loop {
                let (at, token) = self.lexer.next()?;
                let name = match token {
                    Token::Mark(']') => break,
                    Token::Mark(',' | ';') => continue,
                    Token::Id { text, .. } => text,
                    _ => return Err(ReadError::at(self.text, at, "expected an attribute or `]`")),
                };
                let (at, token) = self.lexer.next()?;
                if token != Token::Mark('=') {
                    return Err(ReadError::at(self.text, at, format!("expected `=` after the attribute `{name}`")));
                }
                let (at, token) = self.lexer.next()?;
                let Token::Id { text, .. } = token else {
                    return Err(ReadError::at(self.text, at, format!("expected the value of `{name}`")));
                };
                let rank = names.iter().position(|known| known.eq_ignore_ascii_case(&name));
                if let Some(rank) = rank
                    && found.as_ref().is_none_or(|(best, ..)| rank <= *best)
                {
                    found = Some((rank, text, at));
                }
            }
        }
        Ok(found)
    }

    fn parsed<T>(&self, found: Found<'a>, parse: fn(&str) -> Result<T, String>) -> Result<Option<T>, ReadError> {
        let parse = |(_, text, at): (usize, Cow<'a, str>, usize)| {
            parse(&text).map_err(|message| ReadError::at(self.text, at, message))
        };
        found.map(parse).transpose()
    }
}
