//! How many threads compute.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use rayon::ThreadPoolBuilder;

/// A number of threads, at most one for each core of the machine: more of them compute no faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads(usize);

impl Threads {
    /// One thread.
    pub const ONE: Self = Self(1);

    /// So many threads, or as many as there are cores if there are fewer, of which a warning tells; all cores by default.
    #[must_use]
    pub fn new(jobs: Option<NonZeroUsize>) -> Self {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        match jobs.map(NonZeroUsize::get) {
            Some(jobs) if jobs > cores => {
                let plural = if cores == 1 { "" } else { "s" };
                log::warn!("{jobs} jobs are more than this machine has cores: {cores} thread{plural} will compute");
                Self(cores)
            }
            Some(jobs) => Self(jobs),
            // rayon's own number, which its environment variable may lower.
            None => Self(rayon::current_num_threads().min(cores)),
        }
    }

    /// Does work whose parts rayon shares out, on these threads, or on fewer if there are only so many parts. Where no
    /// thread can be started, the calling one does it.
    pub fn share<R: Send>(self, parts: usize, work: impl FnOnce() -> R + Send) -> R {
        match ThreadPoolBuilder::new().num_threads(self.0.min(parts).max(1)).build() {
            Ok(pool) => pool.install(work),
            Err(_) => work(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of threads that work on so many parts.
    fn started(threads: Threads, parts: usize) -> usize {
        threads.share(parts, rayon::current_num_threads)
    }

    #[test]
    fn there_are_no_more_threads_than_cores_and_parts() {
        let cores = available_parallelism().unwrap().get();
        assert_eq!(started(Threads::new(NonZeroUsize::new(100_000)), usize::MAX), cores);
        assert_eq!(started(Threads::new(NonZeroUsize::new(1)), usize::MAX), 1);
        assert!(started(Threads::new(None), usize::MAX) <= cores);
        assert_eq!(started(Threads::new(NonZeroUsize::new(cores)), 1), 1);
        assert_eq!(started(Threads::new(None), 0), 1);
    }
}
