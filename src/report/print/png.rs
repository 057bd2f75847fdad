//! A picture as a PNG: resvg draws its pixels.

use std::sync::Arc;

use fontdb::{ID, Weight};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{FontResolver, Options, Tree};

use super::fonts::{all_fonts, lacks, own_font, own_fonts, stand_in};
use crate::report::chart::Picture;

/// Pixels of CSS to an inch.
const CSS_PIXELS: f32 = 96.0;
/// The pixels of a PNG to an inch of paper.
const DOTS: f32 = 300.0;
/// The pixels of a PNG to a pixel of a chart that has no size on paper.
const SHARPNESS: f32 = 2.0;
/// The most pixels of a PNG; a chart that would have more is drawn coarser.
pub(super) const MOST_PIXELS: f32 = 1e8;
/// Inches to a metre.
const INCHES: f32 = 1.0 / 0.0254;

/// A picture as a PNG.
pub(in crate::report) fn png(picture: &Picture) -> Result<Vec<u8>, String> {
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
pub(super) fn scale((width, height): (f32, f32), wanted: f32) -> f32 {
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

/// Texts are set in our own font, whatever the system has; others are for characters that it lacks.
fn fonts() -> FontResolver<'static> {
    FontResolver {
        select_font: Box::new(|font, fonts| own_font(fonts, Weight(font.weight()))),
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
