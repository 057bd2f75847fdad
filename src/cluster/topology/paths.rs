//! stub
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choose { #[default] Given, FewestLinks, LeastLatency }
pub struct Edge { pub from: u32, pub to: u32, pub cost: f64 }
#[derive(Debug, Clone, PartialEq)]
pub struct Paths;
#[derive(Debug)]
pub struct PathsError;
impl Paths {
 pub fn new(_: u32, _: &[Edge], _: Choose) -> Result<Self, PathsError> { Ok(Self) }
 pub fn append(&self, _: u32, _: u32, _: &mut Vec<u32>) -> bool { false }
 pub fn missing(&self, _: std::ops::Range<u32>) -> Option<(u32,u32)> { None }
}
