//! `hetsim list`: everything that a scenario can name.

use std::fmt::Write;

use crate::cluster::network::Parameters;
use crate::scenario::{Factor, KINDS, Load, Workload};
use crate::tree::Algorithm;
use crate::tree::between::Heuristic;

pub(super) fn list() -> String {
    let mut text = String::new();
    section(&mut text, "Workloads (workload.kind)", Workload::ALL.iter().copied());
    section(&mut text, "Network models (network.model)", Parameters::ALL.iter().copied());
    section(&mut text, "External loads (load.profile.kind)", Load::ALL.iter().copied());
    section(&mut text, "Distributions of speeds (speed_factor.distribution)", Factor::ALL.iter().copied());
    let algorithms = Algorithm::ALL.iter().map(|algorithm| (algorithm.name(), algorithm.about()));
    section(&mut text, "Broadcast algorithms (workload.algorithm)", algorithms);
    let heuristics = Heuristic::ALL.iter().map(|heuristic| (heuristic.name(), heuristic.about()));
    section(
        &mut text,
        "Broadcast heuristics, over single nodes or, with +ALGORITHM or +best, between clusters",
        heuristics,
    );
    section(&mut text, "Starting scenarios (hetsim new)", KINDS.iter().copied());
    text
}

fn section<'a>(text: &mut String, title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) {
    let _ = writeln!(text, "{title}");
    for (name, about) in entries {
        let about = about.trim_end_matches('.');
        // Continued lines stand under the first.
        let width = 80 - 30;
        let mut line = String::new();
        let mut lines = Vec::new();
        for word in about.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
        for (number, line) in lines.iter().enumerate() {
            let _ = writeln!(text, "  {:<28}{line}", if number == 0 { name } else { "" });
        }
    }
    text.push('\n');
}
