//! Normal deviates for many individuals at once.

use std::array::from_fn;

/// The number of individuals handled at once: enough to fill the vector registers several times over, which hides the
/// latency of their operations. The results do not depend on it.
pub(super) const LANES: usize = 16;

/// One generator for each of several adjacent individuals: xoshiro128++ (Blackman and Vigna 2021). It needs only
/// additions, shifts and exclusive ors, so one instruction advances several generators.
#[derive(Debug, Clone)]
pub(super) struct Normals<const WIDTH: usize> {
    state: [[u32; WIDTH]; 4],
}

impl<const WIDTH: usize> Normals<WIDTH> {
    /// The generators of individuals `first`, `first` + 1, …: each depends only on the seed and the individual's
    /// number.
    pub(super) fn new(seed: u64, first: u64) -> Self {
        let words: [[u64; 2]; WIDTH] = from_fn(|lane| {
            let individual = split_mix(seed.wrapping_add(split_mix(first + lane as u64)));
            // An all-zero state would stay zero; the lowest bit prevents it.
            [split_mix(individual), split_mix(individual ^ u64::MAX) | 1]
        });
        let part = |word: usize, shift: u32| from_fn(|lane| (words[lane][word] >> shift) as u32);
        Self { state: [part(0, 0), part(0, 32), part(1, 0), part(1, 32)] }
    }

    /// 32 random bits per lane.
    #[inline]
    fn bits(&mut self) -> [u32; WIDTH] {
        let [first, second, third, fourth] = &mut self.state;
        let mut out = [0; WIDTH];
        for lane in 0..WIDTH {
            let (x, y) = (first[lane], second[lane]);
            let (z, w) = (third[lane] ^ x, fourth[lane] ^ y);
            out[lane] = x.wrapping_add(fourth[lane]).rotate_left(7).wrapping_add(x);
            second[lane] = y ^ z;
            first[lane] = x ^ w;
            third[lane] = z ^ (y << 9);
            fourth[lane] = w.rotate_left(11);
        }
        out
    }

    /// Two independent standard normal deviates per lane, by the Box–Muller transform (1958).
    /// They are in single precision, which suffices for mutations and fits twice as many into a register. Deviates have
    /// a relative precision of about 10⁻⁶ and end at 6.66; one in 4·10¹⁰ would lie beyond.
    #[inline]
    pub(super) fn pair(&mut self) -> [[f32; WIDTH]; 2] {
        let (radii, angles) = (self.bits(), self.bits());
        let mut pair = [[0.0; WIDTH]; 2];
        for lane in 0..WIDTH {
            // In (0, 1]: 31 bits, plus half a step so that the value is never 0.
            let uniform = (radii[lane] >> 1).cast_signed() as f32 * EXP_MINUS_31 + 0.5 * EXP_MINUS_31;
            let radius = (-2.0 * logarithm(uniform)).sqrt();
            let (sine, cosine) = half_turns(angles[lane].cast_signed() as f32 * (0.5 * EXP_MINUS_31));
            pair[0][lane] = radius * (1.0 - 2.0 * sine * sine);
            pair[1][lane] = radius * (2.0 * sine * cosine);
        }
        pair
    }
}

/// 2⁻³¹.
const EXP_MINUS_31: f32 = 1.0 / (1_u32 << 31) as f32;

/// The mixer of Steele, Lea and Flood (2014) after one step: it maps adjacent numbers to unrelated ones.
const fn split_mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// ln x for x in (0, 1] with a relative error of at most 3·10⁻⁷: x = m·2^e with m between √½ and √2, and ln m = 2
/// artanh((m−1)/(m+1)).
#[inline]
fn logarithm(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = bits.wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits()).cast_signed() >> 23;
    let mantissa = f32::from_bits(bits.wrapping_sub((exponent << 23).cast_unsigned()));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let t = s * s;
    let series = 2.0 + t * (0.666_668_2 + t * (0.399_748_44 + t * 0.299_245_3));
    exponent as f32 * std::f32::consts::LN_2 + s * series
}

