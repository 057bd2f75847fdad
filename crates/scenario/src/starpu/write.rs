//! A performance model as kernels in TOML.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hetsim_base::printable::toml_key;
use hetsim_text::Problem;

use super::{CALIBRATED, CodeletModel, Implementation, MeasuredCalls, Regression, RegressionForm, StarpuKernels};

/// A device alone, and what the codelet takes there.
struct DeviceTimes<'m> {
    cluster: String,
    implementation: &'m Implementation,
}

/// A kernel to be written.
struct KernelTable {
    name: String,
    /// What it was made of.
    about: String,
    /// The keys that all clusters share.
    keys: &'static str,
    /// By cluster, its coefficients.
    coefficients: Vec<(String, String)>,
}

/// A mean. Log-normal, as it keeps mean and deviation however far apart they are; a normal distribution cut at zero does not.
const MEAN: &str = "seconds = \"1e-6*mean\"\ndeviation = \"1e-6*dev\"\nnoise = \"log_normal\"";

/// A regression, whose power has any exponent: formulas have whole ones.
const BY_SIZE: &str = "seconds = \"1e-6*(a*exp(b*ln(m)) + c)\"";

/// A model of a codelet in a file as kernels.
///
/// # Errors
/// Where a device stands twice, and where nothing was measured.
pub(super) fn kernels(model: &CodeletModel, codelet: &str, file: &str) -> Result<StarpuKernels, Problem> {
    let mut left_out = Vec::new();
    let devices = devices(model, &mut left_out)?;
    let clusters: Vec<String> = devices.iter().map(|device| device.cluster.clone()).collect();
    if clusters.is_empty() {
        let message = format!("{file}: no device has a footprint of {CALIBRATED} calls or a regression by size");
        let help = if left_out.is_empty() {
            "let the application run with STARPU_CALIBRATE=1".to_owned()
        } else {
            left_out.join("; ")
        };
        return Err(Problem::general(message).with_help(help));
    }
    // Both are written: a mean is exact for its footprint, a regression serves sizes without one, and a task says which it calls.
    let mut tables: Vec<KernelTable> = by_size(&devices, codelet).into_iter().collect();
    let are_several = !tables.is_empty();
    tables.extend(by_footprint(&devices, codelet, are_several));
    let (whole, part): (Vec<KernelTable>, Vec<KernelTable>) =
        tables.into_iter().partition(|table| table.coefficients.len() == clusters.len());
    let mut text = header(model.version, codelet, file, &clusters, &left_out);
    for table in &whole {
        let _ = write!(text, "\n{}", written(table));
    }
    for table in &part {
        let is_missing = |cluster: &&String| table.coefficients.iter().all(|(other, _)| other != *cluster);
        let missing: Vec<&str> = clusters.iter().filter(is_missing).map(String::as_str).collect();
        let _ =
            writeln!(text, "\n# Not measured on {}: add what it takes there, and uncomment it.", missing.join(", "));
        for line in written(table).lines() {
            let _ = writeln!(text, "# {line}");
        }
    }
    Ok(StarpuKernels { text, kernels: whole.into_iter().map(|table| table.name).collect(), clusters, left_out })
}

/// The devices that were measured alone, by kind and number. What is left out of the model is noted.
fn devices<'m>(model: &'m CodeletModel, left_out: &mut Vec<String>) -> Result<Vec<DeviceTimes<'m>>, Problem> {
    let mut devices = BTreeMap::new();
    let mut combined = 0;
    for combination in &model.combinations {
        let [device] = combination.devices.as_slice() else {
            combined += 1;
            continue;
        };
        if device.cores > 1 {
            combined += 1;
            continue;
        }
        // The workers on cores are alike to StarPU, which gives all the number 0.
        let cluster = match (device.kind, device.number) {
            ("cpu", 0) => "cpu".to_owned(),
            (kind, number) => format!("{kind}{number}"),
        };
        let implementation = measured(&combination.implementations, &cluster, left_out);
        if devices.insert((device.kind, device.number), (cluster.clone(), implementation)).is_some() {
            return Err(Problem::at(&device.place, format!("the device {cluster} stands twice")));
        }
    }
    if combined > 0 {
        left_out.push(format!("workers of several cores or devices ({combined})"));
    }
    let times = |(cluster, implementation)| Some(DeviceTimes { cluster, implementation: implementation? });
    Ok(devices.into_values().filter_map(times).collect())
}

