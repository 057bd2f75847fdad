//! Performance models of StarPU, which say what the calls of a codelet took on each device, as kernels of a platform.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;

use hetsim_text::{Place, Problems, Source};

/// Kernels for `platform.include`, made of a performance model of StarPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarpuKernels {
    /// The file, which says in comments what it needs and what is left out.
    pub text: String,
    /// The names of its kernels, but for those that are comments.
    pub kernels: Vec<String>,
    /// The clusters that a platform must have: one a device.
    pub clusters: Vec<String>,
    /// What is left out of the model, each in a few words.
    pub left_out: Vec<String>,
}

/// A performance model, as it stands in its file.
#[derive(Debug)]
struct CodeletModel {
    /// The version of its format.
    version: u64,
    combinations: Vec<Combination>,
}

/// Devices that compute a task together; most often one.
#[derive(Debug)]
struct Combination {
    devices: Vec<Device>,
    /// What the codelet's implementations took there, in their order.
    implementations: Vec<Implementation>,
}

/// A device, as workers of StarPU are on.
#[derive(Debug)]
struct Device {
    /// The name of its kind, such as `cuda`.
    kind: &'static str,
    /// Its number among those of its kind.
    number: u64,
    /// How many of its cores compute one task.
    cores: u64,
    /// Where its kind stands.
    place: Place,
}

/// What an implementation of the codelet took.
#[derive(Debug)]
struct Implementation {
    /// The time by size.
    regression: Option<Regression>,
    /// How many coefficients the regression by several parameters has; the file does not say what they are of.
    parameters: u64,
    /// The calls of each footprint.
    history: Vec<MeasuredCalls>,
}

/// A fitted time: `a·size^b + c` µs for a size in bytes.
#[derive(Debug)]
struct Regression {
    form: RegressionForm,
    a: f64,
    b: f64,
    c: f64,
    /// The number of calls.
    calls: u64,
    /// The sizes of the calls in bytes: the least and the greatest.
    sizes: [u64; 2],
}

/// How a time was fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RegressionForm {
    /// A power, as a line through logarithms.
    LogLog,
    /// A power and a constant.
    NonLinear,
}

/// Calls with data of one shape.
#[derive(Debug)]
struct MeasuredCalls {
    /// The hash of the shape.
    footprint: u32,
    /// The bytes of the data.
    size: u64,
    /// The operations of a call, where the application says them.
    operations: Option<f64>,
    /// The mean time in µs.
    mean: f64,
    /// Its standard deviation in µs.
    deviation: f64,
    /// The number of calls.
    calls: u64,
}

impl Regression {
    /// Whether StarPU would use it: before there are enough calls of unlike sizes, its coefficients may be zero.
    fn is_trusted(&self) -> bool {
        let [least, most] = self.sizes.map(|size| size as f64);
        self.calls >= CALIBRATED && least < 0.9 * most
    }
}

impl Implementation {
    /// The time by size, if it is known well enough.
    fn by_size(&self) -> Option<&Regression> {
        self.regression.as_ref().filter(|regression| regression.is_trusted())
    }

    /// The calls of each footprint that has enough.
    fn by_footprint(&self) -> impl Iterator<Item = &MeasuredCalls> {
        self.history.iter().filter(|calls| calls.calls >= CALIBRATED)
    }

    /// Whether anything is known of it.
    fn is_measured(&self) -> bool {
        self.by_size().is_some() || self.by_footprint().next().is_some()
    }
}

/// How many calls StarPU asks of a mean or a regression before it uses it, unless the environment says otherwise.
const CALIBRATED: u64 = 10;

/// The words of the comment above the version, by which such a file is known.
const TITLE: [&str; 4] = ["#", "Performance", "Model", "Version"];

/// Whether a text is a performance model of StarPU.
#[must_use]
pub fn is_starpu_model(text: &str) -> bool {
    let is_title = |line: &str| line.split_whitespace().eq(TITLE);
    text.lines().take_while(|line| line.is_empty() || line.starts_with('#')).any(is_title)
}

/// A performance model of StarPU, in a file named `CODELET.HOST`, as kernels.
///
/// # Errors
/// A version other than 44 and 45, a line that is missing or says something else, with its place; and a model without times.
pub fn starpu_kernels(source: &Source) -> Result<StarpuKernels, Problems> {
    let name = Path::new(&source.name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    // A codelet with a dot would be another's on a host of that name: StarPU has none, and hosts may have their domain.
    let codelet = name.split('.').find(|part| !part.is_empty()).unwrap_or("codelet");
    let model = read::model(&source.text);
    let kernels = model.and_then(|model| write::kernels(&model, codelet, &name));
    kernels.map_err(|problem| Problems::new(vec![problem], std::slice::from_ref(source)))
}
