//! Writes the table `[platform]` of the collected elements.

use std::ops::Range;

use super::names::PointKind;
use super::part::{Given, Kind, Part, Platform, Quality, Zone};
use super::quantity::{Kind as Measure, Quantity};
use super::xml::Element;
use super::{Entry, ReadError, Spanned, Value, Word};

/// The table of a whole platform.
///
/// # Errors
/// Content without an exact counterpart.
pub(super) fn platform(platform: &Platform<'_>, span: Range<usize>) -> Result<Spanned, ReadError> {
    let (top, around) = top(platform, &span)?;
    let mut wires = Vec::new();
    for link in &platform.links.all {
        wires.push(Entry { key: link.id.text.to_owned(), value: link.write()? });
    }
    let (mut clusters, mut zones) = (Vec::new(), Vec::new());
    for (number, part) in platform.parts.iter().enumerate() {
        let (list, value) = match &part.kind {
            _ if around.contains(&number) => continue,
            Kind::Cluster(cluster) => (&mut clusters, cluster.write(part)?),
            Kind::Zone(zone) if zone.is_of_routers() => (&mut zones, zone.write_routers(part, platform)?),
            Kind::Zone(zone) if zone.members.is_empty() => (&mut clusters, zone.write_hosts(part, platform)?),
            Kind::Zone(zone) => (&mut zones, zone.write_members(number, platform)?),
        };
        list.push(Entry { key: part.id.text.to_owned(), value });
    }
    let mut entries = vec![("transport", Spanned::table(platform.transport.iter().cloned(), &span))];
    for (key, list) in [("wire", wires), ("cluster", clusters), ("zone", zones)] {
        if !list.is_empty() {
            entries.push((key, Spanned::new(Value::Table(list), platform.parts[top].span)));
        }
    }
    Ok(Spanned::table(entries, &span))
}

/// The innermost part that contains all others, and the zones around it that contain nothing else.
fn top(platform: &Platform<'_>, span: &Range<usize>) -> Result<(usize, Vec<usize>), ReadError> {
    let mut roots = (0..platform.parts.len()).filter(|&part| platform.parts[part].parent.is_none());
    let Some(mut top) = roots.next() else {
        return Err(ReadError::at(span.clone(), "the platform has no zone and no cluster"));
    };
    if let Some(other) = roots.next() {
        let message = "there are no routes between several zones or clusters at the top";
        let help = "put a zone around them, with routes between them";
        return Err(ReadError::at(platform.parts[other].span.clone(), message).with_help(Some(help)));
    }
    let mut around = Vec::new();
    while let Kind::Zone(Zone { members, routes, .. }) = &platform.parts[top].kind {
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
    pub(super) fn not_mixed(&self) -> Result<(), ReadError> {
        match &self.kind {
            Kind::Zone(zone) if !zone.members.is_empty() => {
                let host = zone.hosts.first().map(|host| host.id).or(zone.routers.first().copied());
                let message = "a zone holds hosts and routers, or other zones, but not both";
                match (host, zone.host_links.first(), zone.backbone) {
                    (Some(word), ..) => Err(word.fault(message)),
                    (_, Some(way), _) => Err(way.element.fault(message)),
                    (.., Some(_)) => Err(ReadError::at(self.span.clone(), "a zone of zones has no `backbone`")),
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
) -> Result<(Given<'e>, (usize, usize)), ReadError> {
    let word = element.required("speed")?;
    let speeds =
        word.parse(|text| text.split(',').map(|one| Measure::Speed.read(one)).collect::<Result<Vec<_>, _>>())?;
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
    Ok((Given { quantity, span: word.span }, (chosen, speeds.len())))
}

/// The keys `load` and `fault` of a part.
///
/// # Errors
/// A profile that cannot be written.
pub(super) fn node_profiles(part: &Part<'_>) -> Result<Vec<(&'static str, Spanned)>, ReadError> {
    let (mut loads, mut faults) = (Vec::new(), Vec::new());
    for given in &part.profiles {
        let span = &given.span;
        let fault = |message: String| ReadError::at(span.clone(), message);
        let entry = |profile: Spanned| {
            let nodes = Spanned::array([Spanned::integer(given.node, span)], span);
            Spanned::table([("nodes", nodes), ("profile", profile)], span)
        };
        if given.quality == Quality::State {
            let outages = given.profile.outages().map_err(fault)?;
            faults.extend(outages.into_iter().map(|outage| entry(outage.write(span))));
        } else {
            let steps = given.profile.factor(super::decimal::Decimal::ONE, span).map_err(fault)?;
            let profile = std::iter::once(("kind", Spanned::text("trace", span))).chain(steps);
            loads.push(entry(Spanned::table(profile, span)));
        }
    }
    let lists = [("load", loads), ("fault", faults)].into_iter().filter(|(_, list)| !list.is_empty());
    Ok(lists.map(|(key, list)| (key, Spanned::array(list, part.span))).collect())
}

impl Platform<'_> {
    /// A named point as a gateway: a cluster and a point in it, or only a cluster for its own router.
    ///
    /// # Errors
    /// There is no such point, or it is not in `member`.
    pub(super) fn gateway(&self, name: Word<'_>, member: usize) -> Result<Spanned, ReadError> {
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
            (Kind::Cluster(_), PointKind::Node(node)) => format!("{}:{node}", part.id.text),
            _ => format!("{}:{}", part.id.text, name.text),
        };
        Ok(Spanned::text(text, name.span))
    }

    /// The index of the host with this name in the zone `part`; `None` for a router.
    ///
    /// # Errors
    /// An unknown name, or one that is not in that zone.
    pub(super) fn inside(&self, name: Word<'_>, part: &Part<'_>) -> Result<Option<usize>, ReadError> {
        let point = self.names.find_point(name)?;
        let (own, other) = (part.id.text, self.parts[point.part].id.text);
        if own != other {
            return Err(name.fault(format!("{:?} is not in the zone {own:?} but in {other:?}", name.text)));
        }
        Ok(if let PointKind::Node(node) = point.kind { Some(node as usize) } else { None })
    }
}
