//! Reads measured calls: a CSV with a row a call.

use std::collections::BTreeMap;
use std::io::Read;

use rustc_hash::FxHashMap;

use super::TimedCall;
use crate::read::ReadError;
use crate::read::table::{RowLength, TableReader, amount};
use hetsim_text::{nearest, suggest};

/// The columns that count.
const COLUMNS: [&str; 8] = ["node", "seconds", "cpu", "kernel", "m", "n", "k", "day"];

/// How many of them no file can do without.
const NEEDED: usize = 2;

/// The name of the only kernel of a file that names none.
const ONLY_KERNEL: &str = "call";

/// A processor by the numbers of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallPlace {
    /// The number of the node.
    pub node: u32,
    /// The number of its processor; `None` where the node is the processor.
    pub cpu: Option<u32>,
}

/// Measured calls of some kernels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KernelCalls {
    /// The processors, in the order of their first calls.
    pub places: Vec<CallPlace>,
    /// The days' names, in the order of their first calls; none where the files have no column `day`.
    pub days: Vec<String>,
    /// Columns without a meaning, which were not read, each with advice if it may be a misspelt one.
    pub ignored: Vec<String>,
    /// The calls by kernel, in the order of the files.
    pub(super) of_kernel: BTreeMap<String, Vec<TimedCall>>,
    /// Whether the first file has the columns `cpu` and `day`.
    has: Option<[bool; 2]>,
    numbers: Numbers,
}

/// The numbers of processors and days.
#[derive(Debug, Clone, PartialEq, Default)]
struct Numbers {
    of_place: FxHashMap<CallPlace, u32>,
    of_day: FxHashMap<String, u32>,
}

impl KernelCalls {
    /// Reads one more file. Its first line names the columns: `node` and `seconds`, and `cpu`, `kernel`, `m`, `n`, `k`
    /// and `day` if it has them; lines that start with `#` are comments. Nodes and processors have numbers, as in the
    /// file of a kernel in a platform; a size without a column is 1; a day is any text. Other columns are noted.
    ///
    /// # Errors
    /// The first faulty line, with the column and what is expected there; a needed column that is missing, or no row.
    pub fn read(&mut self, input: impl Read) -> Result<(), ReadError> {
        let mut table = TableReader::of_commas(input, RowLength::Titles)?;
        if table.titles().is_empty() {
            let message = "the file is empty: its first line has to name columns, such as node,seconds";
            return Err(ReadError::at(0, message));
        }
        let columns = CallColumns::of(&table)?;
        let has = [&columns.cpu, &columns.day].map(Option::is_some);
        if *self.has.get_or_insert(has) != has {
            return Err(table.error("of the columns `cpu` and `day`, all files need the same"));
        }
        self.ignored.extend(ignored(table.titles()));
        let heading = table.line();
        let mut is_empty = true;
        while table.advance()? {
            self.push(&columns.row(&table)?);
            is_empty = false;
        }
        if is_empty {
            return Err(ReadError::at(heading, "there is no call below the names of the columns"));
        }
        Ok(())
    }

    fn push(&mut self, row: &CallRow<'_>) {
        let places = &mut self.places;
        let processor = *self.numbers.of_place.entry(row.place).or_insert_with(|| {
            places.push(row.place);
            places.len() as u32 - 1
        });
        let day = row.day.map_or(0, |day| {
            self.numbers.of_day.get(day).copied().unwrap_or_else(|| {
                self.days.push(day.to_owned());
                let number = self.days.len() as u32 - 1;
                self.numbers.of_day.insert(day.to_owned(), number);
                number
            })
        });
        let call = TimedCall { sizes: row.sizes, seconds: row.seconds, processor, day };
        match self.of_kernel.get_mut(row.kernel) {
            Some(calls) => calls.push(call),
            None => {
                self.of_kernel.insert(row.kernel.to_owned(), vec![call]);
            }
        }
    }
}

/// A row as it was read.
struct CallRow<'r> {
    place: CallPlace,
    kernel: &'r str,
    sizes: [f64; 3],
    seconds: f64,
    day: Option<&'r str>,
}

/// Where the columns of a file are.
struct CallColumns {
    node: usize,
    seconds: usize,
    cpu: Option<usize>,
    kernel: Option<usize>,
    sizes: [Option<usize>; 3],
    day: Option<usize>,
}

impl CallColumns {
    fn of<R: Read>(table: &TableReader<R>) -> Result<Self, ReadError> {
        let is_title = |title: &&String, name: &str| title.eq_ignore_ascii_case(name);
        let count = |name: &str| table.titles().iter().filter(|title| is_title(title, name)).count();
        if let Some(name) = COLUMNS.iter().find(|name| count(name) > 1) {
            return Err(table.error(format!("there are two columns `{name}`")));
        }
        let [node, seconds] = table.columns([COLUMNS[0], COLUMNS[1]])?;
        let [cpu, kernel, m, n, k, day] = [2, 3, 4, 5, 6, 7].map(|number: usize| table.find(COLUMNS[number]));
        Ok(Self { node, seconds, cpu, kernel, sizes: [m, n, k], day })
    }

