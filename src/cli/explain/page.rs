//! What `docs/metrics.md` says of a metric, found there, so that the page and the command cannot differ.

/// The page, as it is on the site.
const PAGE: &str = include_str!("../../../docs/metrics.md");

/// What the page says of a metric.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// The title of the section.
    pub(super) section: &'static str,
    /// The paragraphs, as plain text.
    pub(super) paragraphs: Vec<String>,
}

/// Every passage about a metric: its rows in tables, each after the symbols of its section and before what the section
/// adds below. A metric without a row has the paragraphs that name it.
pub(super) fn passages(metric: &str) -> Vec<Passage> {
    let sections = || PAGE.split("\n## ").skip(1).filter_map(PageSection::of);
    let rows: Vec<Passage> = sections().filter_map(|section| section.around_row(metric)).collect();
    if rows.is_empty() { sections().filter_map(|section| section.paragraphs(metric)).collect() } else { rows }
}

/// A section of the page.
struct PageSection {
    title: &'static str,
    /// What stands before the table, or everything.
    before: Vec<&'static str>,
    table: &'static str,
    after: Vec<&'static str>,
}

impl PageSection {
    fn of(text: &'static str) -> Option<Self> {
        let (title, body) = text.split_once('\n')?;
        // An example below the definitions shows values, and defines nothing.
        let body = body.split("\n### ").next()?;
        let blocks = body.split("\n\n").map(|block| block.trim_matches('\n')).filter(|block| !block.is_empty());
        let mut blocks: Vec<&str> = blocks.collect();
        let table = blocks.iter().position(|block| block.starts_with('|'));
        let after = table.map(|table| blocks.split_off(table)).unwrap_or_default();
        let table = after.first().copied().unwrap_or_default();
        Some(Self { title, before: blocks, table, after: after.into_iter().skip(1).collect() })
    }

    /// The row about a metric, with the text around it.
    fn around_row(&self, metric: &str) -> Option<Passage> {
        let row = row(self.table, metric)?;
        let before = self.before.iter().map(|block| plain(block));
        let paragraphs = before.chain([row]).chain(about(&self.after, metric)).collect();
        Some(Passage { section: self.title, paragraphs })
    }

    fn paragraphs(&self, metric: &str) -> Option<Passage> {
        let paragraphs: Vec<String> = about(&self.before, metric).chain(about(&self.after, metric)).collect();
        (!paragraphs.is_empty()).then_some(Passage { section: self.title, paragraphs })
    }
}

/// The paragraphs and the items of lists that name a metric.
fn about(blocks: &[&'static str], metric: &str) -> impl Iterator<Item = String> {
    let items = |block: &&'static str| block.strip_prefix("- ").unwrap_or(block).split("\n- ");
    blocks.iter().flat_map(items).filter(move |item| is_about(item, metric)).map(plain)
}

/// The row of a table whose first cell names a metric, as `heading: cell` of the cells behind the name that `hetsim
/// list` does not have.
fn row(table: &str, metric: &str) -> Option<String> {
    let mut rows = table.lines().map(cells);
    let headings = rows.next()?;
    let row = rows.find(|row| row.first().is_some_and(|names| is_named(names, metric)))?;
    let told = headings.iter().zip(&row).skip(1).filter(|(heading, _)| !matches!(**heading, "unit" | "better"));
    let told = told.filter(|(_, cell)| !cell.is_empty());
    let said: Vec<String> = told
        .map(|(heading, cell)| match *heading {
            "definition" => plain(cell),
            "equation" if !cell.starts_with(|c: char| c.is_ascii_digit()) => format!("source: {}", plain(cell)),
            heading => format!("{heading}: {}", plain(cell)),
        })
        .collect();
    Some(said.join("; "))
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// Whether a cell of names has this one; `…` in a name stands for any text.
fn is_named(names: &str, metric: &str) -> bool {
    names.split('`').skip(1).step_by(2).any(|name| match name.split_once('…') {
        Some((start, end)) => {
            metric.len() > start.len() + end.len() && metric.starts_with(start) && metric.ends_with(end)
        }
        None => name == metric,
    })
}

/// Whether a paragraph names a metric as code, or begins with its name in bold.
fn is_about(paragraph: &str, metric: &str) -> bool {
    let bold = paragraph.strip_prefix("**").and_then(|rest| rest.split("**").next());
    paragraph.contains(&format!("`{metric}`")) || bold.is_some_and(|bold| bold.to_lowercase() == metric)
}

/// Markdown as plain text in one line: links by their words.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        rest = link;
        if let Some((words, target)) = link.split_once("](")
            && let Some((_, after)) = target.split_once(')')
        {
            plain.push_str(words);
            rest = after;
        }
    }
    plain.push_str(rest);
    plain.replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_with_the_symbols_and_the_remarks_of_its_section() {
        let found = passages("n_eff");
        assert_eq!(found.len(), 1);
        let [intro, row, remark] = found[0].paragraphs.as_slice() else { panic!("{found:?}") };
        assert!(intro.contains("Tᵢ is the time for which node i computes"), "{intro}");
        assert_eq!(row, "formula: ΣTᵢ / Tₙ; equation: 8");
        assert!(remark.starts_with("n_eff compares computing times only."), "{remark}");
    }

    #[test]
    fn one_row_may_be_about_several_metrics() {
        assert!(passages("path_latency_s")[0].paragraphs[0].contains("critical path"));
        assert_eq!(passages("simulating_s"), passages("fitting_s"));
        assert!(passages("idle_share")[0].paragraphs[0].contains("waiting included"));
        assert_eq!(passages("no_such_metric"), []);
    }
}
