//! Statements: what a paper or a user claims. One statement is tested by one or more rows of expectations.

use super::expect::{ExpectKind, Verdict};

/// A statement and the rows that test it.
#[derive(Debug, Clone)]
pub struct Statement<'v> {
    /// The statement, or the source of a row that names none.
    pub text: &'v str,
    /// Where its numbers come from.
    pub kind: ExpectKind,
    /// The rows, at least one, in their order.
    pub rows: Vec<&'v Verdict>,
}

impl Statement<'_> {
    /// Whether all its rows are met.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.rows.iter().all(|row| row.met)
    }

    /// The number of rows that are met.
    #[must_use]
    pub fn met_rows(&self) -> usize {
        self.rows.iter().filter(|row| row.met).count()
    }
}

/// The statements that these rows test, in the order of their first rows. A row that names no statement is one by
/// itself.
#[must_use]
pub fn statements(verdicts: &[Verdict]) -> Vec<Statement<'_>> {
    let mut statements: Vec<Statement<'_>> = Vec::new();
    for verdict in verdicts {
        let same = |statement: &&mut Statement<'_>| {
            !verdict.statement.is_empty()
                && (statement.rows[0].statement == verdict.statement && statement.kind == verdict.kind)
        };
        if let Some(statement) = statements.iter_mut().find(same) {
            statement.rows.push(verdict);
        } else {
            statements.push(Statement { text: verdict.claim(), kind: verdict.kind, rows: vec![verdict] });
        }
    }
    statements
}

/// How many statements are met, with the rows where a statement has several, and what the statements are: "5 of 6 met,
/// 2 of 2 printed in a publication, 3 of 4 of the scenario's own".
#[must_use]
pub fn tally(verdicts: &[Verdict]) -> String {
    let statements = statements(verdicts);
    let met = statements.iter().filter(|statement| statement.is_met()).count();
    let counts = if statements.len() == verdicts.len() {
        format!("{met} of {} met", statements.len())
    } else {
        let rows = verdicts.iter().filter(|verdict| verdict.met).count();
        format!("{met} of {} statements met ({rows} of {} rows)", statements.len(), verdicts.len())
    };
    format!("{counts}, {}", origins(&statements))
}

/// What statements are, with the number of each kind that is met where there are several kinds.
fn origins(statements: &[Statement<'_>]) -> String {
    let of_kind = |kind: ExpectKind| {
        let those = || statements.iter().filter(move |statement| statement.kind == kind);
        (those().count(), those().filter(|statement| statement.is_met()).count(), kind.origin())
    };
    let all = [ExpectKind::Printed, ExpectKind::Input, ExpectKind::Fitted, ExpectKind::Own].map(of_kind);
    let found: Vec<_> = all.into_iter().filter(|(count, ..)| *count > 0).collect();
    if let [(_, _, origin)] = found[..] {
        return if statements.len() > 1 { format!("all {origin}") } else { origin.to_owned() };
    }
    let words: Vec<String> = found.iter().map(|(count, met, origin)| format!("{met} of {count} {origin}")).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(statement: &str, met: bool) -> Verdict {
        Verdict { statement: statement.to_owned(), source: "Table 1".to_owned(), met, ..Verdict::default() }
    }

    #[test]
    fn a_statement_is_met_if_all_its_rows_are() {
        let rows = [row("a", true), row("b", true), row("a", false), row("b", true), row("", true), row("", false)];
        let found: Vec<(&str, usize, bool)> =
            statements(&rows).iter().map(|one| (one.text, one.met_rows(), one.is_met())).collect();
        assert_eq!(found, [("a", 1, false), ("b", 2, true), ("Table 1", 1, true), ("Table 1", 0, false)]);
        assert_eq!(tally(&rows), "2 of 4 statements met (4 of 6 rows), all of the scenario's own");
        assert_eq!(tally(&rows[4..]), "1 of 2 met, all of the scenario's own");
        let printed = Verdict { kind: ExpectKind::Printed, ..row("printed", true) };
        assert_eq!(tally(std::slice::from_ref(&printed)), "1 of 1 met, printed in a publication");
        let mixed = [printed, row("a", false), row("b", true)];
        assert_eq!(tally(&mixed), "2 of 3 met, 1 of 1 printed in a publication, 1 of 2 of the scenario's own");
    }

    /// What was fitted does not count with what a paper prints, even under the same words.
    #[test]
    fn kinds_are_kept_apart() {
        let fitted = Verdict { kind: ExpectKind::Fitted, ..row("a", true) };
        assert_eq!(statements(&[row("a", false), fitted]).len(), 2);
    }
}
