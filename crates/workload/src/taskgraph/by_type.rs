//! Tables by type of task (`type`, `type_noise`, `system.needs`, `system.type_dispatch`): the names in them must be types of
//! the graph.

use super::TaskgraphParameters;
use super::instance::Instance;
use super::system::{Needs, type_number};
use crate::KeyError;
use hetsim_base::engine::Streams;
use hetsim_cluster::Platform;
use hetsim_graph::TaskGraph;

impl TaskgraphParameters {
    /// A graph on a platform, with what tables say of types of its tasks.
    ///
    /// # Errors
    /// A type of which the graph has no task, or a kernel that the platform doesn't have.
    pub(super) fn with_types<'a>(
        &'a self,
        graph: &'a TaskGraph,
        platform: &'a Platform,
    ) -> Result<Instance<'a>, KeyError> {
        let instance = Instance::new(graph, platform).map_err(|message| KeyError::new("file", message))?;
        let instance = instance.with_calls(&self.r#type).map_err(|message| KeyError::new("type", message))?;
        let instance = instance.with_noise(self.noise, &self.type_noise);
        let instance = instance.map_err(|message| KeyError::new("type_noise", message))?;
        let Some(system) = &self.system else { return Ok(instance) };
        let dispatched = system.type_dispatch.keys().try_for_each(|name| type_number(name, graph).map(|_| ()));
        dispatched.map_err(|message| KeyError::new("system.type_dispatch", message))?;
        let needs = Needs::new(system, graph).map_err(|message| KeyError::new("system.needs", message))?;
        Ok(instance.with_needs(needs))
    }

    /// Checks the tables where graphs are drawn: all of a family have the same types, so one is drawn to see them.
    ///
    /// # Errors
    /// As [`Self::with_types`].
    pub(super) fn check_drawn_types(&self, platform: &Platform) -> Result<(), KeyError> {
        let of_system =
            self.system.as_ref().is_some_and(|system| !system.needs.is_empty() || !system.type_dispatch.is_empty());
        let is_by_type = of_system || !self.r#type.is_empty() || !self.type_noise.is_empty();
        let Some(generator) = self.generate.as_ref().filter(|_| is_by_type) else { return Ok(()) };
        let drawn = generator.generate(&mut Streams::new(0, 0).stream("graph", 0));
        let graph = drawn.map_err(|error| KeyError::new("generate", error.to_string()))?;
        self.with_types(&graph, platform).map(|_| ())
    }
}
