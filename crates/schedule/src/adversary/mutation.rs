//! The six mutations of an instance.

use rand::RngExt;

use super::instance::{Dependency, ProblemInstance, Space, Weight};
use hetsim_base::engine::Stream;

/// A mutation of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// Changes the speed of a node.
    Speed,
    /// Changes the bandwidth of a link.
    Strength,
    /// Changes the work of a task.
    Work,
    /// Changes the data of a dependency.
    Data,
    /// Adds a dependency with uniformly drawn data.
    AddDependency,
    /// Removes a dependency.
    RemoveDependency,
}

impl Mutation {
    /// All six mutations.
    pub const ALL: [Self; 6] =
        [Self::Speed, Self::Strength, Self::Work, Self::Data, Self::AddDependency, Self::RemoveDependency];

    /// The mutations that a space allows: fixed speeds or bandwidths do not change.
    #[must_use]
    pub fn of(space: &Space) -> Vec<Self> {
        let fixed = |mutation: &Self| match mutation {
            Self::Speed => space.equal_speeds,
            Self::Strength => space.equal_links,
            _ => false,
        };
        Self::ALL.into_iter().filter(|mutation| !fixed(mutation)).collect()
    }

    /// Changes an instance into another of the same space. Returns false and changes nothing if there is no candidate:
    /// no link, no edge, or no pair of tasks for another edge. The candidate is drawn uniformly.
    pub fn apply(self, instance: &mut ProblemInstance, space: &Space, stream: &mut Stream) -> bool {
        match self {
            Self::Speed => move_one(instance.speeds.iter_mut(), space, stream),
            Self::Strength => move_one(instance.links.iter_mut(), space, stream),
            Self::Work => move_one(instance.tasks.iter_mut(), space, stream),
            Self::Data => move_one(instance.dependencies.iter_mut().map(|edge| &mut edge.data), space, stream),
            Self::AddDependency => add(instance, space, stream),
            Self::RemoveDependency => remove(instance, stream),
        }
    }
}

/// Changes one of the weights.
fn move_one<'a>(
    mut weights: impl ExactSizeIterator<Item = &'a mut Weight>,
    space: &Space,
    stream: &mut Stream,
) -> bool {
    if weights.len() == 0 {
        return false;
    }
    let index = stream.random_range(0..weights.len());
    weights.nth(index).map(|weight| *weight = weight.moved(space.step, space.least, stream)).is_some()
}

/// Adds an edge between two tasks without making a cycle. The predecessor is drawn among the tasks with a choice, then
/// the successor.
fn add(instance: &mut ProblemInstance, space: &Space, stream: &mut Stream) -> bool {
    let tasks = 0..instance.tasks.len() as u32;
    let choices = |from: u32| -> Vec<u32> {
        let mut taken = instance.ancestors(from);
        for edge in instance.dependencies.iter().filter(|edge| edge.from == from) {
            taken[edge.to as usize] = true;
        }
        tasks.clone().filter(|&to| !taken[to as usize]).collect()
    };
    let open: Vec<(u32, Vec<u32>)> = tasks.clone().map(|from| (from, choices(from))).collect();
    let open: Vec<_> = open.into_iter().filter(|(_, choices)| !choices.is_empty()).collect();
    if open.is_empty() {
        return false;
    }
    let (from, choices) = &open[stream.random_range(0..open.len())];
    let to = choices[stream.random_range(0..choices.len())];
    let data = Weight::draw(space.least, stream);
    instance.dependencies.push(Dependency { from: *from, to, data });
    true
}

/// Removes an edge.
fn remove(instance: &mut ProblemInstance, stream: &mut Stream) -> bool {
    if instance.dependencies.is_empty() {
        return false;
    }
    instance.dependencies.remove(stream.random_range(0..instance.dependencies.len()));
    true
}
