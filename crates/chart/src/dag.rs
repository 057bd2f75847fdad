//! A graph of few nodes: levels from above to below, every edge downwards.

use super::canvas::{Anchor, Canvas, Picture, SheetPoint, TextLook, smooth};
use super::drawing::Drawing;
use super::frame::Sheet;
use super::lanes::{PATH, PATH_NAME};
use super::layers::Layers;
use super::legend::Swatch;
use super::palette::{Fill, group_colour};
use super::paper::Paper;
use super::style::{Colour, REFERENCE_DASH, SMALL_SIZE, Stroke, TINY_SIZE, shorten, text_width};

/// A graph of few nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dag {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition.
    pub subtitle: Option<String>,
    /// The names of the groups of nodes (who computes them), in the order of their colours.
    pub groups: Vec<String>,
    /// The nodes; where they are more than [`Dag::MOST`] the chart says so and shows nothing.
    pub nodes: Vec<DagNode>,
    /// The edges. One to a node that does not exist, to itself, or that closes a cycle, is left out.
    pub edges: Vec<DagEdge>,
    /// The nodes on the critical path, in their order: they and the edges between them are marked, and a
    /// dashed line joins those without an edge. Empty for none.
    pub path: Vec<usize>,
}

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DagNode {
    /// Its name.
    pub label: String,
    /// A shorter name, such as its number, for where the name has no space.
    pub short: String,
    /// A second line, such as its work; left out where there is no space.
    pub detail: String,
    /// The index of its group.
    pub group: Option<usize>,
}

/// An edge of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DagEdge {
    /// The index of the node above.
    pub from: usize,
    /// The index of the node below.
    pub to: usize,
    /// What passes, such as bytes; left out where there is no space.
    pub label: String,
}

/// How nodes are drawn: as large as the fullest level allows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Look {
    /// Name and detail, in boxes.
    Full,
    /// The name.
    Name,
    /// The short name, in small type.
    Short,
    /// A disc.
    Dot,
}

const LOOKS: [Look; 4] = [Look::Full, Look::Name, Look::Short, Look::Dot];
const LONGEST_NAME: f64 = 120.0;
const PADDING: f64 = 7.0;
/// The space that an edge has for itself on its way past nodes.
const BEND: f64 = 4.0;
/// The space between neighbours in a level.
const GAP: f64 = 14.0;
/// Space between levels, at least and at most; a picture of many levels is no higher than it must be.
const BETWEEN: (f64, f64) = (22.0, 56.0);
const HIGHEST: f64 = 1000.0;
/// Up to this many edges are labelled.
const MOST_LABELS: usize = 150;

const INSIDE: Stroke = Stroke::new(Colour(175, 175, 175), 1.1);
const CROSSING: Stroke = Stroke::new(Colour(70, 70, 70), 1.1);
const CRITICAL: Stroke = Stroke::new(PATH, 2.4);
/// From a node of the critical path to one that is there without an edge.
const WAIT: Stroke = Stroke::new(PATH, 1.6).dashed(REFERENCE_DASH);
const WAITS: &str = "waits for a busy node";

/// What the kinds of edges are called.
const MESSAGE: &str = "message";
const STAYS: &str = "stays on its node";

/// The size of what stands under a name.
fn detail_size(least: f64) -> f64 {
    least.max(TINY_SIZE + 1.0)
}

impl Look {
    fn width(self, node: &DagNode, least: f64) -> f64 {
        let wide = |text: &str, size: f64| text_width(text, size).min(LONGEST_NAME);
        match self {
            // Bold is some six per cent wider.
            Self::Full => {
                (1.06 * wide(&node.label, SMALL_SIZE)).max(wide(&node.detail, detail_size(least))) + 2.0 * PADDING
            }
            Self::Name => wide(&node.label, SMALL_SIZE) + 2.0 * PADDING,
            Self::Short => wide(&node.short, least).max(8.0) + 2.0,
            Self::Dot => 7.0,
        }
    }

