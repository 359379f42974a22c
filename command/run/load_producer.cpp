// SPDX-License-Identifier: MIT
#include "run/load_producer.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace detent::tool {

load_producer::load_producer(engine& engine, lateness_probe& probe, const load_options& options, std::uint64_t number,
                             std::uint64_t timers)
    : engine_(engine),
      probe_(probe),
      random_(options.seed + number * 0x9e3779b97f4a7c15U),
      delay_(options.delay.least.count(), options.delay.most.count()),
      cancel_(options.cancel),
      between_schedules_(options.rate > 0 ? std::llround(1e9 * static_cast<double>(options.producers) / options.rate)
                                          : 0),
      slots_(timers) {}

load_counts load_producer::run(time_point until) {
  const time_point began = clock::now();
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) plans_.push({began, slot, step::replace});
  while (!plans_.empty()) {
    const plan next = plans_.top();
    time_point now = clock::now();
    if (next.at > now) {
      std::this_thread::sleep_until(std::min(next.at, until));
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
  const std::int64_t delay = delay_(random_);
  const time_point deadline = now + duration(delay);
  slots_[slot] = engine_.schedule_at(deadline, [probe = &probe_](firing& started) { probe->note(started.deadline()); });
  ++counts_.scheduled;
  if (unit_(random_) < cancel_) {
    const auto sooner = static_cast<std::int64_t>(unit_(random_) * static_cast<double>(delay));
    plans_.push({now + duration(sooner), slot, step::cancel});
  } else {
    plans_.push({deadline, slot, step::replace});
  }
}

}  // namespace detent::tool
