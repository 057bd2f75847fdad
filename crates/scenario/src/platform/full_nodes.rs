//! Several ranks on each node of a cluster: the groups of ranks that remain of its levels, and the order of its ranks.
//!
//! A rank is a node of hetsim. Ranks are numbered as they are mapped; nodes of hetsim stand core by core, so that a group
//! of a level is one of consecutive nodes whatever the mapping is.

use std::collections::BTreeMap;

use rand::RngExt;

use super::spec::{ClusterSpec, Domain, LevelSpec, MapBy, Places, Seating};
use hetsim_cluster::NodeId;
use hetsim_cluster::network::Parameters;
use hetsim_text::{Node, Problem, Value};

/// The keys of a node that its ranks would share, of which nothing is modelled.
const SHARED: [&str; 8] = ["cores", "node_cores", "cache", "load", "fault", "power", "node_power", "link_fault"];

/// The most places of a node that are tried for ranks that do not fill its groups evenly: no node has as many cores.
const MOST_TRIED: u32 = 1 << 12;

/// The nodes in the order of their ranks; nothing if that is the order of their numbers.
pub(super) fn order(clusters: &[ClusterSpec]) -> Option<Vec<NodeId>> {
    if clusters.iter().all(|cluster| cluster.seating.order.is_empty()) {
        return None;
    }
    let mut order: Vec<NodeId> = Vec::new();
    for cluster in clusters {
        let first = order.len() as u32;
        match cluster.seating.order.as_slice() {
            [] => order.extend((first..first + cluster.ranks()).map(NodeId)),
            of_cluster => order.extend(of_cluster.iter().map(|node| NodeId(first + node))),
        }
    }
    Some(order)
}

impl ClusterSpec {
    /// The most ranks on any node.
    pub(super) fn most_on_a_node(&self) -> u32 {
        self.runs.iter().map(|run| run.ranks).max().unwrap_or(1)
    }

    /// The number of ranks on each node, node by node.
    pub(super) fn ranks_on_nodes(&self) -> impl Iterator<Item = u32> {
        self.runs.iter().flat_map(|run| std::iter::repeat_n(run.ranks, run.nodes as usize))
    }

    /// The number of ranks, each of which is a node of hetsim.
    pub(super) fn ranks(&self) -> u32 {
        self.runs.iter().map(|run| run.nodes * run.ranks).sum()
    }

    /// The number of nodes of the machine that the cluster is part of, or all of.
    fn machine_nodes(&self) -> u32 {
        self.allocation.as_ref().map_or(self.nodes, |allocation| allocation.of)
    }

    /// The number of places for ranks, on all nodes alike; some are empty where nodes have unequal numbers of ranks, or are
    /// not allocated.
    pub(super) fn all_places(&self) -> u32 {
        self.machine_nodes() * self.places.count
    }

    /// The place of each rank, in rising order.
    pub(super) fn places_of_ranks(&self) -> impl Iterator<Item = u32> {
        let full = if self.seating.places.is_empty() { self.ranks() } else { 0 };
        (0..full).chain(self.seating.places.iter().copied())
    }

    /// The number of nodes, also where the keys do not count them but their ranks.
    ///
    /// # Errors
    /// No level is one of nodes, or there is not a whole one.
    pub(super) fn whole_nodes(&self) -> Result<u32, String> {
        match (&self.ranks_per_node, node_level(&self.level)?) {
            (Some(_), _) | (None, None) => Ok(self.nodes),
            (None, Some(level)) => match self.nodes / self.level[level].size {
                0 => Err(format!("the cluster has {} cores, less than one node", self.nodes)),
                whole => Ok(whole),
            },
        }
    }

    /// The ranks on each of the nodes that fewer ranks take, as `map_by` places them; at most all ranks.
    pub(super) fn taken_by(&self, ranks: u32) -> Vec<u32> {
        let mut left = ranks.min(self.ranks());
        // How many ranks go to a node before the next: one where nodes have turns, else as many as it takes.
        let at_a_time = if self.map_by == Some(MapBy::Node) { 1 } else { u32::MAX };
        let mut taken = vec![0; self.nodes as usize];
        while left > 0 {
            for (taken, most) in taken.iter_mut().zip(self.ranks_on_nodes()) {
                let more = at_a_time.min(most - *taken).min(left);
                *taken += more;
                left -= more;
            }
        }
        taken.retain(|ranks| *ranks > 0);
        taken
    }

