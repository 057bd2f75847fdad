//! Which candidates are tried, and how far: those with little to simulate first, and each only as long as its time can
//! still change the advice.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::Watcher;
use super::question::Question;
use crate::batch::threads::Threads;
use crate::engine::Streams;
use crate::failure::Failure;
use crate::report::advise::{Choice, KNOWN, OwnChoice, Timed, scale};
use crate::workload::advise::{AdviceOutcome, Call, Candidate};

/// A candidate of a question.
struct Trial {
    /// The number of the question.
    question: usize,
    candidate: Candidate,
    effort: u64,
}

/// Completes the choice of each question, in which measured times stand, with the simulated times of the other
/// candidates, scaled to these; those that no advice depends on may be missing. So the advice is the same in whatever
/// order they are tried.
pub(super) fn search(
    questions: &[Question<'_>],
    mut choices: Vec<Choice>,
    threads: Threads,
    watcher: &dyn Watcher,
) -> Result<Vec<Choice>, Failure> {
    let goes_on = || if watcher.stops() { Err(Failure::interrupted()) } else { Ok(()) };
    let of_choice = |(question, choice): (&Question<'_>, &Choice)| {
        goes_on().and_then(|()| measured_over_simulated(question, choice).map_err(Failure::Run))
    };
    let ratios = || questions.par_iter().zip(&choices).map(of_choice).collect::<Result<Vec<_>, _>>();
    let ratios = threads.share(choices.len(), ratios)?;
    scale(&mut choices, &ratios);
    let candidates: Vec<Vec<Candidate>> =
        questions.iter().map(|question| Candidate::all(&question.call, &question.part[0])).collect();
    let mut trials: Vec<Trial> = Vec::new();
    for (number, (question, candidates)) in questions.iter().zip(&candidates).enumerate() {
        let is_open = |candidate: &&Candidate| choices[number].time_of(candidate).is_none();
        trials.extend(candidates.iter().filter(is_open).map(|&candidate| {
            let effort = candidate.effort(&question.call, question.ranks);
            Trial { question: number, candidate, effort }
        }));
    }
    trials.sort_by_key(|trial| trial.effort);
    watcher.expect(trials.iter().map(|trial| trial.effort).sum());
    let choices: Vec<Mutex<Choice>> = choices.into_iter().map(Mutex::new).collect();
    let one = |trial: Trial| -> Result<(), Failure> {
        goes_on()?;
        let (question, choice) = (&questions[trial.question], &choices[trial.question]);
        // A lock is poisoned by a panic only, which ends the command.
        let lock = || choice.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = lock().limit(&trial.candidate);
        let within = (limit, lock().factor(&trial.candidate));
        let timed = scaled(question, trial.candidate, within).map_err(Failure::Run)?;
        lock().timed.extend(timed);
        watcher.advance(trial.effort);
        Ok(())
    };
    // A bridge hands the trials out in their order.
    let parts = trials.len();
    threads.share(parts, || trials.into_iter().par_bridge().try_for_each(one))?;
    let mut choices: Vec<Choice> =
        choices.into_iter().map(|choice| choice.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
    for (choice, candidates) in choices.iter_mut().zip(&candidates) {
        let place = |timed: &Timed| candidates.iter().position(|one| *one == timed.candidate);
        // What is measured only comes last.
        choice.timed.sort_by_key(|timed| place(timed).unwrap_or(usize::MAX));
    }
    let own = |(choice, question): (Choice, &Question<'_>)| with_own(choice, question);
    let all = || choices.into_par_iter().zip(questions).map(own).collect::<Result<_, String>>();
    threads.share(parts, all).map_err(Failure::Run)
}

/// A choice with what libraries run by themselves, as far as that is near enough to their fastest algorithm to be kept.
fn with_own(mut choice: Choice, question: &Question<'_>) -> Result<Choice, String> {
    let Call { operation, size, .. } = question.call;
    for (maker, library) in KNOWN {
        let candidate = Candidate::of_library(library, operation, question.ranks, size);
        let (Some(candidate), Some(most)) = (candidate, choice.kept_until(maker)) else { continue };
        let known = choice.timed.iter().find(|timed| timed.candidate == candidate).cloned();
        let timed = match known {
            None => scaled(question, candidate, (most, choice.factor(&candidate)))?,
            known => known,
        };
        choice.own.extend(timed.map(|timed| OwnChoice { maker, timed }));
    }
    Ok(choice)
}

/// The measured over simulated times of what is measured in a choice and can be simulated.
fn measured_over_simulated(question: &Question<'_>, choice: &Choice) -> Result<Vec<(Candidate, f64)>, String> {
    let measured = choice.timed.iter().filter(|timed| timed.measured);
    let ratio = |timed: &Timed| {
        let simulated = time(question, timed.candidate, f64::INFINITY).transpose()?;
        Some(simulated.map(|simulated| (timed.candidate, timed.seconds / simulated)))
    };
    let ratios: Vec<(Candidate, f64)> = measured.filter_map(ratio).collect::<Result<_, _>>()?;
    Ok(ratios.into_iter().filter(|(_, ratio)| ratio.is_normal()).collect())
}

/// The simulated time of a candidate, scaled, unless that is longer than the limit.
fn scaled(question: &Question<'_>, candidate: Candidate, (limit, factor): (f64, f64)) -> Result<Option<Timed>, String> {
    let seconds = time(question, candidate, limit / factor)?;
    Ok(seconds.map(|seconds| Timed { candidate, seconds: seconds * factor, measured: false }))
}

/// The mean time of a candidate over all replicas; nothing if it is not possible or longer than the limit.
fn time(question: &Question<'_>, candidate: Candidate, limit: f64) -> Result<Option<f64>, String> {
    let Question { machine, call, ranks, part } = question;
    let replicas = part.len() as f64;
    let mut sum = 0.0;
    for (platform, replica) in part.iter().zip(0..) {
        let (streams, left) = (Streams::new(machine.seed, replica), limit * replicas - sum);
        let outcome = candidate.run(call, platform, streams, left).map_err(|message| {
            let Call { operation, size, .. } = call;
            format!("{operation} by {}, {ranks} ranks, {size} bytes: {message}", candidate.method)
        })?;
        let AdviceOutcome::Done(seconds) = outcome else { return Ok(None) };
        sum += seconds;
    }
    Ok(Some(sum / replicas))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::advice::machine::Machine;
    use crate::communication::Operation;
    use crate::report::advise::{Uncertainty, falling, rules, rules_json, selection_json, settings, table, write_csv};
    use crate::report::spec::NOTATION;
    use crate::scenario::{Scenario, Source};
    use crate::units::Operations;
    use crate::workload::communication::Placement;

    /// Racks on shared links, with costs of messages; two clusters under Hockney's model.
    const PLATFORMS: [&str; 2] = [
        "[cluster.lab]\nnodes = 8\n\
         network = { model = 'fair', latency = '1us', bandwidth = '100Gbit/s', costs = { latency = '500ns', \
         bandwidth = '12.5GB/s', send_overhead = '400ns', receive_overhead = '400ns', eager_limit = '16KiB', \
         handshake = '1us', copy_bandwidth = '10GB/s' } }\n\
         [[cluster.lab.level]]\nsize = 2\nnetwork = { model = 'fair', latency = '1us', bandwidth = '200Gbit/s' }\n",
        "[cluster.near]\nnodes = 6\nnetwork = { model = 'hockney', latency = '20us', bandwidth = '1Gbit/s' }\n\
         [cluster.far]\nnodes = 5\nnetwork = { model = 'hockney', latency = '20us', bandwidth = '1Gbit/s' }\n\
         [between]\njitter = 0.2\nnetwork = { model = 'hockney', latency = '1ms', bandwidth = '1Gbit/s' }\n",
    ];

    fn machine(text: &str, replicas: u32) -> Machine {
        // Without a file to include.
        let text = text.replace("[cluster", "[platform.cluster").replace("[between", "[platform.between");
        let source = Source { name: "lab.toml".to_owned(), folder: PathBuf::new(), text: text.into() };
        let scenario = Scenario::of_platform(&NOTATION, "lab".to_owned(), source, &[]).unwrap();
        let drawn = (0..replicas).map(|replica| scenario.drawn_platform(0, replica).unwrap()).collect();
        Machine { seed: 1, ranks_per_node: None, has_shared_nodes: false, drawn }
    }

    /// All that is told of choices.
    fn told(choices: &[Choice]) -> String {
        let mut csv = Vec::new();
        write_csv(choices, &mut csv).unwrap();
        let tables = Operation::ALL.iter().map(|&operation| format!("{:?}", table(choices, operation)));
        [
            String::from_utf8(csv).unwrap(),
            rules(choices, "lab"),
            rules_json(choices).unwrap_or_default(),
            selection_json(choices).unwrap_or_default(),
            settings(choices, "lab").unwrap_or_default(),
            falling(choices).unwrap_or_default(),
        ]
        .into_iter()
        .chain(tables)
        .collect()
    }

    /// Whatever stops early or does not begin, what is told is the same.
    #[test]
    fn advice_is_the_same_as_if_all_were_tried() {
        for (text, replicas) in PLATFORMS.into_iter().zip([1, 3]) {
            let machine = machine(text, replicas);
            let (ranks, part): (u32, Arc<[_]>) = (machine.nodes(), machine.drawn.clone().into());
            let question = |operation, size, benchmark| {
                let reduction = Operations::default();
                let call = Call { operation, size, placement: Placement::Cluster, reduction, benchmark };
                Question { machine: &machine, call, ranks, part: Arc::clone(&part) }
            };
            let asked = Operation::ALL.iter().flat_map(|&one| [(one, false), (one, true)]);
            let questions: Vec<Question<'_>> =
                asked.flat_map(|(one, benchmark)| [8, 100_000].map(|size| question(one, size, benchmark))).collect();
            for (error, measured) in [(None, false), (Some(0.3), false), (Some(0.3), true)] {
                let open = |question: &Question<'_>| {
                    let mut choice = Choice { error, ..question.open(&Uncertainty::Equal(0.0)) };
                    let candidate = Candidate::all(&question.call, &part[0])[0];
                    let seconds = time(question, candidate, f64::INFINITY).unwrap().filter(|_| measured);
                    let timed = |seconds: f64| Timed { candidate, seconds: 0.6 * seconds, measured };
                    choice.timed.extend(seconds.map(timed));
                    choice
                };
                let mut all: Vec<Choice> = questions.iter().map(open).collect();
                let ratios =
                    questions.iter().zip(&all).map(|(question, choice)| measured_over_simulated(question, choice));
                let ratios: Vec<_> = ratios.collect::<Result<_, _>>().unwrap();
                scale(&mut all, &ratios);
                for (choice, question) in all.iter_mut().zip(&questions) {
                    let first = usize::from(measured && !choice.timed.is_empty());
                    for &candidate in &Candidate::all(&question.call, &part[0])[first..] {
                        let within = (f64::INFINITY, choice.factor(&candidate));
                        choice.timed.extend(scaled(question, candidate, within).unwrap());
                    }
                }
                let all = all.into_iter().zip(&questions).map(|(choice, question)| with_own(choice, question));
                let all: Vec<Choice> = all.collect::<Result<_, _>>().unwrap();
                let (open, threads) = (questions.iter().map(open).collect(), Threads::new(NonZeroUsize::new(2)));
                let found = search(&questions, open, threads, &()).unwrap();
                assert_eq!(told(&found), told(&all));
                let count = |choices: &[Choice]| choices.iter().map(|choice| choice.timed.len()).sum::<usize>();
                assert!(count(&found) < count(&all), "{} of {}", count(&found), count(&all));
            }
        }
    }
}
