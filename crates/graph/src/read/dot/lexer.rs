//! The tokens of a DOT text, without comments.

use std::borrow::Cow;

use super::super::ReadError;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a number or a quoted string.
    Id {
        /// The text without quotes and escapes.
        text: Cow<'a, str>,
        /// Whether it was quoted, so that it is not a keyword.
        quoted: bool,
    },
    /// `->`
    Arrow,
    /// `--`
    Line,
    /// A single character.
    Mark(char),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// Whether it is this keyword, in any case.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Id { text, quoted: false } if text.eq_ignore_ascii_case(word))
    }
}

/// The name and the value of an attribute, and the position of the value.
pub(super) type DotAttribute<'a> = ([Cow<'a, str>; 2], usize);

/// Reads a text token by token, with one token of lookahead.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    ahead: Option<(usize, Token<'a>)>,
}

impl<'a> Lexer<'a> {
    /// At the start of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, ahead: None }
    }

    /// Peeks at the next token and its position.
    pub(super) fn peek(&mut self) -> Result<(usize, Token<'a>), ReadError> {
        let next = self.next()?;
        self.ahead = Some(next.clone());
        Ok(next)
    }

    /// Takes the next token and its position.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'a>), ReadError> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(ahead);
        }
        self.skip()?;
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return Ok((start, Token::End)) };
        let token = match first {
            '"' => self.quoted()?,
            '-' if rest.starts_with("->") => self.taken(2, Token::Arrow),
            '-' if rest.starts_with("--") => self.taken(2, Token::Line),
            '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' => self.taken(1, Token::Mark(first)),
            '<' => return Err(ReadError::at(self.text, start, "HTML strings are not supported")),
            _ => {
                let number = first == '-' || first == '.' || first.is_ascii_digit();
                let part = |c: char| {
                    c.is_alphanumeric() || c == '_' || c as u32 >= 0x80 || (number && matches!(c, '.' | '-' | '+'))
                };
                // A sign belongs to a number at its start and after the `e` of its exponent.
                let mut before = ' ';
                let end = rest.find(|c: char| {
                    let sign = matches!(c, '-' | '+') && !matches!(before, ' ' | 'e' | 'E');
                    before = c;
                    sign || !part(c)
                });
                let end = end.unwrap_or(rest.len());
                if end == 0 {
                    return Err(ReadError::at(self.text, start, format!("{first:?} has no meaning here")));
                }
                self.taken(end, Token::Id { text: Cow::Borrowed(&rest[..end]), quoted: false })
            }
        };
        Ok((start, token))
    }

    fn taken(&mut self, length: usize, token: Token<'a>) -> Token<'a> {
        self.at += length;
        token
    }

    /// Takes `digraph name {`, where `strict` may come first and the name may be missing.
    pub(super) fn enter_digraph(&mut self) -> Result<(), ReadError> {
        let (mut at, mut token) = self.next()?;
        if token.is_word("strict") {
            (at, token) = self.next()?;
        }
        if !token.is_word("digraph") {
            return Err(ReadError::at(self.text, at, "expected `digraph`"));
        }
        (at, token) = self.next()?;
        if matches!(token, Token::Id { .. }) {
            (at, token) = self.next()?;
        }
        if token == Token::Mark('{') { Ok(()) } else { Err(ReadError::at(self.text, at, "expected `{`")) }
    }

    /// Takes the next attribute of a list whose `[` was taken; `None` at the list's `]`.
    pub(super) fn attribute(&mut self) -> Result<Option<DotAttribute<'a>>, ReadError> {
        loop {
            let (at, token) = self.next()?;
            let name = match token {
                Token::Mark(']') => return Ok(None),
                Token::Mark(',' | ';') => continue,
                Token::Id { text, .. } => text,
                _ => return Err(ReadError::at(self.text, at, "expected an attribute or `]`")),
            };
            let (at, token) = self.next()?;
            if token != Token::Mark('=') {
                return Err(ReadError::at(self.text, at, format!("expected `=` after the attribute `{name}`")));
            }
            let (at, token) = self.next()?;
            let Token::Id { text, .. } = token else {
                return Err(ReadError::at(self.text, at, format!("expected the value of `{name}`")));
            };
            return Ok(Some(([name, text], at)));
        }
    }

    /// Skips white space and comments: `/* */`, `//`, and lines that start with `#`.
    fn skip(&mut self) -> Result<(), ReadError> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if let Some(comment) = trimmed.strip_prefix("/*") {
                let end = comment.find("*/");
                let end =
                    end.ok_or_else(|| ReadError::at(self.text, self.at, "the comment has no end: expected `*/`"))?;
                self.at += end + 4;
            } else if trimmed.starts_with("//") || trimmed.starts_with('#') {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return Ok(());
            }
        }
    }

    /// A quoted string, in which `\"` is a quote and `\` at the end of a line continues it.
    fn quoted(&mut self) -> Result<Token<'a>, ReadError> {
        let start = self.at + 1;
        let mut escaped = false;
        let closing = self.text[start..].bytes().position(|byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        });
        let length = closing.ok_or_else(|| ReadError::at(self.text, self.at, "the quote has no end: expected `\"`"))?;
        self.at = start + length + 1;
        let raw = &self.text[start..start + length];
        let text = if raw.contains('\\') { Cow::Owned(unescaped(raw)) } else { Cow::Borrowed(raw) };
        Ok(Token::Id { text, quoted: true })
    }
}

/// Removes the backslashes before quotes, backslashes and line ends; other backslashes belong to the text.
fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
            }
            ('\\', Some(&next @ ('"' | '\\'))) => {
                text.push(next);
                chars.next();
            }
            _ => text.push(c),
        }
    }
    text
}
