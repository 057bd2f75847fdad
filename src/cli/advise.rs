//! `hetsim advise`: the fastest algorithm for each operation, number of ranks and size on a platform.

use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use rayon::prelude::*;

use super::arguments::Advise as Arguments;
use super::computing::progress;
use super::out::results_folder;
use super::say::{print, say};
use super::terminal::{text_table, wrapped};
use super::validate::measured;
use super::{Failure, bad_input};
use crate::batch::write::{write_atomically, write_text};
use crate::cluster::Platform;
use crate::communication::Operation;
use crate::engine::Streams;
use crate::fit::read::collectives::Given;
use crate::printable::toml_string;
use crate::report::advise::{Choice, Timed, Uncertainty, correct, map, rules, rules_json, table, write_csv};
use crate::scenario::{Scenario, Source};
use crate::workload::advise::{Call, Candidate};

pub(super) fn advise(arguments: &Arguments) -> Result<(), Failure> {
    let machines = Machines::read(arguments)?;
    let questions = questions(arguments, &machines)?;
    let name = platform_name(&arguments.platform);
    let folder = results_folder(&arguments.out, &format!("advise-{name}"), "choices.csv", Some("choices.csv"))?;
    let measured = measured(&arguments.measured, &Given::default())?.points;
    let error = arguments.error.as_deref().map(uncertainty).transpose()?;
    let mut choices = answer(&questions, &machines, arguments.jobs.map(std::num::NonZeroUsize::get))?;
    for choice in &mut choices {
        choice.error = error.as_ref().and_then(|error| error.of(choice.operation));
    }
    if !measured.is_empty() {
        let corrected = correct(&mut choices, &measured);
        say(&format!("{corrected} times are measured; the others are simulated"));
    }
    let operations = operations(arguments);
    let written = write(&folder, &choices, &operations, &name)?;
    for operation in operations {
        print(&text_table(&table(&choices, operation)))?;
    }
    print(&wrapped(&format!("Written to {}: {}", folder.display(), written.join(", ")), 0, 2))
}

/// The error of the simulation: in per cent, or by the summary of a validation.
fn uncertainty(text: &str) -> Result<Uncertainty, Failure> {
    if let Ok(percent) = text.trim_end_matches('%').trim_end().parse::<f64>() {
        let share = Some(percent / 100.0).filter(|share| share.is_finite() && *share >= 0.0);
        let wrong = || bad_input(format!("--error {text}: an error is zero per cent or more"));
        return share.map(Uncertainty::Equal).ok_or_else(wrong);
    }
    let source = Source::read(Path::new(text)).map_err(bad_input)?;
    Uncertainty::read_summary(&source.text).map_err(|fault| bad_input(format!("{}: {fault}", source.name)))
}

/// The requested operations, without duplicates and in the registry's order.
fn operations(arguments: &Arguments) -> Vec<Operation> {
    let asked =
        |operation: &Operation| arguments.operations.iter().any(|one| one.0.is_none_or(|one| one == *operation));
    Operation::ALL.iter().copied().filter(asked).collect()
}

/// The file name without its extensions for platforms.
fn platform_name(file: &Path) -> String {
    let stem = file.file_stem().map_or_else(|| "platform".into(), |stem| stem.to_string_lossy());
    stem.strip_suffix(".platform").unwrap_or(&stem).to_owned()
}

/// The platform of each replica.
struct Machines {
    seed: u64,
    drawn: Vec<Platform>,
}

impl Machines {
    fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let scenario = scenario(&arguments.platform, arguments)?;
        let swept = scenario.axes.iter().filter(|axis| axis.key.starts_with("platform."));
        for axis in swept {
            say(&format!("{} is varied by the sweep; its first value is used", axis.key));
        }
        let drawn = |replica| scenario.drawn_platform(0, replica).map_err(bad_input);
        let drawn = (0..arguments.replicas.get()).map(drawn).collect::<Result<_, _>>()?;
        Ok(Self { seed: scenario.file.seed, drawn })
    }

    fn nodes(&self) -> u32 {
        self.drawn.first().map_or(0, Platform::nodes)
    }
}

