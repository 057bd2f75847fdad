//! `[platform.kernel.NAME]`: what calls of a routine take, and the processors that differ.

use std::collections::BTreeMap;

use rand_distr::{Distribution, LogNormal};

use super::Context;
use super::spec::{ClusterSpec, KernelSpec};
use crate::csv;
use crate::file_name::resolve_file;
use hetsim_base::engine::Streams;
use hetsim_cluster::{CallSize, Kernel, KernelTime};
use hetsim_formula::{Expression, Node as FormulaNode, ParseError, PointFormula, parse, simplify};
use hetsim_text::{Node, Place, Problem, suggest};

/// A kernel whose drift is still to be drawn.
#[derive(Debug, Clone)]
pub(super) struct KernelPlan {
    kernel: Kernel,
    drift: f64,
    /// By node, the number of its processor.
    processors: Vec<u32>,
}

impl KernelPlan {
    /// Whether it differs from run to run.
    pub(super) fn is_drawn(&self) -> bool {
        self.drift > 0.0
    }

    /// The kernel of a run.
    pub(super) fn draw(&self, streams: &Streams) -> Kernel {
        let Some(drift) = LogNormal::from_mean_cv(1.0, self.drift).ok().filter(|_| self.is_drawn()) else {
            return self.kernel.clone();
        };
        let purpose = format!("kernel {}", self.kernel.name());
        let factor = |&processor: &u32| drift.sample(&mut streams.stream(&purpose, u64::from(processor)));
        self.kernel.clone().with_factors(self.processors.iter().map(factor).collect())
    }
}

/// Where a node stands: on which node of the platform, as users count them, and on which of its processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Seat {
    node: u32,
    cpu: u32,
}

/// A processor of the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KernelSeat {
    seat: Seat,
    /// The number of its cluster.
    cluster: usize,
}

/// The processors of all nodes of hetsim, each of which is a rank where several are on a node.
fn processors_of(clusters: &[ClusterSpec]) -> Vec<KernelSeat> {
    let mut processors = Vec::new();
    let mut first = 0;
    for (number, cluster) in clusters.iter().enumerate() {
        let places = cluster.places;
        let nodes = (first..).zip(cluster.ranks_on_nodes());
        let nodes = nodes.flat_map(|(node, ranks)| std::iter::repeat_n(node, ranks as usize));
        let seats = nodes.zip(cluster.places_of_ranks());
        let seats = seats.map(|(node, place)| Seat { node, cpu: places.socket(place % places.count) });
        processors.extend(seats.map(|seat| KernelSeat { seat, cluster: number }));
        first += cluster.nodes;
    }
    processors
}

/// Reads the kernels of a platform.
///
/// # Errors
/// A formula that is none, a file that cannot be read, a node or a coefficient without a value.
pub(super) fn read_kernels(
    table: &Node,
    specs: &BTreeMap<String, KernelSpec>,
    names: &[&str],
    clusters: &[ClusterSpec],
    context: &Context<'_>,
) -> Result<Vec<KernelPlan>, Vec<Problem>> {
    if specs.is_empty() {
        return Ok(Vec::new());
    }
    let of_nodes = processors_of(clusters);
    let mut processors = of_nodes.clone();
    processors.dedup();
    let place_of = |of: &KernelSeat| processors.partition_point(|other| other.seat < of.seat) as u32;
    let numbers: Vec<u32> = of_nodes.iter().map(place_of).collect();
    let read = |(name, spec): (&String, &KernelSpec)| {
        let at = table.get("kernel").and_then(|kernels| kernels.get(name)).unwrap_or(table);
        let reader = KernelReader { at, spec, names, context };
        let (times, of_processor) = reader.times(&processors)?;
        let of_node = if of_processor.is_empty() {
            Vec::new()
        } else {
            numbers.iter().map(|&processor| of_processor[processor as usize]).collect()
        };
        let kernel = Kernel::new(name.clone(), times, of_node, spec.noise.into());
        let kernel = kernel.ok_or_else(|| Problem::at(&at.place, "no node has this kernel"))?;
        Ok(KernelPlan { kernel, drift: spec.drift, processors: numbers.clone() })
    };
    let read = |entry| read(entry).map_err(|problem: Problem| vec![problem]);
    specs.iter().map(read).collect()
}

/// The reading of one kernel.
struct KernelReader<'a> {
    at: &'a Node,
    spec: &'a KernelSpec,
    /// The names of the clusters.
    names: &'a [&'a str],
    context: &'a Context<'a>,
}

