//! Lanes over simulated time: bars for what nodes do, and lines for the messages between them.

mod layout;

use super::axis::{Axis, Reach, Ruler};
use super::canvas::{Anchor, Canvas, Picture, TextLook};
use super::detail::{Bar, BinRun, MOST_BARS, STEPS, binned};
use super::drawing::Drawing;
use super::frame::{AXIS_LABEL_HEIGHT, Sheet, TICKS_HEIGHT};
use super::legend::Swatch;
use super::overlay::Role;
use super::palette::{Fill, GROUP_COLOURS, group_colour};
use super::paper::Paper;
use super::style::{Colour, SMALL_SIZE, Stroke, text_width};
use crate::kind::{Kind, usable};
use layout::Layout;

/// A chart of one run over simulated time.
#[derive(Debug, Clone, PartialEq)]
pub struct Gantt {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition, and which run it is.
    pub subtitle: Option<String>,
    /// The names of the kinds of spans, in the order of their colours.
    pub kinds: Vec<String>,
    /// The names of the groups of spans, in the order of their colours; empty names are in no legend.
    pub groups: Vec<String>,
    /// The names of the groups of arrows, in the order of their colours.
    pub arrow_groups: Vec<String>,
    /// The lanes, from above. Neighbours with the same group stand together.
    pub lanes: Vec<Lane>,
    /// The messages.
    pub arrows: Vec<Arrow>,
    /// The critical path: instants, in seconds, and the lanes it is at; a line is drawn through them. Empty for none.
    pub path: Vec<(f64, usize)>,
}

/// What one node does, or how a link is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// The name of the node or the link.
    pub label: String,
    /// What it belongs to, such as a cluster; empty for none.
    pub group: String,
    /// What it does, later spans over earlier ones.
    pub spans: Vec<Span>,
    /// When others use it too, shown behind the spans; of a link, when and how much it is used.
    pub shades: Vec<Shade>,
    /// Whether it is a link between nodes.
    pub is_link: bool,
}

/// A stretch of time in which others take a part of a node, or messages a part of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shade {
    /// The start, in seconds.
    pub start: f64,
    /// The end, in seconds; none where it lasts to the end of the chart.
    pub end: Option<f64>,
    /// The share that they take, from 0 to 1.
    pub taken: f64,
}

/// A stretch of time in which a node does one thing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Span {
    /// The start, in seconds.
    pub start: f64,
    /// The end, in seconds.
    pub end: f64,
    /// The index of its kind.
    pub kind: usize,
    /// The index of the group whose colour it has; that of its kind without one.
    pub group: Option<usize>,
    /// What it is, written into it where it is wide enough; empty for nothing.
    pub label: String,
}

/// A message from one lane to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrow {
    /// The sender's lane.
    pub from: usize,
    /// When it is sent, in seconds.
    pub start: f64,
    /// The receiver's lane.
    pub to: usize,
    /// When it arrives, in seconds.
    pub end: f64,
    /// The index of its group.
    pub group: usize,
}

/// Colours of spans: apart from each other and from those of messages. The fourth, pale, is for nothing going on.
const SPANS: [Colour; 6] = [
    Colour(0, 114, 178),
    Colour(230, 159, 0),
    Colour(0, 158, 115),
    Colour(190, 190, 190),
    Colour(86, 180, 233),
    Colour(204, 121, 167),
];

/// Colours of messages.
const ARROWS: [Colour; 4] = [Colour(130, 130, 130), Colour(213, 94, 0), Colour(150, 80, 160), Colour(0, 0, 0)];

/// A node that others take whole.
const SHADE: Colour = Colour(246, 205, 190);
/// A link whose whole bandwidth is used.
const FULL_LINK: Colour = Colour(68, 1, 84);
/// Half of the share of its lane that a bar fills.
const HALF_BAR: f64 = 0.34;
/// Space between lanes of different groups.
const GROUP_GAP: f64 = 8.0;
/// Of lanes lower than this only some have names.
const NAMED_LANE: f64 = 11.0;
/// More messages than this are left out.
const MOST_ARROWS: usize = 4_000;
/// Between the names of groups, those of lanes, and the lanes.
const BETWEEN_NAMES: f64 = 12.0;
/// The critical path, and what it is called. A path of more points is left out.
pub(crate) const PATH: Colour = Colour(178, 24, 43);
pub(crate) const PATH_NAME: &str = "critical path";
const MOST_POINTS: usize = 20_000;
/// Up to this many arrows have heads.
const MOST_HEADS: usize = 200;

