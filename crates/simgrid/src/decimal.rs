//! Exact decimal numbers, so that no digit is lost or added in a change of units.

use std::cmp::Ordering;

/// The maximum number of digits: sums and products of two such numbers are still exact.
const MOST_DIGITS: usize = 24;

/// The maximum absolute power of ten of a number's last digit.
const MOST_EXPONENT: i32 = 64;

/// `digits × 10^exponent`, non-negative, without trailing zeros in the digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    /// Zero.
    pub(super) const ZERO: Self = Self { digits: 0, exponent: 0 };

    /// One.
    pub(super) const ONE: Self = Self { digits: 1, exponent: 0 };

    /// The number with these digits.
    pub(super) fn new(mut digits: u128, mut exponent: i32) -> Self {
        if digits == 0 {
            return Self::ZERO;
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Self { digits, exponent }
    }

    /// Reads the number at the start of `text`, and returns the rest.
    ///
    /// # Errors
    /// There is no number, or it is negative, too large, too small, or has too many digits.
    pub(super) fn read(text: &str) -> Result<(Self, &str), String> {
        let length = number_length(text);
        let (number, rest) = text.split_at(length);
        let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let (negative, whole) = match whole.as_bytes().first() {
            Some(b'-') => (true, &whole[1..]),
            Some(b'+') => (false, &whole[1..]),
            _ => (false, whole),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(format!("expected a number, not {text:?}"));
        }
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Ok((Self::ZERO, rest));
        }
        if negative {
            return Err(format!("{number} is below zero"));
        }
        let count = |text: &str| i32::try_from(text.len()).ok();
        let exponent = || power.parse::<i32>().ok()?.checked_add(count(digits)? - count(kept)? - count(fraction)?);
        let exponent = exponent().filter(|exponent| exponent.abs() <= MOST_EXPONENT && kept.len() <= MOST_DIGITS);
        match (kept.parse(), exponent) {
            (Ok(digits), Some(exponent)) => Ok((Self { digits, exponent }, rest)),
            _ => Err(format!("{number} has too many digits, or is too large or too small")),
        }
    }

    /// Whether it is zero.
    pub(super) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// The number times `10^power`.
    pub(super) fn shifted(self, power: i32) -> Self {
        Self::new(self.digits, self.exponent + power)
    }

    /// The number times `factor × 10^power`; `None` with too many digits.
    pub(super) fn scaled(self, factor: u128, power: i32) -> Option<Self> {
        Some(Self::new(self.digits.checked_mul(factor)?, self.exponent + power))
    }

    /// The digits of both numbers at the finer scale; `None` if they are too far apart.
    fn aligned(self, other: Self) -> Option<(u128, u128, i32)> {
        let exponent = match (self.is_zero(), other.is_zero()) {
            (true, _) => other.exponent,
            (_, true) => self.exponent,
            _ => self.exponent.min(other.exponent),
        };
        let at = |number: Self| {
            if number.is_zero() {
                return Some(0);
            }
            number.digits.checked_mul(10u128.checked_pow((number.exponent - exponent) as u32)?)
        };
        Some((at(self)?, at(other)?, exponent))
    }

    /// The sum; `None` with too many digits.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (left, right, exponent) = self.aligned(other)?;
        Some(Self::new(left.checked_add(right)?, exponent))
    }

    /// The difference; `None` if it is negative or has too many digits.
    pub(super) fn minus(self, other: Self) -> Option<Self> {
        let (left, right, exponent) = self.aligned(other)?;
        Some(Self::new(left.checked_sub(right)?, exponent))
    }

    /// The quotient as the nearest float, so that 0.003 / 0.01 is 0.3; `other` must not be zero.
    pub(super) fn over(self, other: Self) -> f64 {
        match self.aligned(other) {
            Some((left, right, _)) => left as f64 / right as f64,
            None => self.as_f64() / other.as_f64(),
        }
    }

    /// The nearest float.
    pub(super) fn as_f64(self) -> f64 {
        // Digits and an exponent in range always parse.
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or(f64::INFINITY)
    }

    /// The integer value, if it is an integer.
    pub(super) fn whole(self) -> Option<u128> {
        let power = u32::try_from(self.exponent).ok()?;
        self.digits.checked_mul(10u128.checked_pow(power)?)
    }

    /// All digits, without an exponent.
    pub(super) fn plain(self) -> String {
        let digits = self.digits.to_string();
        if self.exponent >= 0 {
            return digits + &"0".repeat(self.exponent as usize);
        }
        let places = self.exponent.unsigned_abs() as usize;
        if let Some(point) = digits.len().checked_sub(places).filter(|&point| point > 0) {
            return format!("{}.{}", &digits[..point], &digits[point..]);
        }
        format!("0.{}{digits}", "0".repeat(places - digits.len()))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.aligned(*other) {
            Some((left, right, _)) => left.cmp(&right),
            // They are so far apart that floats differ.
            None => self.as_f64().total_cmp(&other.as_f64()),
        }
    }
}

/// The length in bytes of the number at the start of `text` ("1e3" is a number, the "E" of "5EBps" is not part of one).
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut end = digits(sign(0));
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let start = sign(end + 1);
        let exponent = digits(start);
        if exponent > start {
            end = exponent;
        }
    }
    end
}
