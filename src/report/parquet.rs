//! `results.parquet`: what `results.csv` holds, for programs that read millions of rows by column. Behind the feature
//! `parquet`, since its library is as large as all others together.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use super::results::Results;
use super::typed::{CellKind, TypedColumn, runs};
use crate::record::Value;

/// How many rows are in memory at a time.
const GROUP: usize = 1 << 16;

/// Writes all runs: the columns of `results.csv` in their order, each of them counts, numbers or texts; blanks are
/// null.
///
/// # Errors
/// Where `out` fails.
pub(super) fn results_parquet(results: &Results<'_>, out: &mut (dyn Write + Send)) -> io::Result<()> {
    let table = runs(results);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let write = || -> Result<(), ParquetError> {
        let mut file = SerializedFileWriter::new(out, schema(&table.columns)?, Arc::new(properties))?;
        for start in (0..table.rows).step_by(GROUP) {
            let mut group = file.next_row_group()?;
            for column in &table.columns {
                write_column(&mut group, column, start..table.rows.min(start + GROUP))?;
            }
            group.close()?;
        }
        file.close()?;
        Ok(())
    };
    write().map_err(|error| match error {
        ParquetError::External(cause) => io::Error::other(cause),
        other => io::Error::other(other),
    })
}

fn schema(columns: &[TypedColumn<'_>]) -> Result<TypePtr, ParquetError> {
    let field = |column: &TypedColumn<'_>| {
        let (physical, logical) = match column.kind {
            CellKind::Count => (Physical::INT64, Some(LogicalType::integer(64, false))),
            CellKind::Number => (Physical::DOUBLE, None),
            CellKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let builder = Type::primitive_type_builder(&column.name, physical);
        builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder("results").with_fields(fields).build().map(Arc::new)
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &TypedColumn<'_>,
    rows: std::ops::Range<usize>,
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    let cells: Vec<Value> = rows.map(&column.cell).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(*cell != Value::Blank)).collect();
    let there = cells.iter().filter(|cell| **cell != Value::Blank);
    match column.kind {
        CellKind::Count => {
            // Unsigned counts are written by their bits, as the logical type says.
            let counts: Vec<i64> = there
                .filter_map(|cell| if let Value::Count(count) = cell { Some(count.cast_signed()) } else { None })
                .collect();
            writer.typed::<Int64Type>().write_batch(&counts, Some(&levels), None)?;
        }
        CellKind::Number => {
            let numbers: Vec<f64> = there.filter_map(Value::number).collect();
            writer.typed::<DoubleType>().write_batch(&numbers, Some(&levels), None)?;
        }
        CellKind::Text => {
            let texts: Vec<ByteArray> = there.map(|cell| ByteArray::from(cell.to_string().into_bytes())).collect();
            writer.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None)?;
        }
    }
    writer.close()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    use super::*;
    use crate::record::Record;
    use crate::report::Reported as _;
    use crate::scenario::{Scenario, Source};

    /// Every cell of `results.csv` is in the file, told as what it is.
    #[test]
    fn every_cell_is_there() {
        let text = r#"
            version = 1
            seed = 18446744073709551
            replicas = 2
            [platform.cluster.a]
            nodes = 2
            network = { model = "hockney", latency = "10us", bandwidth = "1GB/s" }
            [workload]
            kind = "broadcast"
            algorithm = "binomial"
            size = "1KiB"
            [sweep]
            "workload.size" = ["1KiB", "1MiB"]
            "workload.algorithm" = ["linear", "binomial"]
        "#;
        let source = Source { name: "p".to_owned(), folder: std::path::PathBuf::new(), text: text.into() };
        let scenario = Scenario::read("p".to_owned(), source, &[]).unwrap();
        let record = |point: usize, replica: u32| {
            let mut record = Record::default();
            record.metric("completion_s", if point == 0 { Value::Blank } else { Value::from(point as f64 / 7.0) });
            record.metric("mixed", if point == 1 { Value::Count(3) } else { Value::from(0.5) });
            record.metric("largest", u64::MAX - 1);
            record.metric("name", if replica == 0 { "a \"b\", é" } else { "" });
            (point, replica, record)
        };
        let runs = (0..4).flat_map(|point| (0..2).map(move |replica| (point, replica)));
        let results = Results::new(&scenario, runs.map(|(point, replica)| record(point, replica)));
        let mut file = tempfile::tempfile().unwrap();
        results_parquet(&results, &mut file).unwrap();
        let mut csv = Vec::new();
        super::super::output::results_csv(&results, &mut csv).unwrap();
        let mut csv = csv::Reader::from_reader(csv.as_slice());
        let header: Vec<String> = csv.headers().unwrap().iter().map(str::to_owned).collect();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 8);
        for (row, record) in rows.iter().zip(csv.records()) {
            let record = record.unwrap();
            let names: Vec<&String> = row.get_column_iter().map(|(name, _)| name).collect();
            assert!(names.iter().map(|name| name.as_str()).eq(header.iter().map(String::as_str)), "{names:?}");
            for ((name, field), cell) in row.get_column_iter().zip(&record) {
                let shown = match field {
                    Field::Null => String::new(),
                    Field::Double(number) => Value::from(*number).to_string(),
                    Field::ULong(count) => count.to_string(),
                    Field::Str(text) => text.clone(),
                    other => panic!("{name} is {other:?}"),
                };
                assert_eq!(shown, cell, "{name}");
            }
        }
    }
}
