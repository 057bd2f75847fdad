//! A generational genetic algorithm for a master that owns the population and workers that evaluate it.
//!
//! The algorithm of Bazterra et al. (JPDC 2005, §5.2) is GAlib's: the server holds the population and breeds the next
//! generation once the last is evaluated; clients evaluate single individuals. Of its operators the paper prints only
//! the probabilities, 0.9 and 0.001 (§6.1). The operators here are the common ones, chosen by [`Settings`]: tournament,
//! roulette or rank selection; one-point, two-point, uniform or BLX-0.5 crossover; mutation of bits or by normal
//! deviates.
//!
//! A bit genome stores a real gene as an unsigned number v of b bits, which stands for the point least + v (greatest −
//! least)/(2^b − 1) of the objective's domain. The middle of the domain is not among these points, so an optimum at 0
//! is missed by half a step: with 16 bits, ten-variable Rastrigin ends at an error near 10⁻⁴.

mod genes;
mod population;
mod selection;
mod settings;
#[cfg(test)]
mod tests;

pub use population::{ForeignMigrants, Migrants, Population};
pub use selection::Selection;
pub use settings::{Crossover, Genome, Settings};