/// The scenario in a file, or one around the platform in it, with a workload that is never run.
fn scenario(path: &Path, arguments: &Arguments) -> Result<Scenario, Failure> {
    const WORKLOAD: &str =
        "\n[workload]\nkind = \"collective\"\noperation = \"barrier\"\nalgorithm = \"dissemination\"\n";
    let source = Source::read(path).map_err(bad_input)?;
    let keys: Vec<String> = match source.text.parse::<toml::Table>() {
        Ok(table) => table.keys().cloned().collect(),
        // The scenario reader reports errors better.
        Err(_) => vec!["platform".to_owned(), "workload".to_owned()],
    };
    let has = |key: &str| keys.iter().any(|known| known == key);
    let mut overrides = arguments.overrides.clone();
    overrides.extend(arguments.seed.map(|seed| format!("seed={seed}")));
    let source = match (has("platform"), has("workload")) {
        (true, true) => source,
        (true, false) => {
            if !has("version") {
                overrides.insert(0, "version=1".to_owned());
            }
            Source { text: format!("{}{WORKLOAD}", source.text).into(), ..source }
        }
        (false, _) if has("cluster") => {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let named = toml_string(&whole.to_string_lossy());
            Source { text: format!("version = 1\n[platform]\ninclude = {named}\n{WORKLOAD}").into(), ..source }
        }
        (false, _) => {
            return Err(bad_input(format!(
                "{} has no platform: it contains neither [platform.cluster.NAME] nor [cluster.NAME]",
                path.display()
            )));
        }
    };
    Ok(Scenario::read(platform_name(path), source, &overrides)?)
}

/// A question: an operation, a number of ranks and a size, with the part of the platform that these ranks use.
struct Question {
    call: Call,
    ranks: u32,
    /// The index in the list of the platform's parts.
    part: usize,
}

/// All questions, by operation, ranks and size.
fn questions(arguments: &Arguments, machines: &Machines) -> Result<Vec<Question>, Failure> {
    let ranks = ranks(arguments, machines.nodes())?;
    // What is compared with measurements, or has a known error, is simulated as it is measured.
    let benchmark = !arguments.measured.is_empty() || arguments.error.is_some();
    let mut questions = Vec::new();
    for operation in operations(arguments) {
        let sizes = if operation == Operation::Barrier { &[0] } else { arguments.sizes.0.as_slice() };
        for (part, &ranks) in ranks.iter().enumerate() {
            questions.extend(sizes.iter().map(|&size| {
                let (placement, reduction) = (arguments.placement, arguments.reduction);
                Question { call: Call { operation, size, placement, reduction, benchmark }, ranks, part }
            }));
        }
    }
    Ok(questions)
}

/// The numbers of ranks in rising order: the given ones, or powers of two and all nodes.
fn ranks(arguments: &Arguments, nodes: u32) -> Result<Vec<u32>, Failure> {
    if nodes < 2 {
        return Err(bad_input("the platform has one node: there is nothing to choose"));
    }
    let mut ranks = arguments.ranks.clone();
    if ranks.is_empty() {
        let doubled = std::iter::successors(Some(2u32), |ranks| ranks.checked_mul(2));
        ranks.extend(doubled.take_while(|&ranks| ranks < nodes).chain([nodes]));
    }
    ranks.sort_unstable();
    ranks.dedup();
    match ranks.iter().find(|&&ranks| !(2..=nodes).contains(&ranks)) {
        Some(wrong) => {
            Err(bad_input(format!("--ranks {wrong}: the platform has {nodes} nodes, and at least 2 ranks are needed")))
        }
        None => Ok(ranks),
    }
}

