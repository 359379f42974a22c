// SPDX-License-Identifier: MIT
#include "run/load_producer.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace detent::tool {
namespace {

// A producer that woke at each deadline would disturb the measurement: its own wake-up on the worker's CPU takes the
// kernel some 20 us, just when the callback should start.
constexpr auto after_the_deadline = std::chrono::microseconds(500);
constexpr auto until_it_looks = std::chrono::milliseconds(100);  // to see whether it must stop

}  // namespace

load_producer::load_producer(engine& engine, lateness_probe& probe, const load_options& options, std::uint64_t number,
                             std::uint64_t timers)
    : engine_(engine),
      probe_(probe),
      random_(options.seed + number * 0x9e3779b97f4a7c15U),
      delay_(options.delay.least.count(), options.delay.most.count()),
      cancel_(options.cancel),
      restart_(options.restart),
      between_schedules_(options.rate > 0 ? std::llround(1e9 * static_cast<double>(options.producers) / options.rate)
                                          : 0),
      slots_(timers) {}

load_counts load_producer::run(time_point until, const std::stop_token& stop) {
  const time_point began = clock::now();
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) plans_.push({began, slot, step::replace});
  while (!plans_.empty() && !stop.stop_requested()) {
    const plan next = plans_.top();
    time_point now = clock::now();
    if (next.at > now) {
      std::this_thread::sleep_until(std::min({next.at, until, now + until_it_looks}));
      now = clock::now();
    }
    if (now >= until) break;
    if (next.at > now) continue;
    plans_.pop();
    carry_out(next, now);
  }
  return counts_;
}

void load_producer::carry_out(const plan& due, time_point now) {
  if (due.what == step::cancel) {
    ++(slots_[due.slot].cancel() == cancel_result::cancelled ? counts_.cancelled : counts_.late_cancels);
  }
  if (due.what == step::schedule) {
    schedule(due.slot, now);
  } else if (due.what == step::restart) {
    restart(due.slot, now);
  } else {
    replace(due.slot, now);
  }
}

void load_producer::replace(std::size_t slot, time_point now) {
  const time_point allowed = std::max(next_schedule_, now);
  next_schedule_ = allowed + between_schedules_;
  if (allowed > now) {
    plans_.push({allowed, slot, step::schedule});
  } else {
    schedule(slot, now);
  }
}

void load_producer::schedule(std::size_t slot, time_point now) {
  const duration delay(delay_(random_));
  slots_[slot] =
      engine_.schedule_at(now + delay, [probe = &probe_](firing& started) { probe->note(started.deadline()); });
  ++counts_.scheduled;
  if (restart_ != 0 && unit_(random_) < restart_) {
    plans_.push({now + part_of(delay), slot, step::restart});
  } else {
    plan_end(slot, now, delay);
  }
}

void load_producer::restart(std::size_t slot, time_point now) {
  const duration delay(delay_(random_));
  if (slots_[slot].restart_at(now + delay)) {
    ++counts_.restarted;
    plan_end(slot, now, delay);
  } else {
    replace(slot, now);
  }
}

// Decides how and when a timer that was just armed will end.
void load_producer::plan_end(std::size_t slot, time_point now, duration delay) {
  if (unit_(random_) < cancel_) {
    plans_.push({now + part_of(delay), slot, step::cancel});
  } else {
    plans_.push({now + delay + after_the_deadline, slot, step::replace});
  }
}

duration load_producer::part_of(duration delay) {
  return duration(static_cast<std::int64_t>(unit_(random_) * static_cast<double>(delay.count())));
}

}  // namespace detent::tool
