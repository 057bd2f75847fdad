//! Tables by the Arrow C data interface, so that pandas, polars, R and others take the memory as it is.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
};
use hetsim::cli::Failure;
use hetsim::printable::escape;
use hetsim::record::Value;
use hetsim::report::typed::{CellKind, TypedColumn, TypedTable};
use pyo3::exceptions::{PyImportError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList};

/// How many rows the text of a table shows, and how wide it may be.
const SHOWN: usize = 10;
const WIDTH: usize = 100;

/// A table with typed columns: integers, floats and texts, null where there is no value.
///
/// It has the Arrow C data interface: `polars.DataFrame(table)` and `pyarrow.table(table)` take its memory as it is.
#[pyclass(frozen, module = "hetsim")]
#[derive(Debug, Clone)]
pub(crate) struct Table {
    name: String,
    batch: RecordBatch,
}

impl Table {
    /// The table with the cells of another; blank cells are null.
    pub(crate) fn of(name: &str, table: &TypedTable<'_>) -> Result<Self, Failure> {
        let columns = table.columns.iter().map(|column| (column.name.clone(), array(column, table.rows), true));
        // A table without columns has no rows either.
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| Failure::Run(error.to_string()))?;
        Ok(Self { name: name.to_owned(), batch })
    }

    /// Whether this is its name.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name == name
    }

    /// The cells of a column.
    fn cells<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyList>> {
        let array = self.batch.column(column);
        let cells = (0..self.batch.num_rows()).map(|row| cell(array, row)).map(|cell| cell.into_pyobject(py));
        PyList::new(py, cells.collect::<PyResult<Vec<_>>>()?)
    }

    /// The names of the columns.
    fn names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The first rows as texts.
    fn head(&self) -> Vec<Vec<String>> {
        let row = |row| self.batch.columns().iter().map(|array| cell(array, row).text()).collect();
        (0..self.batch.num_rows().min(SHOWN)).map(row).collect()
    }

    /// What is said below the first rows.
    fn size(&self) -> String {
        let (rows, columns) = (self.batch.num_rows(), self.batch.num_columns());
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        format!("{}: {rows} row{}, {columns} column{}", self.name, plural(rows), plural(columns))
    }
}

#[pymethods]
impl Table {
    /// The name of the table.
    #[getter]
    #[pyo3(name = "name")]
    fn own_name(&self) -> &str {
        &self.name
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.names()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.names())?.try_iter()
    }

    fn __contains__(&self, column: &Bound<'_, PyAny>) -> bool {
        column.extract().is_ok_and(|column: String| self.batch.schema().index_of(&column).is_ok())
    }

    fn __getitem__<'py>(&self, py: Python<'py>, column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let Ok(column) = column.extract::<String>() else {
            let column = column.repr()?;
            let message = format!("{column} is no name of a column; rows are those of to_pandas() or to_polars()");
            return Err(PyTypeError::new_err(message));
        };
        let number = self.batch.schema().index_of(&column).map_err(|_| {
            PyKeyError::new_err(format!("{} has no column {column}; it has {}", self.name, self.names().join(", ")))
        })?;
        self.cells(py, number)
    }

    /// The cells of all columns.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (number, name) in self.names().into_iter().enumerate() {
            dict.set_item(name, self.cells(py, number)?)?;
        }
        Ok(dict)
    }

    /// The table in polars: pip install 'hetsim[polars]'.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        needed(py, "polars", "polars")?.call_method1("DataFrame", (self.clone(),))
    }

    /// The table in pandas: pip install 'hetsim[pandas]'.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        needed(py, "pandas", "pandas")?;
        needed(py, "pyarrow", "pandas")?.call_method1("table", (self.clone(),))?.call_method0("to_pandas")
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer keep its own schema.
        drop(requested_schema);
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        let (names, head) = (self.names(), self.head());
        let longest = |column: usize| head.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> =
            names.iter().enumerate().map(|(column, name)| name.chars().count().max(longest(column))).collect();
        // The columns that there is room for, and at least one.
        let mut room = WIDTH;
        let mut fits = |&width: &usize| {
            let fits = room >= width + 2;
            room = room.saturating_sub(width + 2);
            fits
        };
        let fitting = widths.iter().take_while(|width| fits(width)).count().max(1);
        let rest = if fitting < widths.len() { "  …\n" } else { "\n" };
        let line = |cells: &[String]| {
            let cells = cells.iter().zip(&widths).take(fitting).map(|(cell, &width)| format!("{cell:>width$}"));
            cells.collect::<Vec<_>>().join("  ") + rest
        };
        let more = if self.batch.num_rows() > head.len() { "…\n" } else { "" };
        let rows: String = head.iter().map(|row| line(row)).collect();
        format!("{}{rows}{more}{}", line(&names), self.size())
    }

    fn _repr_html_(&self) -> String {
        let row = |tag: &str, cells: &[String]| {
            let cells = cells.iter().flat_map(|cell| [format!("<{tag}>"), escape(cell), format!("</{tag}>")]);
            ["<tr>".to_owned()].into_iter().chain(cells).chain(["</tr>".to_owned()]).collect::<String>()
        };
        let rows: String = self.head().iter().map(|cells| row("td", cells)).collect();
        let head = row("th", &self.names());
        format!("<table><thead>{head}</thead><tbody>{rows}</tbody></table><p>{}</p>", escape(&self.size()))
    }
}

