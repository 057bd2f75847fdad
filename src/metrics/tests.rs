//! The paper's propositions and worked numbers.

use super::*;
