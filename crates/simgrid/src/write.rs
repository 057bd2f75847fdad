//! Writes the table `[platform]` of the collected elements.

use super::Word;
use super::names::PointKind;
use super::part::{GivenQuantity, Part, PartKind, Platform, Quality, Zone};
use super::quantity::{Quantity, QuantityKind};
use super::xml::Element;
use hetsim_text::{Node, Place, Problem};

/// The table of a whole platform.
///
/// # Errors
/// Content without an exact counterpart.
pub(super) fn platform(platform: &Platform<'_>, place: &Place) -> Result<Node, Problem> {
    let (top, around) = top(platform, place)?;
    let mut wires = Vec::new();
    for link in &platform.links.all {
        wires.push((link.id.text, link.write()?));
    }
    let (mut clusters, mut zones) = (Vec::new(), Vec::new());
    for (number, part) in platform.parts.iter().enumerate() {
        let (list, value) = match &part.kind {
            _ if around.contains(&number) => continue,
            PartKind::Cluster(cluster) => (&mut clusters, cluster.write(part)?),
            PartKind::Zone(zone) if zone.is_of_routers() => (&mut zones, zone.write_routers(part, platform)?),
            PartKind::Zone(zone) if zone.members.is_empty() => (&mut clusters, zone.write_hosts(part, platform)?),
            PartKind::Zone(zone) => (&mut zones, zone.write_members(number, platform)?),
        };
        list.push((part.id.text, value));
    }
    let mut entries = vec![("transport", Node::table(platform.transport.iter().cloned(), place))];
    for (key, list) in [("wire", wires), ("cluster", clusters), ("zone", zones)] {
        if !list.is_empty() {
            entries.push((key, Node::table(list, platform.parts[top].place)));
        }
    }
    Ok(Node::table(entries, place))
}

/// The innermost part that contains all others, and the zones around it that contain nothing else.
fn top(platform: &Platform<'_>, place: &Place) -> Result<(usize, Vec<usize>), Problem> {
    let mut roots = (0..platform.parts.len()).filter(|&part| platform.parts[part].parent.is_none());
    let Some(mut top) = roots.next() else {
        return Err(Problem::at(place, "the platform has no zone and no cluster"));
    };
    if let Some(other) = roots.next() {
        let message = "there are no routes between several zones or clusters at the top";
        let help = "put a zone around them, with routes between them";
        return Err(Problem::at(platform.parts[other].place, message).with_help(help));
    }
    let mut around = Vec::new();
    while let PartKind::Zone(Zone { members, routes, .. }) = &platform.parts[top].kind {
        let ([member], true) = (members.as_slice(), routes.is_empty()) else { break };
        platform.parts[top].not_mixed()?;
        around.push(top);
        top = *member;
    }
    Ok((top, around))
}

impl Part<'_> {
    /// Refuses a zone of zones that also has hosts.
    ///
    /// # Errors
    /// The zone contains both.
    pub(super) fn not_mixed(&self) -> Result<(), Problem> {
        match &self.kind {
            PartKind::Zone(zone) if !zone.members.is_empty() => {
                let host = zone.hosts.first().map(|host| host.id).or(zone.routers.first().copied());
                let message = "a zone holds hosts and routers, or other zones, but not both";
                match (host, zone.host_links.first(), zone.backbone) {
                    (Some(word), ..) => Err(word.fault(message)),
                    (_, Some(way), _) => Err(way.element.fault(message)),
                    (.., Some(_)) => Err(Problem::at(self.place, "a zone of zones has no `backbone`")),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}

/// The speed of an element in its present power state; that state, and the number of states.
///
/// # Errors
/// An invalid speed, or an unknown state.
pub(super) fn speed_of<'e>(
    element: &'e Element<'_>,
    state: Option<Word<'_>>,
) -> Result<(GivenQuantity<'e>, (usize, usize)), Problem> {
    let word = element.required("speed")?;
    let speeds =
        word.parse(|text| text.split(',').map(|one| QuantityKind::Speed.read(one)).collect::<Result<Vec<_>, _>>())?;
    let chosen = state.map_or(Ok(0), |state| {
        let number = state.text.trim();
        let number = number.strip_suffix(".0").unwrap_or(number);
        let within = number.parse().ok().filter(|number| *number < speeds.len());
        within.ok_or_else(|| {
            state.fault(format!("expected a power state from 0 to {}, not {:?}", speeds.len() - 1, state.text))
        })
    })?;
    let quantity: Quantity = speeds[chosen];
    if quantity.value.is_zero() {
        return Err(word.fault("the speed must be above zero"));
    }
    Ok((GivenQuantity { quantity, place: word.place }, (chosen, speeds.len())))
}

/// The keys `load` and `fault` of a part.
///
/// # Errors
/// A profile that cannot be written.
pub(super) fn node_profiles(part: &Part<'_>) -> Result<Vec<(&'static str, Node)>, Problem> {
    let (mut loads, mut faults) = (Vec::new(), Vec::new());
    for given in &part.profiles {
        let place = &given.place;
        let fault = |message: String| Problem::at(place, message);
        let entry = |profile: Node| {
            let nodes = Node::array([Node::integer(given.node, place)], place);
            Node::table([("nodes", nodes), ("profile", profile)], place)
        };
        if given.quality == Quality::State {
            let outages = given.profile.outages().map_err(fault)?;
            faults.extend(outages.into_iter().map(|outage| entry(outage.write(place))));
        } else {
            let steps = given.profile.factor(super::decimal::Decimal::ONE, place).map_err(fault)?;
            let profile = std::iter::once(("kind", Node::string("trace", place))).chain(steps);
            loads.push(entry(Node::table(profile, place)));
        }
    }
    let lists = [("load", loads), ("fault", faults)].into_iter().filter(|(_, list)| !list.is_empty());
    Ok(lists.map(|(key, list)| (key, Node::array(list, part.place))).collect())
}

impl Platform<'_> {
    /// A named point as a gateway: a cluster and a point in it, or only a cluster for its own router.
    ///
    /// # Errors
    /// There is no such point, or it is not in `member`.
    pub(super) fn gateway(&self, name: Word<'_>, member: usize) -> Result<Node, Problem> {
        let point = self.names.find_point(name)?;
        let part = &self.parts[point.part];
        if !std::iter::successors(Some(point.part), |&part| self.parts[part].parent).any(|part| part == member) {
            let member = self.parts[member].id.text;
            return Err(
                name.fault(format!("the gateway {:?} is not in {member:?} but in {:?}", name.text, part.id.text))
            );
        }
        let text = match (&part.kind, point.kind) {
            (_, PointKind::Exit) => part.id.text.to_owned(),
            (PartKind::Cluster(_), PointKind::Node(node)) => format!("{}:{node}", part.id.text),
            _ => format!("{}:{}", part.id.text, name.text),
        };
        Ok(Node::string(text, name.place))
    }

    /// The index of the host with this name in the zone `part`; `None` for a router.
    ///
    /// # Errors
    /// An unknown name, or one that is not in that zone.
    pub(super) fn inside(&self, name: Word<'_>, part: &Part<'_>) -> Result<Option<usize>, Problem> {
        let point = self.names.find_point(name)?;
        let (own, other) = (part.id.text, self.parts[point.part].id.text);
        if own != other {
            return Err(name.fault(format!("{:?} is not in the zone {own:?} but in {other:?}", name.text)));
        }
        Ok(if let PointKind::Node(node) = point.kind { Some(node as usize) } else { None })
    }
}
