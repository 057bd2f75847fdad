//! `kind = "tree"`: the tree along which one run passes its message on.
//!
//! Trees grow from left to right: a column a level, a row a leaf, a parent at the middle of its children. So a wide
//! tree makes a high chart, and names stay readable. A chain has one leaf only and would be a long line: forests of
//! chains are set in rows instead, like text. Nothing here recurses, so depth is no limit.

use schemars::JsonSchema;
use serde::Deserialize;

use super::keys::Common;
use super::looks::ChartContext;
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at, watched};
use crate::report::results::Results;
use crate::scenario::{References, Traced};
use crate::units::Time;
use hetsim_chart::canvas::{Anchor, Canvas, Picture, SheetPoint, TextLook, smooth};
use hetsim_chart::drawing::Drawing;
use hetsim_chart::frame::Sheet;
use hetsim_chart::legend::Swatch;
use hetsim_chart::palette::{Fill, group_colour};
use hetsim_chart::paper::Paper;
use hetsim_chart::style::{Colour, SMALL_SIZE, Stroke, shorten, text_width};

/// The keys of a chart of a tree.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct TreeKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
}

impl ChartKind for TreeKeys {
    common_at!(common);

    fn has_details(&self) -> bool {
        true
    }

    fn is_of_one_run(&self) -> bool {
        true
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        if !passes_on(references, &self.common) {
            let message = "only a message from one root to all has a picture of this kind".to_owned();
            let help = "a `broadcast`, an `adaptive` one, or a `collective` of operation `broadcast` or `scatter`; \
                for others take kind = \"gantt\"";
            references.wrong(&format!("{at}.kind"), message, Some(help.to_owned()));
        }
        checks::one_run(references, at, &self.common);
    }

    fn draw(&self, results: &Results<'_>, _: &ChartContext<'_>) -> Result<Drawn, String> {
        let (traced, subtitle) = watched(results, &self.common)?;
        Ok(Drawn::new(tree(&traced, self.common.heading(), subtitle), self.common.paper()))
    }
}

/// Whether each run that may be drawn passes a message from one root to all: whoever else first hears from a node hangs
/// under no tree.
fn passes_on(references: &References<'_>, common: &Common) -> bool {
    match references.kind.name {
        "broadcast" | "adaptive" => true,
        "collective" => references
            .texts("workload.operation", &common.filter)
            .all(|operation| ["broadcast", "scatter"].contains(&operation)),
        _ => false,
    }
}

/// The tree along which a run passed its message on: each node hangs under the one from which it first heard.
fn tree(traced: &Traced, title: String, subtitle: Option<String>) -> Tree {
    let mut parents: Vec<Option<(Time, usize)>> = vec![None; traced.cluster_of.len()];
    for message in &traced.timeline.messages {
        let parent = &mut parents[message.to.index()];
        if parent.is_none_or(|(arrival, _)| message.arrival < arrival) {
            *parent = Some((message.arrival, message.from.index()));
        }
    }
    let several = traced.clusters.len() > 1;
    let mut edges: Vec<(Time, Edge)> = parents
        .iter()
        .enumerate()
        .filter_map(|(child, parent)| parent.map(|(arrival, parent)| (arrival, Edge { parent, child })))
        // The root may hear from others late in an exchange; it hangs under nobody.
        .filter(|(_, edge)| Some(edge.child) != traced.timeline.messages.first().map(|first| first.from.index()))
        .collect();
    edges.sort_by_key(|(arrival, _)| *arrival);
    Tree {
        title,
        subtitle,
        groups: if several { traced.clusters.clone() } else { Vec::new() },
        nodes: traced
            .cluster_of
            .iter()
            .enumerate()
            .map(|(node, &cluster)| TreeNode { label: node.to_string(), group: several.then_some(cluster) })
            .collect(),
        edges: edges.into_iter().map(|(_, edge)| edge).collect(),
    }
}

/// A tree, or several.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition.
    pub subtitle: Option<String>,
    /// The names of the groups of nodes (clusters), in the order of their colours.
    pub groups: Vec<String>,
    /// The nodes.
    pub nodes: Vec<TreeNode>,
    /// The edges; children of a node are drawn from above in the order of their edges. An edge to a node that has a
    /// parent already, or to or from a node that does not exist, is left out.
    pub edges: Vec<Edge>,
}

/// A node of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    /// Its name, best short: a rank.
    pub label: String,
    /// The index of its group.
    pub group: Option<usize>,
}

/// From a parent to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The index of the parent.
    pub parent: usize,
    /// The index of the child.
    pub child: usize,
}

