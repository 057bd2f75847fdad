//! What stands in the files: sizes, fonts, texts, ink.

use std::collections::BTreeSet;

use super::embedded::Fonts;
use super::fonts::{own_fonts, stand_in};
use super::pdf::{pdf, written};
#[cfg(feature = "png")]
use super::png::{MOST_PIXELS, png, scale};
use super::svg::{Piece, read};
use crate::report::chart::{Axis, LineChart, Picture, Point, Series};

/// The height of an SVG in pixels.
fn height(svg: &str) -> f64 {
    let (_, rest) = svg.split_once("height=\"").unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

/// A chart with two lines, with this width in millimetres.
fn picture(width: Option<f64>) -> Picture {
    let line = |name: &str, slope: f64| {
        Series::data(name, (1..20).map(|x| Point::new(f64::from(x), f64::from(x) * slope)).collect())
    };
    let chart = LineChart {
        title: "Completion − of a broadcast ± 10⁻⁶ µs".to_owned(),
        x: Axis::bytes("message size").logarithmic(),
        y: Axis::seconds("completion time"),
        series: vec![line("binomial tree", 1e-4), line("β λ chain", 3e-4)],
        ..LineChart::default()
    };
    let svg = chart.svg();
    let screen = format!("width=\"880\" height=\"{}\"", height(&svg));
    let size = |wide: f64| format!("width=\"{wide}mm\" height=\"{}mm\"", wide * height(&svg) / 880.0);
    assert!(svg.contains(&screen), "{svg}");
    let svg = width.map_or_else(|| svg.clone(), |width| svg.replacen(&screen, &size(width), 1));
    Picture { name: "speed".to_owned(), caption: "Speed".to_owned(), svg, millimetres: width, ..Picture::default() }
}

/// The objects of a file whose streams are not compressed, as text; what is no text is replaced.
fn readable(picture: &Picture) -> String {
    String::from_utf8_lossy(&written(picture, false).unwrap()).into_owned()
}

/// The numbers of a page's box.
fn page(pdf: &str) -> Vec<f64> {
    let (_, rest) = pdf.split_once("/MediaBox [").unwrap();
    let (numbers, _) = rest.split_once(']').unwrap();
    numbers.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

#[test]
fn a_page_is_as_large_as_the_chart() {
    let [left, low, right, high] = page(&readable(&picture(Some(85.0))))[..] else { panic!("four numbers") };
    assert_eq!((left, low), (0.0, 0.0));
    let pixels = height(&picture(None).svg);
    assert!(
        (right - 85.0 * 72.0 / 25.4).abs() < 0.01 && (high - right * pixels / 880.0).abs() < 0.01,
        "{right} {high}"
    );
    assert_eq!(page(&readable(&picture(None))), [0.0, 0.0, 660.0, 0.75 * pixels]);
}

/// The characters that the glyphs of a file stand for, by its maps to Unicode.
fn characters(pdf: &str) -> BTreeSet<char> {
    let maps = pdf.split("beginbfchar").skip(1).filter_map(|rest| rest.split("endbfchar").next());
    let codes = maps.flat_map(|map| map.lines().filter_map(|line| line.rsplit_once('<')));
    let of_code = |code: &str| u32::from_str_radix(code.trim_end_matches([' ', '>']), 16).ok().and_then(char::from_u32);
    codes.filter_map(|(_, code)| of_code(code)).collect()
}

#[test]
fn texts_can_be_selected_and_fonts_are_embedded() {
    let pdf = readable(&picture(None));
    // The heading is bold, all else is not.
    assert!(
        pdf.contains("+Arimo-Bold") && pdf.matches("+Arimo").count() > pdf.matches("+Arimo-Bold").count(),
        "the names of the fonts"
    );
    assert_eq!(pdf.matches("/Type /FontDescriptor").count(), 2);
    assert_eq!(pdf.matches("/FontFile").count(), 2, "each has its glyphs with it");
    assert!(!pdf.contains("/Helvetica"), "and no other font is named");
    let known = characters(&pdf);
    let lost: Vec<char> =
        "Completion−ofabroadcst±10⁻⁶µmegiysλβch".chars().filter(|letter| !known.contains(letter)).collect();
    assert!(lost.is_empty(), "{lost:?} of {known:?}");
}

#[test]
fn the_same_picture_gives_the_same_bytes() {
    let picture = picture(Some(85.0));
    assert_eq!(pdf(&picture).unwrap(), pdf(&picture).unwrap());
    #[cfg(feature = "png")]
    assert_eq!(png(&picture).unwrap(), png(&picture).unwrap());
}

#[cfg(feature = "png")]
/// Width, height, pixels to a metre, and how many colours there are.
fn decoded(file: &[u8]) -> (u32, u32, u32, usize) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let colours: BTreeSet<&[u8]> = pixels[..frame.buffer_size()].chunks_exact(3).collect();
    (frame.width, frame.height, reader.info().pixel_dims.unwrap().xppu, colours.len())
}

#[cfg(feature = "png")]
#[test]
fn a_png_has_300_pixels_an_inch_and_ink() {
    let (width, height, per_metre, colours) = decoded(&png(&picture(Some(85.0))).unwrap());
    let high = super::tests::height(&picture(None).svg);
    assert_eq!((width, height, per_metre), (1004, (high * 85.0 / 880.0 / 25.4 * 300.0).round() as u32, 11811));
    assert!(colours > 10, "{colours}");
    let (width, height, per_metre, colours) = decoded(&png(&picture(None)).unwrap());
    assert_eq!((width, height, per_metre), (1760, (2.0 * high).round() as u32, 7559));
    assert!(colours > 10, "{colours}");
}

#[cfg(feature = "png")]
#[test]
fn a_large_png_is_drawn_coarser() {
    assert_eq!(scale((1000.0, 500.0), 3.125), 3.125);
    let coarser = scale((1000.0, 200_000.0), 2.0);
    assert!((coarser * coarser * 2e8 - MOST_PIXELS).abs() < 100.0, "{coarser}");
}

/// Charts are laid out for the widths of Helvetica, a little on the safe side: no text is longer when it is set.
#[test]
fn texts_are_no_longer_than_the_layout_takes_them_for() {
    use crate::report::chart::text_width;
    for text in ["completion time of a broadcast", "MWiljkA 0123456789", "adaptive_weighted_factoring", "β λ − ± ×"]
    {
        for (bold, factor) in [(false, 1.0), (true, 1.06)] {
            let set: f32 = Fonts::default().glyphs(text, bold).iter().map(|glyph| 20.0 * glyph.advance).sum();
            let taken = text_width(text, 20.0) * factor;
            assert!(f64::from(set) < taken && f64::from(set) > 0.7 * taken, "{text}, {bold}: {set} and {taken}");
        }
    }
}

/// Whatever fonts the system has, or none: what ours lack is drawn by another or as a box, and nothing else suffers.
#[test]
fn characters_without_a_font_do_no_harm() {
    let svg = picture(None).svg.replace("binomial", "東京 ✓ \u{10ffff}");
    let strange = Picture { svg, ..picture(None) };
    assert!(characters(&readable(&strange)).contains(&'C'));
    #[cfg(feature = "png")]
    assert!(png(&strange).is_ok());
    assert!(own_fonts().faces().all(|face| stand_in(own_fonts(), 'A', &[face.id]).is_some_and(|id| id != face.id)));
    assert_eq!(stand_in(own_fonts(), '東', &[]), None);
}

/// Everything that a chart's SVG holds is painted: an area or a disc is filled, a line stroked, a text shown.
#[test]
fn every_piece_is_painted() {
    let picture = picture(Some(85.0));
    let pieces = read(&picture.svg).unwrap().pieces;
    let elements = |names: &[&str]| names.iter().map(|name| picture.svg.matches(&format!("<{name} ")).count()).sum();
    let of = |is_one: fn(&Piece) -> bool| pieces.iter().filter(|piece| is_one(piece)).count();
    let (fills, lines): (usize, usize) = (elements(&["rect", "polygon", "circle"]), elements(&["polyline"]));
    let texts: usize = elements(&["text"]);
    assert_eq!(of(|piece| matches!(piece, Piece::Area(..) | Piece::Disc(..))), fills);
    assert_eq!(
        (of(|piece| matches!(piece, Piece::Line(..))), of(|piece| matches!(piece, Piece::Text(..)))),
        (lines, texts)
    );
    let pdf = readable(&picture);
    let painted = |operator: &str| pdf.lines().filter(|line| line.trim() == operator).count();
    assert!(fills > 0 && lines > 0 && texts > 0);
    assert_eq!((painted("f"), painted("S"), painted("BT")), (fills, lines, texts));
}

/// A text keeps what SVG keeps of it, and says where it ends and how it is turned.
#[test]
fn texts_are_read_as_browsers_read_them() {
    let text = |attributes: &str, text: &str| {
        let svg = format!(
            "<svg width=\"8\" height=\"4mm\" viewBox=\"0 0 80 40\"><g transform=\"translate(3 4)\"><text x=\"1\" y=\"2\" \
             font-size=\"10\" opacity=\"1\" fill=\"#0080ff\" {attributes}>\n{text}\n</text></g></svg>"
        );
        read(&svg)
    };
    let sheet = text("text-anchor=\"end\" font-weight=\"bold\"", "a  b &lt;&amp; 1\u{a0}s ").unwrap();
    assert_eq!((sheet.points.0, sheet.units), (6.0, (80.0, 40.0)));
    let [Piece::Moved((3.0, 4.0)), Piece::Text(ink, text_read), Piece::End] = &sheet.pieces[..] else {
        panic!("{sheet:?}")
    };
    assert_eq!(
        (text_read.words.as_str(), text_read.before, text_read.bold, text_read.upward),
        ("a b <& 1\u{a0}s", 1.0, true, false)
    );
    assert!(ink.colour[0] == 0.0 && ink.colour[2] == 1.0);
    let upward = text("text-anchor=\"start\" transform=\"rotate(270, 1, 2)\"", "up").unwrap();
    assert!(matches!(&upward.pieces[1], Piece::Text(_, text) if text.upward));
    for (wrong, said) in [("text-anchor=\"left\"", "left"), ("text-anchor=\"end\" transform=\"skewX(1)\"", "skewX")] {
        assert!(text(wrong, "x").unwrap_err().contains(said));
    }
    let path = "<svg width=\"8\" height=\"4\" viewBox=\"0 0 8 4\"><path d=\"\"/></svg>";
    assert_eq!(read(path).unwrap_err(), "an element `path`");
}