    fn height(self) -> f64 {
        match self {
            Self::Full => 30.0,
            Self::Name => 19.0,
            Self::Short => 14.0,
            Self::Dot => 7.0,
        }
    }

    fn gap(self) -> f64 {
        match self {
            Self::Full | Self::Name => GAP,
            Self::Short | Self::Dot => 1.0,
        }
    }
}

/// Where everything goes.
struct Layout {
    look: Look,
    /// The smallest type.
    least: f64,
    /// The middle of each item of the layers.
    places: Vec<SheetPoint>,
}

impl Dag {
    /// The most nodes of a picture.
    pub const MOST: usize = 60;

    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        self.picture(&Paper::default()).document(&self.title, None)
    }

    fn layout(&self, layers: &Layers, top: f64, paper: &Paper) -> Layout {
        let (room, least) = (paper.width - 2.0 * paper.margin, paper.least());
        let width_of = |look: Look| {
            move |item: usize| if layers.is_bend(item) { BEND } else { look.width(&self.nodes[item], least) }
        };
        let fits = |look: &Look| layers.width(width_of(*look), look.gap()) <= room;
        let look = LOOKS.into_iter().find(fits).unwrap_or(Look::Dot);
        let xs = layers.places(width_of(look), look.gap(), room);
        let levels = layers.rows.len() as f64;
        let pitch = look.height() + ((HIGHEST / levels) - look.height()).clamp(BETWEEN.0, BETWEEN.1);
        let mut places: Vec<SheetPoint> = xs.into_iter().map(|x| (paper.margin + x, 0.0)).collect();
        for (level, row) in layers.rows.iter().enumerate() {
            for &item in row {
                places[item].1 = top + look.height() / 2.0 + level as f64 * pitch;
            }
        }
        Layout { look, least, places }
    }

    /// The legend: groups that appear, and what the two kinds of edges are where both appear.
    fn swatches(&self, layers: &Layers) -> Vec<(Swatch, &str)> {
        let appears = |group: usize| self.nodes.iter().any(|node| node.group == Some(group));
        let groups = self.groups.iter().enumerate().filter(|(group, _)| appears(*group));
        let mut swatches: Vec<_> =
            groups.map(|(group, name)| (Swatch::Area(Fill::plain(group_colour(group))), name.as_str())).collect();
        let kinds = |inside: bool| layers.routes.iter().any(|(edge, _)| self.inside(*edge) == Some(inside));
        if kinds(false) {
            swatches.push((Swatch::Line(CROSSING), MESSAGE));
        }
        if kinds(true) {
            swatches.push((Swatch::Line(INSIDE), STAYS));
        }
        if !self.path.is_empty() {
            swatches.push((Swatch::Line(CRITICAL), PATH_NAME));
        }
        if self.waits().next().is_some() {
            swatches.push((Swatch::Line(WAIT), WAITS));
        }
        swatches
    }

    /// Whether both ends of an edge have the same group; nothing where one has none.
    fn inside(&self, edge: usize) -> Option<bool> {
        let DagEdge { from, to, .. } = self.edges[edge];
        Some(self.nodes[from].group? == self.nodes[to].group?)
    }

    /// Whether an edge leads from one node of the critical path to the next.
    fn is_critical(&self, edge: usize) -> bool {
        let DagEdge { from, to, .. } = self.edges[edge];
        self.path.windows(2).any(|pair| pair == [from, to])
    }

    /// The pairs of nodes that follow each other on the critical path without an edge: the second waits for the one who
    /// computes both.
    fn waits(&self) -> impl Iterator<Item = (usize, usize)> {
        let is_edge = |from, to| self.edges.iter().any(|edge| (edge.from, edge.to) == (from, to));
        let is_wait = move |&(from, to): &(usize, usize)| from.max(to) < self.nodes.len() && !is_edge(from, to);
        self.path.windows(2).map(|pair| (pair[0], pair[1])).filter(is_wait)
    }

    fn stroke(&self, edge: usize) -> Stroke {
        if self.is_critical(edge) {
            return CRITICAL;
        }
        if self.inside(edge) == Some(true) { INSIDE } else { CROSSING }
    }

    /// Writes what passes along each edge on it, where it meets no node and no other label.
    fn draw_labels(&self, canvas: &mut Canvas<'_>, ways: &[(usize, Vec<SheetPoint>)], layout: &Layout) {
        let half_height = layout.look.height() / 2.0;
        let mut taken: Vec<[f64; 4]> = Vec::new();
        for (node, &(x, y)) in self.nodes.iter().zip(&layout.places) {
            let half = layout.look.width(node, layout.least) / 2.0;
            taken.push([x - half, x + half, y - half_height, y + half_height]);
        }
        let size = layout.least;
        for (edge, way) in ways {
            let label = shorten(self.edges[*edge].label.trim(), size, LONGEST_NAME);
            if label.is_empty() {
                continue;
            }
            let half = text_width(&label, size) / 2.0 + 1.5;
            let free = |&(x, y): &SheetPoint| {
                let field = [x - half, x + half, y - size * 0.6, y + size * 0.6];
                let apart = |other: &[f64; 4]| {
                    field[1] < other[0] || other[1] < field[0] || field[3] < other[2] || other[3] < field[2]
                };
                (taken.iter().all(apart) && field[0] >= 1.0 && field[1] <= canvas.width - 1.0).then_some(field)
            };
            // From the middle outwards.
            let tries = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8].map(|share| along(way, share));
            if let Some((place, field)) = tries.iter().find_map(|place| Some((*place, free(place)?))) {
                canvas.rectangle((field[0], field[2]), (field[1], field[3]), Colour::WHITE);
                canvas.text(&label, place, TextLook::new(size, self.stroke(*edge).colour.as_text(), Anchor::Middle));
                taken.push(field);
            }
        }
    }
}

