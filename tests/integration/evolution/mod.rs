//! Evolution by a master and slaves, and on islands.

mod islands;
mod master_and_slaves;