impl Gantt {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        self.picture(&Paper::default()).document(&self.title, None)
    }

    /// Draws each message.
    fn draw_arrows(&self, canvas: &mut Canvas<'_>, arrows: &[Arrow], layout: &Layout, x: impl Fn(f64) -> f64) {
        for arrow in arrows {
            let stroke = Stroke::new(arrow_colour(arrow.group), 0.9).alpha(0.75);
            let [from, to] = layout.way(arrow, &x);
            let group = self.arrow_groups.get(arrow.group).map_or("", String::as_str);
            canvas.series(group, |canvas| {
                canvas.line(&[from, to], stroke);
                if arrows.len() <= MOST_HEADS {
                    draw_head(canvas, from, to, stroke.colour);
                }
            });
        }
    }

    /// Lists each message where its arrow is.
    fn list_arrows(&self, canvas: &mut Canvas<'_>, arrows: &[Arrow], layout: &Layout, x: impl Fn(f64) -> f64) {
        for arrow in arrows {
            let group = self.arrow_groups.get(arrow.group).map_or("", String::as_str);
            let [sender, receiver] = [arrow.from, arrow.to].map(|lane| &self.lanes[lane]);
            let lanes = format!("{} → {}", sender.label, receiver.label);
            let times = [arrow.start, arrow.end, arrow.end - arrow.start].map(|time| Kind::Seconds.format_finely(time));
            let mut cells = vec![sender.group.clone(), lanes, group.to_owned()];
            cells.extend(times);
            canvas.target_along(group, None, &layout.way(arrow, &x), cells);
        }
    }

    /// Draws each span as a bar.
    fn draw_spans(
        &self,
        canvas: &mut Canvas<'_>,
        spans: &[(usize, &Span)],
        layout: &Layout,
        least: f64,
        x: impl Fn(f64) -> f64,
    ) {
        let half = HALF_BAR * layout.lane;
        for (lane, span) in spans {
            // The shortest spans stay visible.
            let (from, to) = (x(span.start), x(span.end).max(x(span.start) + 0.7));
            // Two messages in a row are two bars.
            let to = if to - from > 3.0 { to - 0.6 } else { to };
            let middle = layout.middles[*lane];
            let kind = self.kinds.get(span.kind).map_or("", String::as_str);
            let corners = ((from, middle - half), (to, middle + half));
            canvas.series(kind, |canvas| {
                canvas.rectangle(corners.0, corners.1, look_colour(span.look()));
                draw_span_label(canvas, span, (from, to), (middle, 2.0 * half), least);
            });
            let what = [kind, span.label.trim()].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
            let times = [span.start, span.end, span.end - span.start].map(|time| Kind::Seconds.format_finely(time));
            let lane = &self.lanes[*lane];
            let mut cells = vec![lane.group.clone(), lane.label.clone(), what.join(" ")];
            cells.extend(times);
            canvas.target(kind, corners, cells);
        }
    }

    /// Draws the critical path over everything else, on a white rim.
    fn draw_path(&self, canvas: &mut Canvas<'_>, layout: &Layout, x: impl Fn(f64) -> f64) {
        // Below the names in bars.
        let is_named = self.spans().any(|(_, span)| !span.label.is_empty());
        let below = if is_named { 0.8 * HALF_BAR * layout.lane } else { 0.0 };
        let points = self.path().map(|&(seconds, lane)| (x(seconds), layout.middles[lane] + below));
        let points: Vec<(f64, f64)> = points.collect();
        for stroke in [Stroke::new(Colour::WHITE, 3.4), Stroke::new(PATH, 1.8)] {
            canvas.line(&points, stroke);
        }
    }

    /// The points of the critical path, if there are few enough to be seen.
    fn path(&self) -> impl Iterator<Item = &(f64, usize)> {
        let points = if self.path.len() > MOST_POINTS { &[][..] } else { &self.path };
        points.iter().filter(|(seconds, lane)| usable(*seconds) && *lane < self.lanes.len())
    }

    /// Draws runs of bins, the paler the less of their time is taken.
    fn draw_runs(canvas: &mut Canvas<'_>, runs: &[BinRun], layout: &Layout, colour: impl Fn(&BinRun) -> Colour) {
        let half = (HALF_BAR * layout.lane).max(0.45);
        for run in runs {
            let (left, middle) = (layout.plot.left, layout.middles[run.lane]);
            canvas.rectangle((left + run.from, middle - half), (left + run.to, middle + half), colour(run));
        }
    }

    /// Lists how long each lane does what, instead of bars that are too many.
    fn list_sums(&self, canvas: &mut Canvas<'_>, spans: &[(usize, &Span)], layout: &Layout) {
        let mut sums = vec![vec![0.0; self.kinds.len()]; self.lanes.len()];
        for (lane, span) in spans {
            if let Some(sum) = sums[*lane].get_mut(span.kind) {
                *sum += span.end - span.start;
            }
        }
        let kinds = self.kinds.iter().map(String::as_str);
        canvas.heads(&["", "lane"].into_iter().chain(kinds).collect::<Vec<_>>());
        let (plot, half) = (layout.plot, layout.lane / 2.0);
        for ((lane, sums), middle) in self.lanes.iter().zip(sums).zip(&layout.middles) {
            let time = |sum: &f64| if *sum > 0.0 { Kind::Seconds.format_finely(*sum) } else { String::new() };
            let cells = [lane.group.clone(), lane.label.clone()].into_iter().chain(sums.iter().map(time)).collect();
            canvas.target("", ((plot.left, middle - half), (plot.right, middle + half)), cells);
        }
    }

    /// Whether there are more loads of nodes than are drawn one by one.
    fn has_many_shades(&self) -> bool {
        self.lanes.iter().filter(|lane| !lane.is_link).map(|lane| lane.shades.len()).sum::<usize>() > MOST_BARS
    }

    /// Draws the load behind the bars of nodes, or the use of links: the more of them it takes, the darker.
    fn draw_shades(&self, canvas: &mut Canvas<'_>, layout: &Layout, ruler: &Ruler, links: bool) {
        let plot = layout.plot;
        if !links && self.has_many_shades() {
            let x = |seconds: f64| plot.x(ruler.fraction(seconds)).clamp(plot.left, plot.right) - plot.left;
            let bar = |lane: usize, shade: &Shade| Bar {
                lane,
                from: x(shade.start),
                to: shade.end.map_or(plot.right - plot.left, x),
                kind: 0,
                weight: shade.taken,
            };
            let nodes = self.lanes.iter().enumerate().filter(|(_, lane)| !lane.is_link);
            let shown =
                nodes.flat_map(|(index, lane)| lane.shades.iter().filter(|s| is_shown(s)).map(move |s| (index, s)));
            let (runs, _) = binned(shown.map(|(lane, shade)| bar(lane, shade)).collect(), plot.right - plot.left);
            let colour = |run: &BinRun| shade_colour(f64::from(run.step) / f64::from(STEPS), false);
            return Self::draw_runs(canvas, &runs, layout, colour);
        }
        for (lane, middle) in self.lanes.iter().zip(&layout.middles).filter(|(lane, _)| lane.is_link == links) {
            for shade in lane.shades.iter().filter(|shade| is_shown(shade)) {
                let x = |seconds: f64| plot.x(ruler.fraction(seconds)).clamp(plot.left, plot.right);
                let (from, to) = (x(shade.start), shade.end.map_or(plot.right, x));
                let half = if lane.is_link { HALF_BAR * layout.lane } else { layout.lane / 2.0 };
                if to > from {
                    let colour = shade_colour(shade.taken, lane.is_link);
                    canvas.rectangle((from, middle - half), (to, middle + half), colour);
                }
            }
        }
    }

    /// The spans that have a place, with their lanes.
    fn spans(&self) -> impl Iterator<Item = (usize, &Span)> {
        let spans = self.lanes.iter().enumerate().flat_map(|(lane, l)| l.spans.iter().map(move |span| (lane, span)));
        spans.filter(|(_, span)| usable(span.start) && usable(span.end) && span.start <= span.end)
    }

    /// The messages that have a place.
    fn arrows(&self) -> impl Iterator<Item = Arrow> {
        let known = |lane: usize| lane < self.lanes.len();
        let arrows = self.arrows.iter().copied();
        arrows.filter(move |a| usable(a.start) && usable(a.end) && known(a.from) && known(a.to))
    }

    /// The legend: kinds and groups that appear and have a name.
    fn swatches(&self, spans: &[(usize, &Span)], arrows: &[Arrow]) -> Vec<(Swatch, &str)> {
        let has = |look: usize| spans.iter().any(|(_, span)| span.look() == look);
        let looks = self.kinds.iter().take(SPANS.len()).enumerate();
        let looks = looks.chain(self.groups.iter().enumerate().map(|(group, name)| (group_look(group), name)));
        let kinds = looks.filter(|(look, name)| !name.is_empty() && has(*look));
        let kinds = kinds.map(|(look, name)| (Swatch::Area(Fill::plain(look_colour(look))), name.as_str()));
        let groups = self.arrow_groups.iter().enumerate();
        let groups = groups.filter(|(group, _)| arrows.iter().any(|arrow| arrow.group == *group));
        let groups = groups.map(|(group, name)| (Swatch::Line(Stroke::new(arrow_colour(group), 1.6)), name.as_str()));
        let is_shaded = |lane: &Lane| lane.shades.iter().any(is_shown);
        let load = self.lanes.iter().any(|lane| !lane.is_link && is_shaded(lane));
        let load = load.then_some((
            Swatch::Area(Fill::plain(shade_colour(0.5, false))),
            "others use the node (the darker, the more)",
        ));
        let links = self.lanes.iter().any(|lane| lane.is_link && is_shaded(lane));
        let links = links
            .then_some((Swatch::Area(Fill::plain(shade_colour(0.75, true))), "link in use (the darker, the more)"));
        let path = self.path().next().map(|_| (Swatch::Line(Stroke::new(PATH, 1.8)), PATH_NAME));
        kinds.chain(groups).chain(path).chain(load).chain(links).collect()
    }

    /// Draws everything behind the data: loads, the axis, and names.
    fn draw_lanes(&self, canvas: &mut Canvas<'_>, layout: &Layout, ruler: &Ruler) {
        let plot = layout.plot;
        layout.draw_plot(canvas, ruler, |canvas| self.draw_shades(canvas, layout, ruler, false));
        canvas.part(Role::Ticks, |canvas| {
            for tick in ruler.ticks.iter().filter(|tick| tick.label.is_some()) {
                let x = plot.x(ruler.fraction(tick.at));
                canvas.line(&[(x, plot.top), (x, plot.bottom)], Stroke::new(Colour::MIST, 0.8));
            }
        });
        layout.draw_plot(canvas, ruler, |canvas| {
            if layout.lane >= 6.0 {
                for y in &layout.middles {
                    canvas.line(&[(plot.left, *y), (plot.right, *y)], Stroke::new(Colour::MIST, 0.5));
                }
            }
            self.draw_shades(canvas, layout, ruler, true);
        });
        canvas.part(Role::Side, |canvas| {
            for &(first, _) in layout.groups.iter().skip(1) {
                let y = layout.middles[first] - f64::midpoint(layout.lane, GROUP_GAP);
                canvas.line(&[(canvas.margin, y), (plot.right, y)], Stroke::new(Colour::SILVER, 0.7));
            }
        });
        plot.draw_horizontal_axis(canvas, ruler, "time");
        self.draw_names(canvas, layout);
        canvas.part(Role::Side, |canvas| self.draw_lane_names(canvas, layout));
    }
}