const LEAF_ROW: f64 = 15.0;
/// Columns are no farther apart than this, so that small trees stay compact.
const WIDEST_COLUMN: f64 = 150.0;
const LONGEST_NAME: f64 = 110.0;
/// The radius of a node without space for a name.
const DOT: f64 = 3.0;
/// Names stand in capsules of this height, with this space at both ends.
const CAPSULE: f64 = 13.5;
const PADDING: f64 = 5.0;
const NAME_SIZE: f64 = SMALL_SIZE;
/// What remains of an edge between two capsules, at least.
const SHORTEST_EDGE: f64 = 14.0;
const CHAIN_ROW: f64 = 30.0;
/// How far a chain goes on beyond the end of a row, and comes back before the next one.
const TURN: f64 = 7.0;

/// The parents and children that the edges agree on.
struct Family {
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// All nodes, parents before children, and the subtree of a child before that of its next sibling.
    order: Vec<usize>,
    depths: Vec<usize>,
}

impl Tree {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        self.picture(&Paper::default()).document(&self.title, None)
    }

    fn family(&self) -> Family {
        let count = self.nodes.len();
        let mut parents = vec![None; count];
        let mut children = vec![Vec::new(); count];
        for edge in &self.edges {
            if edge.parent < count && edge.child < count && edge.parent != edge.child && parents[edge.child].is_none() {
                parents[edge.child] = Some(edge.parent);
                children[edge.parent].push(edge.child);
            }
        }
        let (mut order, mut depths) = (Vec::with_capacity(count), vec![usize::MAX; count]);
        // Roots first; what they do not reach hangs in a cycle, which is cut where it is met first.
        let roots = (0..count).filter(|&node| parents[node].is_none());
        for start in roots.chain(0..count).collect::<Vec<_>>() {
            if depths[start] != usize::MAX {
                continue;
            }
            if let Some(parent) = parents[start].take() {
                children[parent].retain(|&child| child != start);
            }
            depths[start] = 0;
            let mut stack = vec![start];
            while let Some(node) = stack.pop() {
                order.push(node);
                for &child in children[node].iter().rev() {
                    depths[child] = depths[node] + 1;
                    stack.push(child);
                }
            }
        }
        Family { parents, children, order, depths }
    }

    fn swatches(&self, family: &Family) -> Vec<(Swatch, &str)> {
        let appears = |group: usize| self.nodes.iter().any(|node| node.group == Some(group));
        let shown = self.groups.iter().enumerate().filter(|(group, _)| appears(*group));
        let mut swatches: Vec<_> =
            shown.map(|(group, name)| (Swatch::Area(Fill::plain(group_colour(group))), name.as_str())).collect();
        let edges = || family.order.iter().filter_map(|&child| Some((family.parents[child]?, child)));
        if edges().any(|(parent, child)| self.crosses(parent, child)) {
            swatches.push((Swatch::Line(CROSSING), "between groups"));
        }
        swatches
    }

    /// Whether an edge leaves its group, where both ends have one.
    fn crosses(&self, parent: usize, child: usize) -> bool {
        let groups = self.nodes[parent].group.zip(self.nodes[child].group);
        groups.is_some_and(|(parent, child)| parent != child)
    }

    fn edge_stroke(&self, parent: usize, child: usize) -> Stroke {
        if self.crosses(parent, child) { CROSSING } else { INSIDE }
    }

    /// The name of a node's group; empty for none.
    fn group(&self, node: usize) -> &str {
        self.nodes[node].group.and_then(|group| self.groups.get(group)).map_or("", String::as_str)
    }

    fn colour(&self, node: usize) -> Colour {
        self.nodes[node].group.map_or(Colour::SILVER, group_colour)
    }

    fn half_width(&self, node: usize) -> f64 {
        let width = text_width(&self.nodes[node].label, NAME_SIZE).min(LONGEST_NAME);
        (width / 2.0 + PADDING).max(CAPSULE / 2.0)
    }

    fn draw_node(&self, canvas: &mut Canvas<'_>, node: usize, place: SheetPoint, named: bool) {
        let colour = self.colour(node);
        if !named {
            canvas.disc(place, DOT, colour);
            return;
        }
        canvas.polygon(&capsule_outline(place, self.half_width(node)), colour, 1.0);
        let label = shorten(&self.nodes[node].label, NAME_SIZE, LONGEST_NAME);
        canvas.text(&label, place, TextLook::new(NAME_SIZE, colour.contrast(), Anchor::Middle));
    }
}

