//! `cluster`: equal nodes on a regular network.

use super::Word;
use super::link::given;
use super::names::Names;
use super::part::{Cluster, Part};
use super::power::Power;
use super::quantity::QuantityKind;
use super::write::{node_profiles, speed_of};
use super::xml::Element;
use hetsim_text::{Node, Problem};

/// The supported attributes.
const KNOWN: [&str; 18] = [
    "id",
    "prefix",
    "suffix",
    "radical",
    "speed",
    "core",
    "bw",
    "lat",
    "sharing_policy",
    "topology",
    "topo_parameters",
    "bb_bw",
    "bb_lat",
    "bb_sharing_policy",
    "router_id",
    "limiter_link",
    "loopback_bw",
    "loopback_lat",
];

/// The shapes of a cluster's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NetworkShape {
    Flat,
    Torus,
    FatTree,
    Dragonfly,
}

impl<'e> Cluster<'e> {
    /// Reads the element, and registers its nodes and its router as those of `part`. `in_fat_trees` is the number of
    /// nodes in earlier fat trees, to which those of a fat tree are added.
    ///
    /// # Errors
    /// Unknown attributes, or those without a counterpart.
    pub(super) fn read(
        element: &'e Element<'_>,
        part: usize,
        names: &mut Names<'e>,
        in_fat_trees: &mut u32,
    ) -> Result<Self, Problem> {
        element.only(&KNOWN)?;
        if let Some(word) = element.given("limiter_link") {
            return Err(word.fault("the attribute `limiter_link` of `cluster` has no counterpart"));
        }
        let shapes = [
            ("FLAT", NetworkShape::Flat),
            ("TORUS", NetworkShape::Torus),
            ("FAT_TREE", NetworkShape::FatTree),
            ("DRAGONFLY", NetworkShape::Dragonfly),
        ];
        let shape = element.choice("topology", &shapes)?;
        let (prefix, suffix) = (element.present("prefix")?.text, element.present("suffix")?.text);
        let nodes = names.nodes((prefix, suffix), element.required("radical")?, part)?;
        let id = element.required("id")?;
        let topology = topology(element, shape, nodes, *in_fat_trees)?;
        if shape == NetworkShape::FatTree {
            // The nodes of the platform have been counted, so the number fits.
            *in_fat_trees += nodes;
        }
        if shape == NetworkShape::Flat {
            let router = element.given("router_id");
            let name =
                router.map_or_else(|| format!("{prefix}{}_router{suffix}", id.text), |word| word.text.to_owned());
            names.exit(name, router.unwrap_or(id), part)?;
        }
        let cores = super::content::cores(element)?;
        let (speed, state) = speed_of(element, None)?;
        Ok(Self {
            element,
            nodes,
            cores,
            speed,
            power: Power::read(element, cores, state)?,
            bandwidth: given(element, "bw", QuantityKind::Bandwidth)?,
            latency: given(element, "lat", QuantityKind::Time)?,
            loopback: loopback(element)?,
            topology,
        })
    }

    /// The table of the cluster.
    ///
    /// # Errors
    /// A profile that cannot be written.
    pub(super) fn write(&self, part: &Part<'_>) -> Result<Node, Problem> {
        let place = &self.element.place;
        let network = Node::table(
            [
                ("model", Node::string("fair", place)),
                ("latency", self.latency.value()),
                ("bandwidth", self.bandwidth.value()),
                ("topology", self.topology.clone()),
            ],
            place,
        );
        let mut entries = vec![
            ("nodes", Node::integer(self.nodes, place)),
            ("cores", Node::integer(self.cores, place)),
            ("speed", self.speed.value()),
            ("network", network),
        ];
        entries.extend(self.loopback.clone().map(|loopback| ("loopback", loopback)));
        entries.extend(node_profiles(part)?);
        entries.extend(self.power.as_ref().map(|power| ("power", power.write(self.element))));
        Ok(Node::table(entries, place))
    }
}