/// Runs every candidate of every question and returns the times in the order of the questions.
fn answer(questions: &[Question], machines: &Machines, jobs: Option<usize>) -> Result<Vec<Choice>, Failure> {
    let parts = parts(questions, machines)?;
    let mut runs = Vec::new();
    for (number, question) in questions.iter().enumerate() {
        let candidates = Candidate::all(&question.call, &parts[question.part][0]);
        runs.extend(candidates.into_iter().map(|candidate| (number, candidate)));
    }
    let bar = progress(runs.len(), false);
    let one =
        |&(number, candidate): &(usize, Candidate)| time(&questions[number], candidate, &parts, machines.seed, &bar);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build();
    let work = || runs.par_iter().map(one).collect::<Result<Vec<_>, String>>();
    let times = match pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    };
    bar.finish_and_clear();
    let times = times.map_err(Failure::Run)?;
    let mut choices: Vec<Choice> = questions
        .iter()
        .map(|Question { call, ranks, .. }| Choice {
            operation: call.operation,
            ranks: *ranks,
            bytes: call.size,
            timed: Vec::new(),
            error: None,
        })
        .collect();
    for ((number, candidate), seconds) in runs.into_iter().zip(times) {
        choices[number].timed.extend(seconds.map(|seconds| Timed { candidate, seconds, measured: false }));
    }
    Ok(choices)
}

/// The needed parts of the platforms, by number of ranks and then by replica.
fn parts(questions: &[Question], machines: &Machines) -> Result<Vec<Vec<Platform>>, Failure> {
    let mut parts: Vec<Vec<Platform>> = Vec::new();
    for Question { call, ranks, part } in questions {
        // The parts come in order, and again for every operation.
        if *part == parts.len() {
            let of_machine = |machine| {
                let part = call.placement.first(machine, *ranks);
                part.ok_or_else(|| {
                    bad_input(format!(
                        "{ranks} of the nodes do not form a platform: they cannot be spread over groups inside clusters, nor leave \
                         a cluster empty that named links may lead through; choose another placement, or all nodes"
                    ))
                })
            };
            parts.push(machines.drawn.iter().map(of_machine).collect::<Result<_, _>>()?);
        }
    }
    Ok(parts)
}

/// The mean time of a candidate over all replicas; `None` if it is not possible.
fn time(
    question: &Question,
    candidate: Candidate,
    parts: &[Vec<Platform>],
    seed: u64,
    bar: &ProgressBar,
) -> Result<Option<f64>, String> {
    let mut sum = 0.0;
    let replicas = &parts[question.part];
    for (platform, replica) in replicas.iter().zip(0..) {
        let seconds = candidate.seconds(&question.call, platform, Streams::new(seed, replica)).map_err(|message| {
            let Call { operation, size, .. } = question.call;
            format!("{operation} by {}, {} ranks, {size} bytes: {message}", candidate.method, question.ranks)
        })?;
        let Some(seconds) = seconds else {
            bar.inc(1);
            return Ok(None);
        };
        sum += seconds;
    }
    bar.inc(1);
    Ok(Some(sum / replicas.len() as f64))
}

/// Writes all files and returns their names.
fn write(folder: &Path, choices: &[Choice], operations: &[Operation], name: &str) -> Result<Vec<String>, Failure> {
    let failed = |error: std::io::Error| Failure::Run(error.to_string());
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Run(format!("{} cannot be created: {error}", folder.display())))?;
    let path = |name: &str| -> PathBuf { folder.join(name) };
    let mut written = ["choices.csv", "openmpi.rules", "openmpi.json"].map(str::to_owned).to_vec();
    write_atomically(&path(&written[0]), |writer| write_csv(choices, writer)).map_err(failed)?;
    write_text(&path(&written[1]), &rules(choices, name)).map_err(failed)?;
    write_text(&path(&written[2]), &rules_json(choices)).map_err(failed)?;
    for &operation in operations {
        let file = format!("{operation}.svg");
        write_text(&path(&file), &map(choices, operation, name).svg()).map_err(failed)?;
        written.push(file);
    }
    Ok(written)
}