/// The coefficients of a seat, added up over its rows.
#[derive(Debug, Clone, Default)]
struct Sum {
    rows: f64,
    values: Vec<f64>,
}

impl KernelReader<'_> {
    fn place(&self, key: &str) -> &Place {
        self.at.get(key).map_or(&self.at.place, |node| &node.place)
    }

    /// The times that differ, and by processor the number of its time; none where all have the same.
    fn times(&self, processors: &[KernelSeat]) -> Result<(Vec<KernelTime>, Vec<u32>), Problem> {
        self.check_clusters()?;
        let Some(file) = &self.spec.file else {
            for key in ["rows", "nodes"] {
                if self.at.get(key).is_some() {
                    return Err(Problem::at(self.place(key), format!("`{key}` needs `file` beside it")));
                }
            }
            if self.spec.cluster.is_empty() {
                return Ok((vec![self.time(&[], &[], 0)?], Vec::new()));
            }
            let times = (0..self.names.len()).map(|cluster| self.time(&[], &[], cluster));
            let of_processor = processors.iter().map(|processor| processor.cluster as u32).collect();
            return Ok((times.collect::<Result<_, _>>()?, of_processor));
        };
        let (columns, sums) = self.read_file(file)?;
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        let numbers = self.node_numbers(&sums, processors)?;
        let mut times = Vec::with_capacity(processors.len());
        for KernelSeat { seat, cluster } in processors {
            let number = numbers[seat.node as usize];
            // A file without processors has the same for all of a node.
            let found = [seat.cpu, ANY_CPU].into_iter().find_map(|cpu| sums.get(&Seat { node: number, cpu }));
            let Some(Sum { rows, values }) = found else {
                let what = format!("{file} has no row for node {number}, processor {}", seat.cpu);
                return Err(Problem::at(self.place("file"), what));
            };
            let means: Vec<f64> = values.iter().map(|value| value / rows).collect();
            times.push(self.time(&names, &means, *cluster)?);
        }
        let of_processor = (0..times.len() as u32).collect();
        Ok((times, of_processor))
    }

    /// The numbers in the file of the platform's nodes.
    fn node_numbers(&self, sums: &BTreeMap<Seat, Sum>, processors: &[KernelSeat]) -> Result<Vec<u32>, Problem> {
        let count = processors.last().map_or(0, |processor| processor.seat.node as usize + 1);
        if let Some(nodes) = &self.spec.nodes {
            if nodes.len() == count {
                return Ok(nodes.clone());
            }
            let message = format!("the platform has {count} nodes, and these are {}", nodes.len());
            return Err(Problem::at(self.place("nodes"), message));
        }
        let mut all: Vec<u32> = sums.keys().map(|seat| seat.node).collect();
        all.dedup();
        if all.len() == count {
            return Ok(all);
        }
        let message = format!("the platform has {count} nodes, and this file has rows for {}", all.len());
        let help = "`nodes` says which nodes of the file are those of the platform";
        Err(Problem::at(self.place("file"), message).with_help(help))
    }

    /// The columns of the file that hold coefficients, and their sums by node and processor.
    fn read_file(&self, file: &str) -> Result<(Vec<String>, BTreeMap<Seat, Sum>), Problem> {
        let named = self.at.get("file").unwrap_or(self.at);
        let path = resolve_file(self.context.sources, named, file);
        let records = csv::records(&path, named)?;
        let fault = |what: String| Problem::at(&named.place, format!("{}{what}", path.display()));
        let Some(((_, header), rows)) = records.split_first() else { return Err(fault(" is empty".to_owned())) };
        let titles: Vec<&str> = header.iter().collect();
        let column = |title: &str| titles.iter().position(|other| *other == title);
        let node = column("node").ok_or_else(|| fault(" has no column `node`".to_owned()))?;
        let cpu = column("cpu");
        for title in self.spec.rows.keys() {
            if column(title).is_none() {
                let problem = Problem::at(self.place("rows"), format!("{} has no column `{title}`", path.display()));
                return Err(problem.with_help(suggest(title, &titles)));
            }
        }
        let wanted: Vec<usize> = (0..titles.len()).filter(|&place| self.names(titles[place])).collect();
        let mut sums: BTreeMap<Seat, Sum> = BTreeMap::new();
        for (line, row) in rows {
            let is_kept = |(title, text): (&String, &String)| {
                column(title).and_then(|place| row.get(place)) == Some(text.as_str())
            };
            if !self.spec.rows.iter().all(is_kept) {
                continue;
            }
            let number = |place: usize| {
                let cell = row.get(place).unwrap_or_default();
                let message = || fault(format!(", line {line}: `{cell}` is no {}", titles[place]));
                cell.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(message)
            };
            let whole = |place: usize| {
                let value = number(place)?;
                let message = || fault(format!(", line {line}: {value} is no number of a {}", titles[place]));
                (value.fract() == 0.0 && (0.0..1e9).contains(&value)).then_some(value as u32).ok_or_else(message)
            };
            let seat = Seat { node: whole(node)?, cpu: cpu.map_or(Ok(ANY_CPU), whole)? };
            let sum = sums.entry(seat).or_insert_with(|| Sum { rows: 0.0, values: vec![0.0; wanted.len()] });
            sum.rows += 1.0;
            for (value, &place) in sum.values.iter_mut().zip(&wanted) {
                *value += number(place)?;
            }
        }
        if sums.is_empty() {
            return Err(Problem::at(self.place("rows"), format!("no row of {} has these", path.display())));
        }
        Ok((wanted.into_iter().map(|place| titles[place].to_owned()).collect(), sums))
    }

    /// Whether a formula names a value.
    fn names(&self, name: &str) -> bool {
        let formulas = [Some(&self.spec.seconds), self.spec.deviation.as_ref()];
        formulas.into_iter().flatten().any(|text| hetsim_formula::names(text).contains(&name))
    }

    /// Checks that `cluster` names clusters of the platform.
    fn check_clusters(&self) -> Result<(), Problem> {
        let is_unknown = |name: &&String| !self.names.contains(&name.as_str());
        let Some(name) = self.spec.cluster.keys().find(is_unknown) else { return Ok(()) };
        let place = self.at.get("cluster").and_then(|table| table.get(name)).map_or(&self.at.place, |node| &node.place);
        Err(Problem::at(place, format!("the platform has no cluster `{name}`")).with_help(suggest(name, self.names)))
    }

    /// Checks that a formula names no coefficient that other clusters have and this one has not.
    fn check_values(&self, key: &str, text: &str, names: &[&str], cluster: usize) -> Result<(), Problem> {
        let is_elsewhere = |name: &&str| self.spec.cluster.values().any(|own| own.contains_key(*name));
        let is_missing = |name: &&str| !names.contains(name) && is_elsewhere(name);
        let Some(name) = hetsim_formula::names(text).into_iter().find(is_missing) else { return Ok(()) };
        let cluster = self.names[cluster];
        let problem =
            Problem::at(self.place(key), format!("`{key}`: `{name}` has no value on the cluster `{cluster}`"));
        Err(problem.with_help(format!(
            "give one in `cluster.{cluster}`, or in `coefficients` for all clusters without their own"
        )))
    }

    /// The time on a cluster with these values in the place of names.
    fn time(&self, columns: &[&str], values: &[f64], cluster: usize) -> Result<KernelTime, Problem> {
        let mut coefficients = self.spec.coefficients.clone();
        coefficients
            .extend(self.spec.cluster.get(self.names[cluster]).into_iter().flatten().map(|(k, v)| (k.clone(), *v)));
        let names = CallSize::NAMES.into_iter().chain(columns.iter().copied());
        let names: Vec<&str> = names.chain(coefficients.keys().map(String::as_str)).collect();
        let values: Vec<f64> = values.iter().chain(coefficients.values()).copied().collect();
        let formula = |key: &str, text: &str| {
            self.check_values(key, text, &names, cluster)?;
            let expression = parse(text, &names).map_err(|ParseError { at, message }| {
                let problem = Problem::at(self.place(key), format!("`{key}`, character {at}: {message}"));
                problem.with_help(format!("the formula may name {}", names.join(", ")))
            })?;
            Ok(PointFormula::from(simplify(&filled(&expression, &values))))
        };
        Ok(KernelTime {
            seconds: formula("seconds", &self.spec.seconds)?,
            deviation: self.spec.deviation.as_ref().map(|text| formula("deviation", text)).transpose()?,
        })
    }
}

/// Stands for the processors of a node that a file does not tell apart.
const ANY_CPU: u32 = u32::MAX;

/// An expression with values in the place of the variables after the sizes.
fn filled(expression: &Expression, values: &[f64]) -> Expression {
    let sizes = CallSize::NAMES.len();
    let filled = |node: &FormulaNode| match *node {
        FormulaNode::Variable(number) if usize::from(number) >= sizes => {
            FormulaNode::Constant(values.get(usize::from(number) - sizes).copied().unwrap_or(0.0))
        }
        other => other,
    };
    Expression::new(expression.nodes().iter().map(filled).collect()).unwrap_or_else(|| expression.clone())
}