impl Drawing for Tree {
    fn picture(&self, paper: &Paper) -> Picture {
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref(), paper);
        if self.nodes.is_empty() {
            return sheet.no_data();
        }
        if self.nodes.len() > MOST {
            return sheet.notice(&format!("{} nodes; a picture holds {MOST} at most", self.nodes.len()));
        }
        let family = self.family();
        let sheet = sheet.with_legend(self.swatches(&family));
        let top = sheet.top() + 6.0;
        let widest = self.nodes.iter().map(|node| text_width(&node.label, NAME_SIZE)).fold(0.0, f64::max);
        let capsule = widest.min(LONGEST_NAME) + 2.0 * PADDING;
        let chains = self.nodes.len() > 1 && family.children.iter().all(|children| children.len() <= 1);
        let (places, named) =
            if chains { chain_places(&family, capsule, paper) } else { tree_places(&family, capsule, paper) };
        let bottom = places.iter().map(|place| place.1).fold(0.0, f64::max);
        // Of many edges none needs to be as smooth.
        let steps = if self.nodes.len() > MANY { 6 } else { 28 };

        sheet.draw(top + bottom + CAPSULE + paper.margin, |canvas| {
            canvas.heads(&["node", "group", "parent"]);
            let place = |node: usize| (places[node].0, top + places[node].1);
            // Half of what a node covers of its edges.
            let half = |node: usize| if named { self.half_width(node) } else { DOT };
            let way = |child: usize| {
                let parent = family.parents[child]?;
                let (from, to) = (place(parent), place(child));
                let (start, end) = ((from.0 + half(parent), from.1), (to.0 - half(child), to.1));
                let way = if to.0 > from.0 { curve(start, end, steps) } else { carriage_return(start, end) };
                Some((parent, way))
            };
            let corners = ((paper.margin, sheet.top()), (paper.width - paper.margin, top + bottom + CAPSULE));
            canvas.plot(corners, None, |canvas| {
                for (child, (parent, way)) in family.order.iter().filter_map(|&child| Some((child, way(child)?))) {
                    canvas.line(&way, self.edge_stroke(parent, child));
                }
                for &node in &family.order {
                    let group = self.group(node);
                    canvas.series(group, |canvas| self.draw_node(canvas, node, place(node), named));
                    let (parent, way) = way(node).unzip();
                    let parent = parent.map_or("", |parent: usize| &self.nodes[parent].label).to_owned();
                    let (at, half) = (place(node), (half(node), CAPSULE / 2.0));
                    let corners = ((at.0 - half.0, at.1 - half.1), (at.0 + half.0, at.1 + half.1));
                    let cells = vec![self.nodes[node].label.clone(), group.to_owned(), parent];
                    // The edge tells of the child, too.
                    canvas.target_along(group, Some(corners), &way.unwrap_or_default(), cells);
                }
            });
        })
    }
}

/// The most nodes of a picture: at some 350 bytes each it stays below two megabytes.
const MOST: usize = 3500;
/// From so many nodes on edges have fewer corners.
const MANY: usize = 1000;
const INSIDE: Stroke = Stroke::new(Colour(170, 170, 170), 1.0);
const CROSSING: Stroke = Stroke::new(Colour(70, 70, 70), 1.1);

/// Places for a tree that grows to the right, and whether nodes have space for their names.
fn tree_places(family: &Family, capsule: f64, paper: &Paper) -> (Vec<SheetPoint>, bool) {
    let levels = family.depths.iter().max().copied().unwrap_or(0);
    let room = paper.width - 2.0 * paper.margin;
    let step_with_names = if levels == 0 { 0.0 } else { (room - capsule) / levels as f64 };
    let named = levels == 0 || step_with_names >= capsule + SHORTEST_EDGE;
    let node = if named { capsule } else { 2.0 * DOT };
    let step = if levels == 0 { 0.0 } else { ((room - node) / levels as f64).min(WIDEST_COLUMN.max(capsule * 1.6)) };
    let mut heights = vec![0.0; family.order.len()];
    let mut next = CAPSULE / 2.0;
    for &node in family.order.iter().filter(|&&node| family.children[node].is_empty()) {
        heights[node] = next;
        next += LEAF_ROW;
    }
    for &node in family.order.iter().rev() {
        if let [first, .., last] | [first @ last] = family.children[node][..] {
            heights[node] = f64::midpoint(heights[first], heights[last]);
        }
    }
    let left = paper.margin + node / 2.0;
    let places = heights.into_iter().zip(&family.depths).map(|(y, &depth)| (left + step * depth as f64, y));
    (places.collect(), named)
}

