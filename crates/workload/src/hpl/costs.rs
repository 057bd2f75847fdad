//! What the routines that HPL calls take on each node.

use rand::Rng;

use hetsim_cluster::{CallSize, Kernel, NodeId, Platform};

/// The routines that take time, under their names in BLAS, LAPACK and HPL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Routine {
    Dgemm,
    Dtrsm,
    Dgemv,
    Dger,
    Dscal,
    Idamax,
    Dtrsv,
    Dlacpy,
    Dlatcpy,
    Dlaswp00N,
    Dlaswp01T,
    Dlaswp02N,
    Dlaswp03T,
    Dlaswp04T,
    Dlaswp05T,
    Dlaswp06T,
    Dlaswp10N,
}

/// The kernel of each routine.
const NAMES: [&str; 17] = [
    "dgemm",
    "dtrsm",
    "dgemv",
    "dger",
    "dscal",
    "idamax",
    "dtrsv",
    "dlacpy",
    "dlatcpy",
    "dlaswp00N",
    "dlaswp01T",
    "dlaswp02N",
    "dlaswp03T",
    "dlaswp04T",
    "dlaswp05T",
    "dlaswp06T",
    "dlaswp10N",
];

impl Routine {
    /// The operations of a call. Without a kernel, copies are free, and others run at the node's speed.
    fn operations(self, CallSize { m, n, k }: CallSize) -> f64 {
        match self {
            Self::Dgemm => 2.0 * m * n * k,
            Self::Dtrsm => m * m * n,
            Self::Dgemv | Self::Dger => 2.0 * m * n,
            Self::Dscal => m,
            Self::Dtrsv => m * m,
            _ => 0.0,
        }
    }
}

/// The kernels of a platform.
#[derive(Debug)]
pub(super) struct RoutineCosts<'p> {
    platform: &'p Platform,
    kernels: [Option<&'p Kernel>; NAMES.len()],
}

impl<'p> RoutineCosts<'p> {
    pub(super) fn new(platform: &'p Platform) -> Self {
        Self { platform, kernels: NAMES.map(|name| platform.kernel(name)) }
    }

    /// What a call takes on a node, in seconds, with its noise. A call of no size takes nothing.
    pub(super) fn seconds(&self, routine: Routine, node: NodeId, size: CallSize, stream: &mut impl Rng) -> f64 {
        if size.m * size.n * size.k <= 0.0 {
            return 0.0;
        }
        match self.kernels[routine as usize] {
            Some(kernel) => kernel.draw_s(node, size, stream),
            None => routine.operations(size) / self.platform.speed_per_second(node),
        }
    }

    /// The rate of a node at a product of matrices of some size, in operations a second.
    pub(super) fn rate(&self, node: NodeId, size: CallSize) -> f64 {
        match self.kernels[Routine::Dgemm as usize] {
            Some(kernel) => Routine::Dgemm.operations(size) / kernel.mean_s(node, size),
            None => self.platform.speed_per_second(node),
        }
    }
}
