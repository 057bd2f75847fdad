//! The kernels of a platform: what calls of routines take on its nodes.

use std::ops::Range;

use super::{Platform, PlatformError};
use crate::kernel::Kernel;
use crate::program::NodeId;

impl Platform {
    /// The same platform with kernels.
    ///
    /// # Errors
    /// If two have the same name, or one is for another number of nodes.
    pub fn with_kernels(self, kernels: Vec<Kernel>) -> Result<Self, PlatformError> {
        let nodes = self.nodes() as usize;
        for (number, kernel) in kernels.iter().enumerate() {
            let is_twice = kernels[..number].iter().any(|other| other.name() == kernel.name());
            if is_twice || !kernel.fits(nodes) {
                return Err(PlatformError::Kernel { kernel: number });
            }
        }
        Ok(Self { kernels: kernels.into(), ..self })
    }

    /// The same platform on which the nodes of `range` compute longer by a factor above zero, whatever they compute.
    ///
    /// # Errors
    /// A speed comes to zero or is no longer finite.
    pub fn with_nodes_slowed(&self, range: Range<u32>, by: f64) -> Result<Self, PlatformError> {
        let speed = |node| self.speed_per_second(NodeId(node)) / if range.contains(&node) { by } else { 1.0 };
        let speeds: Vec<f64> = (0..self.nodes()).map(speed).collect();
        let kernels = self.kernels.iter().map(|kernel| kernel.slowed(range.clone(), self.nodes(), by)).collect();
        self.clone().with_kernels(kernels)?.with_speeds(&speeds)
    }

    /// The same platform on which calls of the kernel of this number take longer by a factor, on all nodes.
    #[must_use]
    pub fn with_kernel_slowed(&self, kernel: usize, by: f64) -> Self {
        let slowed = |(number, of): (usize, &Kernel)| {
            if number == kernel { of.slowed(0..self.nodes(), self.nodes(), by) } else { of.clone() }
        };
        Self { kernels: self.kernels.iter().enumerate().map(slowed).collect(), ..self.clone() }
    }

    /// All kernels.
    #[must_use]
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernel of this name, if the platform has one.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name() == name)
    }
}
