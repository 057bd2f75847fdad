//! A formula for run times that a file of measurements holds, found by any method of
//! [`fit::runtime`](hetsim_fit::runtime). The workload `fit` does the same for times that are simulated.

use std::sync::Arc;

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Case, Study};
use hetsim_base::engine::Streams;
use hetsim_base::record::TableShape;
use hetsim_base::units::defaults::fraction;
use hetsim_cluster::Platform;
use hetsim_fit::runtime::data::{Data, Reading, Repeats};
use hetsim_workload::fit::{FitMetrics, Fitting, Repeated, Samples, TABLES};
use hetsim_workload::{Files, KeyError, RunFailure};

/// `kind = "fit"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct FileFitParameters {
    /// The keys of every fit.
    #[serde(flatten)]
    pub fitting: Fitting,
    /// A CSV file of measured times, read as `hetsim fit` reads it (docs/fitting.md).
    #[schemars(extend("format" = "file"))]
    pub file: String,
    /// The file's column of times, all above 0.
    pub target: String,
    /// The file's columns of numbers that the time may depend on.
    #[serde(default)]
    pub by: Vec<String>,
    /// The file's columns of words that it may depend on: each word becomes a variable that is 0 or 1.
    #[serde(default)]
    pub category: Vec<String>,
    /// The file's column of weights.
    #[serde(default)]
    pub weights: Option<String>,
    /// The file's column that says which rows are unseen: `train` or `test`. Without it a share is drawn.
    #[serde(default)]
    pub split: Option<String>,
    /// The share of the points that is held back, drawn for each replica, where no column says which.
    #[serde(default = "fraction::<3, 10>")]
    #[schemars(range(min = 0.0, max = 0.99))]
    pub held_back: f64,
    /// The content of the file; set by `read_files`.
    #[serde(skip)]
    pub data: Option<Arc<Data>>,
}

impl Study for FileFitParameters {
    const NAME: &'static str = "fit";
    const ABOUT: &'static str =
        "A formula for the run times in a file, by curve fitting, genetic programming or models.";
    const TABLES: &'static [TableShape] = TABLES;
    type Metrics = FitMetrics;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        self.data = Some(files.measured("file", &self.reading())?);
        Ok(())
    }

    fn check(&self, _: Option<&Platform>) -> Result<(), KeyError> {
        if !(0.0..1.0).contains(&self.held_back) {
            return Err(KeyError::new(
                "held_back",
                format!("`held_back` is a share in [0, 1), not {}", self.held_back),
            ));
        }
        let data = self.data()?;
        let (all, held) = (data.train.len(), self.held());
        if all - held < 2 {
            let points = if all - held == 1 { "point is" } else { "points are" };
            let message = format!(
                "`held_back` leaves too few points to fit to: {held} of {all} are held back, {} {points} left, and at least 2 \
                 are needed",
                all - held
            );
            return Err(KeyError::new("held_back", message));
        }
        self.fitting.check(&data.names)?;
        self.fitting.method.check(&data.names, &data.train).map_err(|error| KeyError::new("method", error.to_string()))
    }

    fn warning(&self) -> Option<String> {
        let data = self.data().ok()?;
        let formula = self.fitting.given(&data.names).ok()??;
        let unseen = if self.split.is_some() { &data.test } else { &data.train };
        let point = data.without_value(&formula, unseen).filter(|_| self.split.is_some() || self.held() > 0)?;
        Some(format!("the formula has no value at {point}, so runs that hold this point back have no unseen error"))
    }

    fn measure(&self, case: &mut Case<'_>) -> Result<FitMetrics, RunFailure> {
        let samples = Samples { data: self.split(&case.streams)?, floors: [None; 2] };
        self.fitting.measure(&samples, 0.0, &case.streams, &mut case.tables)
    }
}

impl FileFitParameters {
    /// How the file is to be read. No points are held back: that is drawn for each run.
    #[must_use]
    pub fn reading(&self) -> Reading {
        Reading {
            target: self.target.clone(),
            by: self.by.clone(),
            categories: self.category.clone(),
            weights: self.weights.clone(),
            split: self.split.clone(),
            repeats: if self.fitting.repeats == Some(Repeated::All) { Repeats::All } else { Repeats::Median },
            held_back: 0.0,
            ..Reading::default()
        }
    }

    fn data(&self) -> Result<&Data, KeyError> {
        self.data.as_deref().ok_or_else(|| KeyError::new("file", "the file has not been read"))
    }

