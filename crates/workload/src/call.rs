//! Calls of a kernel of the platform, in the place of operations.

use rand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::KeyError;
use hetsim_base::units::defaults::{count, fraction};
use hetsim_cluster::{CallSize, Kernel, NodeId, Platform};
use hetsim_text::suggest;

/// Calls of a kernel of the platform, `[platform.kernel.NAME]`: what they take, the kernel says for each node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelCall {
    /// The name of the kernel.
    pub kernel: String,
    /// The size `m` of its formula. Default: in a task graph the operations of the task, elsewhere 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub m: Option<f64>,
    /// The size `n`.
    #[serde(default = "fraction::<1, 1>")]
    #[schemars(range(min = 0.0))]
    pub n: f64,
    /// The size `k`.
    #[serde(default = "fraction::<1, 1>")]
    #[schemars(range(min = 0.0))]
    pub k: f64,
    /// The number of calls, one after the other, each with its own noise.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub times: u32,
}

/// The most calls one after the other: each draws its noise.
const MOST_TIMES: u32 = 1_000_000;

impl KernelCall {
    /// One call of a kernel, whose size `m` is for the workload to say.
    #[must_use]
    pub fn of(kernel: &str) -> Self {
        Self { kernel: kernel.to_owned(), m: None, n: 1.0, k: 1.0, times: 1 }
    }

    /// Checks the numbers, and that the platform has the kernel.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn check(&self, platform: &Platform) -> Result<(), KeyError> {
        for (key, size) in [("m", self.m.unwrap_or(1.0)), ("n", self.n), ("k", self.k)] {
            let is_sound = size.is_finite() && size >= 0.0;
            KeyError::unless(is_sound, key, || "a size is a number of zero or more, and finite")?;
        }
        let is_sound = (1..=MOST_TIMES).contains(&self.times);
        KeyError::unless(is_sound, "times", || "a kernel is called 1 to 1000000 times")?;
        find(&self.kernel, platform).map_err(|message| KeyError::new("kernel", message)).map(drop)
    }

    /// The sizes of a call, in a workload that has an `m` of its own.
    #[must_use]
    pub fn size(&self, own_m: f64) -> CallSize {
        CallSize::new(self.m.unwrap_or(own_m), self.n, self.k)
    }

    /// The mean time of all calls on a node, in seconds.
    #[must_use]
    pub fn mean_s(&self, kernel: &Kernel, node: NodeId, own_m: f64) -> f64 {
        f64::from(self.times) * kernel.mean_s(node, self.size(own_m))
    }

    /// The time of all calls on a node with their noise, in seconds.
    pub fn draw_s(&self, kernel: &Kernel, node: NodeId, own_m: f64, stream: &mut impl Rng) -> f64 {
        let size = self.size(own_m);
        (0..self.times).map(|_| kernel.draw_s(node, size, stream)).sum()
    }
}

/// The kernel of a name.
///
/// # Errors
/// A sentence, with a near name, where the platform has none of this name.
pub fn find<'p>(name: &str, platform: &'p Platform) -> Result<&'p Kernel, String> {
    platform.kernel(name).ok_or_else(|| {
        let known: Vec<&str> = platform.kernels().iter().map(Kernel::name).collect();
        if known.is_empty() {
            return format!("the platform has no kernel `{name}`: it has none; give [platform.kernel.{name}]");
        }
        format!("the platform has no kernel `{name}`: {}", suggest(name, &known))
    })
}
