//! Expectations on a page: a chip that says how many are met, the missed ones with their reasons, and the others,
//! folded away and grouped by statement.

use super::html::Html;
use crate::printable::escape;
use crate::report::expect::{ExpectKind, Verdict};
use crate::report::statement::tally;

/// Appends how many are met, as a link to what they are.
pub(super) fn push_chip(html: &mut Html, verdicts: &[Verdict]) {
    let all_met = verdicts.iter().all(|verdict| verdict.met);
    let (class, sign) = if all_met { ("ok", "✓") } else { ("miss", "✗") };
    let tally = tally(verdicts);
    html.push(format_args!(
        "<p><a class=\"chip {class}\" href=\"#expectations\">{sign} Expectations: {tally}</a></p>\n"
    ));
}

/// Appends all expectations.
pub(super) fn push(html: &mut Html, verdicts: &[Verdict]) {
    let missed: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.met).collect();
    if !missed.is_empty() {
        html.raw("<ul class=\"misses\">\n");
        for verdict in missed {
            push_miss(html, verdict);
        }
        html.raw("</ul>\n");
    }
    let met = verdicts.iter().filter(|verdict| verdict.met).count();
    if met > 0 {
        let rows = if met == 1 { "row" } else { "rows" };
        html.push(format_args!("<details>\n<summary>Met ({met} {rows}), by statement</summary>\n"));
        push_met(html, verdicts);
        html.raw("</details>\n");
    }
}

fn push_miss(html: &mut Html, verdict: &Verdict) {
    html.raw("<li><b><span class=\"miss\">✗ miss</span> ");
    if !verdict.statement.is_empty() {
        html.push(format_args!("{}:</b> <b>", escape(&verdict.statement)));
    }
    html.text(&verdict.metric);
    html.raw("</b>");
    if !verdict.place.is_empty() {
        html.push(format_args!(" at {}", escape(&verdict.place)));
    }
    let simulated = verdict.simulated_text();
    html.push(format_args!(
        ": {} {} ({}), simulated {}",
        verdict.kind.participle(),
        escape(&verdict.shown),
        escape(&verdict.tolerance),
        if simulated.is_empty() { "nothing" } else { &simulated },
    ));
    let difference = verdict.difference_text();
    if !difference.is_empty() {
        html.push(format_args!(", {}", escape(&difference)));
    }
    html.raw(".");
    if !verdict.note.is_empty() {
        html.push(format_args!(" <span class=\"reason\">{}</span>", escape(&verdict.note)));
    }
    if verdict.clocked {
        html.raw(" A clock measured it, so that it fails nothing.");
    }
    html.push(format_args!(" <span class=\"source\">{}</span></li>\n", escape(&verdict.source)));
}

/// What a row is grouped under: its statement, or its source if it names none; and its kind.
fn group(verdict: &Verdict) -> (&str, ExpectKind) {
    (verdict.claim(), verdict.kind)
}

/// A table with a group of rows for each statement.
fn push_met(html: &mut Html, verdicts: &[Verdict]) {
    let mut groups = Vec::new();
    for verdict in verdicts.iter().filter(|verdict| verdict.met) {
        if !groups.contains(&group(verdict)) {
            groups.push(group(verdict));
        }
    }
    html.raw(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"expectations that are met\">\n<table>\n",
    );
    html.raw("<thead><tr><th scope=\"col\">metric</th><th scope=\"col\">where</th>");
    for head in ["expected", "simulated", "difference", "tolerance"] {
        html.push(format_args!("<th scope=\"col\" class=\"number\">{head}</th>"));
    }
    html.raw("</tr></thead>\n");
    for head in groups {
        let of_group = || verdicts.iter().filter(|verdict| group(verdict) == head);
        let (met, all) = (of_group().filter(|verdict| verdict.met).count(), of_group().count());
        let source = of_group().next().filter(|verdict| !verdict.statement.is_empty());
        let source = source.map(|verdict| format!("{}: {}", verdict.kind, verdict.source));
        let source = source.map(|source| format!(" <span class=\"source\">{}</span>", escape(&source)));
        html.push(format_args!(
            "<tbody><tr><th scope=\"rowgroup\" colspan=\"6\">{}{} <span class=\"ok\">{met} of {all}</span></th></tr>\n",
            escape(head.0),
            source.unwrap_or_default(),
        ));
        for verdict in of_group().filter(|verdict| verdict.met) {
            push_row(html, verdict);
        }
        html.raw("</tbody>\n");
    }
    html.raw("</table>\n</div>\n");
}

fn push_row(html: &mut Html, verdict: &Verdict) {
    html.push(format_args!("<tr><td>{}</td><td class=\"wide\">{}", escape(&verdict.metric), escape(&verdict.place)));
    if !verdict.note.is_empty() {
        html.push(format_args!(" <span class=\"reason\">{}</span>", escape(&verdict.note)));
    }
    html.raw("</td>");
    let (simulated, difference) = (verdict.simulated_text(), verdict.difference_text());
    for cell in [&verdict.shown, &simulated, &difference, &verdict.tolerance] {
        html.push(format_args!("<td class=\"number\">{}</td>", escape(cell)));
    }
    html.raw("</tr>\n");
}
