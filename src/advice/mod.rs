//! Answers to "what should I": which algorithm a collective should use on a platform, and how, and on which machines, to run
//! the tasks of a farm or of a graph, or HPL.
//!
//! Each is a function with a request and an answer. It reads no file and prints nothing: what is worth saying besides, and
//! how far it is, goes to a [`Watcher`]. `hetsim advise` puts the answers into words; [`report::advise`](crate::report::advise)
//! has tables, charts and files of rules.
//!
//! ```
//! use hetsim::advice::{CollectiveRequest, advise_collectives};
//! use hetsim::communication::Operation;
//! use hetsim::report::spec::NOTATION;
//! use hetsim::scenario::{Scenario, Source};
//!
//! let text = r#"
//!     version = 1
//!     [platform.cluster.lab]
//!     nodes = 16
//!     network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
//! "#;
//! let source = Source { name: "lab.toml".to_owned(), folder: ".".into(), text: text.into() };
//! let platform = Scenario::of_platform(&NOTATION, "lab".to_owned(), source, &[])?;
//! let request = CollectiveRequest {
//!     operations: vec![Operation::Broadcast],
//!     sizes: vec![8],
//!     ranks: vec![16],
//!     ..CollectiveRequest::default()
//! };
//! let advice = advise_collectives(&platform, request, &()).map_err(|failure| format!("{failure:?}"))?;
//! let fastest = advice.choices[0].fastest().expect("a broadcast is possible");
//! // Four rounds of 50 µs and 8 B / 125 MB/s.
//! assert_eq!(fastest.candidate.method.to_string(), "binomial");
//! assert!((fastest.seconds - 4.0 * (50e-6 + 8.0 / 125e6)).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collectives;
mod machine;
mod question;
mod request;
mod search;
mod tasks;
mod trials;

pub use collectives::{CollectiveAdvice, advise_collectives, assumed_error};
pub use request::CollectiveRequest;
pub use tasks::{TaskRequest, advise_farm, advise_graph, advise_hpl};

/// Who waits for an answer: hears what is worth saying besides, sees how far the work is, and may stop it.
pub trait Watcher: Sync {
    /// Hears a sentence.
    fn hear(&self, _sentence: &str) {}

    /// Whether the work is to stop, without an answer.
    fn stops(&self) -> bool {
        false
    }

    /// Learns that so many more steps are to come.
    fn expect(&self, _steps: u64) {}

    /// Learns that so many steps are done.
    fn advance(&self, _steps: u64) {}
}

/// Nobody: waits to the end, and sees and hears nothing.
impl Watcher for () {}