impl Drawing for Dag {
    fn picture(&self, paper: &Paper) -> Picture {
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref(), paper);
        if self.nodes.is_empty() {
            return sheet.no_data();
        }
        if self.nodes.len() > Self::MOST {
            return sheet.notice(&format!("{} tasks; a picture holds {} at most", self.nodes.len(), Self::MOST));
        }
        let edges: Vec<(usize, usize)> = self.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let layers = Layers::new(self.nodes.len(), &edges);
        let sheet = sheet.with_legend(self.swatches(&layers));
        let layout = self.layout(&layers, sheet.top() + 6.0, paper);
        let bottom = layout.places.iter().map(|place| place.1).fold(0.0, f64::max) + layout.look.height() / 2.0;

        sheet.draw(bottom + paper.margin, |canvas| {
            let corners = ((paper.margin, sheet.top()), (paper.width - paper.margin, bottom + paper.margin));
            canvas.plot(corners, None, |canvas| self.draw_graph(canvas, &layers, &layout));
        })
    }
}

impl Dag {
    /// Draws edges, then nodes.
    fn draw_graph(&self, canvas: &mut Canvas<'_>, layers: &Layers, layout: &Layout) {
        let ways: Vec<(usize, Vec<SheetPoint>)> =
            layers.routes.iter().map(|(edge, route)| (*edge, layout.way(layers, route))).collect();
        for (edge, way) in &ways {
            canvas.line(way, self.stroke(*edge));
        }
        for (from, to) in self.waits() {
            canvas.line(&[layout.places[from], layout.places[to]], WAIT);
        }
        if ways.len() <= MOST_LABELS {
            self.draw_labels(canvas, &ways, layout);
        }
        canvas.heads(&["task", "", "on"]);
        for (index, (node, place)) in self.nodes.iter().zip(&layout.places).enumerate() {
            let group = node.group.and_then(|group| self.groups.get(group)).map_or("", String::as_str);
            canvas.series(group, |canvas| draw_node(canvas, node, *place, (layout.look, layout.least)));
            let half = (layout.look.width(node, layout.least) / 2.0, layout.look.height() / 2.0);
            if self.path.contains(&index) {
                let mut rim = rounded(*place, half.0 + 2.0, half.1 + 2.0);
                rim.extend(rim.first().copied());
                canvas.line(&rim, CRITICAL);
            }
            let corners = ((place.0 - half.0, place.1 - half.1), (place.0 + half.0, place.1 + half.1));
            canvas.target(group, corners, vec![node.label.clone(), node.detail.clone(), group.to_owned()]);
        }
        for (edge, way) in &ways {
            let DagEdge { from, to, label } = &self.edges[*edge];
            let ends = format!("{} → {}", self.nodes[*from].label, self.nodes[*to].label);
            let stays = self.inside(*edge).map_or("", |inside| if inside { STAYS } else { MESSAGE });
            canvas.target_along("", None, way, vec![ends, label.clone(), stays.to_owned()]);
        }
    }
}

