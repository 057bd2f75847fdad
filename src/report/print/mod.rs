//! Charts as PDF and PNG.
//!
//! Both are made of the SVG: usvg lays its texts out with [Arimo](fonts/OFL.txt), which has the widths of Helvetica
//! and Arial that charts are laid out for, so that the same bytes come out on every machine. A character that Arimo
//! lacks is drawn with a font of the system.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use krilla::configure::{ConfigurationBuilder, PdfVersion};
use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla::{Document, SerializeSettings};
use krilla_svg::{SurfaceExt as _, SvgSettings};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, FaceInfo, Family, ID, Query, Stretch, Style, Weight};
use resvg::usvg::{FontResolver, Options, Tree};

use super::chart::Picture;

/// The family of the fonts that hetsim has with it.
const FAMILY: &str = "Arimo";
/// Points of 1/72 inch to a pixel of CSS.
const POINTS: f32 = 0.75;
/// Pixels of CSS to an inch.
const CSS_PIXELS: f32 = 96.0;
/// The pixels of a PNG to an inch of paper.
const DOTS: f32 = 300.0;
/// The pixels of a PNG to a pixel of a chart that has no size on paper.
const SHARPNESS: f32 = 2.0;
/// The most pixels of a PNG; a chart that would have more is drawn coarser.
const MOST_PIXELS: f32 = 1e8;
/// Inches to a metre.
const INCHES: f32 = 1.0 / 0.0254;

/// A picture as a PDF of one page.
pub(super) fn pdf(picture: &Picture) -> Result<Vec<u8>, String> {
    pdf_with(picture, settings())
}

/// PDF 1.4, which every LaTeX takes in without a warning.
fn settings() -> SerializeSettings {
    // Without a standard to conform to, each version will do.
    let configuration = ConfigurationBuilder::new().with_version(PdfVersion::Pdf14).finish().unwrap_or_default();
    SerializeSettings { configuration, ..SerializeSettings::default() }
}

fn pdf_with(picture: &Picture, settings: SerializeSettings) -> Result<Vec<u8>, String> {
    let of_picture = |error: String| format!("{} cannot be drawn as PDF: {error}", picture.name);
    let tree = tree(picture)?;
    let (width, height) = (tree.size().width() * POINTS, tree.size().height() * POINTS);
    let size =
        Size::from_wh(width, height).ok_or_else(|| of_picture(format!("{width} × {height} pt is not a size")))?;
    let mut document = Document::new_with(settings);
    document.set_metadata(Metadata::new().title(picture.caption.clone()).creator("hetsim".to_owned()));
    let mut page = document.start_page_with(PageSettings::new(size));
    let mut surface = page.surface();
    surface.draw_svg(&tree, size, SvgSettings::default());
    surface.finish();
    page.finish();
    document.finish().map_err(|error| of_picture(format!("{error:?}")))
}

/// A picture as a PNG.
pub(super) fn png(picture: &Picture) -> Result<Vec<u8>, String> {
    let of_picture = |error: String| format!("{} cannot be drawn as PNG: {error}", picture.name);
    let tree = tree(picture)?;
    let size = tree.size();
    let wanted = if picture.millimetres.is_some() { DOTS / CSS_PIXELS } else { SHARPNESS };
    let scale = scale((size.width(), size.height()), wanted);
    if scale < wanted {
        log::warn!("{} is large: its PNG has {:.0} % of the usual pixels a line", picture.name, 100.0 * scale / wanted);
    }
    let pixels = |length: f32| (length * scale).round().max(1.0);
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let mut sheet = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| of_picture(format!("{width} × {height} pixels are no size")))?;
    let transform = Transform::from_scale(width / size.width(), height / size.height());
    resvg::render(&tree, transform, &mut sheet.as_mut());
    encoded(&sheet, scale * CSS_PIXELS).map_err(|error| of_picture(error.to_string()))
}

/// How many pixels a PNG has to a pixel of CSS: as wanted, unless that would be too many in all.
fn scale((width, height): (f32, f32), wanted: f32) -> f32 {
    wanted.min((MOST_PIXELS / (width * height)).sqrt())
}

/// The file of a sheet without transparency, with so many pixels to an inch.
fn encoded(sheet: &Pixmap, dots: f32) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, sheet.width(), sheet.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let per_metre = (dots * INCHES).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit: png::Unit::Meter }));
    let colours: Vec<u8> = sheet.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colours)?;
    writer.finish()?;
    Ok(file)
}

/// The picture with its texts laid out.
fn tree(picture: &Picture) -> Result<Tree, String> {
    let options = Options { fontdb: Arc::clone(own_fonts()), font_resolver: fonts(), ..Options::default() };
    Tree::from_str(&picture.svg, &options).map_err(|error| format!("{}: {error}", picture.name))
}

/// The fonts that hetsim has with it.
fn own_fonts() -> &'static Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        fonts.load_font_data(include_bytes!("fonts/Arimo-Regular.ttf").to_vec());
        fonts.load_font_data(include_bytes!("fonts/Arimo-Bold.ttf").to_vec());
        Arc::new(fonts)
    })
}

/// The same, and those of the system.
fn all_fonts() -> &'static Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    FONTS.get_or_init(|| {
        let mut fonts = Database::clone(own_fonts());
        fonts.load_system_fonts();
        Arc::new(fonts)
    })
}

/// Texts are set in our own font, whatever the system has; others are for characters that it lacks.
fn fonts() -> FontResolver<'static> {
    FontResolver {
        select_font: Box::new(|font, fonts| {
            let weight = Weight(font.weight());
            fonts.query(&Query { families: &[Family::Name(FAMILY)], weight, ..Query::default() })
        }),
        select_fallback: Box::new(|letter, used: &[ID], fonts| {
            if fonts.len() < all_fonts().len() {
                *fonts = Arc::clone(all_fonts());
            }
            let found = stand_in(fonts, letter, used);
            if found.is_none() {
                lacks(letter);
            }
            found
        }),
    }
}

/// The font that has a character, if there is one: without serifs and of the same weight where there are several.
fn stand_in(fonts: &Database, letter: char, used: &[ID]) -> Option<ID> {
    let weight = used.first().and_then(|id| fonts.face(*id)).map(|face| face.weight);
    let oddity = |face: &&FaceInfo| {
        let is_sans = face.families.iter().any(|(name, _)| name.contains("Sans")) && !face.monospaced;
        let is_odd = [!is_sans, face.style != Style::Normal, Some(face.weight) != weight];
        // Among equals the order is that of the names, not of the folders.
        (is_odd, face.stretch.to_number().abs_diff(Stretch::Normal.to_number()), face.post_script_name.clone())
    };
    let mut faces: Vec<&FaceInfo> = fonts.faces().filter(|face| !used.contains(&face.id)).collect();
    faces.sort_by_cached_key(oddity);
    let has_letter = |data: &[u8], index: u32| {
        ttf_parser::Face::parse(data, index).is_ok_and(|face| face.glyph_index(letter).is_some())
    };
    faces.into_iter().map(|face| face.id).find(|id| fonts.with_face_data(*id, has_letter) == Some(true))
}

/// Says once of a character that no font has it.
fn lacks(letter: char) {
    static SAID: Mutex<BTreeSet<char>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(letter) {
        log::warn!("no font of this system has `{letter}`; PDF and PNG show an empty box");
    }
}
