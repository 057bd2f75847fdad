//! Charts on a page: drawn for wide screens and for phones, with links to their files and a table of their values.

use super::html::{Html, href, slug};
use super::table::{PageRow, PageTable};
use crate::printable::escape;
use crate::report::chart::{Field, Picture};

/// The files of a picture, and the words of their links.
fn links<'a>(name: &str, files: &'a [String]) -> impl Iterator<Item = (&'a str, String)> {
    let stem = format!("charts/{name}.");
    let kind = move |path: &'a String| Some((path.as_str(), path.strip_prefix(&stem)?.to_uppercase()));
    files.iter().filter_map(kind)
}

/// What a picture is called within the page.
pub(super) fn id(picture: &Picture) -> String {
    format!("chart-{}", slug(&picture.name))
}

/// Appends a picture, the `number`-th of the page.
pub(super) fn push(html: &mut Html, picture: &Picture, number: usize, files: &[String], csv: Option<&str>) {
    let (caption, screen) = (escape(&picture.caption), &picture.screen);
    let file = format!("charts/{}.svg", picture.name);
    // What was made without a page in mind has its file only.
    let wide = if screen.wide.is_empty() { &picture.svg } else { &screen.wide };
    let fits = wide.len() < html.room();
    let phone = screen.phone.as_deref().filter(|phone| fits && wide.len() + phone.len() < html.room());
    let classes = [phone.map(|_| "twice"), screen.zooms.then_some("zooms")];
    let classes: Vec<&str> = classes.into_iter().flatten().collect();
    html.push(format_args!("<figure id=\"{}\" class=\"{}\">\n", id(picture), classes.join(" ")));
    if fits {
        push_drawing(html, ("wide", wide), &caption, &format!("figure{number}-"));
    } else {
        html.push(format_args!("<div class=\"chart\"><img src=\"{}\" alt=\"{caption}\"></div>\n", href(&file)));
    }
    if let Some(phone) = phone {
        push_drawing(html, ("phone", phone), &caption, &format!("phone{number}-"));
    }
    html.push(format_args!("<figcaption>{caption}"));
    for (path, kind) in links(&picture.name, files) {
        html.push(format_args!(" <a href=\"{}\">{}</a>", href(path), escape(&kind)));
    }
    html.raw("</figcaption>\n");
    if fits && !screen.values.is_empty() {
        push_values(html, picture, phone.is_some(), csv);
    }
    if screen.left_out > 0 {
        html.push(format_args!("<p class=\"note\">{} values are too many to list here", screen.left_out));
        if let Some(csv) = csv {
            html.push(format_args!("; <a href=\"{}\">{}</a> has them", href(csv), escape(csv)));
        }
        html.raw(".</p>\n");
    }
    html.raw("</figure>\n");
}

fn push_drawing(html: &mut Html, (class, svg): (&str, &str), caption: &str, prefix: &str) {
    html.push(format_args!("<div class=\"chart {class}\" role=\"group\" aria-label=\"{caption}\">\n"));
    html.raw(&with_own_ids(svg, prefix));
    html.raw("</div>\n");
}

/// Appends the values of a picture, folded away, with their places in the drawings. Columns without a word are left
/// out.
fn push_values(html: &mut Html, picture: &Picture, has_phone: bool, csv: Option<&str>) {
    let screen = &picture.screen;
    let is_said = |column: &usize| screen.values.iter().any(|value| !value.cells[*column].is_empty());
    let columns: Vec<usize> = (0..screen.heads.len()).filter(is_said).collect();
    let cells: Vec<Vec<String>> =
        screen.values.iter().map(|value| columns.iter().map(|&column| value.cells[column].clone()).collect()).collect();
    let place = |field: &Option<Field>| field.as_ref().map_or_else(String::new, Field::to_string);
    let row = |(value, cells): (&crate::report::chart::ScreenValue, &'_ Vec<String>)| {
        let mut data = vec![("s", value.series.clone()), ("w", place(&value.wide))];
        data.extend(has_phone.then(|| ("p", place(&value.phone))));
        (data, cells.clone())
    };
    let rows: Vec<_> = screen.values.iter().zip(&cells).map(row).collect();
    let count = rows.len();
    html.push(format_args!("<details class=\"values\">\n<summary>Values ({count})</summary>\n"));
    let grid = PageTable {
        caption: "",
        over: None,
        heads: columns.iter().map(|&column| screen.heads[column].as_str()).collect(),
        rows: rows.iter().map(|(data, cells)| PageRow { cells, data: data.clone() }).collect(),
        best: &[],
    };
    grid.push(html, csv);
    html.raw("</details>\n");
}

/// The root element of an SVG document, with a prefix before all ids and references to them: pictures on one page
/// share one name space.
pub(super) fn with_own_ids(svg: &str, prefix: &str) -> String {
    let root = svg.find("<svg").map_or(svg, |start| &svg[start..]);
    let mut own = String::with_capacity(root.len());
    for piece in root.split_inclusive('>') {
        // Only the tag may hold ids: text that looks like one stays as it is.
        let (text, tag) = piece.split_at(piece.find('<').unwrap_or(piece.len()));
        own.push_str(text);
        if tag.contains("url(#") || tag.contains("href=\"#") || tag.contains(" id=") {
            let tag = tag.replace(" id=\"", &format!(" id=\"{prefix}"));
            let tag = tag.replace("url(#", &format!("url(#{prefix}"));
            own.push_str(&tag.replace("href=\"#", &format!("href=\"#{prefix}")));
        } else {
            own.push_str(tag);
        }
    }
    own
}