/// The cost of a node's messages to itself: in SimGrid a link of each node that limits every message separately.
fn loopback(element: &Element<'_>) -> Result<Option<Node>, Problem> {
    let read = |name: &str, kind: QuantityKind| {
        let word = element.given(name);
        let quantity = word.map(|word| word.parse(|text| kind.read(text))).transpose()?;
        Ok(word.zip(quantity).filter(|(_, quantity)| !quantity.value.is_zero()))
    };
    let (latency, bandwidth) =
        (read("loopback_lat", QuantityKind::Time)?, read("loopback_bw", QuantityKind::Bandwidth)?);
    let Some((word, speed)) = bandwidth else {
        return match latency {
            Some((word, _)) => Err(word.fault("a loopback with `loopback_lat` needs its `loopback_bw`")),
            None => Ok(None),
        };
    };
    let latency = latency.map(|(word, time)| ("latency", Node::string(time.write(), word.place)));
    let bandwidth = ("bandwidth", Node::string(speed.write(), word.place));
    Ok(Some(Node::table(latency.into_iter().chain([bandwidth]), word.place)))
}

/// The table of the topology; `in_fat_trees` is the number of nodes in earlier fat trees.
fn topology(element: &Element<'_>, shape: NetworkShape, nodes: u32, in_fat_trees: u32) -> Result<Node, Problem> {
    let place = &element.place;
    let policies =
        [("SPLITDUPLEX", Some(false)), ("FULLDUPLEX", Some(false)), ("SHARED", Some(true)), ("FATPIPE", None)];
    let Some(half) = element.choice("sharing_policy", &policies)? else {
        let message = "the links of a `cluster` are shared in SimGrid even if the file says FATPIPE";
        return Err(element.fault(message).with_help("use SHARED or SPLITDUPLEX"));
    };
    let mut entries = if shape == NetworkShape::Flat { flat(element)? } else { regular(element, shape, nodes)? };
    if shape != NetworkShape::Flat {
        entries.push(("routing", Node::string("simgrid", place)));
    }
    if shape == NetworkShape::FatTree && in_fat_trees > 0 {
        entries.push(("first_number", Node::integer(in_fat_trees, place)));
    }
    if half {
        entries.push(("duplex", Node::string("half", place)));
    }
    Ok(Node::table(entries, place))
}

/// A star, with an optional backbone.
fn flat(element: &Element<'_>) -> Result<Vec<(&'static str, Node)>, Problem> {
    let place = &element.place;
    if let Some(word) = element.given("topo_parameters") {
        return Err(word.fault("a cluster with the topology FLAT has no `topo_parameters`"));
    }
    let latency = element.given("bb_lat").map(|_| given(element, "bb_lat", QuantityKind::Time)).transpose()?;
    if element.given("bb_bw").is_none() {
        return match latency.filter(|latency| !latency.quantity.value.is_zero()) {
            Some(latency) => Err(Problem::at(latency.place, "a backbone with `bb_lat` needs its `bb_bw`")),
            None => Ok(vec![("kind", Node::string("star", place))]),
        };
    }
    let sharing = element.choice("bb_sharing_policy", &[("SHARED", "shared"), ("FATPIPE", "unshared")])?;
    Ok(vec![
        ("kind", Node::string("backbone", place)),
        ("backbone_bandwidth", given(element, "bb_bw", QuantityKind::Bandwidth)?.value()),
        ("backbone_latency", latency.map_or_else(|| Node::string("0s", place), super::part::GivenQuantity::value)),
        ("backbone_sharing", Node::string(sharing, place)),
    ])
}

