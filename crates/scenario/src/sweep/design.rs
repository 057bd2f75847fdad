//! `design = { kind = … }` in a sweep: the keys of designs, and their points as values of the sweep's keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::axis::{Axis, AxisValue, Change, POINT, cell, label};
use super::range::Range;
use super::{Candidate, MOST_POINTS, NONE, Reader, Swept};
use hetsim_base::record::Value as Cell;
use hetsim_statistics::design::morris::Morris;
use hetsim_statistics::design::saltelli::Saltelli;
use hetsim_statistics::design::{self, DesignError, LatinHypercube, Point, Scramble};
use hetsim_text::{Node, Place, Problem, Value};

hetsim_base::registry! {
    /// How points are chosen from the ranges of a sweep's keys.
    pub enum DesignSpec by "kind" {
        "random" => Random(RandomPoints): "Points drawn independently and uniformly: a plain sample, such as for a histogram of what may come out.",
        "latin_hypercube" => LatinHypercube(Hypercube): "A Latin hypercube (McKay, Beckman and Conover 1979): as many equal strata in each key as points, a point in each.",
        "sobol" => Sobol(SobolPoints): "The Sobol sequence (Sobol 1967, with the direction numbers of Joe and Kuo 2008): points that fill the ranges evenly, also in pairs of keys.",
        "morris" => Morris(MorrisWalks): "Elementary effects (Morris 1991): walks that change one key at a time, which tell for few runs which of many keys matter; (keys + 1) runs a trajectory.",
        "saltelli" => Saltelli(SaltelliRows): "Two samples and their mixtures (Saltelli et al. 2010), for Sobol indices: the share of a metric's variance that each key brings; (keys + 2) runs a row.",
    }
}

/// `kind = "random"`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomPoints {
    /// The number of points. A larger design contains the smaller one.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub points: usize,
    /// The seed of the points, apart from that of the runs.
    #[serde(default)]
    pub seed: u64,
}

/// `kind = "latin_hypercube"`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hypercube {
    /// The number of points, and of strata of each key. Another number gives other points.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub points: usize,
    /// Where points lie in their strata.
    #[serde(default)]
    pub placement: Placement,
    /// The number of hypercubes that are drawn for `maximin`.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 100_000))]
    pub tries: usize,
    /// The seed of the points, apart from that of the runs.
    #[serde(default)]
    pub seed: u64,
}

const fn hundred() -> usize {
    100
}

/// Where the points of a Latin hypercube lie in their strata.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Anywhere.
    #[default]
    Random,
    /// In the middle.
    Centred,
    /// Anywhere, in that of `tries` hypercubes whose two closest points lie farthest apart.
    Maximin,
}

/// `kind = "sobol"`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SobolPoints {
    /// The number of points; powers of two spread most evenly. A larger design contains the smaller one.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub points: usize,
    /// How the sequence is randomised.
    #[serde(default)]
    pub scramble: Scramble,
    /// The seed of the scrambling, apart from that of the runs.
    #[serde(default)]
    pub seed: u64,
}

/// `kind = "morris"`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MorrisWalks {
    /// The number of walks; 10 to 50 are usual. A larger design contains the smaller one.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub trajectories: usize,
    /// The number of values of each key, evenly from one end of its range to the other: an even number.
    #[serde(default = "four")]
    #[schemars(range(min = 2, max = 1_000_000))]
    pub levels: usize,
    /// The seed of the walks, apart from that of the runs.
    #[serde(default)]
    pub seed: u64,
}

const fn four() -> usize {
    4
}

/// `kind = "saltelli"`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaltelliRows {
    /// The number of rows of the two samples: hundreds to thousands, best a power of two. A larger design contains the
    /// smaller one.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub rows: usize,
    /// How the Sobol sequence that the samples are taken from is randomised.
    #[serde(default)]
    pub scramble: Scramble,
    /// The seed of the scrambling, apart from that of the runs.
    #[serde(default)]
    pub seed: u64,
}

/// The design of a sweep, and where its points went.
#[derive(Debug, Clone)]
pub struct Design {
    /// What the scenario asks for.
    pub spec: DesignSpec,
    /// The number of the axis `point`, whose first values are the design's points in their order.
    pub point: usize,
    /// The numbers of the axes that the design chooses values of, in the order of its dimensions.
    pub keys: Vec<usize>,
    /// How many points there are.
    pub points: usize,
    /// What tells the sensitivity to each key, where the design is made for that.
    pub analysis: Option<Analysis>,
}

/// What makes sensitivities of the values at a design's points.
#[derive(Debug, Clone)]
pub enum Analysis {
    /// Elementary effects.
    Morris(Morris),
    /// Sobol indices.
    Saltelli(Saltelli),
}

