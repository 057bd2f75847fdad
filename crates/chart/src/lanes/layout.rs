//! Where lanes and their names stand.

use super::{Arrow, BELOW, BETWEEN_NAMES, GROUP_GAP, Gantt, HALF_BAR, Lane, NAMED_LANE};
use crate::axis::Ruler;
use crate::canvas::{Anchor, Canvas, SheetPoint, TextLook};
use crate::frame::{Plot, Sheet};
use crate::paper::NARROW;
use crate::spread::spread;
use crate::style::{Colour, SMALL_SIZE, TICK_SIZE, compact, shorten_all, text_width};

/// Where everything goes.
pub(super) struct Layout {
    pub(super) plot: Plot,
    pub(super) lane: f64,
    /// The middle of each lane.
    pub(super) middles: Vec<f64>,
    /// Runs of lanes of one group: the first lane, and the one after the last.
    pub(super) groups: Vec<(usize, usize)>,
    /// The end of the names of groups; those of lanes end at the plot.
    pub(super) group_names: f64,
}

impl Layout {
    /// The way of a message: from the rim of one bar to the rim of the other, so that heads are not hidden.
    pub(super) fn way(&self, arrow: &Arrow, x: impl Fn(f64) -> f64) -> [SheetPoint; 2] {
        let half = HALF_BAR * self.lane;
        let (from, to) = (self.middles[arrow.from], self.middles[arrow.to]);
        let rim = (to - from).clamp(-half, half);
        [(x(arrow.start), from + rim), (x(arrow.end), to - rim)]
    }

    /// Lets `paint` draw between the ends of the axis.
    pub(super) fn draw_plot(&self, canvas: &mut Canvas<'_>, ruler: &Ruler, paint: impl FnOnce(&mut Canvas<'_>)) {
        let plot = self.plot;
        canvas.plot(((plot.left, plot.top), (plot.right, plot.bottom)), Some(ruler.ends()), paint);
    }
}

impl Gantt {
    /// The layout on a sheet.
    pub(super) fn layout(&self, sheet: &Sheet<'_>, is_binned: bool) -> Layout {
        let (paper, top) = (sheet.paper, sheet.top() + 4.0);
        let count = self.lanes.len() as f64;
        // Names in bars need space.
        let highest = if self.spans().any(|(_, span)| !span.label.is_empty()) { 28.0 } else { 20.0 };
        let (wanted, highest) = if paper.has_height() {
            let groups = self.lanes.chunk_by(|a, b| a.group == b.group).count() as f64;
            (sheet.height() - top - BELOW - GROUP_GAP * groups, f64::INFINITY)
        } else {
            (780.0, highest)
        };
        let lane = (wanted / count).clamp(if is_binned { 1.0 } else { 3.0 }, highest);
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for (index, lane) in self.lanes.iter().enumerate() {
            match groups.last_mut() {
                Some((first, end)) if self.lanes[*first].group == lane.group => *end = index + 1,
                _ => groups.push((index, index + 1)),
            }
        }
        let mut middles = Vec::with_capacity(self.lanes.len());
        for (group, &(first, end)) in groups.iter().enumerate() {
            middles.extend((first..end).map(|i| top + group as f64 * GROUP_GAP + (i as f64 + 0.5) * lane));
        }
        let bottom = middles.last().copied().unwrap_or(top) + lane / 2.0 + 2.0;
        let width = |names: &mut dyn Iterator<Item = &String>, size: f64| {
            names.map(|name| text_width(name, size)).fold(0.0, f64::max)
        };
        // Bold is some six per cent wider.
        let widest = width(&mut self.lanes.iter().map(|lane| &lane.group), TICK_SIZE);
        let group_width = 1.06 * widest.min(group_name_width(paper.width));
        let lane_width = width(&mut self.lane_names(paper.width).iter(), SMALL_SIZE).min(name_width(paper.width));
        let group_names = paper.margin + group_width;
        let left = group_names + if lane_width > 0.0 { lane_width + BETWEEN_NAMES } else { 0.0 } + 10.0;
        Layout { plot: Plot { left, right: sheet.right(), top, bottom }, lane, middles, groups, group_names }
    }

    /// Writes the names of groups, each of which reaches over its lanes.
    pub(super) fn draw_names(&self, canvas: &mut Canvas<'_>, layout: &Layout) {
        let plot = layout.plot;
        let wanted: Vec<f64> =
            layout.groups.iter().map(|&(a, b)| f64::midpoint(layout.middles[a], layout.middles[b - 1])).collect();
        let heights = spread(&wanted, TICK_SIZE + 1.0, plot.top + 5.0, plot.bottom - 5.0);
        let names: Vec<&str> = layout.groups.iter().map(|&(first, _)| self.lanes[first].group.as_str()).collect();
        let names = shorten_all(&names, TICK_SIZE, group_name_width(canvas.width));
        for ((name, y), &(first, end)) in names.iter().zip(heights).zip(&layout.groups) {
            let look = TextLook::new(TICK_SIZE, Colour::INK, Anchor::End).bold();
            if y <= plot.bottom {
                let half = layout.lane / 2.0;
                let span = (layout.middles[first] - half, layout.middles[end - 1] + half);
                canvas.side_of(span, |canvas| canvas.text(name, (layout.group_names, y), look));
            }
        }
    }

    /// The names of lanes; those of links without what all of them share, where they would be cut.
    pub(super) fn lane_names(&self, width: f64) -> Vec<String> {
        let links: Vec<&str> = self.lanes.iter().filter(|lane| lane.is_link).map(|lane| lane.label.as_str()).collect();
        let (_, links) = compact(&links, SMALL_SIZE, name_width(width));
        let mut links = links.into_iter();
        let of_link = |lane: &Lane| if lane.is_link { links.next() } else { None };
        let names = self.lanes.iter().map(of_link).collect::<Vec<_>>();
        self.lanes.iter().zip(names).map(|(lane, name)| name.unwrap_or_else(|| lane.label.clone())).collect()
    }

    /// Writes the names of lanes: of every n-th one where they are low.
    pub(super) fn draw_lane_names(&self, canvas: &mut Canvas<'_>, layout: &Layout) {
        let names = shorten_all(&self.lane_names(canvas.width), SMALL_SIZE, name_width(canvas.width));
        let stride = (NAMED_LANE / layout.lane).ceil().max(1.0) as usize;
        let look = TextLook::new(SMALL_SIZE, Colour::GREY, Anchor::End);
        let mut last = f64::NEG_INFINITY;
        for &(first, end) in &layout.groups {
            for index in (first..end).step_by(stride) {
                let y = layout.middles[index];
                if y - last >= NAMED_LANE.min(layout.lane * stride as f64) - 1e-9 {
                    canvas.text(&names[index], (layout.plot.left - 7.0, y), look);
                    last = y;
                }
            }
        }
    }
}

/// The space for the names of lanes on a sheet of this width.
fn name_width(width: f64) -> f64 {
    150.0f64.min(if width < NARROW { 0.34 } else { 0.2 } * width)
}

/// The space for the names of groups.
fn group_name_width(width: f64) -> f64 {
    150.0f64.min(if width < NARROW { 0.25 } else { 0.2 } * width)
}
