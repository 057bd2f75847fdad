//! What callers give: a scenario or a platform as a path or a dict, and values put over it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use hetsim::report::Reported as _;
use hetsim::report::spec::NOTATION;
use hetsim::scenario::{DEEPEST, Problems, Scenario, Source, to_toml};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyMapping, PyRange, PyString, PyTuple};
use serde_json::{Map, Value};

/// A scenario or a platform that a caller gives.
#[derive(Debug, Clone)]
pub(crate) enum Given {
    /// A file.
    File(PathBuf),
    /// A dict, by the name that results get, as TOML.
    Dict { name: String, text: String },
}

impl Given {
    /// What a caller gives. `name` names a dict and is refused for a file, which has a name.
    pub(crate) fn of(given: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<Self> {
        if given.cast::<PyMapping>().is_ok() {
            let tree = Reading::default().value(given, "")?;
            return Self::of_tree(name.unwrap_or_else(|| "scenario".to_owned()), tree);
        }
        let path: PathBuf = given
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("a path or a dict is needed, and this is a {}", kind(given))))?;
        if name.is_some() {
            return Err(PyValueError::new_err("name= is for a dict: a file's results have the file's name"));
        }
        Ok(Self::File(path))
    }

    /// The platform that a caller gives: a dict may be one without the key `platform` around it.
    pub(crate) fn of_platform(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if given.cast::<PyMapping>().is_err() {
            return Self::of(given, None);
        }
        let mut tree = Reading::default().value(given, "")?;
        if tree.get("platform").is_none() {
            tree = Map::from_iter([("platform".to_owned(), tree)]).into();
        }
        Self::of_tree("platform".to_owned(), tree)
    }

    fn of_tree(name: String, tree: Value) -> PyResult<Self> {
        let text = to_toml(tree).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::Dict { name, text })
    }

    /// The file, or the name of one that never exists: it identifies the results of a dict.
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Dict { name, .. } => Path::new("<dict>").join(format!("{name}.toml")),
        }
    }

    /// Reads the scenario.
    pub(crate) fn scenario(&self, overrides: &[String]) -> Result<Scenario, Problems> {
        match self {
            Self::File(path) => Scenario::load(path, overrides),
            Self::Dict { name, text } => Scenario::read(name.clone(), source(text), overrides),
        }
    }

    /// Reads the scenario around a platform.
    pub(crate) fn around_platform(&self, overrides: &[String]) -> Result<Scenario, Problems> {
        let source = match self {
            Self::File(path) => Source::read(path).map_err(|error| Problems::general(error.to_string()))?,
            Self::Dict { text, .. } => source(text),
        };
        Scenario::of_platform(&NOTATION, "platform".to_owned(), source, overrides)
    }
}

/// A dict's text, which names files against the current folder.
fn source(text: &str) -> Source {
    Source { name: "dict".to_owned(), folder: ".".into(), text: text.into() }
}

/// Values put over a scenario, each as `key=value`.
pub(crate) fn overrides(set: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<String>> {
    let one = |item: Bound<'_, PyAny>| {
        let (key, given): (String, Bound<'_, PyAny>) = item.extract()?;
        let value = toml::Value::try_from(Reading::default().value(&given, &key)?)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(format!("{key}={value}"))
    };
    set.map_or_else(|| Ok(Vec::new()), |set| set.items()?.iter().map(one).collect())
}

/// Values of Python on their way to TOML, with the dicts and lists that are open around them.
#[derive(Default)]
struct Reading<'py> {
    around: Vec<Bound<'py, PyAny>>,
}

impl<'py> Reading<'py> {
    /// What a dict or a list holds, unless it holds itself or is nested too deep; `place` is its path, for messages.
    fn within(
        &mut self,
        container: &Bound<'py, PyAny>,
        place: &str,
        read: impl FnOnce(&mut Self) -> PyResult<Value>,
    ) -> PyResult<Value> {
        if self.around.iter().any(|other| other.is(container)) {
            let message = format!("{}: this {} holds itself", at(place), kind(container));
            return Err(PyValueError::new_err(message));
        }
        if self.around.len() > DEEPEST {
            // The whole path would be as long as it is deep.
            let place = place.split('.').take(4).collect::<Vec<_>>().join(".");
            let message = format!("{}…: dicts and lists are nested more than {DEEPEST} deep", at(&place));
            return Err(PyValueError::new_err(message));
        }
        self.around.push(container.clone());
        let value = read(self);
        self.around.pop();
        value
    }

