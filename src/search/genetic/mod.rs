//! Genetic algorithms.
