//! What is predicted at every vector of values, each once: kept for the run, and in a file from which an interrupted
//! calibration goes on.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Halt;

/// The predicted seconds of every point at a vector of values; NaN where a point can't be predicted.
pub type Predict<'a> = dyn Fn(&[f64]) -> Vec<f64> + Sync + 'a;

/// How the lines of the evaluations are kept.
pub type Save<'a> = dyn Fn(&str) -> std::io::Result<()> + Sync + 'a;

/// How often they are saved.
const EVERY: Duration = Duration::from_secs(5);

/// The first words of a file; the identity of what it belongs to follows.
const TITLE: &str = "hetsim calibrate 1";

/// The evaluations of a run.
pub struct Evaluations<'a> {
    predict: &'a Predict<'a>,
    stop: &'a AtomicBool,
    known: HashMap<Vec<u64>, Arc<[f64]>>,
    /// The evaluations as lines: the bits of the values, and of the predictions.
    lines: String,
    save: Option<&'a Save<'a>>,
    saved: Instant,
}

impl<'a> Evaluations<'a> {
    /// Nothing is known yet. Once `stop` is set, no further evaluation begins, and what ends after that does not count,
    /// so that `predict` may leave it unfinished.
    pub fn new(predict: &'a Predict<'a>, stop: &'a AtomicBool) -> Self {
        Self { predict, stop, known: HashMap::new(), lines: String::new(), save: None, saved: Instant::now() }
    }

    /// The same with what was saved before, if that is of the calibration with this `identity`. From now on all
    /// evaluations are saved every few seconds.
    #[must_use]
    pub fn kept(mut self, saved: &str, identity: u64, save: &'a Save<'a>) -> Self {
        let head = format!("{TITLE} {identity:016x}\n");
        self.lines.clone_from(&head);
        saved.strip_prefix(&head).into_iter().flat_map(str::lines).for_each(|line| self.read(line));
        self.save = Some(save);
        self
    }

    fn read(&mut self, line: &str) {
        let numbers = |text: &str| -> Option<Vec<f64>> {
            text.split_whitespace().map(|word| u64::from_str_radix(word, 16).map(f64::from_bits).ok()).collect()
        };
        let read = line.split_once('|').and_then(|(values, predicted)| Some((numbers(values)?, numbers(predicted)?)));
        if let Some((values, predicted)) = read {
            self.keep(&values, predicted.into());
        }
    }

    fn keep(&mut self, values: &[f64], predicted: Arc<[f64]>) {
        // Writing to a string does not fail.
        let word = |lines: &mut String, number: &f64| {
            let _ = write!(lines, "{:x} ", number.to_bits());
        };
        for value in values {
            word(&mut self.lines, value);
        }
        self.lines.push_str("| ");
        for seconds in &*predicted {
            word(&mut self.lines, seconds);
        }
        self.lines.push('\n');
        self.known.insert(bits(values), predicted);
    }

    /// Saves all evaluations.
    ///
    /// # Errors
    /// Saving failed.
    pub fn save(&mut self) -> Result<(), Halt> {
        self.saved = Instant::now();
        self.save.map_or(Ok(()), |save| save(&self.lines)).map_err(|error| Halt::Failed(error.to_string()))
    }

    /// How many vectors have been evaluated.
    #[must_use]
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// The predictions at each of several vectors. Those that are not known are computed, on all cores of the pool.
    ///
    /// # Errors
    /// The run was interrupted, and what is known is in the file; or the file can't be written.
    pub fn of(&mut self, batch: &[Vec<f64>]) -> Result<Vec<Arc<[f64]>>, Halt> {
        let mut open: Vec<&Vec<f64>> = batch.iter().filter(|values| !self.known.contains_key(&bits(values))).collect();
        open.sort_by_key(|values| bits(values));
        open.dedup_by_key(|values| bits(values));
        let goes_on = || !self.stop.load(Ordering::Relaxed);
        let one = |values: &&Vec<f64>| goes_on().then(|| (self.predict)(values)).filter(|_| goes_on());
        let computed: Vec<Option<Vec<f64>>> = open.par_iter().map(one).collect();
        let is_whole = computed.iter().all(Option::is_some);
        for (values, predicted) in open.into_iter().zip(computed) {
            if let Some(predicted) = predicted {
                self.keep(values, predicted.into());
            }
        }
        if !is_whole || self.saved.elapsed() >= EVERY {
            self.save()?;
        }
        if !is_whole {
            return Err(Halt::Interrupted);
        }
        Ok(batch.iter().filter_map(|values| self.known.get(&bits(values)).cloned()).collect())
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// What is known is not computed again: not twice in a run, and not after an interruption.
    #[test]
    fn each_vector_is_evaluated_once() {
        let saved = Mutex::new(String::new());
        let save = |lines: &str| {
            lines.clone_into(&mut saved.lock().unwrap());
            Ok(())
        };
        let (calls, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let predict = |values: &[f64]| {
            calls.fetch_add(1, Ordering::Relaxed);
            vec![values[0] * 2.0, f64::NAN]
        };
        let mut first = Evaluations::new(&predict, &stop).kept("", 7, &save);
        let found = first.of(&[vec![1.0], vec![0.1], vec![1.0]]).unwrap();
        assert_eq!((found[0][0], found[1][0], found[2][0]), (2.0, 0.2, 2.0));
        assert!(found[0][1].is_nan());
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(first.of(&[vec![0.1], vec![3.0]]), Err(Halt::Interrupted));
        stop.store(false, Ordering::Relaxed);
        let before = saved.lock().unwrap().clone();
        let mut second = Evaluations::new(&predict, &stop).kept(&before, 7, &save);
        assert_eq!(second.of(&[vec![0.1], vec![1.0]]).unwrap()[0][0].to_bits(), 0.2f64.to_bits());
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }

    /// It may be unfinished.
    #[test]
    fn what_ends_after_the_stop_does_not_count() {
        let stop = AtomicBool::new(false);
        let predict = |_: &[f64]| {
            stop.store(true, Ordering::Relaxed);
            vec![f64::NAN]
        };
        let mut evaluations = Evaluations::new(&predict, &stop);
        assert_eq!(evaluations.of(&[vec![1.0]]), Err(Halt::Interrupted));
        assert_eq!(evaluations.count(), 0);
    }

    #[test]
    fn what_another_calibration_saved_is_not_used() {
        let (predict, stop) = (|_: &[f64]| vec![1.0], AtomicBool::new(true));
        let save = |_: &str| Ok(());
        let saved = format!("{TITLE} 0000000000000008\n3ff0000000000000 |0 \n");
        assert_eq!(Evaluations::new(&predict, &stop).kept(&saved, 7, &save).of(&[vec![1.0]]), Err(Halt::Interrupted));
        // A torn line is left out.
        let saved = format!("{TITLE} 0000000000000007\n3ff0000000000000 |0 \n3ff");
        let mut evaluations = Evaluations::new(&predict, &stop).kept(&saved, 7, &save);
        assert_eq!(evaluations.of(&[vec![1.0]]).unwrap()[0][..], [0.0]);
        assert_eq!(evaluations.count(), 1);
    }
}
