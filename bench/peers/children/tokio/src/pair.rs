// SPDX-License-Identifier: MIT
// The work `pair`: every producer thread keeps its window of timers live; each step schedules one and cancels the oldest.
use crate::answer::{Answer, Failure};
use crate::delays::Delays;
use crate::request::Request;
use crate::usage::Usage;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;
use tokio::runtime::Handle;

/// One producer's timers, made and used on its own thread, in the runtime's context.
pub trait Window {
    /// Fills the window.
    fn new(live: usize, delays: Delays) -> Self;

    fn steps(&mut self, count: u64);
}

/// Steps between two checks of the stop flag.
const SLICE: u64 = 256;

struct Shared {
    filled: Barrier,
    stopped: AtomicBool,
    pairs: Vec<AtomicU64>,
}

impl Shared {
    // Relaxed here and below: the counts are read while the producers run on, and stand for nothing but themselves.
    fn pairs(&self) -> u64 {
        self.pairs.iter().map(|each| each.load(Relaxed)).sum()
    }

    fn produce<W: Window>(&self, index: usize, live: usize) {
        let delays = Delays::new(index + 1, Duration::from_secs(1), Duration::from_secs(4));
        let mut window = W::new(live, delays);
        self.filled.wait();
        while !self.stopped.load(Relaxed) {
            window.steps(SLICE);
            self.pairs[index].fetch_add(SLICE, Relaxed);
        }
    }
}

pub fn run<W: Window>(runtime: &Handle, asked: &Request) -> Result<Answer, Failure> {
    let (live, producers) = (asked.count("live")?, asked.count("producers")?);
    if producers > 64 {
        return Err(format!("producers={producers}: more than 64").into());
    }
    let measured = asked.milliseconds("milliseconds")?;
    let shared = Shared {
        filled: Barrier::new(producers + 1),
        stopped: AtomicBool::new(false),
        pairs: (0..producers).map(|_| AtomicU64::new(0)).collect(),
    };
    let far = runtime.spawn(async { tokio::time::sleep(Duration::from_secs(3600)).await });
    let answer = thread::scope(|scope| {
        for index in 0..producers {
            let shared = &shared;
            scope.spawn(move || {
                let _context = runtime.enter();
                shared.produce::<W>(index, (live / producers).max(1));
            });
        }
        shared.filled.wait();
        thread::sleep(measured / 4);
        let (pairs_before, mut pairs) = (shared.pairs(), 0);
        let before = Usage::now();
        while pairs == 0 {
            // On a busy host not even a slice may have got its turn.
            thread::sleep(measured);
            pairs = shared.pairs() - pairs_before;
        }
        let answer = before.spent().add_to(Answer::default().add("pairs", pairs));
        shared.stopped.store(true, Relaxed);
        answer
    });
    far.abort();
    Ok(answer)
}
