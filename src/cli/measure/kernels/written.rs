//! Kernels as data: the file of coefficients, the platform that names it, and JSON.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::super::super::Failure;
use super::super::exact::{csv_text, json_text};
use crate::cluster::Noise;
use crate::fit::Estimate;
use crate::fit::kernels::{COEFFICIENTS, CallPlace, KernelFit, ProcessorFit};
use crate::printable::{toml_key, toml_string};

/// The distribution of the times of calls by its name in a platform.
pub(in super::super) fn noise_name(noise: Noise) -> &'static str {
    match noise {
        Noise::None => "none",
        Noise::Normal => "normal",
        Noise::HalfNormal => "half_normal",
        Noise::LogNormal => "log_normal",
        Noise::Gamma => "gamma",
    }
}

/// All of the results with all digits.
pub(super) fn json(fits: &[KernelFit]) -> Result<String, Failure> {
    let kernels: Vec<Json> = fits.iter().map(kernel).collect();
    json_text(&json!({ "kernels": kernels }))
}

fn kernel(fit: &KernelFit) -> Json {
    let percent = |share: f64| 100.0 * share;
    let moved = fit.moved.iter().map(|(place, low, high)| {
        json!({ "node": place.node, "cpu": place.cpu, "least_slowness": low, "greatest_slowness": high })
    });
    json!({
        "name": fit.name,
        "seconds": fit.form.formula(),
        "coefficients": coefficients(&fit.coefficients),
        "variation": fit.variation,
        "noise": noise_name(fit.noise),
        "drift": fit.drift,
        "moved": moved.collect::<Vec<_>>(),
        "calls": fit.calls,
        "outliers": fit.outliers,
        "error_percent": percent(fit.error),
        "unseen_error_percent": fit.unseen_error.map(percent),
        "processors": fit.processors.iter().map(processor).collect::<Vec<_>>(),
    })
}

fn processor(fit: &ProcessorFit) -> Json {
    let interval = fit.slowness.interval();
    json!({
        "node": fit.place.node,
        "cpu": fit.place.cpu,
        "merged": !fit.differs,
        "own_coefficients": fit.has_own,
        "coefficients": coefficients(&fit.coefficients),
        "variation": fit.variation,
        "slowness": fit.slowness.value,
        "slowness_low": interval.map(|interval| interval.0),
        "slowness_high": interval.map(|interval| interval.1),
        "calls": fit.calls,
        "outliers": fit.outliers,
    })
}

fn coefficients(estimates: &[Estimate]) -> Vec<Json> {
    let named = COEFFICIENTS.iter().zip(estimates);
    let coefficient = |(name, estimate): (&&str, &Estimate)| {
        let interval = estimate.interval();
        json!({
            "name": name,
            "value": estimate.value,
            "low": interval.map(|interval| interval.0),
            "high": interval.map(|interval| interval.1),
        })
    };
    named.map(coefficient).collect()
}

/// The coefficients of every processor, a row each for every kernel; those without calls of it have those that most
/// share, and 0 calls.
pub(super) fn csv(fits: &[KernelFit], places: &[CallPlace]) -> Result<String, Failure> {
    let most = fits.iter().map(|fit| fit.form.count()).max().unwrap_or(0);
    let has_cpu = places.iter().any(|place| place.cpu.is_some());
    let mut header: Vec<String> = vec!["kernel".to_owned(), "node".to_owned()];
    header.extend(has_cpu.then(|| "cpu".to_owned()));
    header.extend(COEFFICIENTS.iter().take(most).map(|name| (*name).to_owned()));
    header.extend(
        ["variation", "slowness", "slowness_low", "slowness_high", "merged", "calls", "outliers"].map(str::to_owned),
    );
    header.extend(COEFFICIENTS.iter().take(most).flat_map(|name| [format!("{name}_low"), format!("{name}_high")]));
    let rows = fits.iter().flat_map(|fit| {
        places.iter().map(move |place| {
            let found = fit.processors.binary_search_by_key(place, |processor| processor.place);
            row(fit, *place, found.ok().map(|number| &fit.processors[number]), most)
        })
    });
    csv_text(header.iter().map(String::as_str), rows)
}

/// A row of the file.
fn row(fit: &KernelFit, place: CallPlace, processor: Option<&ProcessorFit>, most: usize) -> Vec<String> {
    let number = |value: f64| format!("{value:e}");
    let ends = |estimate: Option<&Estimate>| {
        let interval = estimate.and_then(Estimate::interval);
        interval.map_or_else(Default::default, |(low, high)| [number(low), number(high)])
    };
    let estimates = processor.map_or(&fit.coefficients, |processor| &processor.coefficients);
    let slowness = processor.map(|processor| processor.slowness);
    let mut row = vec![fit.name.clone(), place.node.to_string()];
    row.extend(place.cpu.map(|cpu| cpu.to_string()));
    row.extend((0..most).map(|place| estimates.get(place).map_or_else(String::new, |estimate| number(estimate.value))));
    row.push(number(processor.map_or(fit.variation, |processor| processor.variation)));
    row.push(slowness.map_or_else(String::new, |slowness| number(slowness.value)));
    row.extend(ends(slowness.as_ref()));
    row.push(if processor.is_none_or(|processor| !processor.differs) { "yes" } else { "no" }.to_owned());
    row.push(processor.map_or(0, |processor| processor.calls).to_string());
    row.push(processor.map_or(0, |processor| processor.outliers).to_string());
    row.extend((0..most).flat_map(|place| ends(estimates.get(place))));
    row
}

/// A file for `platform.include`, at `path`, with a table for each kernel that reads its rows of `file` beside it.
pub(super) fn platform(
    fits: &[KernelFit],
    places: &[CallPlace],
    path: &Path,
    file: &str,
    measured: &[PathBuf],
) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().escape_debug().to_string();
    let measured: Vec<String> = measured.iter().map(|file| name(file)).collect();
    let mut nodes: Vec<u32> = places.iter().map(|place| place.node).collect();
    nodes.dedup();
    let mut text = format!(
        "# Kernels by `hetsim measure --kernels {}`, for inclusion in a scenario, seen from its folder:\n#\n#   [platform]\n\
         #   include = {}\n#\n# The calls are of {} node{}. A platform of others says by `platform.kernel.NAME.nodes` which of these \
         its nodes are.\n",
        measured.join(" "),
        toml_string(&path.display().to_string()),
        nodes.len(),
        if nodes.len() == 1 { "" } else { "s" },
    );
    for fit in fits {
        let formula = fit.form.formula();
        let unseen =
            fit.unseen_error.map(|error| format!(", median error of calls not fitted to {:.2} %", 100.0 * error));
        let key = toml_key(&fit.name);
        let _ = writeln!(text, "\n# {} calls{}\n[kernel.{key}]", fit.calls, unseen.unwrap_or_default());
        let _ = writeln!(text, "seconds = \"{formula}\"");
        if fit.noise != Noise::None {
            let _ = writeln!(text, "deviation = \"variation*({formula})\"\nnoise = \"{}\"", noise_name(fit.noise));
        }
        let _ = writeln!(text, "file = \"{file}\"\nrows = {{ kernel = {} }}", toml_string(&fit.name));
        if fit.drift > 0.0 {
            let _ = writeln!(text, "# From one day to another.\ndrift = {:.2e}", fit.drift);
        }
    }
    text
}
