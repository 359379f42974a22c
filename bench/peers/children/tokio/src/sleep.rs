// SPDX-License-Identifier: MIT
// The runtime's own timers, as `tokio::time::sleep` gives them.
use crate::answer::{Answer, Failure};
use crate::delays::Delays;
use crate::lateness::{self, Plan};
use crate::pair::{self, Window};
use crate::request::Request;
use crate::usage::{resident_bytes, Usage};
use futures_util::task::noop_waker_ref;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{mpsc, Arc};
use std::task::Context;
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle};
use tokio::time::{sleep, Sleep};

pub const HOW: &str = "tokio::time::sleep on the multi-threaded runtime with one worker; pair: threads in the runtime's \
    context, each Sleep polled once to register it and dropped to cancel it, pinned slots reused, no task and no wake-up; \
    fire, lateness, memory: one spawned task a timer, as that is tokio's callback";

pub fn work(asked: &Request) -> Result<Answer, Failure> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_time().build()?;
    match asked.work.as_str() {
        "pair" => pair::run::<Slots>(runtime.handle(), asked),
        "fire" => fire(runtime.handle(), asked),
        "lateness" => lateness(runtime.handle(), asked),
        "memory" => memory(runtime.handle(), asked),
        _ => Err(asked.unknown()),
    }
}

struct Slots {
    slots: Vec<Pin<Box<Sleep>>>,
    oldest: usize,
    delays: Delays,
}

/// A timer enters the wheel when it is first polled.
fn register(timer: Pin<&mut Sleep>) {
    let pending = timer.poll(&mut Context::from_waker(noop_waker_ref()));
    debug_assert!(pending.is_pending());
}

impl Slots {
    fn cancel_at_once(&mut self) {
        let timer = sleep(self.delays.next());
        tokio::pin!(timer);
        register(timer);
    }

    fn cancel_oldest(&mut self) {
        let slot = &mut self.slots[self.oldest];
        slot.set(sleep(self.delays.next()));
        register(slot.as_mut());
        self.oldest += 1;
        if self.oldest == self.slots.len() {
            self.oldest = 0;
        }
    }
}

impl Window for Slots {
    fn new(live: usize, delays: Delays) -> Self {
        let slots = if live > 1 { (0..live).map(|_| Box::pin(sleep(Duration::ZERO))).collect() } else { Vec::new() };
        let mut window = Slots { slots, oldest: 0, delays };
        for _ in 0..window.slots.len() {
            window.cancel_oldest();
        }
        window
    }

    fn steps(&mut self, count: u64) {
        for _ in 0..count {
            if self.slots.is_empty() {
                self.cancel_at_once();
            } else {
                self.cancel_oldest();
            }
        }
    }
}

fn fire(runtime: &Handle, asked: &Request) -> Result<Answer, Failure> {
    let timers = asked.count("timers")?;
    let mut delays = Delays::new(timers, Duration::from_millis(1), asked.milliseconds("spread_ms")?);
    let fired = Arc::new(AtomicUsize::new(0));
    let (done, all_fired) = mpsc::channel();
    let before = Usage::now();
    for _ in 0..timers {
        let deadline = tokio::time::Instant::now() + delays.next();
        let (fired, done) = (fired.clone(), done.clone());
        runtime.spawn(async move {
            tokio::time::sleep_until(deadline).await;
            // Relaxed: the channel orders what follows the last one.
            if fired.fetch_add(1, Relaxed) + 1 == timers {
                let _ = done.send(()); // the receiver waits for it
            }
        });
    }
    all_fired.recv()?;
    Ok(before.spent().add_to(Answer::default().add("timers", timers)))
}

fn lateness(runtime: &Handle, asked: &Request) -> Result<Answer, Failure> {
    let before = Usage::now();
    let mut plan = Plan::new(asked)?;
    let (late, samples) = mpsc::channel();
    for index in 0..plan.timers {
        thread::sleep(plan.instant(index).saturating_duration_since(Instant::now()));
        let deadline = Instant::now() + plan.delays.next();
        let late = late.clone();
        runtime.spawn(async move {
            tokio::time::sleep_until(deadline.into()).await;
            let _ = late.send(lateness::lateness(deadline)); // the receiver outlives all timers
        });
    }
    let samples = samples.iter().take(plan.timers).collect();
    let spent = before.spent();
    Ok(spent.add_to(lateness::answer(samples)))
}

/// How many tasks of `memory` have come to their wait. Not a part of the tasks, as those are being weighed.
static WAITING: AtomicUsize = AtomicUsize::new(0);
/// What they would do with the 24 bytes that they hold.
static USED: AtomicUsize = AtomicUsize::new(0);

fn memory(runtime: &Handle, asked: &Request) -> Result<Answer, Failure> {
    let timers = asked.count("timers")?;
    let mut delays = Delays::new(timers, Duration::from_secs(1800), Duration::from_secs(1800));
    WAITING.store(0, Relaxed); // relaxed, as all here: only the count matters
    let before = resident_bytes()?;
    for index in 0..timers {
        let (held, delay) = ([index, timers, 0], delays.next());
        runtime.spawn(async move {
            WAITING.fetch_add(1, Relaxed);
            sleep(delay).await;
            USED.store(held.iter().sum(), Relaxed);
        });
    }
    while WAITING.load(Relaxed) < timers {
        thread::sleep(Duration::from_millis(1));
    }
    let bytes = (resident_bytes()? - before) as f64 / timers as f64;
    Ok(Answer::default().add("timers", timers).add("bytes", format!("{bytes:.2}")))
}
