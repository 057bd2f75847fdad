//! Collects the elements of a file as parts, links and profiles; names are resolved once all are known.

use std::collections::{HashMap, HashSet};

use super::content::{cores, no_coordinates, properties_only, property, refused};
use super::decimal::Decimal;
use super::names::{Names, NetPoint, PointKind};
use super::part::{
    Cluster, Host, HostLink, Link, LinkProfile, Links, NodeProfile, Part, PartKind, Platform, Quality, Route, Routing,
    Zone,
};
use super::power::Power;
use super::profile::Profile;
use super::write::speed_of;
use super::xml::Element;
use super::{Word, config};
use hetsim_text::Problem;

/// Reads a file named in the XML.
type ReadFile<'f> = &'f mut dyn FnMut(&str) -> Result<String, String>;

/// The state of the reader.
pub(super) struct Collector<'e, 'f> {
    read_file: ReadFile<'f>,
    parts: Vec<Part<'e>>,
    links: Links<'e>,
    names: Names<'e>,
    transport: Vec<(&'static str, super::Node)>,
    traces: HashMap<&'e str, Profile>,
    /// The nodes with a profile: part, node, and the changed quality.
    profiled: HashSet<(usize, u32, Quality)>,
    /// Traces to connect once all elements have names.
    connections: Vec<&'e Element<'e>>,
    /// The number of nodes in fat trees, which SimGrid numbers consecutively.
    in_fat_trees: u32,
}

impl<'e, 'f> Collector<'e, 'f> {
    /// An empty state.
    pub(super) fn new(read_file: ReadFile<'f>) -> Self {
        Self {
            read_file,
            parts: Vec::new(),
            links: Links::default(),
            names: Names::default(),
            transport: Vec::new(),
            traces: HashMap::new(),
            profiled: HashSet::new(),
            connections: Vec::new(),
            in_fat_trees: 0,
        }
    }

    /// Reads the root element.
    ///
    /// # Errors
    /// The first unknown item in it.
    pub(super) fn platform(&mut self, root: &'e Element<'e>) -> Result<(), Problem> {
        if root.name != "platform" {
            return Err(root.fault(format!("expected an element `platform`, not `{}`", root.name)));
        }
        root.only(&["version"])?;
        root.no_text()?;
        let version = root.required("version")?;
        if !matches!(version.text.trim(), "4" | "4.0" | "4.1") {
            let message = format!("expected version 4.1 of platform files, not {:?}", version.text);
            return Err(version.fault(message).with_help("SimGrid's `simgrid_update_xml` brings older files up to it"));
        }
        for child in &root.children {
            match child.name {
                "config" if self.parts.is_empty() => {
                    for (key, value) in config::read(child)? {
                        if self.transport.iter().any(|(known, _)| *known == key) {
                            return Err(Problem::at(&value.place, "the parameter is given twice"));
                        }
                        self.transport.push((key, value));
                    }
                }
                "config" => return Err(child.fault("expected `config` before all zones and clusters")),
                "zone" | "AS" | "cluster" => drop(self.part(child, None)?),
                _ => self.anywhere(child, "platform")?,
            }
        }
        config::complete(&mut self.transport, &root.place);
        Ok(())
    }

    /// Completes the platform and assigns profiles to their elements.
    ///
    /// # Errors
    /// Names that are not unique, or a trace connected to nothing.
    pub(super) fn finish(mut self) -> Result<Platform<'e>, Problem> {
        self.names.seal().map_err(|(part, message)| Problem::at(self.parts[part].place, message))?;
        self.links.seal()?;
        self.connect()?;
        let Self { parts, links, names, transport, .. } = self;
        Ok(Platform { parts, links, names, transport })
    }

    /// Reads a zone or a cluster.
    fn part(&mut self, element: &'e Element<'e>, parent: Option<usize>) -> Result<usize, Problem> {
        let number = self.parts.len();
        let id = element.required("id")?;
        self.names.part(id, number)?;
        element.no_text()?;
        let kind = if element.name == "cluster" {
            properties_only(element)?;
            PartKind::Cluster(Box::new(Cluster::read(element, number, &mut self.names, &mut self.in_fat_trees)?))
        } else {
            PartKind::Zone(Zone::new(element, routing(element)?))
        };
        self.parts.push(Part { id, place: &element.place, parent, kind, profiles: Vec::new() });
        if let PartKind::Zone(_) = self.parts[number].kind {
            for child in &element.children {
                self.within(number, child)?;
            }
        }
        Ok(number)
    }

