//! What a node's memory costs a message-passing library: copies, combinations and new buffers; and what nodes share.

use hetsim_base::units::{Tick, Time, round_up};

/// A rate of memory operations, for working sets that fit the cache and for larger ones.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MemoryRate {
    /// The time per byte in the cache, in seconds; zero if it costs nothing.
    pub cached: f64,
    /// The time per byte of larger data, in seconds.
    pub beyond: f64,
}

/// What the memory of a node costs. The default costs nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Memory {
    /// The largest working set, in bytes, that is handled at the cached rates.
    pub cache: u64,
    /// The copy from one place to another.
    pub copy: MemoryRate,
    /// The combination of received bytes with those in place.
    pub combine: MemoryRate,
    /// The time per byte of a new buffer, in seconds: its pages are mapped.
    pub allocate: f64,
    /// The time of each new buffer besides, in seconds: it is registered with the network.
    pub register: f64,
    /// The smallest buffer whose pages are always new.
    pub allocate_from: u64,
    /// The smallest sum of several buffers of one call whose pages are new, since their allocator has returned them.
    pub allocate_several_from: u64,
}

impl Default for Memory {
    fn default() -> Self {
        let free = MemoryRate::default();
        Self {
            cache: u64::MAX,
            copy: free,
            combine: free,
            allocate: 0.0,
            register: 0.0,
            allocate_from: 0,
            allocate_several_from: 0,
        }
    }
}

impl Memory {
    /// The time of a copy of `bytes` in a working set of `set` bytes, in seconds.
    #[must_use]
    pub fn copy_s(&self, bytes: u64, set: u64) -> f64 {
        self.seconds(self.copy, bytes, set)
    }

    /// The time of combining `bytes` with others in a working set of `set` bytes, in seconds.
    #[must_use]
    pub fn combine_s(&self, bytes: u64, set: u64) -> f64 {
        self.seconds(self.combine, bytes, set)
    }

    /// The time of obtaining a buffer of `bytes`, in seconds, in a call that obtains `all` bytes in buffers of at most
    /// `largest` each.
    ///
    /// An allocator keeps a buffer that is given back, but not much more: glibc's `M_TRIM_THRESHOLD` follows the
    /// largest one. A call counts as one of several buffers if they are together 1.5 times its largest one.
    #[must_use]
    pub fn allocate_s(&self, bytes: u64, all: u64, largest: u64) -> f64 {
        let several = all >= self.allocate_several_from && all.saturating_sub(largest) >= largest / 2;
        if bytes >= self.allocate_from || several { self.register + self.allocate * bytes as f64 } else { 0.0 }
    }

    /// Whether anything costs something.
    #[must_use]
    pub fn is_charged(&self) -> bool {
        let rates = [self.copy.cached, self.copy.beyond, self.combine.cached, self.combine.beyond];
        rates.iter().any(|rate| *rate > 0.0) || self.charges_buffers()
    }

    /// Whether new buffers cost anything.
    #[must_use]
    pub fn charges_buffers(&self) -> bool {
        self.allocate > 0.0 || self.register > 0.0
    }

    /// The time of a copy of `bytes` that are used for nothing else, on a clock of `tick`.
    pub(crate) fn copy(&self, bytes: u64, tick: Tick) -> Time {
        round_up(self.copy_s(bytes, bytes) * tick.per_second())
    }

    fn seconds(&self, rate: MemoryRate, bytes: u64, set: u64) -> f64 {
        let per_byte = if set <= self.cache { rate.cached } else { rate.beyond };
        per_byte * bytes as f64
    }
}

/// Bandwidths that the nodes of a group share; the default is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SharedMemory {
    /// Bytes read and written per second. `None`: each node has a memory of its own.
    pub bandwidth: Option<f64>,
    /// Bytes of new pages per second that the operating system provides. `None`: they are written to the memory as other
    /// bytes are.
    pub allocate: Option<f64>,
}

impl SharedMemory {
    /// Nothing is shared.
    pub const NONE: Self = Self { bandwidth: None, allocate: None };

    pub(super) fn is_valid(self) -> bool {
        [self.bandwidth, self.allocate].iter().flatten().all(|bandwidth| *bandwidth > 0.0 && bandwidth.is_finite())
    }
}