    /// A dict as a table.
    fn table(&mut self, dict: &Bound<'py, PyMapping>, place: &str) -> PyResult<Value> {
        let mut table = Map::new();
        for item in dict.items()?.iter() {
            let (key, given): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let Ok(key) = key.extract::<String>() else {
                return Err(PyTypeError::new_err(format!("{}: a key is a str, not {}", at(place), key.repr()?)));
            };
            let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            table.insert(key, self.value(&given, &place)?);
        }
        Ok(Value::Object(table))
    }

    /// A value as TOML knows it.
    fn value(&mut self, given: &Bound<'py, PyAny>, place: &str) -> PyResult<Value> {
        if let Ok(dict) = given.cast::<PyMapping>() {
            return self.within(given, place, |reading| reading.table(dict, place));
        }
        if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() || given.is_instance_of::<PyRange>() {
            return self
                .within(given, place, |reading| given.try_iter()?.map(|item| reading.value(&item?, place)).collect());
        }
        // What NumPy has, single values included, is what Python has.
        if let Ok(to_list) = given.getattr("tolist") {
            return self.within(given, place, |reading| reading.value(&to_list.call0()?, place));
        }
        scalar(given, place)
    }
}

/// A single value. Paths count as texts.
fn scalar(given: &Bound<'_, PyAny>, place: &str) -> PyResult<Value> {
    if given.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(given.extract()?));
    }
    if given.is_instance_of::<PyString>() {
        return Ok(Value::String(given.extract()?));
    }
    if !given.is_instance_of::<PyFloat>()
        && let Ok(number) = given.extract::<i64>()
    {
        return Ok(number.into());
    }
    if given.is_instance_of::<PyInt>() {
        return Err(PyValueError::new_err(format!(
            "{}: {given} does not fit the 64 bits of a whole number",
            at(place)
        )));
    }
    if let Ok(number) = given.extract::<f64>() {
        return serde_json::Number::from_f64(number).map(Value::Number).ok_or_else(|| {
            PyValueError::new_err(format!("{}: {number} is no number that a scenario can have", at(place)))
        });
    }
    if let Ok(path) = given.extract::<PathBuf>() {
        return Ok(Value::String(path.to_string_lossy().into_owned()));
    }
    Err(PyTypeError::new_err(format!("{}: TOML has no value for {} ({})", at(place), given.repr()?, kind(given))))
}

fn at(place: &str) -> &str {
    if place.is_empty() { "the scenario" } else { place }
}

/// The type of a value, by its name.
fn kind(given: &Bound<'_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "value".to_owned(), |name| name.to_string())
}

/// A whole number of a type without negative ones. One that it cannot hold is a `ValueError`, as all wrong values are.
pub(crate) fn whole<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyAny>) -> PyResult<T> {
    given.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        if !error.is_instance_of::<PyOverflowError>(given.py()) {
            return error;
        }
        let most = u128::MAX >> (128 - 8 * size_of::<T>());
        PyValueError::new_err(format!("{given}: the number is at least 0 and at most {most}"))
    })
}

/// An amount that is zero or more.
pub(crate) fn amount(what: &str, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    let amount = match given.extract::<f64>() {
        // A whole number that is larger than all floats.
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => f64::INFINITY,
        amount => amount?,
    };
    if amount >= 0.0 && amount.is_finite() {
        Ok(amount)
    } else {
        Err(PyValueError::new_err(format!("{amount} {what}: the number is finite and not negative")))
    }
}

/// The seed of random streams: a whole number that TOML can hold.
pub(crate) fn seed(given: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if given.is_none() {
        return Ok(None);
    }
    let most = i64::MAX.unsigned_abs();
    let wrong = || PyValueError::new_err(format!("seed={given}: the number is at least 0 and at most {most}"));
    match given.extract::<u64>() {
        Ok(seed) if seed <= most => Ok(Some(seed)),
        Err(error) if !error.is_instance_of::<PyOverflowError>(given.py()) => Err(error),
        _ => Err(wrong()),
    }
}

/// How many runs are computed at a time; all cores by default.
pub(crate) fn jobs(given: &Bound<'_, PyAny>) -> PyResult<Option<NonZeroUsize>> {
    if given.is_none() {
        return Ok(None);
    }
    let jobs = NonZeroUsize::new(whole(given)?);
    jobs.map(Some).ok_or_else(|| PyValueError::new_err("jobs=0: at least one run is computed at a time"))
}