    /// How many points are held back where no column says which.
    fn held(&self) -> usize {
        let share = if self.split.is_some() { 0.0 } else { self.held_back };
        (self.data.as_ref().map_or(0, |data| data.train.len()) as f64 * share) as usize
    }

    /// The file's points, some of them held back where no column says which.
    fn split(&self, streams: &Streams) -> Result<Data, RunFailure> {
        let mut data = self.data()?.clone();
        if self.split.is_none() {
            let (count, held) = (data.train.len(), self.held());
            let mut stream = streams.stream("held back", 0);
            let mut order: Vec<usize> = (0..count).collect();
            for at in (1..count).rev() {
                order.swap(at, stream.random_range(0..=at));
            }
            let (test, train) = order.split_at_mut(held);
            test.sort_unstable();
            train.sort_unstable();
            (data.test, data.train) = (data.train.chosen(test), data.train.chosen(train));
        }
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_base::record::{Record, Value};

    fn metric(record: &Record, name: &str) -> Option<f64> {
        record.get(name).and_then(Value::number)
    }

    #[test]
    fn a_file_is_split_anew_for_each_seed() {
        let text = "m,us,set\n1,11,train\n2,12,train\n3,13,train\n4,14,train\n5,15,test\n6,16,test\n";
        let parameters = |keys: &str| {
            let mut parameters: FileFitParameters = toml::from_str(keys).unwrap();
            parameters.data = Some(Arc::new(Data::read(text.as_bytes(), &parameters.reading()).unwrap()));
            parameters.check(None).unwrap();
            parameters
        };
        let wanted = ["points".to_owned()];
        let run = |parameters: &FileFitParameters, seed| {
            parameters.record(Case::new(Streams::new(seed, 0), &wanted)).unwrap()
        };
        let named = parameters("method = 'ols'\nfile = 'a.csv'\ntarget = 'us'\nby = ['m']\nsplit = 'set'");
        let record = run(&named, 1);
        assert_eq!(record.get("formula"), Some(&Value::Text("10 + 1*m".to_owned())));
        assert_eq!((metric(&record, "fitted_points"), metric(&record, "unseen_points")), (Some(4.0), Some(2.0)));
        assert!(metric(&record, "unseen_error_percent").unwrap() < 1e-9);
        assert_eq!(metric(&record, "floor_percent"), None);
        let drawn = parameters("method = 'ols'\nfile = 'a.csv'\ntarget = 'us'\nby = ['m']\nheld_back = 0.5");
        let unseen = |seed| {
            let record = run(&drawn, seed);
            assert_eq!((metric(&record, "fitted_points"), metric(&record, "unseen_points")), (Some(3.0), Some(3.0)));
            record.tables[0].rows.iter().map(|row| row[3].clone()).collect::<Vec<_>>()
        };
        assert_eq!(unseen(1), unseen(1));
        assert!((2..6).any(|seed| unseen(seed) != unseen(1)));
        let few = FileFitParameters { held_back: 0.9, ..drawn };
        let error = few.check(None).unwrap_err();
        let message = "`held_back` leaves too few points to fit to: 5 of 6 are held back, 1 point is left, and at least 2 \
                       are needed";
        assert_eq!((error.key.as_str(), error.message.as_str()), ("held_back", message));
        FileFitParameters { held_back: 0.67, ..few }.check(None).unwrap();
        // A pole of a formula that is given: among the points that it is fitted to, and among the unseen ones.
        let judged = |pole: u32, more: &str| {
            let keys =
                format!("method = 'given'\nformula = '1/(m - {pole})'\nfile = 'a.csv'\ntarget = 'us'\nby = ['m']");
            parameters(&format!("{keys}\n{more}"))
        };
        let fitted = judged(2, "split = 'set'");
        let failure = fitted.record(Case::new(Streams::new(1, 0), &wanted)).unwrap_err();
        assert_eq!(failure.to_string(), "the formula has no value at m = 2");
        assert_eq!(fitted.warning(), None);
        let told = |pole: u32| {
            Some(format!(
                "the formula has no value at m = {pole}, so runs that hold this point back have no unseen error"
            ))
        };
        assert_eq!(judged(5, "split = 'set'").warning(), told(5));
        assert_eq!((judged(2, "").warning(), judged(2, "held_back = 0").warning()), (told(2), None));
        assert_eq!(judged(7, "").warning(), None);
    }
}
