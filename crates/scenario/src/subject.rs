//! What a scenario is about: a workload on a platform, or a study, which has a platform only if it examines it.

use super::file::ScenarioFile;
use super::kinds::{Kind, studies, workloads};
use hetsim_text::{Node, Problem};

/// Checks that there is a workload or a study, and a platform exactly where it is used.
pub(super) fn check(tree: &Node, file: &ScenarioFile) -> Result<(), Vec<Problem>> {
    let problem = match (file.workload.or(file.study), tree.entry("platform")) {
        _ if file.workload.is_some() && file.study.is_some() => {
            let study = tree.entry("study").map_or(&tree.place, |entry| &entry.place);
            Problem::at(study, "a scenario has either a [workload] or a [study]").labelled("beside a [workload]")
        }
        (None, _) => Problem::at(&tree.place, "`workload` is missing").labelled("in this table").with_help(
            "a [workload] runs a program on the platform; a [study] compares, searches or fits without running one",
        ),
        (Some(Kind { has_platform: true, .. }), None) => Problem::at(&tree.place, "`platform` is missing")
            .labelled("in this table")
            .with_help("platform: The machine, with a [platform.cluster.NAME] for each cluster"),
        (Some(Kind { has_platform: false, name, .. }), Some(entry)) => {
            let message = format!("the study `{name}` uses no platform, so this one would be ignored");
            Problem::at(&entry.place, message).labelled("not used").with_help("leave the keys of `platform` out")
        }
        _ => return Ok(()),
    };
    Err(vec![problem])
}

/// Tells what to do with the file of a platform, which is part of a scenario and none itself.
pub(super) fn check_whole(tree: &Node) -> Result<(), Vec<Problem>> {
    let is_scenario = ["version", "platform", "workload", "study"].iter().any(|key| tree.get(key).is_some());
    let Some(cluster) = tree.entry("cluster").filter(|_| !is_scenario) else { return Ok(()) };
    let message = "this is the file of a platform, not a scenario";
    let help = "a scenario takes it in by [platform] include = \"FILE\", and says in its [workload] what runs there";
    Err(vec![Problem::at(&cluster.place, message).labelled("the clusters of a platform").with_help(help)])
}

/// Tells how to write a study that stands under `[workload]`.
pub(super) fn check_moved(tree: &Node) -> Result<(), Vec<Problem>> {
    let Some(kind) = tree.at("workload.kind") else { return Ok(()) };
    let Some(study) = studies().iter().find(|study| Some(study.name) == kind.text()) else { return Ok(()) };
    let is_workload = workloads().iter().any(|workload| workload.name == study.name);
    // A formula is fitted to what is simulated by a workload, and to a file by a study of the same name.
    let named = if is_workload { tree.at("workload.file") } else { Some(kind) };
    let Some(named) = named else { return Ok(()) };
    let name = study.name;
    let message = if is_workload {
        format!("the workload `{name}` has no file: the study `{name}` has")
    } else {
        format!("`{name}` is a study, not a workload")
    };
    let platform = if study.has_platform { "" } else { "; leave the keys of `platform` out, which it does not use" };
    let help = format!(
        "write [study] instead of [workload], and `study.` instead of `workload.` before its keys in sweeps and elsewhere\
         {platform}"
    );
    Err(vec![Problem::at(&named.place, message).with_help(help)])
}