impl Design {
    /// Whether an axis is one of those that the design moves together.
    #[must_use]
    pub fn moves(&self, axis: usize) -> bool {
        axis == self.point || self.keys.contains(&axis)
    }

    /// What the points are made of, as a person says it: `20 trajectories over 6 keys`.
    #[must_use]
    pub fn words(&self) -> String {
        let of = match &self.spec {
            DesignSpec::Morris(spec) => format!("{} trajectories", spec.trajectories),
            DesignSpec::Saltelli(spec) => format!("{} rows", spec.rows),
            DesignSpec::Random(_) | DesignSpec::LatinHypercube(_) | DesignSpec::Sobol(_) => String::new(),
        };
        let of = if of.is_empty() { of } else { format!("{of}, ") };
        let keys = self.keys.len();
        format!("{}: {of}{keys} key{}, {} points", self.spec.name(), if keys == 1 { "" } else { "s" }, self.points)
    }
}

/// The most comparisons of coordinates that a search for a maximin hypercube takes: some seconds.
const MOST_COMPARISONS: f64 = 1e10;

impl DesignSpec {
    /// How many points the design has in so many dimensions.
    const fn count(&self, dimensions: usize) -> usize {
        match self {
            Self::Random(spec) => spec.points,
            Self::LatinHypercube(spec) => spec.points,
            Self::Sobol(spec) => spec.points,
            Self::Morris(spec) => spec.trajectories.saturating_mul(dimensions + 1),
            Self::Saltelli(spec) => spec.rows.saturating_mul(dimensions + 2),
        }
    }

    fn points(&self, dimensions: usize) -> Result<(Vec<Point>, Option<Analysis>), DesignError> {
        Ok(match self {
            Self::Random(spec) => (design::random(dimensions, spec.points, spec.seed)?, None),
            Self::LatinHypercube(spec) => {
                let kind = match spec.placement {
                    Placement::Random => LatinHypercube::Random,
                    Placement::Centred => LatinHypercube::Centred,
                    Placement::Maximin => LatinHypercube::Maximin { tries: spec.tries },
                };
                (design::latin_hypercube(dimensions, spec.points, kind, spec.seed)?, None)
            }
            Self::Sobol(spec) => (design::sobol(dimensions, spec.points, spec.scramble, spec.seed)?, None),
            Self::Morris(spec) => {
                let morris = Morris::new(dimensions, spec.trajectories, spec.levels, spec.seed)?;
                (morris.points(), Some(Analysis::Morris(morris)))
            }
            Self::Saltelli(spec) => {
                let saltelli = Saltelli::new(dimensions, spec.rows)?;
                (saltelli.points(spec.scramble, spec.seed)?, Some(Analysis::Saltelli(saltelli)))
            }
        })
    }

    /// Points in so many dimensions, unless they are too many.
    fn checked_points(&self, dimensions: usize) -> Result<(Vec<Point>, Option<Analysis>), String> {
        let count = self.count(dimensions);
        if count > MOST_POINTS {
            return Err(format!("the design has more than {MOST_POINTS} points"));
        }
        if let Self::LatinHypercube(Hypercube { placement: Placement::Maximin, points, tries, .. }) = self {
            let comparisons = (*points as f64).powi(2) / 2.0 * (dimensions * tries) as f64;
            if comparisons > MOST_COMPARISONS {
                return Err("a maximin hypercube of so many points and tries takes too long".to_owned());
            }
        }
        self.points(dimensions).map_err(|error| error.to_string())
    }
}

/// Whether a key's value is left to the design: a range without steps, or values among which it chooses.
pub(super) fn is_designed(value: &Node) -> bool {
    value.get("among").is_some() || (value.get("from").is_some() && value.get("steps").is_none())
}

/// What a design's coordinate becomes.
enum Choose<'a> {
    From(Range<'a>),
    /// Equal shares of the coordinates.
    Among(&'a [Node]),
}

impl Choose<'_> {
    fn at(&self, coordinate: f64) -> Node {
        match self {
            Self::From(range) => range.at(coordinate),
            Self::Among(nodes) => nodes[place_among(nodes, coordinate)].clone(),
        }
    }

    /// The part of the whole range between the values of two coordinates. From one name to another it is the whole.
    fn moved(&self, from: f64, to: f64) -> f64 {
        match self {
            Self::From(range) => range.part(to) - range.part(from),
            Self::Among(nodes) => (place_among(nodes, to) as f64 - place_among(nodes, from) as f64).signum(),
        }
    }
}

fn place_among(nodes: &[Node], coordinate: f64) -> usize {
    // The designs of Morris reach 1 itself.
    ((coordinate * nodes.len() as f64) as usize).min(nodes.len() - 1)
}