    /// Reads an element within a zone.
    fn within(&mut self, number: usize, child: &'e Element<'e>) -> Result<(), Problem> {
        match child.name {
            "zone" | "AS" | "cluster" => {
                let member = self.part(child, Some(number))?;
                self.zone(number, |zone| zone.members.push(member));
            }
            "host" => self.host(number, child)?,
            "router" => {
                child.only(&["id", "coordinates"])?;
                properties_only(child)?;
                no_coordinates(child)?;
                let id = child.required("id")?;
                self.names.point(id.text.to_owned(), id, NetPoint { part: number, kind: PointKind::Router })?;
                self.zone(number, |zone| zone.routers.push(id));
            }
            "link" => {
                let mut link = Link::read(child)?;
                properties_only(child)?;
                link.profiles = self.link_profiles(child)?;
                self.links.add(link)?;
            }
            "backbone" => {
                let link = self.links.add(Link::backbone(child)?)?;
                properties_only(child)?;
                let mut second = false;
                self.zone(number, |zone| second = zone.backbone.replace(link).is_some());
                if second {
                    return Err(child.fault("expected one `backbone` in a zone"));
                }
            }
            "host_link" => {
                child.only(&["id", "up", "down"])?;
                properties_only(child)?;
                let (host, up, down) = (child.required("id")?, child.required("up")?, child.required("down")?);
                self.zone(number, |zone| zone.host_links.push(HostLink { element: child, host, up, down }));
            }
            "route" | "bypassRoute" | "zoneRoute" | "ASroute" | "bypassZoneRoute" | "bypassASroute" => {
                let route = Route::read(child)?;
                self.zone(number, |zone| zone.routes.push(route));
            }
            "prop" => property(child)?,
            _ => self.anywhere(child, "zone")?,
        }
        Ok(())
    }

