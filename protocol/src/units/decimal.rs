//! A decimal number of any length, and its exact product with a unit.
//!
//! A float would be shorter and wrong: 2^63 bytes, or a nanosecond in a year, is beyond its 53 bits.

/// `digits` with the decimal point after the first `point` of them; `point` may lie outside.
pub(super) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

/// The largest unit is below 10^25: so many zeros after the point, and the product is below one.
const ZEROS_MAX: i64 = 25;

impl Decimal {
    /// Reads `[+-]digits[.digits][e[+-]digits]`, where either side of the point may be missing, but not both.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Option<Vec<u8>> = whole.bytes().chain(fraction.bytes()).map(digit).collect();
        let digits = digits.filter(|digits| !digits.is_empty())?;
        let point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
        Some(Self { negative, digits, point })
    }

    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Multiplies by `unit` and drops the fraction; `None` when the product has more than 64 bits.
    pub(super) fn times(&self, unit: u128) -> Option<u64> {
        if self.digits.iter().all(|digit| *digit == 0) {
            return Some(0);
        }
        let mut whole: u128 = 0;
        for place in 0..self.point {
            let digit = usize::try_from(place).ok().and_then(|place| self.digits.get(place)).copied().unwrap_or(0);
            whole = whole.checked_mul(10)?.checked_add(u128::from(digit))?;
        }
        let product = whole.checked_mul(unit)?.checked_add(self.fraction_times(unit))?;
        u64::try_from(product).ok()
    }

    /// The digits after the point times `unit`, rounded down: Horner's scheme from the last digit, where rounding each
    /// step down is the same as rounding once at the end. It never exceeds `unit`, so it cannot overflow.
    fn fraction_times(&self, unit: u128) -> u128 {
        if self.point < -ZEROS_MAX {
            return 0;
        }
        let first = usize::try_from(self.point).unwrap_or(0);
        let digits = self.digits.get(first..).unwrap_or_default();
        let zeros = usize::try_from(-self.point).unwrap_or(0);
        let from_last = digits.iter().rev().copied().chain(std::iter::repeat_n(0, zeros));
        from_last.fold(0, |below, digit| (u128::from(digit) * unit + below) / 10)
    }
}

/// Exponents beyond 18 digits are cut to a value that is just as far out of range.
fn parse_exponent(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() {
        return None;
    }
    let mut exponent: i64 = 0;
    for byte in digits.bytes() {
        exponent = (exponent * 10 + i64::from(digit(byte)?)).min(i64::MAX / 100);
    }
    Some(sign * exponent)
}

fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}
