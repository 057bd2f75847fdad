//! The fit with all digits, as data for other programs.

use serde_json::{Value as Json, json};

use super::super::Failure;
use super::ModelFit;

/// Every model with its parameters in base units, its errors in per cent, and its network.
pub(super) fn json(rows: &[ModelFit], [own, unseen]: [Option<f64>; 2]) -> Result<String, Failure> {
    let models: Vec<Json> = rows.iter().map(model).collect();
    let mut all = json!({ "models": models });
    // With a single model there is no choice.
    if rows.len() > 1 {
        all["nearest_at_each_size"] = json!({ "error_percent": own, "unseen_error_percent": unseen });
    }
    json_text(&all)
}

/// Data as JSON.
pub(in crate::cli) fn json_text(all: &Json) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(all).map_err(|error| Failure::Run(error.to_string()))?;
    Ok(text + "\n")
}

/// Rows below a header as CSV.
pub(super) fn csv_text<'h>(
    header: impl IntoIterator<Item = &'h str>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Run(format!("the table cannot be written: {error}"));
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(header).map_err(|error| failed(&error))?;
    for row in rows {
        table.write_record(row).map_err(|error| failed(&error))?;
    }
    let table = table.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(table).map_err(|error| failed(&error))
}

fn model(row: &ModelFit) -> Json {
    let parameters = row.fitted.parameters();
    let parameters = parameters.iter().map(|parameter| {
        let interval = parameter.estimate.interval();
        json!({
            "name": parameter.name,
            "bytes": parameter.bytes,
            "value": parameter.estimate.value,
            "low": interval.map(|interval| interval.0),
            "high": interval.map(|interval| interval.1),
        })
    });
    json!({
        "model": row.fitted.model().name(),
        "parameters": parameters.collect::<Vec<_>>(),
        "error_percent": row.own,
        "unseen_error_percent": row.unseen,
    })
}

/// One row per parameter.
pub(super) fn csv(rows: &[ModelFit]) -> Result<String, Failure> {
    let header = ["model", "parameter", "bytes", "value", "low", "high", "error_percent", "unseen_error_percent"];
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let all = rows.iter().flat_map(|row| row.fitted.parameters().into_iter().map(move |parameter| (row, parameter)));
    let cells = all.map(|(row, parameter)| {
        let interval = parameter.estimate.interval();
        vec![
            row.fitted.model().name().to_owned(),
            parameter.name.to_owned(),
            parameter.bytes.map_or_else(String::new, |bytes| bytes.to_string()),
            number(Some(parameter.estimate.value)),
            number(interval.map(|interval| interval.0)),
            number(interval.map(|interval| interval.1)),
            number(row.own),
            number(row.unseen),
        ]
    });
    csv_text(header, cells)
}
