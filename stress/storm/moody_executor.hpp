// SPDX-License-Identifier: MIT
// An executor that does all that one may do: refuses, runs at once, runs later and elsewhere, takes its time, drops,
// and keeps things beyond the engine's end.
#pragma once

#include "storm/crew.hpp"

#include <detent/detent.hpp>

#include <deque>
#include <mutex>

namespace stress {

class moody_executor final : public detent::executor {
 public:
  explicit moody_executor(std::uint64_t seed) : random_(seed), mood_(random_.below(4)) {}

  bool execute(detent::fired_timer&& work) noexcept override {
    if (random_.one_in(64)) mood_ = random_.below(4);
    const std::uint64_t drawn = random_.below(16);
    if (drawn < (mood_ == 0 ? 14 : 3)) {
      ++refusals_;
      return false;
    }
    if (drawn == 15) {  // slow
      for (const auto until = detent::clock::now() + std::chrono::microseconds(20); detent::clock::now() < until;) {
      }
    }
    if (mood_ == 1) {
      work();
      return true;
    }
    if (drawn == 14) {  // lets go of it
      detent::fired_timer dropped(std::move(work));
      return true;
    }
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    return true;
  }

  // By the round's own threads: something that was kept is run, dropped or moved about. False: there is nothing.
  bool work_off(random_numbers& random) {
    std::unique_lock lock(mutex_);
    if (waiting_.empty()) return false;
    const bool oldest = random.one_in(2);
    detent::fired_timer work = std::move(oldest ? waiting_.front() : waiting_.back());
    if (oldest) {
      waiting_.pop_front();
    } else {
      waiting_.pop_back();
    }
    if (random.one_in(8) && !waiting_.empty()) {
      std::swap(work, waiting_.front());
    }
    lock.unlock();
    if (random.one_in(16)) return true;  // dropped
    work();
    if (random.one_in(4)) work();  // nothing: it has run
    return true;
  }

  // On the engine's thread, so exact when the engine has stopped.
  std::uint64_t refusals() const noexcept { return refusals_; }

 private:
  random_numbers random_;
  std::uint64_t mood_;
  std::uint64_t refusals_ = 0;
  std::mutex mutex_;
  std::deque<detent::fired_timer> waiting_;
};

}  // namespace stress
