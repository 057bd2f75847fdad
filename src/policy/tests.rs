//! What every policy keeps to, and the worked sequences of their papers.

use super::*;
