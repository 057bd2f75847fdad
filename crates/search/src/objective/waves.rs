//! Polynomial approximations of sine and cosine, with the argument in turns.
//!
//! The benchmark functions spend their time in cosines. A library call handles one number; these loops compile to plain
//! arithmetic on as many numbers as a vector register holds. They give the same bits on every platform, unlike a
//! system's mathematical library.

/// Adding and subtracting this constant rounds to an integer, ties to even, since a double above 2⁵² has no fraction.
/// (Some x86-64 processors have no rounding instruction, so a call to `round` would prevent vectorisation.)
const ROUNDER: f64 = 1.5 * (1_u64 << 52) as f64;

/// The exact difference between `turns` and the nearest integer, in [−½, ½], for |turns| < 2⁵¹. Larger doubles have
/// practically no fraction.
#[inline]
fn fraction(turns: f64) -> f64 {
    turns - ((turns + ROUNDER) - ROUNDER)
}

/// sin πr and cos πr for r in [−½, ½] by interpolation at Chebyshev nodes, with an error of at most 5·10⁻¹⁶ (relative
/// for the sine, absolute for the cosine).
#[inline]
fn half_turns(r: f64) -> (f64, f64) {
    let t = r * r;
    let cosine = horner(
        t,
        [
            1.0,
            -4.934_802_200_544_676,
            4.058_712_126_416_497,
            -1.335_262_768_843_447,
            0.235_330_630_129_532_84,
            -0.025_806_888_737_002_202,
            0.001_929_556_272_481_713_2,
            -0.000_104_566_553_387_487_38,
            4.149_564_353_942_586e-6,
        ],
    );
    (sine(r), cosine)
}

#[inline]
fn sine(r: f64) -> f64 {
    let t = r * r;
    r * horner(
        t,
        [
            3.141_592_653_589_792_7,
            -5.167_712_780_049_785_5,
            2.550_164_039_861_867_7,
            -0.599_264_528_825_224,
            0.082_145_878_816_310_43,
            -0.007_370_364_326_530_415_5,
            0.000_465_987_015_804_337_8,
            -2.113_362_735_205_297e-5,
        ],
    )
}

#[inline]
fn horner<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, &coefficient| sum * x + coefficient)
}

/// sin² πx for x = `turns`, with a relative error of at most 2·10⁻¹⁵ at the rounded x.
///
/// 1 − cos 2πx is twice this, without cancellation near integers, where the optima lie.
#[inline]
pub(super) fn sine_squared(turns: f64) -> f64 {
    let sine = sine(fraction(turns));
    sine * sine
}

/// cos 2πx with an error of at most 2·10⁻¹⁵.
#[inline]
pub(super) fn cosine_of_turns(turns: f64) -> f64 {
    1.0 - 2.0 * sine_squared(turns)
}

/// sin 2πx with an error of at most 2·10⁻¹⁵.
#[inline]
pub(super) fn sine_of_turns(turns: f64) -> f64 {
    let (sine, cosine) = half_turns(fraction(turns));
    2.0 * sine * cosine
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// Compares with the standard library, for numbers whose product with π keeps the fraction.
    #[test]
    fn waves_are_those_of_the_library() {
        for step in -40_000..=40_000 {
            let turns = f64::from(step) * 0.000_371;
            let angle = 2.0 * PI * (turns - turns.round());
            assert!((cosine_of_turns(turns) - angle.cos()).abs() < 2e-15, "cos {turns}");
            assert!((sine_of_turns(turns) - angle.sin()).abs() < 2e-15, "sin {turns}");
            let half = (angle / 2.0).sin().powi(2);
            assert!((sine_squared(turns) - half).abs() <= 2e-15 * half, "sin² {turns}");
        }
    }

    #[test]
    fn whole_turns_are_exact() {
        for whole in [0.0, 1.0, -7.0, 123_456_789.0, 2_251_799_813_685_247.0] {
            assert_eq!((cosine_of_turns(whole), sine_of_turns(whole), sine_squared(whole)), (1.0, 0.0, 0.0));
        }
        assert!((cosine_of_turns(0.5) + 1.0).abs() < 1e-15 && cosine_of_turns(0.25).abs() < 1e-15);
        assert!(cosine_of_turns(f64::NAN).is_nan() && cosine_of_turns(f64::INFINITY).is_nan());
    }
}
