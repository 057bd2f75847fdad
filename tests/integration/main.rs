//! Tests through the public face, a file a behaviour.

mod cluster;