impl Layout {
    /// The line of an edge: from the foot of a node to the head of another, upright where it passes other levels.
    fn way(&self, layers: &Layers, route: &[usize]) -> Vec<SheetPoint> {
        let half = self.look.height() / 2.0;
        let mut way = Vec::new();
        for pair in route.windows(2) {
            let (from, to) = (self.places[pair[0]], self.places[pair[1]]);
            // Past other nodes an edge is upright; next to nodes only it may bend a little before.
            way.extend(curve((from.0, from.1 + half), (to.0, to.1 - half)));
            if layers.is_bend(pair[1]) {
                way.push((to.0, to.1 + half));
            }
        }
        way
    }
}

/// A smooth line that leaves and arrives upright.
fn curve(from: SheetPoint, to: SheetPoint) -> Vec<SheetPoint> {
    if (from.0 - to.0).abs() < 0.05 {
        return vec![from, to];
    }
    let turned = |(x, y): SheetPoint| (y, x);
    smooth(turned(from), turned(to), 16).into_iter().map(turned).collect()
}

/// The place at a share of the height of a way.
fn along(way: &[SheetPoint], share: f64) -> SheetPoint {
    let (Some(first), Some(last)) = (way.first(), way.last()) else { return (0.0, 0.0) };
    let y = first.1 + share * (last.1 - first.1);
    let within = |pair: &&[SheetPoint]| pair[0].1 <= y && y <= pair[1].1 && pair[0].1 < pair[1].1;
    way.windows(2).find(within).map_or(*first, |pair| {
        let part = (y - pair[0].1) / (pair[1].1 - pair[0].1);
        (pair[0].0 + part * (pair[1].0 - pair[0].0), y)
    })
}

fn draw_node(canvas: &mut Canvas<'_>, node: &DagNode, place: SheetPoint, (look, least): (Look, f64)) {
    let colour = node.group.map_or(Colour::MIST, group_colour);
    if look == Look::Dot {
        canvas.disc(place, look.width(node, least) / 2.0, colour);
        return;
    }
    canvas.polygon(&rounded(place, look.width(node, least) / 2.0, look.height() / 2.0), colour, 1.0);
    let picture = colour.contrast();
    let text = |size| TextLook::new(size, picture, Anchor::Middle);
    let name = |size| shorten(&node.label, size, LONGEST_NAME);
    match look {
        Look::Full if node.detail.trim().is_empty() => {
            canvas.text(&name(SMALL_SIZE), place, text(SMALL_SIZE).bold());
        }
        Look::Full => {
            canvas.text(&name(SMALL_SIZE), (place.0, place.1 - 6.5), text(SMALL_SIZE).bold());
            let size = detail_size(least);
            canvas.text(&shorten(&node.detail, size, LONGEST_NAME), (place.0, place.1 + 6.5), text(size));
        }
        Look::Name => canvas.text(&name(SMALL_SIZE), place, text(SMALL_SIZE)),
        _ => canvas.text(&shorten(&node.short, least, LONGEST_NAME), place, text(least)),
    }
}