impl Drawing for Gantt {
    fn picture(&self, paper: &Paper) -> Picture {
        let spans: Vec<(usize, &Span)> = self.spans().collect();
        let mut arrows: Vec<Arrow> = self.arrows().collect();
        let ends = spans.iter().flat_map(|(_, span)| [span.start, span.end]);
        let ends = ends.chain(arrows.iter().flat_map(|arrow| [arrow.start, arrow.end]));
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref(), paper);
        let room = if paper.is_narrow() { 4 } else { 10 };
        let Some(ruler) = Ruler::new(&Axis::seconds(""), ends, Reach::Data, room) else { return sheet.no_data() };
        let is_binned = spans.len() > MOST_BARS;
        let left_out = if is_binned || arrows.len() > MOST_ARROWS { std::mem::take(&mut arrows).len() } else { 0 };
        let sheet = sheet.with_legend(self.swatches(&spans, &arrows));
        let layout = self.layout(&sheet, is_binned);
        let x = |seconds: f64| layout.plot.x(ruler.fraction(seconds));
        let (runs, bin) = if is_binned {
            let bar = |&(lane, span): &(usize, &Span)| {
                let (from, to) = (x(span.start) - layout.plot.left, x(span.end) - layout.plot.left);
                Bar { lane, from, to, kind: span.look(), weight: 1.0 }
            };
            binned(spans.iter().map(bar).collect(), layout.plot.right - layout.plot.left)
        } else {
            (Vec::new(), 1.0)
        };
        let mut notes = Vec::new();
        if is_binned {
            let pixels = if bin > 1.0 { format!("{bin} pixels") } else { "a pixel".to_owned() };
            notes.push(format!(
                "{} bars, each {pixels} in the colour of what takes most of it, paler where less than all of it is taken",
                spans.len()
            ));
        }
        if left_out > 0 {
            notes.push(format!(
                "{left_out} messages are left out: `hetsim trace --trace FILE` writes them for a viewer"
            ));
        }
        if self.path.len() > MOST_POINTS {
            notes.push(format!("the critical path is left out: it has {} stretches", self.path.len()));
        }
        let sheet = sheet.with_notes(&notes);

