//! `hetsim partition`: finds logical clusters in measured latencies.

use std::fmt::Write as _;

use super::Failure;
use super::arguments::Partition as Arguments;
use super::bad_input;
use super::console::Console;
use super::out::results_folder;
use crate::batch::write::write_atomically;
use crate::partition::{Latencies, Method, Partition, Quality, Rule, read};
use crate::printable::counted;
use crate::report::chart::{Axis, Cells, Heatmap, Kind, Scale};
use crate::report::folder::create;
use crate::report::text::humane;
use crate::scenario::Source;
use crate::units::Quantity;

/// The maximum number of cells per side of the picture; of more machines several share a cell.
const CELLS: usize = 120;

pub(super) fn partition(console: &Console, arguments: &Arguments) -> Result<(), Failure> {
    let rule = rule(arguments)?;
    let stem =
        arguments.file.file_stem().map_or_else(|| "latencies".into(), |stem| stem.to_string_lossy().into_owned());
    let (name, former) = (format!("partition-{stem}"), format!("{stem}-clusters.csv"));
    let folder = |out| results_folder(console, out, &name, "clusters.csv", Some(&former));
    let folder = arguments.out.as_deref().map(folder).transpose()?;
    let source = Source::read(&arguments.file).map_err(bad_input)?;
    let latencies = read(&source.text, arguments.unit)
        .map_err(|error| bad_input(format!("{}, {error}", arguments.file.display())))?;
    if latencies.repeated > 0 {
        console.say(&format!("note: lines that repeat a pair: {}; the mean of a pair counts", latencies.repeated));
    }
    let partition = Partition::of(&latencies.pairs, rule);
    let quality = Quality::of(&partition, &latencies.pairs, rule.bound);
    let words = described(&latencies, &partition, &quality);
    let Some(folder) = folder else { return console.print(&words) };
    create(&folder)?;
    let mut rows = csv::Writer::from_writer(Vec::new());
    let failed = |error: &dyn std::fmt::Display| Failure::Run(format!("the table cannot be written: {error}"));
    rows.write_record(["machine", "cluster"]).map_err(|error| failed(&error))?;
    for (name, cluster) in latencies.names.iter().zip(partition.cluster_of()) {
        rows.write_record([name, &cluster.to_string()]).map_err(|error| failed(&error))?;
    }
    let rows = rows.into_inner().map_err(|error| failed(&error))?;
    let svg = picture(&latencies, &partition).svg();
    for (name, content) in [("clusters.csv", rows), ("matrix.svg", svg.into_bytes())] {
        let path = folder.join(name);
        write_atomically(&path, |writer| writer.write_all(&content))
            .map_err(|error| Failure::Run(error.to_string()))?;
        console.say(&format!("wrote {}", path.display()));
    }
    console.print(&words)
}

/// The rule that the command line requests.
fn rule(arguments: &Arguments) -> Result<Rule, Failure> {
    let bound = arguments.bound;
    if !(bound >= 1.0 && bound.is_finite()) {
        return Err(bad_input(format!("--bound {bound}: it must be 1 or more")));
    }
    let method = arguments.method;
    let threshold = match (method, arguments.threshold) {
        (Method::Lowekamp, None) => f64::INFINITY,
        (Method::Lowekamp, Some(_)) => {
            return Err(bad_input("lowekamp has no --threshold: its --bound is relative"));
        }
        (_, Some(threshold)) => threshold.base(),
        (_, None) => return Err(bad_input(format!("{method} needs a --threshold, such as 1ms"))),
    };
    Ok(Rule { method, bound, threshold })
}

fn machines_in_clusters(machines: usize, clusters: usize) -> String {
    format!("{} in {}", counted(machines, "machine"), counted(clusters, "cluster"))
}

/// Describes the clusters, one per line.
fn described(latencies: &Latencies, partition: &Partition, quality: &[Quality]) -> String {
    let mut text = format!("{}: {}\n\n", machines_in_clusters(latencies.names.len(), quality.len()), partition.sizes());
    let _ = writeln!(text, "cluster  machines  least       mean        greatest    spread  first machine, outliers");
    let time = |seconds: Option<f64>| seconds.map_or_else(|| "-".to_owned(), |seconds| humane("latency_s", seconds));
    for ((members, quality), number) in partition.clusters().iter().zip(quality).zip(0..) {
        let spread = quality.spread().map_or_else(|| "-".to_owned(), |spread| format!("{spread:.3}"));
        let first = members.first().map_or("", |first| latencies.names[*first as usize].as_str());
        let _ = write!(
            text,
            "{number:>7}  {:>8}  {:<10}  {:<10}  {:<10}  {spread:<6}  {first}",
            quality.machines,
            time(quality.least),
            time(quality.mean),
            time(quality.greatest),
        );
        if !quality.outliers.is_empty() {
            let names: Vec<&str> = quality.outliers.iter().map(|one| latencies.names[*one as usize].as_str()).collect();
            let _ = write!(text, "; outliers: {}", names.join(" "));
        }
        text.push('\n');
    }
    text
}

/// The matrix with the machines of a cluster next to each other. Of very many machines several share a cell, with their
/// mean.
fn picture(latencies: &Latencies, partition: &Partition) -> Heatmap {
    let order = partition.order();
    let share = order.len().div_ceil(CELLS).max(1);
    let mut place = vec![0; order.len()];
    for (&machine, number) in order.iter().zip(0..) {
        place[machine as usize] = number / share;
    }
    let size = order.len().div_ceil(share);
    let mut sums = vec![vec![(0.0, 0u32); size]; size];
    for pair in latencies.pairs.all() {
        let (a, b) = (place[pair.a as usize], place[pair.b as usize]);
        for (row, column) in [(a, b), (b, a)] {
            let (sum, count) = &mut sums[row][column];
            (*sum, *count) = (*sum + pair.latency, *count + 1);
        }
    }
    let cell = |&(sum, count): &(f64, u32)| (count > 0).then(|| sum / f64::from(count));
    let names: Vec<String> =
        order.iter().step_by(share).map(|&machine| latencies.names[machine as usize].clone()).collect();
    Heatmap {
        title: "Latencies, machines ordered by logical cluster".to_owned(),
        subtitle: Some(format!(
            "{}: {}",
            machines_in_clusters(order.len(), partition.clusters().len()),
            partition.sizes()
        )),
        x_label: "machine".to_owned(),
        y_label: "machine".to_owned(),
        columns: names.clone(),
        rows: names,
        cells: Cells::Numbers {
            axis: Axis { label: "latency".to_owned(), scale: Scale::Log, kind: Kind::Seconds },
            values: sums.iter().map(|row| row.iter().map(cell).collect()).collect(),
        },
        borders: Vec::new(),
        frames: Vec::new(),
    }
}