    fn row<'t, R: Read>(&self, table: &'t TableReader<R>) -> Result<CallRow<'t>, ReadError> {
        let whole = |column| {
            table.value(column, "a whole number from 0", |text| {
                text.parse().ok().filter(|&number: &u32| number < 1_000_000_000)
            })
        };
        let name = |column| match table.cell(column) {
            "" => table.value(column, "a name", |_| None),
            text => Ok(text),
        };
        let size = |column: Option<usize>| {
            column.map_or(Ok(1.0), |column| table.value(column, "a size of zero or more", amount))
        };
        let above_zero = |text: &str| amount(text).filter(|&seconds| seconds > 0.0);
        let [m, n, k] = self.sizes;
        Ok(CallRow {
            place: CallPlace { node: whole(self.node)?, cpu: self.cpu.map(whole).transpose()? },
            kernel: self.kernel.map_or(Ok(ONLY_KERNEL), name)?,
            sizes: [size(m)?, size(n)?, size(k)?],
            seconds: table.value(self.seconds, "a time in seconds above zero", above_zero)?,
            day: self.day.map(name).transpose()?,
        })
    }
}

/// The columns without a meaning, with advice.
fn ignored(titles: &[String]) -> Vec<String> {
    let is_among = |name: &str, names: &[&str]| names.iter().any(|other| other.eq_ignore_ascii_case(name));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    // Names that there are already are not meant.
    let absent: Vec<&str> = COLUMNS[NEEDED..].iter().copied().filter(|name| !is_among(name, &titles)).collect();
    let noted = |title: &&str| match nearest(title, absent.iter().copied()) {
        // All names of one letter are near each other.
        Some(near) if near.len() > 1 => format!("{title} ({})", suggest(title, &[near])),
        _ => (*title).to_owned(),
    };
    titles.iter().filter(|title| !is_among(title, &COLUMNS)).map(noted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<KernelCalls, ReadError> {
        let mut calls = KernelCalls::default();
        calls.read(text.as_bytes()).map(|()| calls)
    }

    #[test]
    fn rows_are_calls() {
        let text = "# a comment\nkernel,node,cpu,m,n,Seconds,day,flops\ndgemm,3,1,10,20,1e-3,mon,5\n\
            dgemm,3,0,10,20,2e-3,tue,5\ndscal,3,1,10,1,1e-6,mon,5";
        let calls = read(text).unwrap();
        assert_eq!(calls.places, [(3, 1), (3, 0)].map(|(node, cpu)| CallPlace { node, cpu: Some(cpu) }));
        assert_eq!(
            (calls.days.as_slice(), calls.ignored.as_slice()),
            (&["mon", "tue"].map(str::to_owned)[..], &["flops".to_owned()][..])
        );
        let second = TimedCall { sizes: [10.0, 20.0, 1.0], seconds: 2e-3, processor: 1, day: 1 };
        assert_eq!((calls.of_kernel.len(), calls.of_kernel["dgemm"][1]), (2, second));
        let plain = read("seconds,node,cpus\n1,5,0\n").unwrap();
        assert_eq!(plain.places, [CallPlace { node: 5, cpu: None }]);
        assert_eq!((plain.of_kernel["call"].len(), plain.ignored), (1, vec!["cpus (did you mean `cpu`?)".to_owned()]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, words) in [
            ("", 0, "empty"),
            ("node,seconds\n", 1, "no call"),
            ("node,secnds\n1,1\n", 1, "no column `seconds`; is it `secnds`?"),
            ("time,seconds\n1,1\n", 1, "no column `node`; the columns are time, seconds"),
            ("node,seconds,node\n1,1,1\n", 1, "two columns `node`"),
            (
                "node,seconds\n1,1\n\n# noted\n1,fast\n",
                5,
                "column `seconds`: expected a time in seconds above zero, not `fast`",
            ),
            ("node,seconds\n1,0\n", 2, "above zero, not `0`"),
            ("node,seconds\n1,-2\n", 2, "above zero, not `-2`"),
            ("node,seconds\n1,inf\n", 2, "above zero, not `inf`"),
            ("node,m,seconds\n1,4,1\n1,-4,1\n", 3, "column `m`: expected a size of zero or more, not `-4`"),
            ("node,seconds\ndahu-3,1\n", 2, "column `node`: expected a whole number from 0, not `dahu-3`"),
            ("node,cpu,seconds\n1,0.5,1\n", 2, "column `cpu`"),
            ("node,kernel,seconds\n1,,1\n", 2, "column `kernel`: expected a name"),
            ("node,m,seconds\n1,4,1\n1,4", 3, "2 cells, and there are 3 columns"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.line == line && error.message.contains(words), "{text:?}: {error}");
        }
    }

    #[test]
    fn files_are_of_one_kind() {
        let mut calls = read("node,cpu,seconds\n1,0,1\n").unwrap();
        let error = calls.read("node,seconds\n1,1\n".as_bytes()).unwrap_err();
        assert!(error.message.contains("all files need the same"), "{error}");
    }
}