/// A package of the user's, and the extra that brings it.
fn needed<'py>(py: Python<'py>, package: &str, extra: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(package).map_err(|error| {
        if error.is_instance_of::<PyImportError>(py) {
            PyImportError::new_err(format!("{error}; pip install 'hetsim[{extra}]'"))
        } else {
            error
        }
    })
}

/// The cells of a column as an array.
fn array(column: &TypedColumn<'_>, rows: usize) -> ArrayRef {
    let cells = (0..rows).map(|row| (column.cell)(row));
    match column.kind {
        CellKind::Count => {
            let counts: Vec<Option<u64>> =
                cells.map(|cell| if let Value::Count(count) = cell { Some(count) } else { None }).collect();
            // Differences of unsigned numbers wrap around in pandas and polars.
            let signed = |count: &Option<u64>| count.map(i64::try_from).transpose();
            let signed: Result<Int64Array, _> = counts.iter().map(signed).collect();
            signed.map_or_else(|_| Arc::new(UInt64Array::from(counts)) as ArrayRef, |signed| Arc::new(signed))
        }
        CellKind::Number => {
            let mut numbers = Float64Builder::with_capacity(rows);
            cells.for_each(|cell| numbers.append_option(cell.number()));
            Arc::new(numbers.finish())
        }
        CellKind::Text => {
            let mut texts = StringBuilder::with_capacity(rows, 8 * rows);
            cells
                .for_each(|cell| texts.append_option(if cell == Value::Blank { None } else { Some(cell.to_string()) }));
            Arc::new(texts.finish())
        }
    }
}

/// A cell on its way to Python.
struct Cell(Value);

/// The cell in a row of an array, which is one of those that [`array`] makes.
fn cell(array: &ArrayRef, row: usize) -> Cell {
    let any = array.as_any();
    Cell(if array.is_null(row) {
        Value::Blank
    } else if let Some(counts) = any.downcast_ref::<Int64Array>() {
        Value::Count(counts.value(row).unsigned_abs())
    } else if let Some(counts) = any.downcast_ref::<UInt64Array>() {
        Value::Count(counts.value(row))
    } else if let Some(numbers) = any.downcast_ref::<Float64Array>() {
        Value::Number(numbers.value(row))
    } else {
        any.downcast_ref::<StringArray>().map_or(Value::Blank, |texts| Value::Text(texts.value(row).to_owned()))
    })
}

impl Cell {
    /// In few digits.
    fn text(&self) -> String {
        match &self.0 {
            Value::Number(number) if *number != 0.0 && !(1e-3..1e6).contains(&number.abs()) => format!("{number:.4e}"),
            Value::Number(number) => format!("{number:.6}").trim_end_matches('0').trim_end_matches('.').to_owned(),
            other => other.to_string(),
        }
    }

    fn into_pyobject(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self.0 {
            Value::Count(count) => count.into_pyobject(py)?.into_any(),
            Value::Number(number) => number.into_pyobject(py)?.into_any(),
            Value::Text(text) => text.into_pyobject(py)?.into_any(),
            Value::Blank => py.None().into_bound(py),
        })
    }
}

/// The names of tables.
pub(crate) fn names(tables: &[Table]) -> Vec<&str> {
    tables.iter().map(|table| table.name.as_str()).collect()
}

/// A table that is asked for by its name.
pub(crate) fn find(tables: &[Table], name: &str) -> PyResult<Table> {
    let found = tables.iter().find(|table| table.name == name).cloned();
    found
        .ok_or_else(|| PyKeyError::new_err(format!("there is no table {name}; there are {}", names(tables).join(", "))))
}
