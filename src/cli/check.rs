//! `hetsim check`: shows what a scenario would run.

use std::fmt::Write;
use std::ops::Range;

use super::Failure;
use super::arguments::Input;
use super::console::Console;
use super::terminal::{text_table, wrapped};
use crate::cluster::{NodeId, Platform};
use crate::report::Reported as _;
use crate::report::chart::Kind;
use crate::report::text::TextTable;
use crate::scenario::{self, Axis, AxisValue, PlatformPlan, Replicas, Scenario, UntilSpec};
use crate::statistics::Confidence;
use crate::units::Time;
use crate::workload::Demand;

pub(super) fn check(console: &Console, input: &Input) -> Result<(), Failure> {
    let scenario = Scenario::load(&input.scenario, &input.all_overrides())?;
    let text = description(&scenario).map_err(Failure::Run)?;
    console.print(&format!("{} is valid.\n\n{text}", input.scenario.display()))
}

/// What a scenario would run, as text: its platform, what varies, how many runs there are, and what schedules predict.
///
/// # Errors
/// A schedule cannot be made or is wrong; the message says why.
pub fn description(scenario: &Scenario) -> Result<String, String> {
    let mut text = String::new();
    if let Some(question) = &scenario.file.question {
        let _ = writeln!(text, "{}", wrapped(&format!("Question: {question}"), 0, 0));
    }
    if scenario.file.study.is_some() {
        let scenario::Kind { name, about, .. } = scenario.kind();
        let _ = writeln!(text, "{}", wrapped(&format!("Study `{name}`: {about}"), 0, 0));
    }
    if let Some(plan) = scenario.first_plan() {
        let platform = plan.platform();
        text.push_str(&text_table(&platform_table(plan)));
        if platform.is_nested() {
            text.push_str(&text_table(&levels_table(plan)));
        }
        if (2..=MOST_CLUSTERS).contains(&platform.clusters().len()) {
            text.push_str(&text_table(&links_table(platform)));
        }
    }
    if !scenario.axes.is_empty() {
        let columns = ["swept key", "values", "from", "to"].map(str::to_owned).to_vec();
        let row = |(number, axis): (usize, &Axis)| {
            let label = |value: Option<&AxisValue>| value.map(|v| v.shown.clone()).unwrap_or_default();
            let (first, last) = ends(axis, scenario.design.as_ref().is_some_and(|design| design.moves(number)));
            vec![axis.key.clone(), axis.values.len().to_string(), label(first), label(last)]
        };
        // The point numbers of a design are not informative.
        let point = scenario.design.as_ref().map(|design| design.point);
        let axes = scenario.axes.iter().enumerate().filter(|(number, _)| Some(*number) != point);
        let rows = axes.map(row).collect();
        text.push_str(&text_table(&TextTable { title: String::new(), columns, rows, ..TextTable::default() }));
    }
    if let Some(design) = &scenario.design {
        let _ = writeln!(text, "Design {}", design.words());
    }
    let _ = writeln!(text, "{}", wrapped(&amount(scenario), 0, 0).trim_end());
    text.push_str(&demand(scenario)?);
    text.push_str(&predictions(scenario)?);
    for warning in scenario.warnings() {
        let _ = writeln!(text, "{}", wrapped(&format!("Warning: {warning}"), 0, 0).trim_end());
    }
    Ok(text)
}

/// The number of runs in words.
fn amount(scenario: &Scenario) -> String {
    let (points, replicas, runs) = (scenario.points.len(), &scenario.file.replicas, scenario.runs());
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let (fewest, most) = (replicas.fewest() as usize, replicas.most() as usize);
    match replicas {
        Replicas::Fixed(_) => {
            let (of_points, of_replicas) = (plural(points), plural(most));
            format!("{points} point{of_points} × {most} replica{of_replicas} = {runs} run{}", plural(runs))
        }
        Replicas::Until(UntilSpec { until, .. }) => format!(
            "{points} point{} × {fewest} to {most} replicas = {} to {runs} runs, until the mean of {} is known to {} ({} % \
             interval)",
            plural(points),
            points * fewest,
            until.metric,
            until.shown(),
            Confidence::new(until.confidence).map(Confidence::percent).unwrap_or_default()
        ),
    }
}

/// The ends of a swept key's values: the first and the last, or the least and the greatest of a design.
fn ends(axis: &Axis, designed: bool) -> (Option<&AxisValue>, Option<&AxisValue>) {
    if designed && axis.is_numeric() {
        let number = |value: &&AxisValue| value.cell.number().unwrap_or(f64::NAN);
        let by_number = |a: &&AxisValue, b: &&AxisValue| number(a).total_cmp(&number(b));
        return (axis.values.iter().min_by(by_number), axis.values.iter().max_by(by_number));
    }
    (axis.values.first(), axis.values.last())
}

