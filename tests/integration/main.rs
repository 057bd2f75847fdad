//! Tests through the public face, a file a behaviour.

mod broadcast;
mod cluster;
