//! Routes and bypass routes as lists for hetsim.
//!
//! The reverse of a symmetric route uses its links in reverse order, and the other half of each link that has two.

use std::collections::HashSet;

use super::content::{properties_only, refused};
use super::link::DirectedLink;
use super::part::{Direction, Hop, Links, Route};
use super::xml::Element;
use hetsim_text::{Node, Place, Problem, Value};

/// The ends of a route.
#[derive(Debug, Clone)]
pub(super) struct RouteEnds {
    pub(super) from: Node,
    pub(super) to: Node,
    /// The points at which it leaves and enters zones.
    pub(super) gateways: Option<(Node, Node)>,
}

/// The direction and precedence of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteMark {
    /// It holds in both directions.
    BothWays,
    /// It holds in one direction.
    OneWay,
    /// It holds in one direction, with precedence over all others in the list.
    Bypass,
}

/// The ends that already have routes, with bypasses separate.
pub(super) type Seen<'e> = HashSet<(&'e str, &'e str, bool)>;

impl RouteEnds {
    fn back(self) -> Self {
        let gateways = self.gateways.map(|(from, to)| (to, from));
        Self { from: self.to, to: self.from, gateways }
    }
}

impl<'e> Route<'e> {
    /// Reads any of the route elements.
    ///
    /// # Errors
    /// An unknown item, or no links.
    pub(super) fn read(element: &'e Element<'e>) -> Result<Self, Problem> {
        let of_zones = !matches!(element.name, "route" | "bypassRoute");
        let bypass = element.name.starts_with("bypass");
        let mut known = vec!["src", "dst"];
        known.extend(of_zones.then_some(["gw_src", "gw_dst"]).into_iter().flatten());
        known.extend((!bypass).then_some("symmetrical"));
        element.only(&known)?;
        element.no_text()?;
        let (from, to) = (element.required("src")?, element.required("dst")?);
        let gateways = of_zones.then(|| Ok((element.required("gw_src")?, element.required("gw_dst")?))).transpose()?;
        let symmetric = element.choice("symmetrical", &[("YES", true), ("yes", true), ("NO", false), ("no", false)])?;
        let mut hops = Vec::with_capacity(element.children.len());
        for child in &element.children {
            if child.name != "link_ctn" {
                return Err(refused(child, element.name));
            }
            child.only(&["id", "direction"])?;
            properties_only(child)?;
            let directions = [("NONE", None), ("UP", Some(Direction::Up)), ("DOWN", Some(Direction::Down))];
            hops.push(Hop { link: child.required("id")?, direction: child.choice("direction", &directions)? });
        }
        if hops.is_empty() {
            return Err(element.fault(format!("expected `link_ctn` in `{}`: a route leads over links", element.name)));
        }
        Ok(Self { element, from, to, gateways, symmetric: symmetric && !bypass, bypass, hops })
    }

    /// The entries of a list of routes for this one.
    ///
    /// # Errors
    /// An unknown link, or another route with the same ends in `seen`.
    pub(super) fn write(&self, ends: RouteEnds, links: &Links<'e>, seen: &mut Seen<'e>) -> Result<Vec<Node>, Problem> {
        let (from, to) = (self.from.text, self.to.text);
        let symmetric = self.symmetric && from != to;
        if !seen.insert((from, to, self.bypass)) || symmetric && !seen.insert((to, from, self.bypass)) {
            let help = "a route holds in both directions unless it has symmetrical=\"NO\"";
            return Err(self
                .element
                .fault(format!("there are two routes between {from:?} and {to:?}"))
                .with_help(help));
        }
        let way = self.hops.iter().map(|&hop| links.passing(hop)).collect::<Result<Vec<_>, _>>()?;
        let place = &self.element.place;
        if self.bypass {
            return Ok(vec![entry(ends, &way, RouteMark::Bypass, place)]);
        }
        if !symmetric {
            let mark = if from == to { RouteMark::BothWays } else { RouteMark::OneWay };
            return Ok(vec![entry(ends, &way, mark, place)]);
        }
        if way.iter().all(|passing| passing.turns) {
            return Ok(vec![entry(ends, &way, RouteMark::BothWays, place)]);
        }
        let back: Vec<_> = way.iter().rev().map(|passing| passing.back()).collect();
        Ok(vec![
            entry(ends.clone(), &way, RouteMark::OneWay, place),
            entry(ends.back(), &back, RouteMark::OneWay, place),
        ])
    }
}

/// An entry of a list of routes.
pub(super) fn entry(ends: RouteEnds, way: &[DirectedLink<'_>], mark: RouteMark, place: &Place) -> Node {
    let of_zones = ends.gateways.is_some();
    let mut entries = vec![("from", ends.from), ("to", ends.to)];
    if let Some((from, to)) = ends.gateways {
        entries.extend([("from_gateway", from), ("to_gateway", to)]);
    }
    entries.push(("wires", Node::array(way.iter().map(|passing| passing.value()), place)));
    let truth = || Node::new(Value::Boolean(true), place);
    if mark != RouteMark::BothWays {
        entries.push(("one_way", truth()));
    }
    // Between zones, bypasses have a list of their own.
    if mark == RouteMark::Bypass && !of_zones {
        entries.push(("bypass", truth()));
    }
    Node::table(entries, place)
}