    /// Lets the levels have their sizes in places for ranks, without those that join none, and seats the ranks.
    ///
    /// # Errors
    /// Levels that are not in one another, ranks that they do not hold, and keys that several ranks on a node do not
    /// allow.
    pub(super) fn settle(&mut self, table: &Node) -> Result<(), Vec<Problem>> {
        (0..).zip(&mut self.level).for_each(|(number, level)| level.number = number);
        if self.ranks_per_node.is_none() {
            if self.map_by.is_some() {
                return Err(vec![at(table, "map_by", "`map_by` needs `ranks_per_node` beside it".to_owned())]);
            }
            self.seating = self.seat(&self.allocated);
            return check_nesting(table, &self.level);
        }
        check_nesting(table, &self.level)?;
        check_keys(table, self)?;
        let map_by = self.map_by.unwrap_or_default();
        let mapped = Mapped::of_most(&self.level, map_by, self.most_on_a_node());
        let (places, levels) = mapped.map_err(|(key, message)| vec![at(table, key, message)])?;
        self.places = places;
        self.level = levels;
        super::clusters::check_number(table, u64::from(self.machine_nodes()) * u64::from(places.count))?;
        self.seating = self.seat(&self.allocated);
        Ok(())
    }

    /// Seats the ranks where the nodes are at these places of the machine; at the first ones if none are given.
    fn seat(&self, allocated: &[u32]) -> Seating {
        Seating::new(&self.runs, self.places, self.map_by == Some(MapBy::Node), allocated)
    }

    /// Whether the speeds or the places of its nodes are drawn in each replica.
    pub(super) fn is_drawn(&self) -> bool {
        self.speed_factor.is_some() || self.is_allocation_drawn()
    }

    /// Whether it is drawn where the nodes are in the machine.
    pub(super) fn is_allocation_drawn(&self) -> bool {
        self.allocation.as_ref().is_some_and(|allocation| allocation.fragments.is_some())
    }

    /// The places of the ranks, or none if those are the first ones, where the places of nodes in the machine may be drawn.
    pub(super) fn draw_places(&self, stream: &mut impl RngExt) -> Vec<u32> {
        let drawn = self.allocation.as_ref().and_then(|allocation| allocation.draw(self.nodes, stream));
        drawn.map_or_else(|| self.seating.places.clone(), |allocated| self.seat(&allocated).places)
    }
}

/// A problem at a key of a table.
fn at(table: &Node, key: &str, message: String) -> Problem {
    Problem::at(table.get(key).map_or(&table.place, |node| &node.place), message)
}

/// What is wrong where groups do not divide those around them.
fn undivided(table: &Node, level: &LevelSpec, above: u32, counts_cores: bool) -> Vec<Problem> {
    let node = table.at(&format!("level.{}", level.number)).unwrap_or(table);
    let LevelSpec { size, domain, .. } = level;
    let counted = if counts_cores { "cores" } else { "nodes" };
    let message = format!("groups of {size} do not divide the {above} {counted} of each group of the level above");
    let help = match domain {
        Some(Domain::Node) => {
            format!(
                "with `domain`, all sizes count cores: {above} nodes of {size} are {}",
                u64::from(above) * u64::from(*size)
            )
        }
        _ => "levels go from the outermost to the innermost, and each size divides the one above".to_owned(),
    };
    vec![at(node, "size", message).with_help(help)]
}

/// Checks that each level is inside the one before it.
fn check_nesting(table: &Node, levels: &[LevelSpec]) -> Result<(), Vec<Problem>> {
    let mut around: Option<Domain> = None;
    for (index, level) in levels.iter().enumerate() {
        if let Some(above) = index.checked_sub(1).map(|above| levels[above].size)
            && !above.is_multiple_of(level.size)
        {
            return Err(undivided(table, level, above, levels.iter().any(|level| level.domain.is_some())));
        }
        let Some(domain) = level.domain else { continue };
        if let Some(around) = around.filter(|around| *around >= domain) {
            let node = table.at(&format!("level.{index}")).unwrap_or(table);
            let message = format!("a `{}` cannot be inside a `{}`", domain.name(), around.name());
            let order: Vec<&str> = Domain::ALL.iter().map(|domain| domain.name()).collect();
            let help = format!("from the outermost to the innermost: {}", order.join(", "));
            return Err(vec![at(node, "domain", message).with_help(help)]);
        }
        around = Some(domain);
    }
    Ok(())
}

