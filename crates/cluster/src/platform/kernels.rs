//! The kernels of a platform: what calls of routines take on its nodes.

use super::{Platform, PlatformError};
use crate::kernel::Kernel;

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
