//! Small multiples: the same chart for each value of a key, over common axes and with one legend.

use super::looks::ChartContext;
use super::series::titled_names;
use super::{Chart, Drawn};
use crate::report::results::Results;
use crate::scenario::{Choice, Scalar};
use hetsim_chart::canvas::Picture;
use hetsim_chart::frame::Sheet;
use hetsim_chart::legend::Swatch;
use hetsim_chart::paper::{Ends, Paper};

/// Space between panels.
const GAP: f64 = 12.0;
/// No panel is narrower while there is more than one column: its plot would be a strip.
const LEAST: f64 = 100.0;
/// On a sheet that is less wide than this there are two columns of panels.
const FEW: f64 = 640.0;

/// The charts of all values of a key, side by side and one under another; and the same for phones.
pub(super) fn panels(
    chart: &Chart,
    key: &str,
    results: &Results<'_>,
    context: &ChartContext<'_>,
) -> Result<(Picture, Option<Picture>), String> {
    let common = chart.common();
    let Some(axis) = results.axis(key) else { return Err(format!("`{key}` is not a swept key")) };
    let swept = &results.scenario().axes[axis];
    let names = titled_names(chart.entry().shown(), swept);
    let mut all: Vec<(String, Drawn)> = Vec::new();
    for value in results.used(&results.matching(&common.filter), axis) {
        let mut one = chart.clone();
        let choice = Choice::One(Scalar::Text(swept.values[value].label.clone()));
        one.entry_mut().common_mut().filter.insert(key.to_owned(), choice);
        all.push((names[value].clone(), one.drawn(results, context)));
    }
    let laid_out = |all: &[(String, Drawn)]| laid_out(&common.heading(), common.subtitle.as_deref(), all);
    let wide = laid_out(&all);
    let narrow = all
        .into_iter()
        .map(|(name, Drawn { picture, paper })| Some((name, Drawn { paper: paper.on_phone()?, picture })));
    let narrow: Option<Vec<(String, Drawn)>> = narrow.collect();
    Ok((wide, narrow.map(|all| laid_out(&all))))
}

fn laid_out(title: &str, subtitle: Option<&str>, all: &[(String, Drawn)]) -> Picture {
    let Some((_, first)) = all.first() else {
        return Sheet::new(title, subtitle, &Paper::default()).no_data();
    };
    let (paper, mut shared) = (&first.paper, (Ends::default(), Ends::default()));
    let mut entries: Vec<(Swatch, String)> = Vec::new();
    for (_, drawn) in all {
        let (x, y) = drawn.picture.reach(&drawn.paper);
        shared = (shared.0.join(x), if paper.free_y { shared.1 } else { shared.1.join(y) });
        for entry in drawn.picture.entries(&drawn.paper) {
            if !entries.iter().any(|(_, name)| *name == entry.1) {
                entries.push(entry);
            }
        }
    }
    let several = entries.len() > 1;
    let legend = entries.iter().filter(|_| several).map(|(swatch, name)| (*swatch, name.as_str()));
    let whole = Paper { notes: notes(all), ..paper.clone() };
    let sheet = Sheet::new(title, subtitle, &whole).with_legend(legend);
    let most = match all.len() {
        _ if paper.width < FEW => all.len().min(2),
        4 => 2,
        count => count.min(3),
    };
    let width_of = |columns: usize| {
        let room = sheet.right() - paper.margin - GAP * (columns - 1) as f64;
        room / columns as f64
    };
    let columns = (1..=most).rev().find(|&columns| width_of(columns) >= LEAST).unwrap_or(1);
    let (rows, width) = (all.len().div_ceil(columns), width_of(columns));
    let height = paper.has_height().then(|| (sheet.height() - sheet.top()) / rows as f64 - GAP);
    let panel = |(name, drawn): &(String, Drawn)| drawn.paper.panel((width, height), name.clone(), shared);
    let lie = all.iter().any(|one| one.1.picture.lies(&panel(one)));
    let pictures: Vec<Picture> = all
        .iter()
        .map(|one| {
            let panel = panel(one);
            one.1.picture.picture(&Paper { horizontal: panel.horizontal || lie, ..panel })
        })
        .collect();
    let mut places = Vec::new();
    let mut top = sheet.top();
    for row in pictures.chunks(columns) {
        places.extend((0..row.len()).map(|column| (paper.margin + column as f64 * (width + GAP), top)));
        top += row.iter().map(|picture| picture.height).fold(0.0, f64::max) + GAP;
    }
    let mut page = sheet.draw(top, |_| {});
    for ((picture, place), (name, _)) in pictures.iter().zip(places).zip(all) {
        page.put(picture, place, name);
    }
    page
}

/// The notes of all panels; one that not every panel has says whose it is.
fn notes(all: &[(String, Drawn)]) -> Vec<String> {
    let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, drawn) in all {
        for note in drawn.paper.notes.iter().cloned().chain(drawn.picture.notes(&drawn.paper)) {
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, panels)) => panels.push(name),
                None => notes.push((note, vec![name])),
            }
        }
    }
    let of_panels = |(note, panels): (String, Vec<&str>)| {
        if panels.len() == all.len() { note } else { format!("{note} ({})", panels.join(", ")) }
    };
    notes.into_iter().map(of_panels).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::Tree;

    #[test]
    fn a_note_says_whose_it_is_unless_all_panels_have_it() {
        let panel = |name: &str, notes: &[&str]| {
            let (title, groups) = (String::new(), Vec::new());
            let picture = Tree { title, subtitle: None, groups, nodes: Vec::new(), edges: Vec::new() };
            let notes = notes.iter().map(|note| (*note).to_owned()).collect();
            (name.to_owned(), Drawn::new(picture, Paper { notes, ..Paper::default() }))
        };
        let all = [panel("nodes: 2", &["bands", "a and b lie on one another"]), panel("nodes: 4", &["bands"])];
        assert_eq!(notes(&all), ["bands", "a and b lie on one another (nodes: 2)"]);
    }
}