    fn zone(&mut self, number: usize, change: impl FnOnce(&mut Zone<'e>)) {
        if let Some(Part { kind: PartKind::Zone(zone), .. }) = self.parts.get_mut(number) {
            change(zone);
        }
    }

    /// Reads an element allowed inside and outside of zones: a trace. All others are refused.
    fn anywhere(&mut self, child: &'e Element<'e>, around: &str) -> Result<(), Problem> {
        match child.name {
            "trace" => self.trace(child),
            "trace_connect" => {
                child.only(&["kind", "trace", "element"])?;
                properties_only(child)?;
                self.connections.push(child);
                Ok(())
            }
            _ => Err(refused(child, around)),
        }
    }

    fn host(&mut self, number: usize, element: &'e Element<'e>) -> Result<(), Problem> {
        let files = ["speed_file", "availability_file", "state_file"];
        element.only(&["id", "speed", "core", "coordinates", "pstate", files[0], files[1], files[2]])?;
        properties_only(element)?;
        no_coordinates(element)?;
        let id = element.required("id")?;
        self.names.count(1, id)?;
        let mut node = 0;
        self.zone(number, |zone| node = zone.hosts.len() as u32);
        self.names.point(id.text.to_owned(), id, NetPoint { part: number, kind: PointKind::Node(node) })?;
        let cores = cores(element)?;
        let (speed, state) = speed_of(element, element.given("pstate"))?;
        let host = Host { id, element, cores, speed, power: Power::read(element, cores, state)? };
        self.zone(number, |zone| zone.hosts.push(host));
        for (name, quality) in files.into_iter().zip([Quality::Speed, Quality::Speed, Quality::State]) {
            if let Some(word) = element.given(name) {
                let profile = self.file(word)?;
                self.node_profile(NetPoint { part: number, kind: PointKind::Node(node) }, quality, profile, word)?;
            }
        }
        Ok(())
    }

    fn link_profiles(&mut self, element: &'e Element<'e>) -> Result<Vec<LinkProfile>, Problem> {
        let mut profiles = Vec::new();
        let files = [
            ("bandwidth_file", Quality::Bandwidth),
            ("latency_file", Quality::Latency),
            ("state_file", Quality::State),
        ];
        for (name, quality) in files {
            if let Some(word) = element.given(name) {
                profiles.push(LinkProfile { quality, profile: self.file(word)?, place: word.place.clone() });
            }
        }
        Ok(profiles)
    }

    /// Reads a profile from a file.
    fn file(&mut self, word: Word<'_>) -> Result<Profile, Problem> {
        let text = (self.read_file)(word.text).map_err(|message| word.fault(message))?;
        let profile = Profile::read(&text, None);
        let profile = profile.map_err(|message| word.fault(format!("{}: {message}", word.text)))?;
        Ok(profile.named(word.text))
    }

    fn trace(&mut self, element: &'e Element<'e>) -> Result<(), Problem> {
        element.only(&["id", "file", "periodicity"])?;
        if let Some(child) = element.children.first() {
            return Err(refused(child, "trace"));
        }
        let id = element.required("id")?;
        let profile = if let Some(word) = element.given("file") {
            element.no_text()?;
            // SimGrid ignores the period beside a file, which has its own.
            self.file(word)?
        } else {
            let word = element.required("periodicity")?;
            let every = word.parse(periodicity)?;
            Profile::read(element.text(), every).map_err(|message| element.fault(message))?
        };
        match self.traces.insert(id.text, profile) {
            None => Ok(()),
            Some(_) => Err(id.fault(format!("there are two traces named {:?}", id.text))),
        }
    }

    /// Connects traces to hosts and links.
    fn connect(&mut self) -> Result<(), Problem> {
        let mut connected = HashSet::new();
        for element in std::mem::take(&mut self.connections) {
            let kinds = [
                ("HOST_AVAIL", (true, Quality::State)),
                ("SPEED", (true, Quality::Speed)),
                ("LINK_AVAIL", (false, Quality::State)),
                ("BANDWIDTH", (false, Quality::Bandwidth)),
                ("LATENCY", (false, Quality::Latency)),
            ];
            let (of_host, quality) = element.choice("kind", &kinds)?;
            let (trace, target) = (element.required("trace")?, element.required("element")?);
            let Some(profile) = self.traces.get(trace.text).cloned() else {
                let fault = trace.fault(format!("there is no trace {:?}", trace.text));
                return Err(fault.with_near(trace.text, self.traces.keys().copied()));
            };
            if !connected.insert((trace.text, of_host, quality)) {
                return Err(element.fault("SimGrid connects a trace to one element only: expected another trace"));
            }
            if of_host {
                let point = self.names.find_point(target)?;
                self.node_profile(point, quality, profile, target)?;
            } else {
                let number = self.links.find(target)?;
                let profiles = &mut self.links.all[number].profiles;
                if profiles.iter().any(|given| given.quality == quality) {
                    return Err(target.fault(format!("the link {:?} already has a profile of this kind", target.text)));
                }
                profiles.push(LinkProfile { quality, profile, place: target.place.clone() });
            }
        }
        Ok(())
    }

    fn node_profile(
        &mut self,
        point: NetPoint,
        quality: Quality,
        profile: Profile,
        word: Word<'_>,
    ) -> Result<(), Problem> {
        let PointKind::Node(node) = point.kind else {
            return Err(word.fault("expected a host, not a router"));
        };
        if !self.profiled.insert((point.part, node, quality)) {
            return Err(word.fault("the host already has a profile of this kind"));
        }
        let given = NodeProfile { node, quality, profile, place: word.place.clone() };
        self.parts[point.part].profiles.push(given);
        Ok(())
    }
}

impl<'e> Zone<'e> {
    /// An empty zone.
    fn new(element: &'e Element<'e>, routing: Routing) -> Self {
        Self {
            element,
            routing,
            members: Vec::new(),
            hosts: Vec::new(),
            routers: Vec::new(),
            routes: Vec::new(),
            host_links: Vec::new(),
            backbone: None,
        }
    }
}

fn routing(element: &Element<'_>) -> Result<Routing, Problem> {
    element.only(&["id", "routing"])?;
    let word = element.required("routing")?;
    match word.text.to_ascii_lowercase().as_str() {
        "full" => Ok(Routing::Full),
        "floyd" => Ok(Routing::Floyd),
        "dijkstra" | "dijkstracache" => Ok(Routing::Dijkstra),
        "cluster" => Ok(Routing::Hub),
        "none" => Ok(Routing::None),
        "vivaldi" | "wifi" => Err(word.fault(format!("the routing {:?} has no counterpart", word.text))),
        other => {
            let known = ["full", "floyd", "dijkstra", "dijkstracache", "cluster", "none"];
            Err(word.fault(format!("the routing {:?} is not known", word.text)).with_near(other, known))
        }
    }
}

/// The period given beside the lines of a trace; `None` unless it is above zero.
fn periodicity(text: &str) -> Result<Option<Decimal>, String> {
    let (positive, number) = text.trim().strip_prefix('-').map_or((true, text.trim()), |number| (false, number));
    match Decimal::read(number)? {
        (period, "") => Ok((positive && !period.is_zero()).then_some(period)),
        _ => Err(format!("expected a number of seconds, not {text:?}")),
    }
}
