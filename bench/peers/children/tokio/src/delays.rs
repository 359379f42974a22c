// SPDX-License-Identifier: MIT
// Cheap pseudo-random delays (xorshift), the same from run to run.
use std::time::Duration;

pub struct Delays {
    state: u64,
    least: Duration,
    span: u64,
}

impl Delays {
    /// Uniform in [least, least + span).
    pub fn new(seed: usize, least: Duration, span: Duration) -> Self {
        let state = (seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Delays { state, least, span: span.as_nanos() as u64 }
    }

    pub fn next(&mut self) -> Duration {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.least + Duration::from_nanos((u128::from(self.state) * u128::from(self.span) >> 64) as u64)
    }
}