/// The work of a run, the ideal time and about how many events there are, over the first points; nothing of what is not
/// known beforehand.
fn demand(scenario: &Scenario) -> Result<String, String> {
    let (mut demands, mut events) = (Vec::new(), Vec::new());
    for point in 0..scenario.points.len().min(MOST_SCHEDULES) {
        demands.extend(scenario.demand(point, 0)?);
        events.extend(scenario.expected_events(point));
    }
    let ends = |values: Vec<f64>, kind: Kind| {
        range(least_and_greatest(values.into_iter(), 0.0).map(|value| kind.format(value)).to_vec())
    };
    let of = |what: fn(&Demand) -> f64| demands.iter().map(what).collect::<Vec<_>>();
    let mut text = String::new();
    if !demands.is_empty() {
        let work = ends(of(|demand| demand.operations), Kind::Number);
        let speed = ends(of(|demand| demand.speed), Kind::Number);
        let ideal = ends(of(|demand| demand.ideal_s()), Kind::Seconds);
        let line = format!("Work of a run: {work} op; ideal time: {ideal} (all cores together: {speed} op/s)");
        text.push_str(&wrapped(&line, 0, 2));
    }
    if !events.is_empty() {
        let _ = writeln!(text, "Events of a run: about {}", ends(events, Kind::Number));
    }
    Ok(text)
}

/// The maximum number of points whose schedules are checked.
const MOST_SCHEDULES: usize = 100;

/// The predictions of task-graph schedules, all of them checked, for the first replica at each point.
fn predictions(scenario: &Scenario) -> Result<String, String> {
    let mut predictions = Vec::new();
    for point in 0..scenario.points.len().min(MOST_SCHEDULES) {
        predictions.extend(scenario.predicted(point, 0)?.map(|predicted| (point, predicted.predicted_s)));
    }
    let longest = predictions.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let shortest = predictions.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    let (Some(shortest), Some(longest)) = (shortest, longest) else { return Ok(String::new()) };
    let seconds = |(_, makespan): (usize, f64)| Kind::Seconds.format(makespan);
    let place = |(point, _): (usize, f64)| {
        let place = scenario.place(point, &[]);
        if place.is_empty() { place } else { format!(" ({place})") }
    };
    let count = predictions.len();
    Ok(if count == 1 {
        format!("The schedule is valid; it predicts a makespan of {}{}\n", seconds(shortest), place(shortest))
    } else {
        format!(
            "{count} schedules are valid; they predict makespans from {}{} to {}{}\n",
            seconds(shortest),
            place(shortest),
            seconds(longest),
            place(longest)
        )
    })
}

/// The maximum number of clusters whose pairs are all shown.
const MOST_CLUSTERS: usize = 8;

/// Formats a duration; a network without a time for the message says so.
fn length(platform: &Platform, time: Time) -> String {
    if time == Time::NEVER { "none".to_owned() } else { Kind::Seconds.format(platform.tick().seconds(time)) }
}

/// The time of one byte between any two clusters of the first point's platform.
fn links_table(platform: &Platform) -> TextTable {
    let first = |group: usize| NodeId(platform.members(group).start);
    let cell = |from: usize, to: usize| {
        let hop = platform.transfer(first(from), first(to), 1).hop();
        if from == to { String::new() } else { length(platform, hop) }
    };
    let names = || platform.clusters().iter().map(|group| group.name.clone());
    let count = platform.clusters().len();
    let row = |(from, name): (usize, String)| {
        std::iter::once(name).chain((0..count).map(move |to| cell(from, to))).collect::<Vec<_>>()
    };
    let columns = std::iter::once("from \\ to".to_owned()).chain(names()).collect();
    TextTable {
        title: "1 B between the clusters".to_owned(),
        columns,
        rows: names().enumerate().map(row).collect(),
        ..TextTable::default()
    }
}

/// The levels inside the clusters of the first point's platform, outermost first, with the cost of a message in each.
fn levels_table(plan: &PlatformPlan) -> TextTable {
    let platform = plan.platform();
    let mut rows = Vec::new();
    for (number, group) in platform.clusters().iter().enumerate() {
        for (level, (_, link)) in platform.levels(number).enumerate() {
            let ends = if link.model.is_flow() { ends_of_level(platform, number, level) } else { None };
            let transfer = |bytes| {
                ends.map_or_else(|| link.model.transfer(bytes), |(from, to)| platform.transfer(from, to, bytes))
            };
            let cost = |bytes| length(platform, transfer(bytes).hop());
            let sizes = || platform.groups_among(number, level, platform.members(number)).map(|nodes| nodes.len());
            let size = range(least_and_greatest(sizes(), 0).map(|size| size.to_string()).to_vec());
            let (level, groups) = ((level + 1).to_string(), sizes().count().to_string());
            rows.push(vec![group.name.clone(), level, groups, size, cost(1), cost(1 << 20)]);
        }
    }
    let of_each = if has_full_nodes(plan) { "ranks of each" } else { "nodes of each" };
    let columns = ["cluster", "level", "groups", of_each, "1 B inside", "1 MiB inside"].map(str::to_owned);
    TextTable {
        title: "Levels inside the clusters".to_owned(),
        columns: columns.to_vec(),
        rows,
        ..TextTable::default()
    }
}

