//! The file written for `--out`: a platform of one cluster for `platform.include`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::super::{Failure, bad_input};
use super::ModelFit;
use crate::cluster::network::Parameters;
use crate::printable::toml_string;

/// A platform of two nodes, as measured, for the file `path`. It uses the model that predicts best; the others follow
/// as comments.
///
/// # Errors
/// No model gives a network.
pub(super) fn platform(rows: &[ModelFit], path: &Path, files: &[PathBuf]) -> Result<String, Failure> {
    let mut sorted: Vec<&ModelFit> = rows.iter().collect();
    // What is not available does not predict.
    let error = |row: &ModelFit| row.fitted.network().ok().and_then(|_| row.error()).unwrap_or(f64::INFINITY);
    sorted.sort_by(|a, b| error(a).total_cmp(&error(b)));
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().escape_debug().to_string();
    let measured: Vec<String> = files.iter().map(|file| name(file)).collect();
    let mut text = format!(
        "# A platform by `hetsim measure {}`, for inclusion in a scenario, seen from its folder:\n#\n#   [platform]\n#   include = {}\n#   \
         cluster.measured.nodes = 16\n#\n# Of the networks the first predicts best; take another by its line.\n\n\
         [cluster.measured]\nnodes = 2\n",
        measured.join(" "),
        toml_string(&path.display().to_string())
    );
    let mut faults = Vec::new();
    let mut written = false;
    for row in sorted {
        let model = row.fitted.model();
        let error = row.error().map(|error| format!(", mean percentage error {error:.1} %"));
        let _ = writeln!(text, "\n# {model}{}", error.unwrap_or_default());
        match row.fitted.network() {
            Ok(network) => {
                let line = network_line(&network).map_err(|error| Failure::Run(error.to_string()))?;
                let _ = writeln!(text, "{}network = {line}", if written { "# " } else { "" });
                written = true;
            }
            Err(error) => {
                let _ = writeln!(text, "# not available: {error}");
                faults.push(error.to_string());
            }
        }
    }
    if written { Ok(text) } else { Err(bad_input(format!("there is no network to write: {}", faults.join("; ")))) }
}

/// A network as an inline table.
fn network_line(network: &Parameters) -> Result<String, toml::ser::Error> {
    let keys = match network {
        Parameters::Ideal(p) => toml::Table::try_from(p),
        Parameters::Delay(p) => toml::Table::try_from(p),
        Parameters::Hockney(p) => toml::Table::try_from(p),
        Parameters::Logp(p) => toml::Table::try_from(p),
        Parameters::Loggp(p) => toml::Table::try_from(p),
        Parameters::Plogp(p) => toml::Table::try_from(p),
        Parameters::Lmo(p) => toml::Table::try_from(p),
        Parameters::Protocol(p) => toml::Table::try_from(p),
        Parameters::Fitted(p) => toml::Table::try_from(p),
        // Measurements give the cost of messages, not links.
        _ => Err(serde::ser::Error::custom("not a model that can be fitted")),
    }?;
    let mut table = toml::Table::new();
    table.insert("model".to_owned(), network.name().into());
    table.extend(keys);
    let mut network = toml::Value::Table(table);
    shorten(&mut network);
    Ok(network.to_string())
}

/// Rounds quantities to six significant digits: more than measurements have.
fn shorten(value: &mut toml::Value) {
    match value {
        toml::Value::Table(table) => table.iter_mut().for_each(|(_, value)| shorten(value)),
        toml::Value::Array(values) => values.iter_mut().for_each(shorten),
        toml::Value::String(text) => {
            let (number, unit) = text.split_at(text.find(char::is_alphabetic).unwrap_or(text.len()));
            let rounded = number.parse().ok().and_then(|number: f64| format!("{number:.5e}").parse::<f64>().ok());
            if let Some(rounded) = rounded {
                *text = format!("{rounded}{unit}");
            }
        }
        _ => {}
    }
}
