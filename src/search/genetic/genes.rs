//! Genes of many individuals in one array, and what happens to them.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::settings::{Crossover, Genome, Settings};

/// The genes of a number of individuals, each in as many words of 64 bits: packed bits, or a real gene a word.
///
/// One layout for both kinds makes copying and cutting the same for them: a real gene is 64 bits that stay together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Genes {
    words: Vec<u64>,
    /// Words of an individual.
    stride: usize,
}

impl Genes {
    /// Genes of `count` individuals, all zero.
    pub(super) fn zeroed(settings: &Settings, count: usize) -> Self {
        let stride = match settings.genome {
            Genome::Bits => places(settings).div_ceil(64) as usize,
            Genome::Real => settings.genes as usize,
        };
        Self { words: vec![0; stride * count], stride }
    }

    /// Words of an individual: what two populations must agree on to exchange any.
    pub(super) const fn stride(&self) -> usize {
        self.stride
    }

    /// Draws an individual, uniform over bits or over the objective's domain.
    pub(super) fn draw(&mut self, individual: usize, settings: &Settings, rng: &mut impl Rng) {
        let domain = settings.objective.domain();
        let words = self.of_mut(individual);
        match settings.genome {
            Genome::Bits => {
                rng.fill(words);
                // Bits beyond the last place stay zero, so that they can be counted with the others.
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

    /// Makes an individual a copy of another population's.
    pub(super) fn copy(&mut self, to: usize, source: &Self, from: usize) {
        self.of_mut(to).copy_from_slice(source.of(from));
    }

    /// Crosses an individual with its neighbour behind it.
    pub(super) fn cross(&mut self, first: usize, settings: &Settings, rng: &mut impl Rng) {
        let places = places(settings);
        let unit = unit(settings);
        match settings.crossing {
            Crossover::OnePoint if places > 1 => {
                let cut = rng.random_range(1..places);
                self.exchange(first, cut * unit, places * unit);
            }
            // The second of two different cuts is drawn from one less, and moved past the first.
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

    /// An individual and the one behind it.
    fn pair(&mut self, first: usize) -> (&mut [u64], &mut [u64]) {
        self.words[first * self.stride..][..2 * self.stride].split_at_mut(self.stride)
    }

    /// Exchanges the bits from `from` up to `to` between an individual and the one behind it.
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

    /// BLX-½: each gene of both children is uniform from half the parents' distance below the lesser to as much above
    /// the greater, kept within the domain.
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

    /// Mutates some individuals: every bit is flipped, every real gene moved by a normal deviate and kept within the
    /// domain, with the settings' probability.
    ///
    /// The places between two mutations are drawn, not each place: their number is geometric.
    pub(super) fn mutate(&mut self, individuals: std::ops::Range<usize>, settings: &Settings, rng: &mut impl Rng) {
        let (least, greatest) = settings.objective.domain().into_inner();
        let step = settings.mutation_step * (greatest - least);
        let places = places(settings);
        let all = individuals.len() as u64 * places;
        if settings.mutation == 0.0 {
            return;
        }
        // Of a probability 1 the logarithm is −∞, and every gap 0.
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

    /// The point that an individual stands for.
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
            // A gene may lie across two words.
            let high = if shift + bits as usize > 64 { words[word + 1] << (64 - shift) } else { 0 };
            *gene = (least + scale * ((low | high) & largest) as f64).min(greatest);
        }
    }

    /// The bits of an individual that are 0.
    pub(super) fn zeros(&self, individual: usize, settings: &Settings) -> u64 {
        let ones: u32 = self.of(individual).iter().map(|word| word.count_ones()).sum();
        places(settings) - u64::from(ones)
    }
}

/// Where an individual can be cut or mutated: bits, or real genes.
fn places(settings: &Settings) -> u64 {
    match settings.genome {
        Genome::Bits => u64::from(settings.genes) * u64::from(settings.gene_bits()),
        Genome::Real => u64::from(settings.genes),
    }
}

/// The bits of a place.
const fn unit(settings: &Settings) -> u64 {
    match settings.genome {
        Genome::Bits => 1,
        Genome::Real => 64,
    }
}
