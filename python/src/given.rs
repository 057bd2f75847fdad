//! What callers give: a scenario or a platform as a path or a dict, and values put over it.

use std::path::{Path, PathBuf};

use hetsim::report::spec::NOTATION;
use hetsim::scenario::{Problems, Scenario, Source, to_toml};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
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
        if let Ok(dict) = given.cast::<PyMapping>() {
            let name = name.unwrap_or_else(|| "scenario".to_owned());
            let tree = table(dict, "")?;
            let text = to_toml(tree).map_err(|error| PyValueError::new_err(error.to_string()))?;
            return Ok(Self::Dict { name, text });
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
        if let Ok(dict) = given.cast::<PyDict>()
            && dict.contains("cluster")?
        {
            let around = PyDict::new(given.py());
            around.set_item("platform", dict)?;
            return Self::of(&around, Some("platform".to_owned()));
        }
        Self::of(given, None)
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
pub(crate) fn overrides(set: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let one = |(key, given): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let key: String = key.extract()?;
        let value =
            toml::Value::try_from(value(&given, &key)?).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(format!("{key}={value}"))
    };
    set.into_iter().flatten().map(one).collect()
}

/// A dict as a table; `place` is its path, for messages.
fn table(dict: &Bound<'_, PyMapping>, place: &str) -> PyResult<Value> {
    let mut table = Map::new();
    for item in dict.items()?.iter() {
        let (key, given): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let Ok(key) = key.extract::<String>() else {
            return Err(PyTypeError::new_err(format!("{}: a key is a str, not {}", at(place), key.repr()?)));
        };
        let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        table.insert(key, value(&given, &place)?);
    }
    Ok(Value::Object(table))
}

/// A value as TOML knows it. Numbers of NumPy count as numbers, and paths as texts.
fn value(given: &Bound<'_, PyAny>, place: &str) -> PyResult<Value> {
    if let Ok(dict) = given.cast::<PyMapping>() {
        return table(dict, place);
    }
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        let items = given.try_iter()?.map(|item| value(&item?, place)).collect::<PyResult<Vec<_>>>()?;
        return Ok(Value::Array(items));
    }
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
    if let Ok(number) = given.extract::<f64>()
        && !given.is_instance_of::<PyInt>()
    {
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
