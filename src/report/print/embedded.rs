//! Fonts within a PDF: what glyphs a document uses of each, and those glyphs as its objects.

use std::collections::BTreeMap;

use fontdb::{Database, ID, Weight};
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Finish as _, Name, Pdf, Rect, Ref, Str};
use subsetter::GlyphRemapper;
use xxhash_rust::xxh3::xxh3_64;

use super::fonts::{all_fonts, lacks, own_font, own_fonts, stand_in};
use super::objects::Objects;

/// Widths in a PDF are in thousandths of the font's size.
const THOUSAND: f32 = 1000.0;
/// The registry, the ordering and the supplement of glyphs that have no order but their own.
const OWN_ORDER: SystemInfo<'_> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// A glyph as texts use it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glyph {
    /// The number of its font in the document.
    pub(super) font: usize,
    /// Its number in that font, as it is embedded.
    pub(super) number: u16,
    /// How far it moves on, in sizes of the font.
    pub(super) advance: f32,
}

/// The fonts of a document.
#[derive(Debug, Default)]
pub(super) struct Fonts {
    used: Vec<Used>,
    glyphs: BTreeMap<(bool, char), Glyph>,
}

/// A font, and what is used of it.
#[derive(Debug)]
struct Used {
    id: ID,
    glyphs: GlyphRemapper,
    /// The character that each glyph stands for, and its width.
    meanings: BTreeMap<u16, (char, f32)>,
}

/// The fonts where this one is.
fn database(id: ID) -> &'static Database {
    if own_fonts().face(id).is_some() { own_fonts() } else { all_fonts() }
}

/// The glyph of a character in a font and how far it moves on; the empty box where the font has none.
fn glyph_in(id: ID, letter: char) -> Option<(u16, f32)> {
    let find = |data: &[u8], index: u32| {
        let face = ttf_parser::Face::parse(data, index).ok()?;
        let glyph = face.glyph_index(letter)?;
        Some((glyph.0, f32::from(face.glyph_hor_advance(glyph)?) / f32::from(face.units_per_em())))
    };
    database(id).with_face_data(id, find)?
}

impl Fonts {
    /// The glyphs of a text. What no font has is an empty box, and is said.
    pub(super) fn glyphs(&mut self, text: &str, bold: bool) -> Vec<Glyph> {
        text.chars().filter_map(|letter| self.glyph(letter, bold)).collect()
    }

    fn glyph(&mut self, letter: char, bold: bool) -> Option<Glyph> {
        if let Some(glyph) = self.glyphs.get(&(bold, letter)) {
            return Some(*glyph);
        }
        let own = own_font(own_fonts(), if bold { Weight::BOLD } else { Weight::NORMAL })?;
        let found = glyph_in(own, letter).map(|found| (own, found)).or_else(|| {
            let other = stand_in(all_fonts(), letter, &[own])?;
            Some((other, glyph_in(other, letter)?))
        });
        let (id, (glyph, advance)) = found.unwrap_or_else(|| {
            lacks(letter);
            (own, (0, 0.75))
        });
        let font = self.used.iter().position(|used| used.id == id).unwrap_or_else(|| {
            self.used.push(Used { id, glyphs: GlyphRemapper::new(), meanings: BTreeMap::new() });
            self.used.len() - 1
        });
        let used = &mut self.used[font];
        let glyph = Glyph { font, number: used.glyphs.remap(glyph), advance };
        used.meanings.entry(glyph.number).or_insert((letter, advance));
        self.glyphs.insert((bold, letter), glyph);
        Some(glyph)
    }

    /// Writes all fonts, and gives their objects in order.
    pub(super) fn write(&self, pdf: &mut Pdf, objects: &mut Objects) -> Result<Vec<Ref>, String> {
        self.used.iter().map(|used| used.write(pdf, objects)).collect()
    }
}

impl Used {
    fn write(&self, pdf: &mut Pdf, objects: &mut Objects) -> Result<Ref, String> {
        let name = database(self.id).face(self.id).map(|face| face.post_script_name.clone()).unwrap_or_default();
        let write = |data: &[u8], index: u32| {
            let face = ttf_parser::Face::parse(data, index).map_err(|error| error.to_string())?;
            let subset = subsetter::subset(data, index, &self.glyphs).map_err(|error| error.to_string())?;
            // What holds a part of a font has a tag of six letters, another for another part.
            let tag: String =
                (0..6u32).map(|at| char::from(b'A' + (xxh3_64(&subset) >> (8 * at)) as u8 % 26)).collect();
            Ok::<_, String>(self.write_objects(pdf, objects, (&face, &subset), &format!("{tag}+{name}")))
        };
        let written = database(self.id).with_face_data(self.id, write);
        written
            .unwrap_or_else(|| Err("its file is gone".to_owned()))
            .map_err(|error| format!("the font {name}: {error}"))
    }

    fn write_objects(
        &self,
        pdf: &mut Pdf,
        objects: &mut Objects,
        (face, subset): (&ttf_parser::Face<'_>, &[u8]),
        name: &str,
    ) -> Ref {
        let [font, glyphs, descriptor, file, meanings] = [(); 5].map(|()| objects.next());
        let name = Name(name.as_bytes());
        let raw = ttf_parser::RawFace::parse(subset, 0).ok();
        let compact = raw.and_then(|raw| raw.table(ttf_parser::Tag::from_bytes(b"CFF ")));
        pdf.type0_font(font)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(glyphs)
            .to_unicode(meanings);

        let mut cid = pdf.cid_font(glyphs);
        cid.subtype(if compact.is_some() { CidFontType::Type0 } else { CidFontType::Type2 });
        cid.base_font(name).system_info(OWN_ORDER).font_descriptor(descriptor).default_width(0.0);
        if compact.is_none() {
            cid.cid_to_gid_map_predefined(Name(b"Identity"));
        }
        let mut widths = cid.widths();
        for (glyph, (_, advance)) in &self.meanings {
            widths.consecutive(*glyph, [advance * THOUSAND]);
        }
        widths.finish();
        cid.finish();

        let scaled = |units: i16| f32::from(units) * THOUSAND / f32::from(face.units_per_em());
        let bounds = face.global_bounding_box();
        let mut described = pdf.font_descriptor(descriptor);
        described.name(name).flags(FontFlags::SYMBOLIC).italic_angle(face.italic_angle());
        described.bbox(Rect::new(
            scaled(bounds.x_min),
            scaled(bounds.y_min),
            scaled(bounds.x_max),
            scaled(bounds.y_max),
        ));
        described.ascent(scaled(face.ascender())).descent(scaled(face.descender()));
        described.cap_height(scaled(face.capital_height().unwrap_or_else(|| face.ascender())));
        // No font says how thick its stems are: an estimate by the weight.
        described.stem_v(10.0 + 0.244 * (f32::from(face.weight().to_number()) - 50.0));
        if compact.is_some() {
            described.font_file3(file)
        } else {
            described.font_file2(file)
        };
        described.finish();

        objects.stream(pdf, file, compact.unwrap_or(subset), |stream| {
            if compact.is_some() {
                stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
            }
        });

        let mut map = UnicodeCmap::new(Name(b"Meanings"), OWN_ORDER);
        for (glyph, (letter, _)) in &self.meanings {
            map.pair(*glyph, *letter);
        }
        objects.stream(pdf, meanings, map.finish().as_slice(), |_| {});
        font
    }
}