/// Refuses what several ranks on a node would share.
fn check_keys(table: &Node, cluster: &ClusterSpec) -> Result<(), Vec<Problem>> {
    let most = cluster.most_on_a_node();
    if most == 1 {
        return Ok(());
    }
    if matches!(cluster.network, Parameters::Routed(_)) {
        let message = "several ranks on a node are not possible with the network `routes`".to_owned();
        return Err(vec![at(table, "ranks_per_node", message)]);
    }
    let says =
        |key: &&str| table.get(key).is_some_and(|node| !matches!(&node.value, Value::Array(all) if all.is_empty()));
    let Some(key) = SHARED.iter().copied().find(says) else { return Ok(()) };
    let message = format!("`{key}` is not possible with {most} ranks on a node, which would share it");
    let help = "leave `ranks_per_node` out, let `nodes` be all ranks and `level` their groups, and say it of each rank";
    Err(vec![at(table, key, message).with_help(help)])
}

/// Ranks that are mapped to a node, to each group of it as many as to any other.
struct Mapped<'a> {
    levels: &'a [LevelSpec],
    /// The level whose groups are the nodes, and that of the parts of a node to which ranks go in turn.
    node: Option<usize>,
    by: usize,
    /// How many of these parts have ranks, and how many ranks are on the node.
    parts: u32,
    ranks: u32,
}

/// Groups of ranks that a level joins.
struct Joined {
    /// The number of the level.
    level: usize,
    /// The ranks of each group.
    size: u32,
    /// The outermost level for which this one stands: what the groups of that share, these share.
    shares: usize,
}

impl<'a> Mapped<'a> {
    /// The places of so many ranks on a node, or of some more where these would not fill its groups and cards evenly; and
    /// the levels that join them, outermost first.
    ///
    /// # Errors
    /// The key that asks for what is not there, and why.
    fn of_most(
        levels: &'a [LevelSpec],
        map_by: MapBy,
        ranks: u32,
    ) -> Result<(Places, Vec<LevelSpec>), (&'static str, String)> {
        let of = |ranks: u32| {
            let mapped = Self::new(levels, map_by, ranks)?;
            let levels = mapped.groups().and_then(|groups| groups.iter().map(|group| mapped.level(group)).collect());
            Ok((mapped.places(), levels.map_err(|message| ("ranks_per_node", message))?))
        };
        let node = node_level(levels).ok().flatten().map(|node| &levels[node]);
        let more = node.and_then(|node| match node.domain {
            Some(_) => Some(ranks..=node.size.min(MOST_TRIED)),
            None => ranks.checked_next_multiple_of(node.cards).map(|all| all..=all),
        });
        of(ranks).or_else(|why: (&'static str, String)| match more {
            Some(mut more) if why.0 == "ranks_per_node" => more.find_map(|more| of(more).ok()).ok_or(why),
            _ => Err(why),
        })
    }

    fn places(&self) -> Places {
        let cores = |level: usize| self.levels[level].size;
        Places {
            count: self.ranks,
            parts: self.parts,
            cores_of_part: self.node.map_or(1, |_| cores(self.by)),
            cores_of_socket: level_of(self.levels, Domain::Socket).map(cores),
        }
    }

    /// # Errors
    /// The key that asks for what is not there, and why.
    fn new(levels: &'a [LevelSpec], map_by: MapBy, ranks: u32) -> Result<Self, (&'static str, String)> {
        let node = node_level(levels).map_err(|message| ("level", message))?;
        let domain = match map_by {
            MapBy::Core | MapBy::Node => None,
            MapBy::L3 => Some(Domain::L3),
            MapBy::Numa => Some(Domain::Numa),
            MapBy::Socket => Some(Domain::Socket),
        };
        let Some(node) = node else {
            return match domain {
                _ if ranks > 1 => {
                    Err(("ranks_per_node", format!("the platform has no `level` for {ranks} ranks on a node")))
                }
                Some(domain) => Err(("map_by", unmapped(domain))),
                None => Ok(Self { levels, node: None, by: 0, parts: 1, ranks }),
            };
        };
        let cores = levels[node].size;
        if levels[node].domain.is_some() && cores < ranks {
            let plural = if cores == 1 { "" } else { "s" };
            return Err(("ranks_per_node", format!("{ranks} ranks do not fit on a node of {cores} core{plural}")));
        }
        let Some(domain) = domain else { return Ok(Self { levels, node: Some(node), by: node, parts: 1, ranks }) };
        let by = level_of(levels, domain).ok_or_else(|| ("map_by", unmapped(domain)))?;
        let parts = ranks.min(cores / levels[by].size);
        if !ranks.is_multiple_of(parts) {
            let message = format!("{ranks} ranks do not go to the {parts} groups `{}` of a node evenly", domain.name());
            return Err(("ranks_per_node", message));
        }
        Ok(Self { levels, node: Some(node), by, parts, ranks })
    }