/// A rectangle with round corners.
fn rounded((x, y): SheetPoint, half_width: f64, half_height: f64) -> Vec<SheetPoint> {
    let radius = half_height.min(half_width).min(6.0);
    let (dx, dy) = (half_width - radius, half_height - radius);
    let corners = [(dx, -dy, 0.0), (dx, dy, 0.5), (-dx, dy, 1.0), (-dx, -dy, 1.5)];
    let bend = |(dx, dy, turn): (f64, f64, f64)| {
        (0..=6).map(move |step| {
            let angle = (turn + f64::from(step) / 12.0) * std::f64::consts::PI;
            (x + dx + radius * angle.sin(), y + dy - radius * angle.cos())
        })
    };
    corners.into_iter().flat_map(bend).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dag(nodes: usize, edges: &[(usize, usize)]) -> Dag {
        let node = |n: usize| DagNode { label: format!("t{n}"), short: n.to_string(), ..DagNode::default() };
        Dag {
            title: "Graph".to_owned(),
            nodes: (0..nodes).map(node).collect(),
            edges: edges.iter().map(|&(from, to)| DagEdge { from, to, label: "1 B".to_owned() }).collect(),
            ..Dag::default()
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let chain: Vec<_> = (1..Dag::MOST).map(|task| (task - 1, task)).collect();
        assert!(dag(Dag::MOST, &chain).svg().contains("t59"));
        assert!(dag(Dag::MOST + 1, &[]).svg().contains("61 tasks; a picture holds 60 at most"));
    }

    /// The critical path has no gap: where it goes on at a node that was busy with another task, no edge leads there.
    #[test]
    fn a_critical_path_is_joined_without_an_edge() {
        let of = |path: &[usize]| Dag { path: path.to_vec(), ..dag(4, &[(0, 1), (0, 2), (2, 3)]) };
        let (by_edges, waiting) = (of(&[0, 2, 3]), of(&[0, 1, 2, 3]));
        assert_eq!((by_edges.waits().count(), waiting.waits().collect::<Vec<_>>()), (0, vec![(1, 2)]));
        assert!(waiting.svg().contains(WAITS) && !by_edges.svg().contains(WAITS));
        let layers = Layers::new(4, &[(0, 1), (0, 2), (2, 3)]);
        let dashes = |chart: &Dag| chart.svg().matches("stroke-width=\"16\"").count();
        assert!(dashes(&waiting) > dashes(&by_edges) + 1, "{}", dashes(&waiting));
        assert_eq!(waiting.swatches(&layers).len(), by_edges.swatches(&layers).len() + 1);
    }

    #[test]
    fn a_full_level_shows_numbers() {
        let edges: Vec<_> = (1..59).flat_map(|middle| [(0, middle), (middle, 59)]).collect();
        let chart = dag(60, &edges);
        let layers = Layers::new(60, &edges);
        assert_eq!(chart.layout(&layers, 0.0, &Paper::default()).look, Look::Short);
    }

    proptest! {
        /// No two nodes overlap, none leaves the sheet, and all edges go down.
        #[test]
        fn pictures_are_readable(nodes in 1usize..=60, edges in prop::collection::vec((0usize..60, 0usize..60), 0..120)) {
            let edges: Vec<_> = edges.into_iter().filter(|(from, to)| from < to && *to < nodes).collect();
            let (chart, layers) = (dag(nodes, &edges), Layers::new(nodes, &edges));
            let layout = chart.layout(&layers, 50.0, &Paper::default());
            let half = |node: usize| layout.look.width(&chart.nodes[node], layout.least) / 2.0;
            for a in 0..nodes {
                let place = layout.places[a];
                prop_assert!(place.0 - half(a) >= 0.0 && place.0 + half(a) <= Paper::default().width);
                for b in 0..a {
                    let other = layout.places[b];
                    let beside = (place.0 - other.0).abs() >= half(a) + half(b) - 1e-6;
                    prop_assert!(beside || (place.1 - other.1).abs() >= layout.look.height());
                }
            }
            for (_, route) in &layers.routes {
                let way = layout.way(&layers, route);
                prop_assert!(way.windows(2).all(|pair| pair[0].1 <= pair[1].1 + 1e-9));
            }
        }
    }
}
