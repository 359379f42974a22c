// SPDX-License-Identifier: MIT
// tokio-util's DelayQueue: a wheel that belongs to one task, which polls it.
use crate::answer::{Answer, Failure};
use crate::delays::Delays;
use crate::lateness::{self, Plan};
use crate::pair::{self, Window};
use crate::request::Request;
use crate::usage::{resident_bytes, Usage};
use futures_util::future::poll_fn;
use futures_util::task::noop_waker_ref;
use std::future::Future;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::task::unconstrained;
use tokio_util::time::delay_queue::{DelayQueue, Key};

pub const HOW: &str = "DelayQueue::insert and remove, the owner polling it every 256 steps; it is not shared between threads: \
    in pair each producer owns a queue; fire, lateness: one task schedules and takes what expired, no hand-over, on the \
    current-thread runtime, without the cooperative budget";

/// Insertions between two checks for what has expired.
const BATCH: usize = 256;

pub fn work(asked: &Request) -> Result<Answer, Failure> {
    match asked.work.as_str() {
        "pair" => {
            // One worker turns the clock that the producers' queues wait for.
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_time().build()?;
            pair::run::<Queue>(runtime.handle(), asked)
        }
        "fire" => fire(&one_thread()?, asked),
        "lateness" => lateness(&one_thread()?, asked),
        "memory" => memory(&one_thread()?, asked),
        _ => Err(asked.unknown()),
    }
}

fn one_thread() -> Result<Runtime, Failure> {
    Ok(Builder::new_current_thread().enable_time().build()?)
}

struct Queue {
    queue: DelayQueue<usize>, // the values are indices of `keys`
    keys: Vec<Option<Key>>,   // none: it expired
    oldest: usize,
    delays: Delays,
}

impl Queue {
    fn replace_oldest(&mut self) {
        if let Some(key) = self.keys[self.oldest].replace(self.queue.insert(self.oldest, self.delays.next())) {
            self.queue.remove(&key);
        }
        self.oldest += 1;
        if self.oldest == self.keys.len() {
            self.oldest = 0;
        }
    }

    fn cancel_at_once(&mut self) {
        let key = self.queue.insert(0, self.delays.next());
        self.queue.remove(&key);
    }

    fn take_expired(&mut self) {
        let mut context = Context::from_waker(noop_waker_ref());
        while let Poll::Ready(Some(expired)) = self.queue.poll_expired(&mut context) {
            self.keys[expired.into_inner()] = None;
        }
    }
}

impl Window for Queue {
    fn new(live: usize, delays: Delays) -> Self {
        let mut window =
            Queue { queue: DelayQueue::with_capacity(live + 1), keys: vec![None; live], oldest: 0, delays };
        if live > 1 {
            (0..live).for_each(|_| window.replace_oldest());
        }
        window
    }

    fn steps(&mut self, count: u64) {
        if self.keys.len() == 1 {
            (0..count).for_each(|_| self.cancel_at_once());
        } else {
            (0..count).for_each(|_| self.replace_oldest());
        }
        self.take_expired();
    }
}

fn fire(runtime: &Runtime, asked: &Request) -> Result<Answer, Failure> {
    let timers = asked.count("timers")?;
    let mut delays = Delays::new(timers, Duration::from_millis(1), asked.milliseconds("spread_ms")?);
    let (mut scheduled, mut fired) = (0, 0);
    let before = Usage::now();
    let _context = runtime.enter();
    let mut queue = DelayQueue::with_capacity(timers);
    runtime.block_on(unconstrained(poll_fn(|context| {
        for _ in 0..BATCH.min(timers - scheduled) {
            queue.insert((), delays.next());
            scheduled += 1;
        }
        while let Poll::Ready(Some(_)) = queue.poll_expired(context) {
            fired += 1;
        }
        if fired == timers {
            return Poll::Ready(());
        }
        if scheduled < timers {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    })));
    Ok(before.spent().add_to(Answer::default().add("timers", fired)))
}

fn lateness(runtime: &Runtime, asked: &Request) -> Result<Answer, Failure> {
    let before = Usage::now();
    let mut plan = Plan::new(asked)?;
    let mut samples = Vec::with_capacity(plan.timers);
    let mut scheduled = 0;
    let _context = runtime.enter();
    let mut queue = DelayQueue::new();
    let mut next = Box::pin(tokio::time::sleep_until(plan.instant(0).into()));
    runtime.block_on(unconstrained(poll_fn(|context| {
        while scheduled < plan.timers && next.as_mut().poll(context).is_ready() {
            let deadline = Instant::now() + plan.delays.next();
            queue.insert_at(deadline, deadline.into());
            scheduled += 1;
            next.as_mut().reset(plan.instant(scheduled).into());
        }
        while let Poll::Ready(Some(expired)) = queue.poll_expired(context) {
            samples.push(lateness::lateness(expired.into_inner()));
        }
        if samples.len() == plan.timers {
            return Poll::Ready(());
        }
        Poll::Pending
    })));
    let spent = before.spent();
    Ok(spent.add_to(lateness::answer(samples)))
}

fn memory(runtime: &Runtime, asked: &Request) -> Result<Answer, Failure> {
    let timers = asked.count("timers")?;
    let mut delays = Delays::new(timers, Duration::from_secs(1800), Duration::from_secs(1800));
    let before = resident_bytes()?;
    let _context = runtime.enter();
    let mut queue = DelayQueue::new();
    for index in 0..timers {
        queue.insert([index, timers, 0], delays.next());
    }
    let bytes = (resident_bytes()? - before) as f64 / timers as f64;
    Ok(Answer::default().add("timers", queue.len()).add("bytes", format!("{bytes:.2}")))
}
