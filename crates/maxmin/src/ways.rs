//! The ways that flows took not long ago.

/// Ways of one set.
const SET: usize = 4;

/// The least and the highest number of places.
const LEAST: usize = 64;
const MOST: usize = 1 << 16;

/// Places per flow under way, so that few sets are too small.
const PLACES: usize = 4;

/// A way that was taken.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Taken {
    /// The caller's number of the way, mixed.
    tag: u32,
    /// The newest flow on it, of the solver's.
    pub(crate) flow: u32,
    /// How many flows on it have started, each while the one before it was under way.
    pub(crate) count: u32,
}

impl Taken {
    /// The same way, with a newer flow.
    pub(crate) fn by(self, flow: u32, count: u32) -> Self {
        Self { flow, count, ..self }
    }
}

/// A table of ways that holds the newest of them, so that it costs neither much room nor time to remember them.
#[derive(Debug)]
pub(crate) struct Ways {
    /// Sets of [`SET`], the newest first.
    pub(crate) taken: Vec<Taken>,
}

impl Default for Ways {
    fn default() -> Self {
        Self { taken: vec![Taken::default(); LEAST] }
    }
}

impl Ways {
    /// The place of what is known of a way, which is nothing if `count` is zero there. The table grows with the number
    /// of flows under way.
    pub(crate) fn find(&mut self, way: u64, flows: usize) -> usize {
        if flows * PLACES > self.taken.len() && self.taken.len() < MOST {
            self.taken = vec![Taken::default(); 2 * self.taken.len()];
        }
        let mixed = way.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let (tag, place) = ((mixed >> 32) as u32, (mixed >> 16) as usize & (self.taken.len() - SET));
        let set = &mut self.taken[place..place + SET];
        if let Some(found) = set.iter().position(|taken| taken.tag == tag && taken.count > 0) {
            set[..=found].rotate_right(1);
        } else {
            set.rotate_right(1);
            set[0] = Taken { tag, ..Taken::default() };
        }
        place
    }
}