/// sin πr and cos πr for r in [−½, ½], with an error of at most 2·10⁻⁷.
#[inline]
fn half_turns(r: f32) -> (f32, f32) {
    let t = r * r;
    let sine = std::f32::consts::PI + t * (-5.167_710_3 + t * (2.550_077_4 + t * (-0.598_290_4 + t * 0.077_655_92)));
    let cosine = 1.0 + t * (-4.934_793 + t * (4.058_411 + t * (-1.331_873 + t * 0.219_682_42)));
    (r * sine, cosine)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, Normal};

    use super::*;

    #[test]
    fn elementary_functions_are_those_of_the_library() {
        for step in 1..=200_000_u32 {
            let x = f64::from(step) / 200_000.0;
            for x in [x as f32, (x * 1e-6) as f32] {
                let expected = f64::from(x).ln();
                assert!((f64::from(logarithm(x)) - expected).abs() <= 3e-7 * expected.abs(), "ln {x}");
            }
            let r = (x - 0.5) as f32;
            let (sine, cosine) = half_turns(r);
            let (expected_sine, expected_cosine) = (f64::from(r) * std::f64::consts::PI).sin_cos();
            assert!((f64::from(sine) - expected_sine).abs() < 2e-7, "sin {r}");
            assert!((f64::from(cosine) - expected_cosine).abs() < 2e-7, "cos {r}");
        }
    }

    /// xoshiro128++ by its definition, one generator at a time.
    #[test]
    fn bits_are_those_of_the_generator() {
        let mut lanes = Normals::<4>::new(3, 9);
        let mut state = lanes.state.map(|word| word[2]);
        for _ in 0..1000 {
            let expected = state[0].wrapping_add(state[3]).rotate_left(7).wrapping_add(state[0]);
            let shifted = state[1] << 9;
            state[2] ^= state[0];
            state[3] ^= state[1];
            state[1] ^= state[2];
            state[0] ^= state[3];
            state[2] ^= shifted;
            state[3] = state[3].rotate_left(11);
            assert_eq!(lanes.bits()[2], expected);
        }
    }

    #[test]
    fn deviates_depend_on_the_individual_alone() {
        let mut wide = Normals::<16>::new(7, 0);
        let mut narrow = Normals::<2>::new(7, 4);
        let mut other = Normals::<2>::new(8, 4);
        for _ in 0..100 {
            let (wide, narrow, other) = (wide.pair(), narrow.pair(), other.pair());
            for half in 0..2 {
                assert_eq!(wide[half][4..6], narrow[half]);
                assert_ne!(narrow[half], other[half]);
            }
        }
    }

    /// The Kolmogorov–Smirnov distance of 1.6 million deviates from the normal distribution is below 1.95/√n, which
    /// holds in 999 of 1000 cases. The two deviates of a pair, and adjacent lanes, are uncorrelated.
    #[test]
    fn deviates_are_normal() {
        const COUNT: usize = 100_000;
        let mut normals = Normals::<8>::new(1, 0);
        let mut all = Vec::with_capacity(16 * COUNT);
        let (mut pairs, mut neighbours) = (0.0, 0.0);
        for _ in 0..COUNT {
            let [a, b] = normals.pair().map(|lanes| lanes.map(f64::from));
            pairs += a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>();
            neighbours += a.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
            all.extend(a.into_iter().chain(b));
        }
        let count = all.len() as f64;
        assert!(pairs.abs() < 4.0 * (8.0 * COUNT as f64).sqrt(), "{pairs}");
        assert!(neighbours.abs() < 4.0 * (7.0 * COUNT as f64).sqrt(), "{neighbours}");
        let fourth = all.iter().map(|z| z.powi(4)).sum::<f64>() / count;
        assert!((fourth - 3.0).abs() < 4.0 * (96.0 / count).sqrt(), "{fourth}");
        all.sort_by(f64::total_cmp);
        let normal = Normal::standard();
        let distance = all.iter().enumerate().map(|(rank, &z)| (normal.cdf(z) - rank as f64 / count).abs());
        let distance = distance.fold(0.0, f64::max);
        assert!(distance < 1.95 / count.sqrt(), "{distance}");
    }
}
