//! The fonts that texts are set in.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fontdb::{Database, FaceInfo, Family, ID, Query, Stretch, Style, Weight};

/// The family of the fonts that hetsim has with it.
const FAMILY: &str = "Arimo";

/// The fonts that hetsim has with it.
pub(super) fn own_fonts() -> &'static Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        fonts.load_font_data(include_bytes!("fonts/Arimo-Regular.ttf").to_vec());
        fonts.load_font_data(include_bytes!("fonts/Arimo-Bold.ttf").to_vec());
        Arc::new(fonts)
    })
}

/// The same, under the same numbers, and those of the system.
pub(super) fn all_fonts() -> &'static Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    FONTS.get_or_init(|| {
        let mut fonts = Database::clone(own_fonts());
        fonts.load_system_fonts();
        Arc::new(fonts)
    })
}

/// Our own font of this weight.
pub(super) fn own_font(fonts: &Database, weight: Weight) -> Option<ID> {
    fonts.query(&Query { families: &[Family::Name(FAMILY)], weight, ..Query::default() })
}

/// The font that has a character, if there is one: without serifs and of the same weight where there are several.
pub(super) fn stand_in(fonts: &Database, letter: char, used: &[ID]) -> Option<ID> {
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
pub(super) fn lacks(letter: char) {
    static SAID: Mutex<BTreeSet<char>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(letter) {
        log::warn!("no font of this system has `{letter}`; PDF and PNG show an empty box");
    }
}
