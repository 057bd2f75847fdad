//! The genes of many individuals in one array, with the genetic operators.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::settings::{Crossover, Genome, Settings};

/// The genes of several individuals, each in the same number of 64-bit words: packed bits, or one real gene per word.
///
/// One layout for both kinds makes copying and crossing the same: a real gene is 64 bits that stay together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Genes {
    words: Vec<u64>,
    /// The number of words per individual.
    stride: usize,
}

impl Genes {
    /// The genes of `count` individuals, all zero.
    pub(super) fn zeroed(settings: &Settings, count: usize) -> Self {
        let stride = match settings.genome {
            Genome::Bits => places(settings).div_ceil(64) as usize,
            Genome::Real => settings.genes as usize,
        };
        Self { words: vec![0; stride * count], stride }
    }

    /// The number of words per individual, which two populations must share to exchange individuals.
    pub(super) const fn stride(&self) -> usize {
        self.stride
    }

    /// Draws an individual uniformly over bits or over the objective's domain.
    pub(super) fn draw(&mut self, individual: usize, settings: &Settings, rng: &mut impl Rng) {
        let domain = settings.objective.domain();
        let words = self.of_mut(individual);
        match settings.genome {
            Genome::Bits => {
                rng.fill(words);
                // Bits beyond the last used one stay zero, so that bits can be counted by words.
                if let (Some(last), used @ 1..) = (words.last_mut(), places(settings) % 64) {
                    *last &= (1 << used) - 1;
                }
            }
            Genome::Real => words.fill_with(|| rng.random_range(domain.clone()).to_bits()),
        }
    }

    fn of(&self, individual: usize) -> &[u64] {
        &self.words[individual * self.stride..][..self.stride]
    }

    fn of_mut(&mut self, individual: usize) -> &mut [u64] {
        &mut self.words[individual * self.stride..][..self.stride]
    }

    /// Copies an individual from another population.
    pub(super) fn copy(&mut self, to: usize, source: &Self, from: usize) {
        self.of_mut(to).copy_from_slice(source.of(from));
    }

    /// Crosses an individual with the next one.
    pub(super) fn cross(&mut self, first: usize, settings: &Settings, rng: &mut impl Rng) {
        let places = places(settings);
        let unit = unit(settings);
        match settings.crossing {
            Crossover::OnePoint if places > 1 => {
                let cut = rng.random_range(1..places);
                self.exchange(first, cut * unit, places * unit);
            }
            // The second of two different cuts is drawn from one fewer and moved past the first.
            Crossover::TwoPoint if places > 1 => {
                let one = rng.random_range(0..=places);
                let other = rng.random_range(0..places);
                let other = other + u64::from(other >= one);
                self.exchange(first, one.min(other) * unit, one.max(other) * unit);
            }
            Crossover::OnePoint | Crossover::TwoPoint => {}
            Crossover::Uniform => {
                let (a, b) = self.pair(first);
                for (a, b) in a.iter_mut().zip(b) {
                    let chosen = match settings.genome {
                        Genome::Bits => rng.random::<u64>(),
                        Genome::Real => u64::from(rng.random::<bool>()).wrapping_neg(),
                    };
                    let difference = (*a ^ *b) & chosen;
                    *a ^= difference;
                    *b ^= difference;
                }
            }
            Crossover::Blend => self.blend(first, settings, rng),
        }
    }

    /// An individual and the next one.
    fn pair(&mut self, first: usize) -> (&mut [u64], &mut [u64]) {
        self.words[first * self.stride..][..2 * self.stride].split_at_mut(self.stride)
    }

    /// Exchanges the bits from `from` up to `to` between an individual and the next one.
    fn exchange(&mut self, first: usize, from: u64, to: u64) {
        let (a, b) = self.pair(first);
        for ((a, b), start) in a.iter_mut().zip(b).zip((0..).step_by(64)) {
            let below = |end: u64| match end.saturating_sub(start) {
                bits @ 0..64 => (1_u64 << bits) - 1,
                _ => u64::MAX,
            };
            let difference = (*a ^ *b) & below(to) & !below(from);
            *a ^= difference;
            *b ^= difference;
        }
    }

