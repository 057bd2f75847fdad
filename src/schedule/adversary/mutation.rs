//! The six changes of an instance.

use rand::RngExt;

use super::instance::{Dependency, ProblemInstance, Space, Weight};
use crate::engine::Stream;

/// One change of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// The speed of a node moves.
    Speed,
    /// The strength of a link moves.
    Strength,
    /// The work of a task moves.
    Work,
    /// The data on an edge move.
    Data,
    /// A task waits for one more, with data drawn uniformly.
    AddDependency,
    /// A task waits for one less.
    RemoveDependency,
}

impl Mutation {
    /// All six.
    pub const ALL: [Self; 6] =
        [Self::Speed, Self::Strength, Self::Work, Self::Data, Self::AddDependency, Self::RemoveDependency];

    /// Those that a space allows: what is equal by decree does not move.
    #[must_use]
    pub fn of(space: &Space) -> Vec<Self> {
        let fixed = |mutation: &Self| match mutation {
            Self::Speed => space.equal_speeds,
            Self::Strength => space.equal_links,
            _ => false,
        };
        Self::ALL.into_iter().filter(|mutation| !fixed(mutation)).collect()
    }

    /// Changes an instance of the space into another of it; says no, and changes nothing, where there is nothing to change: no
    /// link, no edge, or no pair of tasks that one more edge could join. What is changed is drawn uniformly.
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

/// Moves one of the weights.
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

/// Adds an edge between two tasks, so that no cycle comes of it. The task that sends is drawn among those that have a choice, then
/// the one that is to wait.
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
