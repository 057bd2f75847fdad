//! One look a value: in all charts of a report a value of a swept key has the same colour, marker and hatch.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::along::given;
use super::keys::{Colours, Shown};
use super::series::series_names;
use super::{Chart, SensitivitySpec};
use crate::report::results::Results;
use hetsim_chart::palette::Palette;
use hetsim_chart::paper::Look;
use hetsim_chart::style::Colour;

/// What all charts of a report share.
pub(crate) struct ChartContext<'c> {
    /// The sensitivities that the scenario asks for.
    pub(super) sensitivities: &'c [SensitivitySpec],
    looks: Looks,
}

/// The number of the look of each value of the keys that charts tell series apart by.
#[derive(Default)]
struct Looks {
    numbers: HashMap<(usize, usize), usize>,
}

impl<'c> ChartContext<'c> {
    pub(super) fn new(results: &Results<'_>, charts: &[Chart], sensitivities: &'c [SensitivitySpec]) -> Self {
        Self { sensitivities, looks: Looks::of(results, charts) }
    }

    /// The looks of what a chart tells apart: of groups by the values of its series, else of metrics by their place.
    pub(super) fn looks<'n>(
        &self,
        results: &Results<'_>,
        shown: Shown<'_>,
        groups: impl Iterator<Item = Option<&'n str>>,
        metrics: &[String],
    ) -> Vec<Look> {
        let named = self.named(results, shown);
        let groups: Vec<Option<&str>> = groups.collect();
        if groups.iter().all(Option::is_none) {
            let look = |(number, metric): (usize, &String)| Look { number, colour: shown.colour(metric) };
            return metrics.iter().enumerate().map(look).collect();
        }
        let look = |(place, name): (usize, Option<&str>)| {
            let name = name.unwrap_or_default();
            named.get(name).copied().unwrap_or(Look { number: place, colour: shown.colour(name) })
        };
        groups.into_iter().enumerate().map(look).collect()
    }

    /// The looks of the values of a chart's series, by their names.
    fn named(&self, results: &Results<'_>, shown: Shown<'_>) -> HashMap<String, Look> {
        let Some(axis) = shown.series.and_then(|series| results.axis(series)) else { return HashMap::new() };
        let swept = &results.scenario().axes[axis];
        let look = |(value, name): (usize, String)| {
            let number = *self.looks.numbers.get(&(axis, value))?;
            let colour = match shown.colours {
                Some(Colours::Each(each)) => given(each, swept, &swept.values[value]).and_then(|key| shown.colour(key)),
                _ => None,
            };
            Some((name, Look { number, colour }))
        };
        series_names(shown, swept).into_iter().enumerate().filter_map(look).collect()
    }

    /// The looks of names in cells: those that values have as series, where these are such values.
    pub(super) fn of_labels(&self, results: &Results<'_>, labels: &[String], shown: Shown<'_>) -> Vec<Look> {
        let of_axis = |axis: usize| {
            let values = results.scenario().axes[axis].values.iter().enumerate();
            let called = |text: &str| shown.names.get(text).cloned().unwrap_or_else(|| text.to_owned());
            let number = |(value, text): (usize, &str)| Some((called(text), *self.looks.numbers.get(&(axis, value))?));
            values.map(|(value, own)| (value, own.label.as_str())).filter_map(number).collect::<HashMap<_, _>>()
        };
        let found =
            (0..results.scenario().axes.len()).map(of_axis).find(|of| labels.iter().any(|l| of.contains_key(l)));
        let found = match (found, shown.colours) {
            (Some(found), _) => found,
            (None, Some(Colours::Each(_))) => HashMap::new(),
            (None, _) => return Vec::new(),
        };
        let mut taken: HashSet<usize> = found.values().copied().collect();
        let look = |label: &String| {
            // Of one more number than there are taken one is free.
            let free = || (0..=taken.len()).find(|number| !taken.contains(number)).unwrap_or_default();
            let number = found.get(label).copied().unwrap_or_else(free);
            taken.insert(number);
            Look { number, colour: shown.colour(label) }
        };
        labels.iter().map(look).collect()
    }
}

impl Looks {
    /// The values that most charts show come first: they have plain colours.
    fn of(results: &Results<'_>, charts: &[Chart]) -> Self {
        // How many charts show each value, and all of their points, for each key that tells series apart.
        let mut shown: BTreeMap<usize, (HashMap<usize, usize>, HashSet<usize>)> = BTreeMap::new();
        for chart in charts {
            let points = results.matching(&chart.common().filter);
            let Some(axis) = chart.entry().shown().series.and_then(|series| results.axis(series)) else { continue };
            let (counts, all) = shown.entry(axis).or_default();
            for value in results.used(&points, axis) {
                *counts.entry(value).or_default() += 1;
            }
            all.extend(points);
        }
        let mut numbers = HashMap::new();
        for (axis, (counts, points)) in shown {
            let mut values = results.used(&points.into_iter().collect::<Vec<_>>(), axis);
            values.sort_by_key(|value| Reverse(counts.get(value).copied()));
            numbers.extend(values.into_iter().enumerate().map(|(number, value)| ((axis, value), number)));
        }
        Self { numbers }
    }
}

impl Shown<'_> {
    /// The colour that the chart gives to a name.
    pub(super) fn colour(&self, name: &str) -> Option<Colour> {
        match self.colours {
            Some(Colours::Each(each)) => each.get(name).and_then(|written| Colour::parse(written)),
            _ => None,
        }
    }

    /// The chart's palette.
    pub(super) fn palette(&self) -> Palette {
        match self.colours {
            Some(Colours::Palette(palette)) => *palette,
            _ => Palette::default(),
        }
    }
}
