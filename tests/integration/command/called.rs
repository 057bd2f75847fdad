//! Commands that another program calls: their words come back, whatever other commands do at the same time.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use hetsim::cli::{Captured, Failure, captured};

use crate::support::{here, hetsim};

const LAB: &str =
    "[cluster.lab]\nnodes = 16\nnetwork = { model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }\n";

fn called(words: &[String], stop: bool) -> Result<Captured, Failure> {
    let words = ["hetsim".to_owned()].into_iter().chain(words.iter().cloned());
    let (captured, ended) = captured(words.map(OsString::from), Arc::new(AtomicBool::new(stop)));
    ended.map(|()| captured)
}

#[test]
fn commands_that_run_at_the_same_time_do_not_mix_their_words() {
    let folder = here(&[("lab.toml", LAB)]);
    let platform = folder.path().join("lab.toml").display().to_string();
    let of = |ranks: u32| {
        let out = folder.path().join(format!("of-{ranks}"));
        let words = ["advise", &platform, "--sizes", "1KiB", "--ranks", &ranks.to_string(), "--out"].map(str::to_owned);
        (out.clone(), words.into_iter().chain([out.display().to_string()]).collect::<Vec<_>>())
    };
    let all: Vec<u32> = (2..=16).collect();
    let answers: Vec<Captured> = thread::scope(|scope| {
        let started: Vec<_> = all.iter().map(|&ranks| scope.spawn(move || called(&of(ranks).1, false))).collect();
        started.into_iter().map(|one| one.join().unwrap().unwrap()).collect()
    });
    for (&ranks, answer) in all.iter().zip(answers) {
        let (out, words) = of(ranks);
        let alone = hetsim(&folder).args(&words).output().unwrap();
        assert_eq!(answer.text, String::from_utf8_lossy(&alone.stdout), "{ranks} ranks");
        assert_eq!(answer.notes, String::from_utf8_lossy(&alone.stderr), "{ranks} ranks");
        assert_eq!(answer.folder, Some(out.join("advise-lab")));
    }
}

#[test]
fn a_caller_stops_its_own_command_only() {
    let folder = here(&[("lab.toml", LAB)]);
    let platform = folder.path().join("lab.toml").display().to_string();
    let out = folder.path().display().to_string();
    let words = ["advise", &platform, "--out", &out].map(str::to_owned);
    assert!(matches!(called(&words, true), Err(Failure::Interrupted(_))));
    assert!(called(&words, false).is_ok());
}

#[test]
fn wrong_words_are_bad_input() {
    let Err(Failure::Input(problems)) = called(&["advise".to_owned()], false) else { panic!("no bad input") };
    assert!(problems.shown(false).contains("required arguments"), "{}", problems.shown(false));
}