/// A torus, a fat tree or a dragonfly.
fn regular(element: &Element<'_>, shape: NetworkShape, nodes: u32) -> Result<Vec<(&'static str, Node)>, Problem> {
    for name in ["bb_bw", "bb_lat", "bb_sharing_policy", "router_id"] {
        if let Some(word) = element.given(name) {
            return Err(
                word.fault(format!("only a cluster with the topology FLAT has a backbone and a router: `{name}`"))
            );
        }
    }
    let word = element.required("topo_parameters")?;
    let groups = word.parse(|text| text.split(';').map(numbers).collect::<Result<Vec<_>, _>>())?;
    let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
    let place = word.place;
    let number = |number: u32| Node::integer(number, place);
    let list = |numbers: &[u32]| Node::array(numbers.iter().map(|number| Node::integer(*number, place)), place);
    let kind = |kind: &str| ("kind", Node::string(kind, place));
    let (entries, leaves) = match (shape, groups.as_slice()) {
        (NetworkShape::Torus, [sizes]) => (vec![kind("torus"), ("dimensions", list(sizes))], product(sizes)),
        (NetworkShape::FatTree, [[levels], down, up, parallel])
            if [down, up, parallel].iter().all(|list| list.len() == *levels as usize) =>
        {
            let lists = [("down", list(down)), ("up", list(up)), ("parallel", list(parallel))];
            (std::iter::once(kind("fat_tree")).chain(lists).collect(), product(down))
        }
        (NetworkShape::Dragonfly, [[groups, blue], [chassis, black], [routers, green], [each]]) => {
            if groups > routers {
                let message = format!(
                    "SimGrid has no paths between {groups} groups of chassis with {routers} routers: it reads beyond its tables"
                );
                return Err(word.fault(message).with_help("a chassis needs as many routers as there are groups"));
            }
            // Several links between two routers are one link in SimGrid, with a multiple of the bandwidth.
            let cable = |key, links: &u32| (*links > 1).then(|| Ok((key, times(element, *links)?))).transpose();
            let mut entries = vec![kind("dragonfly"), ("groups", number(*groups))];
            entries.extend(cable("group_bandwidth", blue)?);
            entries.push(("chassis", number(*chassis)));
            entries.extend(cable("chassis_bandwidth", black)?);
            entries.push(("routers", number(*routers)));
            entries.extend(cable("router_bandwidth", green)?);
            entries.push(("nodes_per_router", number(*each)));
            (entries, product(&[*groups, *chassis, *routers, *each]))
        }
        _ => return Err(word.fault(expected(shape, word))),
    };
    if leaves != Some(nodes.into()) {
        let leaves = leaves.map_or_else(|| "more".to_owned(), |leaves: u64| leaves.to_string());
        return Err(word.fault(format!("the topology has {leaves} nodes, but `radical` names {nodes}")));
    }
    Ok(entries)
}

/// A multiple of a link's bandwidth.
fn times(element: &Element<'_>, links: u32) -> Result<Node, Problem> {
    let super::part::GivenQuantity { quantity, place } = given(element, "bw", QuantityKind::Bandwidth)?;
    let product = quantity.times(links).ok_or_else(|| Problem::at(place, "the bandwidth has too many digits"))?;
    Ok(Node::string(product.write(), place))
}

fn expected(shape: NetworkShape, word: Word<'_>) -> String {
    let form = match shape {
        NetworkShape::Flat | NetworkShape::Torus => "the sizes of a torus, such as \"4,4,2\"",
        NetworkShape::FatTree => "the levels of a fat tree and three numbers for each, such as \"2;4,4;1,2;1,2\"",
        NetworkShape::Dragonfly => "the sizes and links of a dragonfly, such as \"3,4;3,2;3,1;2\"",
    };
    format!("expected {form}, not {:?}", word.text)
}

/// Positive integers.
fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let number = |part: &str| part.trim().parse().ok().filter(|number| *number > 0);
    let numbers: Option<_> = text.split(',').map(number).collect();
    numbers.ok_or_else(|| format!("expected whole numbers above zero, not {text:?}"))
}

fn product(numbers: &[u32]) -> Option<u64> {
    numbers.iter().try_fold(1u64, |product, &number| product.checked_mul(number.into()))
}