    /// The levels that join ranks, outermost first.
    ///
    /// # Errors
    /// Why ranks do not fill the groups of a node evenly.
    fn groups(&self) -> Result<Vec<Joined>, String> {
        let Some(node) = self.node else { return Ok(Vec::new()) };
        let around = |level: usize| {
            let size = (self.levels[level].size / self.levels[node].size).checked_mul(self.ranks);
            let size = size.ok_or_else(|| format!("groups of {} are too large", self.levels[level].size))?;
            Ok(Joined { level, size, shares: level })
        };
        let mut groups: Vec<Joined> = (0..node).map(around).collect::<Result<_, String>>()?;
        let of_part = self.ranks / self.parts;
        let parts = self.filled(node..self.by + 1, self.levels[self.by].size, self.parts)?;
        groups.extend(parts.into_iter().map(|parts| Joined { size: parts.size * of_part, ..parts }));
        groups.extend(self.filled(self.by..self.levels.len(), 1, of_part)?);
        Ok(groups)
    }

    /// The keys of a level for the ranks that it joins.
    ///
    /// # Errors
    /// Why ranks do not fill its cards evenly.
    fn level(&self, joined: &Joined) -> Result<LevelSpec, String> {
        let Joined { level, size, shares } = *joined;
        let for_which = &self.levels[shares..=level];
        let cards = match self.node {
            Some(node) if shares >= node => self.cards(&self.levels[shares], size)?,
            _ => self.levels[level].cards,
        };
        Ok(LevelSpec {
            size,
            cards,
            memory_bandwidth: for_which.iter().rev().find_map(|level| level.memory_bandwidth),
            allocate_bandwidth: for_which.iter().rev().find_map(|level| level.allocate_bandwidth),
            ..self.levels[level].clone()
        })
    }

    /// The cards of a level of nodes or their parts that have ranks: each serves consecutive cores. Where levels do not
    /// count cores, all have as many ranks.
    fn cards(&self, level: &LevelSpec, ranks: u32) -> Result<u32, String> {
        let on_each = if level.domain.is_none() {
            Some((ranks / level.cards).max(1))
                .filter(|on_each| ranks.is_multiple_of(*on_each) && ranks / on_each <= level.cards)
        } else {
            let (of_part, cores) = (self.ranks / self.parts, self.levels[self.by].size);
            let core = |rank: u32| rank / of_part * cores + rank % of_part;
            let on_card = (level.size / level.cards).max(1);
            let mut served: BTreeMap<u32, u32> = BTreeMap::new();
            (0..self.ranks).for_each(|rank| *served.entry(core(rank) / on_card).or_default() += 1);
            served.values().next().copied().filter(|first| served.values().all(|ranks| ranks == first))
        };
        let unfilled = || format!("{} ranks on a node do not fill its {} cards evenly", self.ranks, level.cards);
        on_each.map(|on_each| (ranks / on_each).max(1)).ok_or_else(unfilled)
    }

    /// The levels among some that join things of so many cores each, which fill the first of these levels in order: the
    /// innermost that holds all of them, and those inside it.
    fn filled(&self, levels: std::ops::Range<usize>, cores: u32, things: u32) -> Result<Vec<Joined>, String> {
        if things == 1 {
            return Ok(Vec::new());
        }
        let holds = |number: usize| self.levels[number].size / cores;
        let whole = levels.clone().rev().find(|&number| holds(number) >= things).unwrap_or(levels.start);
        let mut groups = vec![Joined { level: whole, size: things, shares: levels.start }];
        for number in (whole + 1..levels.end).filter(|&number| holds(number) > 1) {
            if !things.is_multiple_of(holds(number)) {
                let (ranks, size) = (self.ranks, self.levels[number].size);
                return Err(format!("{ranks} ranks on a node do not fill its groups of {size} cores"));
            }
            groups.push(Joined { level: number, size: holds(number), shares: number });
        }
        Ok(groups)
    }
}

/// The level whose groups are nodes, if there is one.
fn node_level(levels: &[LevelSpec]) -> Result<Option<usize>, String> {
    if levels.iter().all(|level| level.domain.is_none()) {
        // The ranks of a node are the innermost level, whatever its size.
        return Ok(levels.len().checked_sub(1));
    }
    let node = level_of(levels, Domain::Node);
    node.map(Some).ok_or_else(|| "a `level` has a `domain`, and none has the domain `node`".to_owned())
}

fn level_of(levels: &[LevelSpec], domain: Domain) -> Option<usize> {
    levels.iter().position(|level| level.domain == Some(domain))
}

fn unmapped(domain: Domain) -> String {
    format!("no `level` has the `domain` \"{}\"", domain.name())
}
