// SPDX-License-Identifier: MIT
// Where a pair meets: an engine in virtual time that the right thread drives, the timer X, a record of its runs, and a
// bystander that takes over X's node.
#pragma once

#include <detent/detent.hpp>
#include <litmus/litmus.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace litmus {

using std::chrono::seconds;

// X is scheduled for ten; the calls move it to these.
inline constexpr seconds at_begin{5}, at_old{10}, left_earlier{6}, right_earlier{7}, left_later{13}, right_later{15},
    at_rearmed{30}, at_end{60};

// Counts itself: how many callables are alive.
class witness {
 public:
  explicit witness(std::atomic<int>& alive) noexcept : alive_(&alive) { alive_->fetch_add(1); }
  witness(witness&& other) noexcept : alive_(std::exchange(other.alive_, nullptr)) {}
  witness& operator=(witness&&) = delete;
  ~witness() {
    if (alive_ != nullptr) alive_->fetch_sub(1);
  }

 private:
  std::atomic<int>* alive_;
};

class keeping_executor final : public detent::executor {
 public:
  bool execute(detent::fired_timer&& work) noexcept override {
    kept_.push_back(std::move(work));
    return true;
  }
  std::vector<detent::fired_timer> take() { return std::exchange(kept_, {}); }

 private:
  std::vector<detent::fired_timer> kept_;
};

class arena {
 public:
  arena(const pair& of, std::uint64_t seed);

  // --- A round, in this order; run_right() and what is not run_left() by the thread that made the arena. ---
  void prepare();
  void run_left();
  void run_right();
  // Lets time pass until X has ended, and says what came of it all.
  std::string settle();

  // --- For the calls of a pair ---
  detent::timer x() const { return x_; }
  detent::engine& engine() { return *engine_; }
  std::string cancel();
  std::string cancel_and_wait();
  std::string restart(seconds to);
  std::string stop();
  std::string schedule();  // X
  std::string poll();
  // poll(), and then runs what it handed over.
  std::string poll_and_run();
  std::string run_handed_over();
  std::string drop_handed_over();

 private:
  detent::timer schedule_x(bool owning);
  void ran();
  std::string runs() const;
  void fault(const char* what) noexcept { fault_.store(what); }

  const pair& pair_;
  const bool ends_;
  std::mt19937_64 random_;
  detent::manual_clock clock_;
  std::shared_ptr<keeping_executor> executor_;
  std::optional<detent::engine> engine_;
  detent::timer x_, bystander_;
  bool owning_ = false;
  std::uint64_t left_stagger_ = 0, right_stagger_ = 0;
  std::string left_said_, right_said_;
  std::atomic<int> x_alive_{0}, bystander_alive_{0};
  std::atomic<bool> inside_{false};   // X's callback
  std::atomic<bool> is_over_{false};  // a call has promised that X runs no more
  std::atomic<const char*> fault_{nullptr};
  std::array<std::atomic<std::int64_t>, 4> ran_at_{};  // seconds; the first ones of this round
  std::atomic<std::size_t> run_count_{0};
  seconds zero_{0};  // of this round
};

}  // namespace litmus
