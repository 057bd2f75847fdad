//! `config`: the parameters of SimGrid's network model, as `[platform.transport]`.
//!
//! SimGrid's `raw` shares links by latency, like its other models; LV08 is the default without a model in the file.

use super::Word;
use super::decimal::Decimal;
use super::xml::Element;
use hetsim_text::{Node, Place, Problem, Value};

/// The parameters with a counterpart.
const KNOWN: [&str; 3] = ["network/model", "network/TCP-gamma", "network/crosstraffic"];

/// The prefixes of parameters that control SimGrid's implementation and not the simulated system: tolerances, traces,
/// threads, and the choice among equivalent algorithms.
const INNER: [&str; 6] =
    ["precision/", "tracing", "contexts/", "cpu/optim", "network/optim", "network/maxmin-selective-update"];

/// Reads one `config` element into keys of the transport.
///
/// # Errors
/// The first parameter without a counterpart, or with a value out of range.
pub(super) fn read(element: &Element<'_>) -> Result<Vec<(&'static str, Node)>, Problem> {
    element.only(&["id"])?;
    element.no_text()?;
    let mut entries = Vec::new();
    for child in &element.children {
        if child.name != "prop" {
            return Err(child.fault(format!("expected only `prop` in `config`, not `{}`", child.name)));
        }
        let id = child.required("id")?;
        let value = child.present("value")?;
        if INNER.iter().any(|start| id.text.starts_with(start)) {
            continue;
        }
        entries.push(match id.text {
            "network/model" => ("calibration", calibration(value)?),
            "network/TCP-gamma" => ("window", value.parse(window).map(|text| Node::string(text, value.place))?),
            "network/crosstraffic" => ("cross_traffic", Node::new(Value::Boolean(value.parse(boolean)?), value.place)),
            other => {
                let message = format!("the parameter {other:?} of SimGrid has no counterpart");
                let known = format!("supported parameters are: {}", KNOWN.join(", "));
                return Err(id.fault(message).with_help(known).with_near(other, KNOWN));
            }
        });
    }
    Ok(entries)
}

/// Adds SimGrid's defaults and the settings implied by model names to the parameters of a file.
pub(super) fn complete(entries: &mut Vec<(&'static str, Node)>, root: &Place) {
    let named = entries.iter().find(|(key, _)| *key == "calibration").map(|(_, value)| value.clone());
    match named {
        None => entries.insert(0, ("calibration", Node::string("lv08", root))),
        Some(Node { value: Value::Text(name), place }) if name == "raw" => {
            entries.push(("sharing", Node::string("by_round_trip", &place)));
        }
        Some(_) => {}
    }
}

fn calibration(model: Word<'_>) -> Result<Node, Problem> {
    let models = [("raw", "raw"), ("CM02", "cm02"), ("LV08", "lv08"), ("SMPI", "smpi")];
    if let Some((_, calibration)) = models.iter().find(|(name, _)| *name == model.text) {
        return Ok(Node::string(*calibration, model.place));
    }
    let message =
        format!("the network model {:?} has no counterpart; supported are raw, CM02, LV08 and SMPI", model.text);
    Err(model.fault(message).with_near(model.text, models.into_iter().map(|(name, _)| name)))
}

/// The maximum TCP window in whole bytes; zero for no limit, as in SimGrid.
fn window(text: &str) -> Result<String, String> {
    let bytes =
        Decimal::read(text.trim()).ok().filter(|(_, rest)| rest.is_empty()).and_then(|(bytes, _)| bytes.whole());
    bytes.map(|bytes| format!("{bytes}B")).ok_or_else(|| format!("expected a whole number of bytes, not {text:?}"))
}

fn boolean(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "on" | "true" | "1" => Ok(true),
        "no" | "off" | "false" | "0" => Ok(false),
        _ => Err(format!("expected yes or no, not {text:?}")),
    }
}