        sheet.draw(layout.plot.bottom + BELOW, |canvas| {
            self.draw_lanes(canvas, &layout, &ruler);
            canvas.heads(&["", "lane", "", "from", "to", "for"]);
            layout.draw_plot(canvas, &ruler, |canvas| {
                self.draw_arrows(canvas, &arrows, &layout, x);
                if is_binned {
                    let paleness = |run: &BinRun| 0.3 * f64::from(STEPS - run.step);
                    let colour = |run: &BinRun| look_colour(run.kind).mix(Colour::WHITE, paleness(run));
                    Self::draw_runs(canvas, &runs, &layout, colour);
                    self.list_sums(canvas, &spans, &layout);
                } else {
                    self.draw_spans(canvas, &spans, &layout, paper.least(), x);
                    self.list_arrows(canvas, &arrows, &layout, x);
                }
                self.draw_path(canvas, &layout, x);
            });
        })
    }

    fn entries(&self, _: &Paper) -> Vec<(Swatch, String)> {
        let (spans, arrows): (Vec<_>, Vec<_>) = (self.spans().collect(), self.arrows().collect());
        self.swatches(&spans, &arrows).into_iter().map(|(swatch, name)| (swatch, name.to_owned())).collect()
    }
}

/// The space below the lanes.
const BELOW: f64 = TICKS_HEIGHT + AXIS_LABEL_HEIGHT + 8.0;

