//! What may stand in an element, and why other elements are refused.

use super::ReadError;
use super::names::near;
use super::xml::Element;

/// The number of cores.
///
/// # Errors
/// Where it is no whole number above zero.
pub(super) fn cores(element: &Element<'_>) -> Result<u32, ReadError> {
    let Some(word) = element.given("core") else { return Ok(1) };
    let cores = word.text.trim().parse().ok().filter(|cores| *cores > 0);
    cores.ok_or_else(|| word.fault(format!("expected a number of cores, not {:?}", word.text)))
}

/// Checks a property: an identifier and a value, of which SimGrid makes nothing here.
///
/// # Errors
/// Where it is anything else.
pub(super) fn property(element: &Element<'_>) -> Result<(), ReadError> {
    element.only(&["id", "value"])?;
    element.no_text()?;
    element.required("id")?;
    element.present("value")?;
    match element.children.first() {
        Some(child) => Err(refused(child, "prop")),
        None => Ok(()),
    }
}

/// Refuses all but properties within an element, and those where they have no place.
///
/// # Errors
/// The first other element, or text.
pub(super) fn properties_only(element: &Element<'_>) -> Result<(), ReadError> {
    element.no_text()?;
    for child in &element.children {
        if child.name != "prop" || !matches!(element.name, "host" | "link" | "cluster") {
            return Err(refused(child, element.name));
        }
        property(child)?;
    }
    Ok(())
}

/// Refuses coordinates.
///
/// # Errors
/// Where there are some.
pub(super) fn no_coordinates(element: &Element<'_>) -> Result<(), ReadError> {
    match element.given("coordinates") {
        Some(word) => Err(word.fault("coordinates have no counterpart: latencies come from links")),
        None => Ok(()),
    }
}

/// Why an element is not read.
pub(super) fn refused(element: &Element<'_>, around: &str) -> ReadError {
    let name = element.name;
    let known = [
        "config",
        "zone",
        "AS",
        "cluster",
        "host",
        "router",
        "link",
        "backbone",
        "host_link",
        "route",
        "bypassRoute",
        "zoneRoute",
        "ASroute",
        "bypassZoneRoute",
        "bypassASroute",
        "link_ctn",
        "trace",
        "trace_connect",
        "prop",
    ];
    let foreign = ["peer", "cabinet", "disk", "storage", "storage_type", "mount", "include", "random", "model_prop"];
    let message = match name {
        "process" | "actor" | "argument" => format!("`{name}` belongs to a deployment, not to a platform"),
        _ if foreign.contains(&name) => format!("`{name}` has no counterpart"),
        _ if known.contains(&name) => format!("expected no `{name}` in `{around}`"),
        _ => {
            return element
                .fault(format!("the element `{name}` is not known"))
                .with_help(near(name, known.into_iter()));
        }
    };
    element.fault(message)
}
