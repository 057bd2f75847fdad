//! A digraph as it is drawn: labels and arrows, whatever they mean.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::super::ReadError;
use super::lexer::{Lexer, Token};

/// The nodes and the arrows of a digraph, which need not be tasks and may go in a circle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawing {
    /// The name of each node, by its number.
    pub names: Vec<String>,
    /// The label of each node, if it is given one.
    pub labels: Vec<Option<String>>,
    /// The arrows, each from one node to another, by their numbers.
    pub arrows: Vec<(u32, u32)>,
}

impl Drawing {
    /// Reads the `digraph` of a text in the language of Graphviz, without ports and HTML labels, and without arrows that
    /// begin or end at a subgraph.
    ///
    /// # Errors
    /// A text that is no such digraph.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let mut reading = DrawingReader {
            text,
            lexer: Lexer::new(text),
            numbers: FxHashMap::default(),
            drawing: Self::default(),
            node: None,
            is_edge: false,
        };
        reading.lexer.enter_digraph()?;
        reading.body()?;
        Ok(reading.drawing)
    }
}

struct DrawingReader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    numbers: FxHashMap<Cow<'a, str>, u32>,
    drawing: Drawing,
    /// The node that was named last, if the statement is of nodes.
    node: Option<u32>,
    /// Whether the statement has an arrow, so that its attributes are not those of a node.
    is_edge: bool,
}

impl<'a> DrawingReader<'a> {
    /// Reads all that is between the braces of the graph.
    fn body(&mut self) -> Result<(), ReadError> {
        let mut depth = 1;
        while depth > 0 {
            let (at, token) = self.lexer.next()?;
            match token {
                Token::Mark('{') => (self.node, depth) = (None, depth + 1),
                Token::Mark('}') => (self.node, depth) = (None, depth - 1),
                Token::Mark('[') => self.attributes()?,
                Token::Mark(';') => self.node = None,
                Token::Arrow => self.arrow(at)?,
                Token::Id { text, quoted } => self.named(text, quoted)?,
                Token::End => return Err(ReadError::at(self.text, at, "the text ends within the graph: expected `}`")),
                Token::Line | Token::Mark(_) => {
                    return Err(ReadError::at(self.text, at, "expected a node, an arrow, attributes or `}`"));
                }
            }
        }
        Ok(())
    }

    /// The number of a node.
    fn number(&mut self, name: Cow<'a, str>) -> u32 {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.drawing.names.len() as u32;
        self.drawing.names.push(name.clone().into_owned());
        self.drawing.labels.push(None);
        self.numbers.insert(name, number);
        number
    }

    /// A word begins a statement: a node, attributes of all, a subgraph or its name, or `name = value`.
    fn named(&mut self, word: Cow<'a, str>, quoted: bool) -> Result<(), ReadError> {
        self.is_edge = false;
        if self.lexer.peek()?.1 == Token::Mark('=') {
            self.lexer.next()?;
            self.lexer.next()?;
        } else if !quoted && word.eq_ignore_ascii_case("subgraph") {
            if matches!(self.lexer.peek()?.1, Token::Id { .. }) {
                self.lexer.next()?;
            }
        } else {
            let is_general = ["node", "edge", "graph"].iter().any(|own| word.eq_ignore_ascii_case(own));
            self.node = (quoted || !is_general).then(|| self.number(word));
        }
        Ok(())
    }

    /// The node after an arrow.
    fn arrow(&mut self, at: usize) -> Result<(), ReadError> {
        let next = self.lexer.next()?.1;
        let (Some(from), Token::Id { text, .. }) = (self.node, next) else {
            return Err(ReadError::at(self.text, at, "expected a node on either side of `->`"));
        };
        let to = self.number(text);
        self.drawing.arrows.push((from, to));
        (self.node, self.is_edge) = (Some(to), true);
        Ok(())
    }

    /// Attributes up to `]`, of which the label of a node is kept.
    fn attributes(&mut self) -> Result<(), ReadError> {
        while let Some(([name, value], _)) = self.lexer.attribute()? {
            if let Some(node) = self.node.filter(|_| !self.is_edge && name == "label") {
                self.drawing.labels[node as usize] = Some(value.into_owned());
            }
        }
        Ok(())
    }
}