    /// BLX-½: each gene of both children is uniform on the parents' interval extended by half its length on both sides,
    /// clamped to the domain.
    fn blend(&mut self, first: usize, settings: &Settings, rng: &mut impl Rng) {
        let (least, greatest) = settings.objective.domain().into_inner();
        let (a, b) = self.pair(first);
        for (a, b) in a.iter_mut().zip(b) {
            let (x, y) = (f64::from_bits(*a), f64::from_bits(*b));
            let (low, width) = (x.min(y) - 0.5 * (x - y).abs(), 2.0 * (x - y).abs());
            for gene in [a, b] {
                *gene = (low + width * rng.random::<f64>()).clamp(least, greatest).to_bits();
            }
        }
    }

    /// Mutates some individuals: flips each bit, or adds a normal deviate to each real gene within the domain, with the
    /// probability in the settings.
    ///
    /// Draws the gaps between mutations, which are geometric, instead of one draw per gene or bit.
    pub(super) fn mutate(&mut self, individuals: std::ops::Range<usize>, settings: &Settings, rng: &mut impl Rng) {
        let (least, greatest) = settings.objective.domain().into_inner();
        let step = settings.mutation_step * (greatest - least);
        let places = places(settings);
        let all = individuals.len() as u64 * places;
        if settings.mutation == 0.0 {
            return;
        }
        // For a probability of 1 the logarithm is −∞, and every gap is 0.
        let logarithm = (-settings.mutation).ln_1p();
        let mut place = 0_u64;
        loop {
            let gap = (1.0 - rng.random::<f64>()).ln() / logarithm;
            place = place.saturating_add(gap as u64);
            if place >= all {
                return;
            }
            let individual = individuals.start + (place / places) as usize;
            let words = self.of_mut(individual);
            match settings.genome {
                Genome::Bits => words[(place % places / 64) as usize] ^= 1 << (place % places % 64),
                Genome::Real => {
                    let gene = &mut words[(place % places) as usize];
                    let deviate: f64 = rng.sample(StandardNormal);
                    *gene = (f64::from_bits(*gene) + step * deviate).clamp(least, greatest).to_bits();
                }
            }
            place += 1;
        }
    }

    /// Decodes an individual into a point.
    pub(super) fn decode(&self, individual: usize, settings: &Settings, point: &mut [f64]) {
        let words = self.of(individual);
        if settings.genome == Genome::Real {
            for (gene, &word) in point.iter_mut().zip(words) {
                *gene = f64::from_bits(word);
            }
            return;
        }
        let (least, greatest) = settings.objective.domain().into_inner();
        let bits = settings.gene_bits();
        let largest = (1_u64 << bits) - 1;
        let scale = (greatest - least) / largest as f64;
        for (gene, start) in point.iter_mut().zip((0_usize..).step_by(bits as usize)) {
            let (word, shift) = (start / 64, start % 64);
            let low = words[word] >> shift;
            // A gene may cross a word boundary.
            let high = if shift + bits as usize > 64 { words[word + 1] << (64 - shift) } else { 0 };
            *gene = (least + scale * ((low | high) & largest) as f64).min(greatest);
        }
    }

    /// The number of zero bits in an individual.
    pub(super) fn zeros(&self, individual: usize, settings: &Settings) -> u64 {
        let ones: u32 = self.of(individual).iter().map(|word| word.count_ones()).sum();
        places(settings) - u64::from(ones)
    }
}

/// The number of positions for cuts and mutations: bits, or real genes.
fn places(settings: &Settings) -> u64 {
    match settings.genome {
        Genome::Bits => u64::from(settings.genes) * u64::from(settings.gene_bits()),
        Genome::Real => u64::from(settings.genes),
    }
}

/// The number of bits per position.
const fn unit(settings: &Settings) -> u64 {
    match settings.genome {
        Genome::Bits => 1,
        Genome::Real => 64,
    }
}
