//! A picture as a PDF of one page, with its fonts.

use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Content, Finish as _, Name, Pdf, Rect, Str, TextStr};

use super::embedded::{Fonts, Glyph};
use super::objects::Objects;
use super::svg::{Ink, Piece, Sheet, SvgPoint, Text, read};
use crate::report::chart::Picture;

/// From the middle of an arc of a quarter to the control points of the curve that stands for it, in radii.
const QUARTER: f32 = 0.552_285;
/// A text hangs by its top, so many sizes above its base line.
const TOP: f32 = 0.76;

/// A picture as a PDF of one page.
pub(in crate::report) fn pdf(picture: &Picture) -> Result<Vec<u8>, String> {
    written(picture, true)
}

/// The same; its streams can be read where they are not compressed.
pub(super) fn written(picture: &Picture, compressed: bool) -> Result<Vec<u8>, String> {
    let of_picture = |error: String| format!("{} cannot be drawn as PDF: {error}", picture.name);
    let sheet = read(&picture.svg).map_err(of_picture)?;
    let page = Page::of(&sheet);
    let mut pdf = Pdf::new();
    // Every LaTeX takes PDF 1.4 in without a warning.
    pdf.set_version(1, 4);
    let mut objects = Objects::new(compressed);
    let [catalog, pages, own, content, about] = [(); 5].map(|()| objects.next());
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([own]).count(1);
    pdf.document_info(about).title(TextStr(&picture.caption)).creator(TextStr("hetsim"));
    let fonts = page.fonts.write(&mut pdf, &mut objects).map_err(of_picture)?;

    let mut written = pdf.page(own);
    written.parent(pages).media_box(Rect::new(0.0, 0.0, sheet.points.0, sheet.points.1)).contents(content);
    let mut resources = written.resources();
    let mut named = resources.fonts();
    for (number, font) in fonts.iter().enumerate() {
        named.pair(Name(font_name(number).as_bytes()), *font);
    }
    named.finish();
    let mut states = resources.ext_g_states();
    for (number, opacity) in page.opacities.iter().enumerate() {
        let mut state =
            states.insert(Name(state_name(number).as_bytes())).start::<pdf_writer::writers::ExtGraphicsState<'_>>();
        state.stroking_alpha(*opacity).non_stroking_alpha(*opacity);
    }
    states.finish();
    resources.finish();
    written.finish();
    objects.stream(&mut pdf, content, page.content.finish().as_slice(), |_| {});
    Ok(pdf.finish())
}

fn font_name(number: usize) -> String {
    format!("F{number}")
}

fn state_name(number: usize) -> String {
    format!("O{number}")
}

/// A page while it is drawn.
struct Page {
    content: Content,
    fonts: Fonts,
    /// How opaque pieces are, each once.
    opacities: Vec<f32>,
}

impl Page {
    fn of(sheet: &Sheet) -> Self {
        let mut page = Self { content: Content::new(), fonts: Fonts::default(), opacities: Vec::new() };
        // From places of the chart, y downwards, to points, y upwards.
        let scale = [sheet.points.0 / sheet.units.0, sheet.points.1 / sheet.units.1];
        page.content.transform([scale[0], 0.0, 0.0, -scale[1], 0.0, sheet.points.1]);
        page.content.set_line_join(LineJoinStyle::RoundJoin);
        for piece in &sheet.pieces {
            page.draw(piece);
        }
        page
    }

    fn draw(&mut self, piece: &Piece) {
        match piece {
            Piece::Area(ink, corners) => {
                self.fill(*ink);
                self.path(corners);
                self.content.close_path().fill_nonzero();
            }
            Piece::Disc(ink, middle, radius) => {
                self.fill(*ink);
                self.circle(*middle, *radius);
                self.content.fill_nonzero();
            }
            Piece::Line(ink, width, places) => {
                self.look(*ink);
                let [red, green, blue] = ink.colour;
                self.content.set_stroke_rgb(red, green, blue).set_line_width(*width);
                self.path(places);
                self.content.stroke();
            }
            Piece::Text(ink, text) => self.text(*ink, text),
            Piece::Moved((x, y)) => {
                self.content.save_state().transform([1.0, 0.0, 0.0, 1.0, *x, *y]);
            }
            Piece::End => {
                self.content.restore_state();
            }
        }
    }

    fn look(&mut self, ink: Ink) {
        let known = self.opacities.iter().position(|own| *own == ink.opacity);
        let number = known.unwrap_or_else(|| {
            self.opacities.push(ink.opacity);
            self.opacities.len() - 1
        });
        self.content.set_parameters(Name(state_name(number).as_bytes()));
    }

    fn fill(&mut self, ink: Ink) {
        self.look(ink);
        let [red, green, blue] = ink.colour;
        self.content.set_fill_rgb(red, green, blue);
    }

    fn path(&mut self, places: &[SvgPoint]) {
        for (number, (x, y)) in places.iter().enumerate() {
            if number == 0 {
                self.content.move_to(*x, *y)
            } else {
                self.content.line_to(*x, *y)
            };
        }
    }

    fn circle(&mut self, (x, y): SvgPoint, radius: f32) {
        let bend = QUARTER * radius;
        self.content.move_to(x + radius, y);
        self.content.cubic_to(x + radius, y + bend, x + bend, y + radius, x, y + radius);
        self.content.cubic_to(x - bend, y + radius, x - radius, y + bend, x - radius, y);
        self.content.cubic_to(x - radius, y - bend, x - bend, y - radius, x, y - radius);
        self.content.cubic_to(x + bend, y - radius, x + radius, y - bend, x + radius, y);
    }

    fn text(&mut self, ink: Ink, text: &Text) {
        let glyphs = self.fonts.glyphs(&text.words, text.bold);
        let length: f32 = text.size * glyphs.iter().map(|glyph| glyph.advance).sum::<f32>();
        // Where a text goes, and where its top is, as y goes downwards.
        let ((right, down), (up_x, up_y)) =
            if text.upward { ((0.0, -1.0), (-1.0, 0.0)) } else { ((1.0, 0.0), (0.0, -1.0)) };
        let (back, fall) = (text.before * length, TOP * text.size);
        let (x, y) = (text.at.0 - right * back - up_x * fall, text.at.1 - down * back - up_y * fall);
        self.fill(ink);
        self.content.begin_text().set_text_matrix([right, down, up_x, up_y, x, y]);
        for run in glyphs.chunk_by(|a, b| a.font == b.font) {
            let numbers: Vec<u8> = run.iter().flat_map(|glyph: &Glyph| glyph.number.to_be_bytes()).collect();
            self.content.set_font(Name(font_name(run[0].font).as_bytes()), text.size).show(Str(&numbers));
        }
        self.content.end_text();
    }
}
