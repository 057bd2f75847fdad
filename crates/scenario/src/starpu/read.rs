//! The lines of a performance model: their order says what they mean.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use hetsim_text::{Place, Problem};

use super::{CodeletModel, Combination, Device, Implementation, MeasuredCalls, Regression, RegressionForm};

/// The kinds of devices by their numbers, as clusters may be named.
const KINDS: [&str; 9] = ["cpu", "cuda", "opencl", "mic", "fpga", "mpi", "tcpip", "hip", "sycl"];

/// The versions that are read: before them a model had no combinations.
const VERSIONS: RangeInclusive<u64> = 44..=45;

/// A model.
///
/// # Errors
/// The first line that is missing or says something else.
pub(super) fn model(text: &str) -> Result<CodeletModel, Problem> {
    let mut lines = ModelLines { text, at: 0 };
    let version = lines.value("the version of the format")?;
    if !VERSIONS.contains(&version.whole()?) {
        let message = format!("version {} of performance models is not read: 44 and 45 are", version.text);
        return Err(version.problem(message).with_help("StarPU 1.2 to 1.4 write these"));
    }
    let mut model = CodeletModel { version: version.whole()?, combinations: Vec::new() };
    for _ in 0..lines.value("the number of combinations")?.whole()? {
        let combination = combination(&mut lines, model.version)?;
        model.combinations.push(combination);
    }
    Ok(model)
}

fn combination(lines: &mut ModelLines<'_>, version: u64) -> Result<Combination, Problem> {
    let count = lines.value("the number of devices")?;
    if count.whole()? == 0 {
        return Err(count.problem("a combination has at least one device"));
    }
    let devices = (0..count.whole()?).map(|_| device(lines)).collect::<Result<_, _>>()?;
    let count = lines.value("the number of implementations")?.whole()?;
    let implementations = (0..count).map(|_| implementation(lines, version)).collect::<Result<_, _>>()?;
    Ok(Combination { devices, implementations })
}

fn device(lines: &mut ModelLines<'_>) -> Result<Device, Problem> {
    let kind = lines.value("the type of a device")?;
    let known = usize::try_from(kind.whole()?).ok().and_then(|number| KINDS.get(number));
    let name = known.ok_or_else(|| {
        let names: Vec<String> = KINDS.iter().enumerate().map(|(number, name)| format!("{number} ({name})")).collect();
        kind.problem(format!("there is no type {} of devices", kind.text)).with_help(names.join(", "))
    })?;
    let number = lines.value("the number of a device")?.whole()?;
    let cores = lines.value("the number of cores")?.whole()?;
    Ok(Device { kind: name, number, cores, place: kind.place() })
}

fn implementation(lines: &mut ModelLines<'_>, version: u64) -> Result<Implementation, Problem> {
    let entries = lines.value("the number of entries")?.whole()?;
    let regression = regression(lines)?;
    let mut parameters = 0;
    // Version 44 has this line or not: its comment tells.
    if version > 44 || lines.comments().any(|line| line.contains("multiple-regression") || line.contains("intercept")) {
        let words = lines.words("the regression by several parameters", 1..=usize::MAX)?;
        parameters = words[0].whole()?;
        if parameters.checked_add(1) != Some(words.len() as u64) {
            let message =
                format!("{parameters} coefficients are expected after this, and the line has {}", words.len() - 1);
            return Err(words[0].problem(message));
        }
    }
    let mut seen = BTreeSet::new();
    let mut history = Vec::new();
    for _ in 0..entries {
        let words = lines.words("the calls of a footprint", 7..=8)?;
        let calls = measured(&words)?;
        if !seen.insert(calls.footprint) {
            return Err(words[0].problem(format!("the footprint {} stands twice", words[0].text)));
        }
        history.push(calls);
    }
    Ok(Implementation { regression, parameters, history })
}

