//! The keys of `[platform.memory]`.

use schemars::JsonSchema;
use serde::Deserialize;

use hetsim_base::units::{Bytes, BytesPerSecond, Quantity, Seconds};
use hetsim_cluster::{Memory, MemoryRate};

/// What a message-passing library's work in memory costs, on every node: collectives and phases with `calls = "mpi"`
/// pay it. Nothing by default.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemorySpec {
    /// The largest working set, the data that a rank holds, at the rates without `_beyond`. Default: any.
    #[serde(default)]
    pub cache: Option<Bytes>,
    /// The bandwidth of a copy.
    #[serde(default)]
    pub copy_bandwidth: Option<BytesPerSecond>,
    /// The bandwidth of a copy beyond `cache`. Default: the same.
    #[serde(default)]
    pub copy_bandwidth_beyond: Option<BytesPerSecond>,
    /// The bandwidth at which received bytes are combined with others.
    #[serde(default)]
    pub combine_bandwidth: Option<BytesPerSecond>,
    /// The same beyond `cache`. Default: the same.
    #[serde(default)]
    pub combine_bandwidth_beyond: Option<BytesPerSecond>,
    /// The bandwidth at which the pages of a new temporary buffer are mapped.
    #[serde(default)]
    pub allocate_bandwidth: Option<BytesPerSecond>,
    /// The time of each new temporary buffer besides.
    #[serde(default)]
    pub register_time: Seconds,
    /// The smallest buffer with new pages; smaller ones are reused.
    #[serde(default)]
    pub allocate_from: Option<Bytes>,
    /// The smallest sum of several buffers of one call that are new. Default: they are reused.
    #[serde(default)]
    pub allocate_several_from: Option<Bytes>,
}

impl MemorySpec {
    /// The first key that means nothing, and why.
    pub(in crate::platform) fn fault(&self) -> Option<(&'static str, String)> {
        let beyond = [
            ("copy_bandwidth_beyond", self.copy_bandwidth_beyond),
            ("combine_bandwidth_beyond", self.combine_bandwidth_beyond),
        ];
        let rates = [
            ("copy_bandwidth", self.copy_bandwidth),
            ("combine_bandwidth", self.combine_bandwidth),
            ("allocate_bandwidth", self.allocate_bandwidth),
        ];
        let is_zero = |rate: Option<BytesPerSecond>| rate.is_some_and(|rate| rate.base() <= 0.0);
        if let Some((key, _)) = rates.iter().chain(&beyond).find(|(_, rate)| is_zero(*rate)) {
            return Some((key, format!("`{key}` must be above zero; without the key it costs nothing")));
        }
        let needs = |key: &'static str, other: &str| Some((key, format!("`{key}` needs {other} beside it")));
        let given = beyond.iter().find(|(_, rate)| rate.is_some());
        match (self.cache, given) {
            (Some(_), None) => return needs("cache", "`copy_bandwidth_beyond` or `combine_bandwidth_beyond`"),
            (None, Some((key, _))) => return needs(key, "`cache`"),
            _ => {}
        }
        let buffers = [
            ("allocate_from", self.allocate_from.is_some()),
            ("allocate_several_from", self.allocate_several_from.is_some()),
        ];
        let charges = self.allocate_bandwidth.is_some() || self.register_time.base() > 0.0;
        let (key, _) = buffers.iter().find(|(_, is_given)| *is_given && !charges)?;
        needs(key, "`allocate_bandwidth` or `register_time`")
    }

    /// The memory with these settings.
    pub(in crate::platform) fn memory(&self) -> Memory {
        let time = |bandwidth: Option<BytesPerSecond>| bandwidth.map_or(0.0, |rate| 1.0 / rate.base());
        let rate = |cached, beyond: Option<BytesPerSecond>| MemoryRate {
            cached: time(cached),
            beyond: time(beyond.or(cached)),
        };
        Memory {
            cache: self.cache.map_or(u64::MAX, Bytes::count),
            copy: rate(self.copy_bandwidth, self.copy_bandwidth_beyond),
            combine: rate(self.combine_bandwidth, self.combine_bandwidth_beyond),
            allocate: time(self.allocate_bandwidth),
            register: self.register_time.base(),
            allocate_several_from: self.allocate_several_from.map_or(u64::MAX, Bytes::count),
            allocate_from: self.allocate_from.map_or(0, Bytes::count),
        }
    }
}
