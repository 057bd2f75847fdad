//! How well a platform predicts a real machine, and what makes it predict better.

pub mod calibrate;
