//! How long to wait before the next try: from 500 ms, doubling up to a bound, which is the platform's rule.

use std::time::Duration;

/// The first wait.
const FIRST: Duration = Duration::from_millis(500);
/// The longest, unless told otherwise.
pub const MAX: Duration = Duration::from_secs(30);

/// The waits of one thing that fails again and again.
#[derive(Debug, Clone)]
pub(super) struct BackOff {
    next: Duration,
    max: Duration,
}

impl BackOff {
    pub(super) fn new(max: Duration) -> Self {
        Self { next: FIRST.min(max), max }
    }

    /// The next wait.
    pub(super) fn next(&mut self) -> Duration {
        let next = self.next;
        self.next = next.saturating_mul(2).min(self.max);
        next
    }

    /// It went well.
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_bound_and_begin_anew() {
        let mut back_off = BackOff::new(Duration::from_secs(3));
        let waits = [500, 1000, 2000, 3000, 3000];
        assert_eq!(waits.map(Duration::from_millis), std::array::from_fn(|_| back_off.next()));
        back_off.reset();
        assert_eq!(back_off.next(), FIRST);
        assert_eq!(BackOff::new(Duration::from_millis(20)).next(), Duration::from_millis(20));
    }
}