impl<'s> Reader<'s> {
    /// The design of a sweep, if it has one.
    pub(super) fn design_of(&mut self, table: &Node) -> Option<(DesignSpec, Place)> {
        let entry = table.entry("design")?;
        if self.design.is_some() {
            self.problems.push(Problem::at(&entry.place, "a scenario has one design, and an earlier sweep has it"));
            return None;
        }
        match serde_json::from_value(entry.value.to_json()) {
            Ok(spec) => Some((spec, entry.value.place.clone())),
            Err(error) => {
                self.problems.push(Problem::at(&entry.value.place, error.to_string()));
                None
            }
        }
    }

    /// The keys that a design chooses values of, with a value for each of its points, and before them the axis `point`.
    pub(super) fn designed(
        &mut self,
        (spec, place): &(DesignSpec, Place),
        keys: &[(String, Place, Node)],
    ) -> Option<Vec<Swept>> {
        let problems = self.problems.len();
        let choices: Vec<Option<Choose<'_>>> =
            keys.iter().map(|(path, place, value)| self.choose(path, place, value)).collect();
        let choices: Vec<Choose<'_>> = choices.into_iter().flatten().collect();
        if self.problems.len() > problems {
            return None;
        }
        let (points, analysis) = match spec.checked_points(keys.len()) {
            Ok(designed) => designed,
            Err(message) => {
                self.problems.push(Problem::at(place, message));
                return None;
            }
        };
        let analysis = analysis.map(|analysis| match analysis {
            Analysis::Morris(morris) => {
                Analysis::Morris(morris.moved_by(|dimension, from, to| choices[dimension].moved(from, to)))
            }
            Analysis::Saltelli(saltelli) => Analysis::Saltelli(saltelli),
        });
        let point = self.point_axis(points.len(), place);
        let mut group = vec![Swept { axis: point, values: (0..points.len()).collect() }];
        for (dimension, ((path, place, _), choose)) in keys.iter().zip(&choices).enumerate() {
            let schema = self.key_schema(path, place)?;
            let candidate = |point: &Point| {
                let node = choose.at(point[dimension]);
                let label = label(&node);
                Candidate { cell: cell(schema, &label, &node), label, node, computed: true }
            };
            let candidates = points.iter().map(candidate).collect();
            group.push(self.add(path, place, candidates));
        }
        let keys = group[1..].iter().map(|swept| swept.axis).collect();
        self.design = Some(Design { spec: spec.clone(), point, keys, points: points.len(), analysis });
        Some(group)
    }

    fn choose<'n>(&mut self, path: &str, place: &Place, value: &'n Node) -> Option<Choose<'n>>
    where
        's: 'n,
    {
        let schema = self.key_schema(path, place)?;
        let chosen = match value.get("among") {
            Some(among) => match (&among.value, value.entries()) {
                (Value::Array(nodes), [_]) if nodes.len() > 1 => Ok(Choose::Among(nodes)),
                _ => {
                    let problem = Problem::at(&value.place, "`among` takes a list of two values or more");
                    Err(problem.with_help("{ among = [\"static\", \"guided\"] }, and nothing besides"))
                }
            },
            None => Range::read(schema, path, value).and_then(|range| {
                range.is_drawable("a design chooses", ["from", "to"])?;
                Ok(Choose::From(range))
            }),
        };
        match chosen {
            Ok(choose) => self.fits(path, &choose).then_some(choose),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// Whether all values fit the key, whichever the design chooses: of a range, those at its ends.
    fn fits(&mut self, path: &str, choose: &Choose<'_>) -> bool {
        let values = match choose {
            Choose::From(range) => vec![range.at(0.0), range.at(1.0)],
            Choose::Among(nodes) => nodes.to_vec(),
        };
        let Some(property) = self.checker.schema.property_at(path, self.scenario) else { return true };
        let may_be_absent = self.may_be_absent(path);
        for value in values.iter().filter(|value| !(may_be_absent && value.text() == Some(NONE))) {
            self.checker.check_property(value, property, path);
        }
        let fits = self.checker.problems.is_empty();
        self.problems.append(&mut self.checker.problems);
        fits
    }

    /// The axis `point`: the numbers of the design's points from 0 on, which tell repeated points apart and change no
    /// run.
    fn point_axis(&mut self, points: usize, place: &Place) -> usize {
        let value = |number: usize| AxisValue {
            label: number.to_string(),
            shown: number.to_string(),
            cell: Cell::Count(number as u64),
            node: None,
            absent: false,
            change: Change::default(),
            zipped: Vec::new(),
        };
        let values = (0..points).map(value).collect();
        self.axes.push(Axis {
            key: POINT.to_owned(),
            name: POINT.to_owned(),
            format: None,
            values,
            logarithmic: false,
        });
        self.known.push(std::collections::HashMap::new());
        self.computed.push(Vec::new());
        self.places.push(place.clone());
        self.axes.len() - 1
    }
}
