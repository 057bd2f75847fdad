//! The allowed content of elements, and the reasons why other elements are refused.

use super::xml::Element;
use hetsim_text::Problem;

/// The number of cores.
///
/// # Errors
/// The value is not a positive integer.
pub(super) fn cores(element: &Element<'_>) -> Result<u32, Problem> {
    let Some(word) = element.given("core") else { return Ok(1) };
    let cores = word.text.trim().parse().ok().filter(|cores| *cores > 0);
    cores.ok_or_else(|| word.fault(format!("expected a number of cores, not {:?}", word.text)))
}

/// Checks a property, which has an identifier and a value and no meaning for SimGrid here.
///
/// # Errors
/// Any other content.
pub(super) fn property(element: &Element<'_>) -> Result<(), Problem> {
    element.only(&["id", "value"])?;
    element.no_text()?;
    element.required("id")?;
    element.present("value")?;
    match element.children.first() {
        Some(child) => Err(refused(child, "prop")),
        None => Ok(()),
    }
}

/// Refuses everything except properties within an element, and properties where they are not allowed. A host may have
/// disks.
///
/// # Errors
/// The first other element, or text.
pub(super) fn properties_only(element: &Element<'_>) -> Result<(), Problem> {
    element.no_text()?;
    for child in &element.children {
        if (child.name, element.name) == ("disk", "host") {
            // No program here reads or writes disks.
            child.only(&["id", "read_bw", "write_bw"])?;
            properties_only(child)?;
            continue;
        }
        if child.name != "prop" || !matches!(element.name, "host" | "link" | "cluster" | "disk") {
            return Err(refused(child, element.name));
        }
        property(child)?;
    }
    Ok(())
}

/// Refuses coordinates.
///
/// # Errors
/// The element has coordinates.
pub(super) fn no_coordinates(element: &Element<'_>) -> Result<(), Problem> {
    match element.given("coordinates") {
        Some(word) => Err(word.fault("coordinates have no counterpart: latencies come from links")),
        None => Ok(()),
    }
}

/// The error for an element that is not supported.
pub(super) fn refused(element: &Element<'_>, around: &str) -> Problem {
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
        "disk",
    ];
    let foreign = ["peer", "cabinet", "storage", "storage_type", "mount", "include", "random", "model_prop"];
    let message = match name {
        "process" | "actor" | "argument" => format!("`{name}` belongs to a deployment, not to a platform"),
        _ if foreign.contains(&name) => format!("`{name}` has no counterpart"),
        _ if known.contains(&name) => format!("expected no `{name}` in `{around}`"),
        _ => {
            return element.fault(format!("the element `{name}` is not known")).with_near(name, known);
        }
    };
    element.fault(message)
}