/// The regression of two lines, if there is one.
fn regression(lines: &mut ModelLines<'_>) -> Result<Option<Regression>, Problem> {
    let line = lines.words("the sums and the line of logarithms", 9..=9)?;
    let power = lines.words("the non-linear regression", 3..=3)?;
    let calls = line[6].whole()?;
    let sizes = [line[7].whole()?, line[8].whole()?];
    let of = |form, [a, b, c]: [f64; 3]| {
        let is_known = calls > 0 && [a, b, c].iter().all(|value| value.is_finite());
        is_known.then_some(Regression { form, a, b, c, calls, sizes })
    };
    let log_log = [line[4].number()?, line[5].number()?, 0.0];
    let non_linear = [power[0].number()?, power[1].number()?, power[2].number()?];
    Ok(of(RegressionForm::NonLinear, non_linear).or_else(|| of(RegressionForm::LogLog, log_log)))
}

/// Calls of a footprint: its hash, the size, the operations but for old files, the mean, the deviation, two sums, the number.
fn measured(words: &[ModelWord<'_>]) -> Result<MeasuredCalls, Problem> {
    let hash = &words[0];
    let footprint = u32::from_str_radix(hash.text, 16);
    let footprint = footprint.map_err(|_| hash.problem(format!("`{}` is no hash of a footprint", hash.text)))?;
    let (operations, rest) = match words {
        [_, _, operations, rest @ ..] if rest.len() == 5 => (Some(operations.number()?), rest),
        _ => (None, &words[2..]),
    };
    Ok(MeasuredCalls {
        footprint,
        size: words[1].whole()?,
        operations: operations.filter(|operations| *operations > 0.0),
        mean: rest[0].time()?,
        deviation: rest[1].time()?,
        calls: rest[4].whole()?,
    })
}

/// The lines that are still to be read.
struct ModelLines<'a> {
    text: &'a str,
    at: usize,
}

/// A word, and where it stands.
#[derive(Debug, Clone)]
struct ModelWord<'a> {
    text: &'a str,
    span: Range<usize>,
}

impl<'a> ModelLines<'a> {
    /// The comments and empty lines before the next line.
    fn comments(&self) -> impl Iterator<Item = &'a str> {
        let is_comment = |line: &&str| line.trim().is_empty() || line.starts_with('#');
        self.text[self.at..].split_inclusive('\n').take_while(is_comment)
    }

    /// The words of the next line that is no comment: as many as `counts` says.
    fn words(&mut self, what: &str, counts: RangeInclusive<usize>) -> Result<Vec<ModelWord<'a>>, Problem> {
        self.at += self.comments().map(str::len).sum::<usize>();
        let start = self.at;
        let line = self.text[start..].split_inclusive('\n').next().unwrap_or_default();
        self.at += line.len();
        let word = |text: &'a str| {
            let from = start + (text.as_ptr() as usize - line.as_ptr() as usize);
            ModelWord { text, span: from..from + text.len() }
        };
        let words: Vec<ModelWord<'_>> = line.split_whitespace().map(word).collect();
        let Some(first) = words.first() else {
            let place = Place { source: 0, span: start..start };
            return Err(Problem::at(&place, format!("the file ends where {what} should stand")));
        };
        if counts.contains(&words.len()) {
            return Ok(words);
        }
        let (least, most) = (counts.start(), counts.end());
        let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
        Err(first.problem(format!("{what}: {expected} values expected, and the line has {}", words.len())))
    }

    /// The only word of the next line.
    fn value(&mut self, what: &str) -> Result<ModelWord<'a>, Problem> {
        let words = self.words(what, 1..=1)?;
        // A line of one word has a first.
        words.into_iter().next().ok_or_else(|| Problem::general(what))
    }
}

impl ModelWord<'_> {
    fn place(&self) -> Place {
        Place { source: 0, span: self.span.clone() }
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::at(&self.place(), message)
    }

    fn whole(&self) -> Result<u64, Problem> {
        self.text.parse().map_err(|_| self.problem(format!("`{}` is no whole number", self.text)))
    }

    /// A number, or `nan`.
    fn number(&self) -> Result<f64, Problem> {
        self.text.parse().map_err(|_| self.problem(format!("`{}` is no number", self.text)))
    }

    /// A number of µs.
    fn time(&self) -> Result<f64, Problem> {
        let time = self.number()?;
        let is_time = time.is_finite() && time >= 0.0;
        is_time.then_some(time).ok_or_else(|| self.problem(format!("`{}` is no time", self.text)))
    }
}