impl Span {
    /// The number of its look: that of its kind, or of its group.
    fn look(&self) -> usize {
        self.group.map_or(self.kind % SPANS.len(), group_look)
    }
}

/// The number of the look of a group, behind those of kinds. After the last one they return.
const fn group_look(group: usize) -> usize {
    SPANS.len() + group % GROUP_COLOURS
}

fn look_colour(look: usize) -> Colour {
    SPANS.get(look).copied().unwrap_or_else(|| group_colour(look - SPANS.len()))
}

/// Whether a shade has a place and takes anything.
fn is_shown(shade: &Shade) -> bool {
    usable(shade.start) && shade.end.is_none_or(usable) && shade.taken > 0.0
}

fn shade_colour(taken: f64, is_link: bool) -> Colour {
    Colour::WHITE.mix(if is_link { FULL_LINK } else { SHADE }, taken.clamp(0.0, 1.0))
}

/// Writes what a span is into its bar, where it fits.
fn draw_span_label(
    canvas: &mut Canvas<'_>,
    span: &Span,
    (from, to): (f64, f64),
    (middle, height): (f64, f64),
    least: f64,
) {
    let label = span.label.trim();
    let fits = |size: f64| text_width(label, size) + 3.0 <= to - from && size <= height;
    if let Some(size) = [SMALL_SIZE, least].into_iter().find(|&size| fits(size)) {
        let look = TextLook::new(size, look_colour(span.look()).contrast(), Anchor::Middle);
        canvas.text(label, (f64::midpoint(from, to), middle), look);
    }
}

fn arrow_colour(group: usize) -> Colour {
    ARROWS[group % ARROWS.len()]
}

/// Draws the head of an arrow, unless the arrow is hardly longer than that.
fn draw_head(canvas: &mut Canvas<'_>, from: (f64, f64), to: (f64, f64), colour: Colour) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 8.0 {
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let (long, half) = (4.5, 1.7);
    let foot = (to.0 - ux * long, to.1 - uy * long);
    let corners = [to, (foot.0 - uy * half, foot.1 + ux * half), (foot.0 + uy * half, foot.1 - ux * half)];
    canvas.polygon(&corners, colour, 1.0);
}