/// Places for chains in rows, each chain in a row of its own.
fn chain_places(family: &Family, capsule: f64, paper: &Paper) -> (Vec<SheetPoint>, bool) {
    let step = capsule + SHORTEST_EDGE;
    let longest = family.depths.iter().max().copied().unwrap_or(0) + 1;
    let room_beside = |edge: f64| paper.width - 2.0 * edge - capsule;
    let fit = |edge: f64| (room_beside(edge) / step).floor().max(1.0) as usize + 1;
    // Where a chain goes on in a next row, its turns stand out at both sides.
    let edge = if longest > fit(paper.margin) { paper.margin.max(TURN + 1.0) } else { paper.margin };
    let (room, in_row) = (room_beside(edge), fit(edge));
    // Rows of equal length look better than a last row with one node.
    let in_row = longest.div_ceil(longest.div_ceil(in_row));
    let step = if in_row == 1 { 0.0 } else { (room / (in_row - 1) as f64).min(step * 2.0) };
    let mut places = vec![(0.0, 0.0); family.order.len()];
    let mut row: f64 = -1.0;
    for &node in &family.order {
        let column = family.depths[node] % in_row;
        if column == 0 {
            row += 1.0;
        }
        places[node] = (edge + capsule / 2.0 + column as f64 * step, CAPSULE / 2.0 + row * CHAIN_ROW);
    }
    (places, true)
}

/// A smooth line that leaves and arrives level.
fn curve(from: SheetPoint, to: SheetPoint, steps: u32) -> Vec<SheetPoint> {
    if from.1 == to.1 { vec![from, to] } else { smooth(from, to, steps) }
}

/// From the end of a row to the start of the next, along the space between them.
fn carriage_return(from: SheetPoint, to: SheetPoint) -> Vec<SheetPoint> {
    let between = f64::midpoint(from.1, to.1);
    let (right, left) = (from.0 + TURN, to.0 - TURN);
    vec![from, (right, from.1), (right, between), (left, between), (left, to.1), to]
}

/// A rectangle with round ends.
fn capsule_outline((x, y): SheetPoint, half_width: f64) -> Vec<SheetPoint> {
    let radius = CAPSULE / 2.0;
    let bend = |centre: f64, from: f64| {
        (0..=8).map(move |step| {
            let angle = from + f64::from(step) / 8.0 * std::f64::consts::PI;
            (centre + radius * angle.sin(), y - radius * angle.cos())
        })
    };
    bend(x + half_width - radius, 0.0).chain(bend(x - half_width + radius, std::f64::consts::PI)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(count: usize, edges: &[(usize, usize)]) -> Tree {
        Tree {
            title: "Tree".to_owned(),
            subtitle: None,
            groups: Vec::new(),
            nodes: (0..count).map(|rank| TreeNode { label: rank.to_string(), group: None }).collect(),
            edges: edges.iter().map(|&(parent, child)| Edge { parent, child }).collect(),
        }
    }

    #[test]
    fn parents_stand_at_the_middle_of_their_children() {
        let family = tree(5, &[(0, 2), (0, 1), (2, 3), (2, 4)]).family();
        assert_eq!(family.order, [0, 2, 3, 4, 1]);
        let (places, named) = tree_places(&family, 20.0, &Paper::default());
        assert!(named);
        assert_eq!(places[2].1, f64::midpoint(places[3].1, places[4].1));
        assert!(places[1].1 > places[4].1, "the later child is below");
    }

    #[test]
    fn what_is_no_tree_is_cut_to_one() {
        let family = tree(4, &[(1, 2), (2, 3), (3, 1), (0, 9), (0, 0), (0, 3)]).family();
        assert_eq!(family.order.len(), 4);
        assert_eq!(family.depths, [0, 0, 1, 2]);
    }

    #[test]
    fn a_chain_fills_rows() {
        let edges: Vec<_> = (1..78).map(|rank| (rank - 1, rank)).collect();
        let (places, _) = chain_places(&tree(78, &edges).family(), 22.0, &Paper::default());
        assert!(places.iter().all(|place| place.0 < Paper::default().width));
        assert!(places[77].1 <= 4.0 * CHAIN_ROW, "{places:?}");
        // In print the turns need more than the margin.
        let paper = Paper::printed(Some(85.0), None);
        let (places, _) = chain_places(&tree(78, &edges).family(), 22.0, &paper);
        let inside = 11.0 + TURN..=paper.width - 11.0 - TURN;
        assert!(places.iter().all(|place| inside.contains(&place.0)), "{places:?}");
    }

    #[test]
    fn depth_is_no_limit() {
        let mut edges: Vec<_> = (1..50_000).map(|rank| (rank - 1, rank)).collect();
        edges[49_998].0 = 0;
        let deep = tree(50_000, &edges);
        assert_eq!(deep.family().order.len(), 50_000);
        assert!(deep.svg().contains("50000 nodes; a picture holds 3500 at most"));
        let deep = tree(MOST, &edges[..MOST - 1]).svg();
        assert!(deep.ends_with("</svg>\n") && deep.len() < 2_000_000, "{}", deep.len());
    }
}