/// The first implementation that was measured on a device. What is left out is noted.
fn measured<'m>(all: &'m [Implementation], cluster: &str, left_out: &mut Vec<String>) -> Option<&'m Implementation> {
    let mut first = None;
    for (number, implementation) in all.iter().enumerate() {
        if implementation.parameters > 0 {
            left_out.push(format!("the regression by several parameters on {cluster}"));
        }
        if first.is_some() {
            left_out.push(format!("implementation {number} on {cluster}"));
            continue;
        }
        if let Some(Regression { calls, sizes: [least, most], .. }) =
            implementation.regression.as_ref().filter(|regression| !regression.is_trusted())
        {
            left_out.push(format!("a regression on {cluster} by {calls} calls of {least} to {most} bytes"));
        }
        let few = implementation.history.len() - implementation.by_footprint().count();
        if few > 0 {
            left_out.push(format!("footprints with fewer than {CALIBRATED} calls on {cluster} ({few})"));
        }
        first = Some(implementation).filter(|implementation| implementation.is_measured());
    }
    first
}

/// The kernel of the regressions, if any device has one.
fn by_size(devices: &[DeviceTimes<'_>], codelet: &str) -> Option<KernelTable> {
    let mut about = Vec::new();
    let mut coefficients = Vec::new();
    for DeviceTimes { cluster, implementation } in devices {
        let Some(Regression { form, a, b, c, calls, sizes: [least, most] }) = implementation.by_size() else {
            continue;
        };
        let form = match form {
            RegressionForm::LogLog => "log-log",
            RegressionForm::NonLinear => "non-linear",
        };
        about.push(format!("{form} on {cluster} ({calls} calls of {least} to {most})"));
        coefficients.push((cluster.clone(), format!("a = {a:?}, b = {b:?}, c = {c:?}")));
    }
    let about = format!("By the bytes of the data, m. Regression: {}.", about.join(", "));
    (!coefficients.is_empty()).then(|| KernelTable { name: codelet.to_owned(), about, keys: BY_SIZE, coefficients })
}

/// The kernels of the means, by size: named by it if they are several, and by the footprint too if another has the same.
fn by_footprint(devices: &[DeviceTimes<'_>], codelet: &str, are_several: bool) -> Vec<KernelTable> {
    let mut footprints: BTreeMap<u32, Vec<(&str, &MeasuredCalls)>> = BTreeMap::new();
    for DeviceTimes { cluster, implementation } in devices {
        for calls in implementation.by_footprint() {
            footprints.entry(calls.footprint).or_default().push((cluster, calls));
        }
    }
    let mut footprints: Vec<_> = footprints.into_values().collect();
    footprints.sort_by_key(|calls| calls[0].1.size);
    let mut of_size: BTreeMap<u64, u32> = BTreeMap::new();
    for calls in &footprints {
        *of_size.entry(calls[0].1.size).or_default() += 1;
    }
    let table = |calls: &Vec<(&str, &MeasuredCalls)>| {
        let MeasuredCalls { footprint, size, .. } = calls[0].1;
        let name = match of_size[size] {
            1 if footprints.len() == 1 && !are_several => codelet.to_owned(),
            1 => format!("{codelet}_{size}"),
            _ => format!("{codelet}_{size}_{footprint:08x}"),
        };
        mean_table(name, calls)
    };
    footprints.iter().map(table).collect()
}

/// The kernel of one footprint.
fn mean_table(name: String, measured: &[(&str, &MeasuredCalls)]) -> KernelTable {
    let MeasuredCalls { footprint, size, .. } = measured[0].1;
    let operations = measured.iter().find_map(|(_, calls)| calls.operations);
    let operations = operations.map(|operations| format!(", {operations} operations")).unwrap_or_default();
    let calls: Vec<String> = measured.iter().map(|(cluster, calls)| format!("{} on {cluster}", calls.calls)).collect();
    let coefficients = |(cluster, calls): &(&str, &MeasuredCalls)| {
        (String::from(*cluster), format!("mean = {:?}, dev = {:?}", calls.mean, calls.deviation))
    };
    KernelTable {
        name,
        about: format!("{size} bytes{operations}, footprint {footprint:08x}. Calls: {}.", calls.join(", ")),
        keys: MEAN,
        coefficients: measured.iter().map(coefficients).collect(),
    }
}

fn header(version: u64, codelet: &str, file: &str, clusters: &[String], left_out: &[String]) -> String {
    let (codelet, file) = (codelet.escape_debug(), file.escape_debug());
    let mut text = format!(
        "# Kernels of the codelet {codelet}, by StarPU's performance model {file} (version {version}), for `platform.include`.\n\
         # The platform must have a cluster for each device: {}. Any other needs a line `cluster.NAME` in each kernel.\n\
         # Coefficients are microseconds.\n",
        clusters.join(", ")
    );
    for what in left_out {
        // Writing to a string does not fail.
        let _ = writeln!(text, "# Left out: {what}.");
    }
    text
}

fn written(table: &KernelTable) -> String {
    let KernelTable { name, about, keys, coefficients } = table;
    let mut text = format!("# {about}\n[kernel.{}]\n{keys}\n", toml_key(name));
    for (cluster, values) in coefficients {
        let _ = writeln!(text, "cluster.{cluster} = {{ {values} }}");
    }
    text
}
