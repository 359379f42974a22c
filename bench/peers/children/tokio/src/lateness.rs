// SPDX-License-Identifier: MIT
// What the work `lateness` asks and answers, whichever timers do it.
use crate::answer::{Answer, Failure};
use crate::delays::Delays;
use crate::request::Request;
use std::time::{Duration, Instant};

pub struct Plan {
    pub timers: usize,
    pub delays: Delays,
    rate: usize,
    start: Instant,
}

impl Plan {
    /// Starts now.
    pub fn new(asked: &Request) -> Result<Plan, Failure> {
        let rate = asked.count("rate")?;
        let timers = rate * asked.count("milliseconds")? / 1000;
        if !(1..=100_000_000).contains(&timers) {
            return Err(format!("lateness: {timers} timers; from 1 to 100000000").into());
        }
        let delays = Delays::new(timers, Duration::from_millis(1), Duration::from_millis(99));
        Ok(Plan { timers, delays, rate, start: Instant::now() })
    }

    /// When to schedule the timer of this index.
    pub fn instant(&self, index: usize) -> Instant {
        self.start + Duration::from_secs_f64(index as f64 / self.rate as f64)
    }
}

/// Nanoseconds after the deadline, negative if before it.
pub fn lateness(deadline: Instant) -> i64 {
    let now = Instant::now();
    match now.checked_duration_since(deadline) {
        Some(late) => late.as_nanos() as i64,
        None => -((deadline - now).as_nanos() as i64),
    }
}

pub fn answer(mut samples: Vec<i64>) -> Answer {
    samples.sort_unstable();
    let quantile = |share: f64| samples[(share * samples.len() as f64).ceil() as usize - 1];
    Answer::default()
        .add("count", samples.len())
        .add("p50_ns", quantile(0.5))
        .add("p90_ns", quantile(0.9))
        .add("p99_ns", quantile(0.99))
        .add("p999_ns", quantile(0.999))
        .add("max_ns", quantile(1.0))
        .add("early", samples.partition_point(|&sample| sample < 0))
}