/// Two nodes of a cluster that meet in a level, and in none within it; nothing where groups have a single part.
fn ends_of_level(platform: &Platform, cluster: usize, level: usize) -> Option<(NodeId, NodeId)> {
    let within = |group: &Range<u32>| {
        platform.groups_among(cluster, level + 1, group.clone()).next().map_or(group.start + 1, |part| part.end)
    };
    let ends =
        |group: Range<u32>| Some(within(&group)).filter(|next| *next < group.end).map(|next| (group.start, next));
    let (from, to) = platform.groups_among(cluster, level, platform.members(cluster)).find_map(ends)?;
    Some((NodeId(from), NodeId(to)))
}

/// The least and the greatest of a cluster's numbers, a number a node; those of no node are `without`.
fn least_and_greatest<T: PartialOrd + Copy>(numbers: impl Iterator<Item = T>, without: T) -> [T; 2] {
    let wider = |[least, most]: [T; 2], [number, _]: [T; 2]| {
        [if number < least { number } else { least }, if number > most { number } else { most }]
    };
    numbers.map(|number| [number, number]).reduce(wider).unwrap_or([without, without])
}

/// Both ends of a range in words; one if they are the same.
fn range(mut ends: Vec<String>) -> String {
    ends.dedup();
    ends.join(" to ")
}

/// Whether several ranks are on a node: each of them is a node of the simulated platform.
fn has_full_nodes(plan: &PlatformPlan) -> bool {
    (0..plan.platform().clusters().len()).any(|cluster| plan.ranks_per_node(cluster).any(|ranks| ranks > 1))
}

/// The clusters of the first point's platform, with the cost of a message inside each.
fn platform_table(plan: &PlatformPlan) -> TextTable {
    let (platform, is_full) = (plan.platform(), has_full_nodes(plan));
    let nodes_of = |number: usize| plan.ranks_per_node(number).count();
    let row = |(number, group): (usize, &crate::cluster::Cluster)| {
        let mut members = platform.members(number).map(NodeId);
        let first = members.next().unwrap_or(NodeId(0));
        // With levels: between nodes that share none of them.
        let own = &platform.connection(number, number).model;
        // In a topology: between the first node and the last.
        let ends = members.clone().next_back().map(|last| (first, last));
        let transfer = |from, to, bytes| {
            if own.is_flow() { platform.transfer(from, to, bytes) } else { own.transfer(bytes) }
        };
        let cost = |bytes| ends.map(|(from, to)| length(platform, transfer(from, to, bytes).hop()));
        let nodes = || platform.members(number).map(NodeId);
        let cores = least_and_greatest(nodes().map(|node| platform.cores(node)), group.cores);
        let speeds =
            least_and_greatest(nodes().map(|node| platform.speed_per_second(node)), platform.speed_per_second(first));
        let mut cells = vec![
            group.name.clone(),
            match plan.machine_of(number) {
                Some((of, _)) => format!("{} of {of}", nodes_of(number)),
                None => nodes_of(number).to_string(),
            },
            range(cores.iter().map(ToString::to_string).collect()),
            format!("{} op/s", range(Kind::Number.format_apart(&speeds))),
            cost(1).unwrap_or_default(),
            cost(1 << 20).unwrap_or_default(),
        ];
        if is_full {
            cells.insert(2, group.nodes.to_string());
        }
        cells
    };
    let mut columns = ["cluster", "nodes", "cores", "speed", "1 B inside", "1 MiB inside"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = platform.clusters().iter().enumerate().map(row).collect();
    let mut title = format!("Platform: {} nodes", (0..rows.len()).map(nodes_of).sum::<usize>());
    if is_full {
        columns.insert(2, "ranks".to_owned());
        let _ = write!(title, " with {} ranks", platform.nodes());
    }
    let _ = write!(title, " in {} cluster{}", rows.len(), if rows.len() == 1 { "" } else { "s" });
    let is_drawn = |number: usize| plan.machine_of(number).is_some_and(|(_, fragments)| fragments.is_some());
    let notes = if (0..rows.len()).any(is_drawn) { vec![DRAWN_PLACES.to_owned()] } else { Vec::new() };
    TextTable { title, columns, rows, notes, ..TextTable::default() }
}

/// What is said of a cluster whose places in a machine are drawn.
const DRAWN_PLACES: &str = "Each replica draws which nodes of the machine these are; what is shown is one draw.";
