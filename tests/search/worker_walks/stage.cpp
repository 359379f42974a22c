// SPDX-License-Identifier: MIT
#include "search/worker_walks/stage.hpp"

#include <search/meetings/real.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <utility>

namespace detent::worker_walks {
namespace {

constexpr std::uint8_t woken = 0, changed = 1, timed_out = 2;  // of futex_result
constexpr ns second = 1'000'000'000;

// The time of the whole program, because steady_clock is, too.
std::atomic<ns> time_now{1'000 * second};
std::atomic<stage*> on_stage{nullptr};
constinit thread_local actor* mine = nullptr;

// Counting is no step: it decides nothing, and how often it happens depends on how the engine began, before the stage.
bool is_step(const hooks::site& where) noexcept { return std::strstr(where.file, "/counters/") == nullptr; }
bool is_of_the_bell(const hooks::site& where) noexcept { return where.is_in("/doorbell.hpp"); }

}  // namespace

ns real_time() noexcept {
  timespec now{};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * second + now.tv_nsec;
}

ns read_clock() noexcept {
  stage* const here = on_stage.load(std::memory_order_acquire);
  return here != nullptr && mine != nullptr ? here->read(*mine) : stage_now();
}

// Returns false if the thread is to sleep in the kernel.
bool take_nap(ns length) {
  stage* const here = on_stage.load(std::memory_order_acquire);
  if (here == nullptr || mine != nullptr || !here->nap_) return false;
  here->nap_(length);
  return true;
}

void turn::give() noexcept {
  given_.store(1, std::memory_order_release);
  hooks::real::futex_wake(&given_, 1);
}

void turn::await() noexcept {
  while (given_.exchange(0, std::memory_order_acquire) == 0) hooks::real::futex_wait(&given_, 0, INT64_MAX);
}

stage::stage(unsigned producers, ns begin, ns reading_takes, ears heard_by)
    : reading_takes_(reading_takes), ears_(std::move(heard_by)) {
  time_now.store(begin);
  on_stage.store(this, std::memory_order_release);
  hooks::wait_by(this);
  for (unsigned i = 0; i != producers; ++i) {
    actor& made = *producers_.emplace_back(std::make_unique<actor>());
    made.thread_ = std::thread([this, &made] { play(made); });
  }
}

stage::~stage() {
  leaving_ = true;
  for (auto& each : producers_) each->turn_.give();
  for (auto& each : producers_) each->thread_.join();
  hooks::wait_by(nullptr);
  on_stage.store(nullptr, std::memory_order_release);
}

ns stage_now() noexcept { return time_now.load(); }
ns stage::now() const noexcept { return stage_now(); }
void stage::set_time(ns later) noexcept { time_now.store(later); }

void stage::play(actor& producer) {
  mine = &producer;
  producer.watcher_ = [this, &producer](hooks::operation what, const hooks::site& where) {
    if (is_step(where)) step(producer, what, false);
  };
  for (;;) {
    producer.turn_.await();
    if (leaving_) return;
    hooks::watch(&producer.watcher_);
    (*producer.call_)();
    hooks::watch(nullptr);
    producer.state_ = actor::state::idle;
    director_.give();
  }
}

void stage::give_turn(actor& to, std::uint64_t steps) {
  to.steps_ = steps;
  to.state_ = actor::state::moves;
  to.turn_.give();
  director_.await();
}

void stage::yield(actor& mine) noexcept {
  director_.give();
  mine.turn_.await();
}

void stage::step(actor& mine, hooks::operation what, bool of_the_bell) noexcept {
  // A producer pauses when it waits for others. The pauses of the worker belong to its spin.
  if (what == hooks::operation::pause && &mine != &worker_) {
    mine.state_ = actor::state::waits;
    return yield(mine);
  }
  if (mine.steps_ == to_the_end || (!mine.counts_all_ && !of_the_bell)) return;
  if (mine.steps_ == 0) yield(mine);
  if (mine.steps_ != to_the_end) --mine.steps_;
}

ns stage::read(actor& by) noexcept {
  const bool takes_time = &by == &worker_ && !worker_is_free_ && by.steps_ != to_the_end;
  if (!takes_time) return stage_now();
  step(by, hooks::operation::load, false);
  tell(nullptr);
  return time_now.fetch_add(reading_takes_);
}

void stage::tell(const hooks::site* where) {
  if (worker_is_free_) return;
  telling_ = true;
  ears_.on_step(where);
  telling_ = false;
}

void stage::begin(unsigned producer, const std::function<void()>& call, std::uint64_t steps) {
  producers_[producer]->call_ = &call;
  give_turn(*producers_[producer], steps);
}

void stage::go_on(unsigned producer, std::uint64_t steps) { give_turn(*producers_[producer], steps); }

void stage::admit_worker() {
  mine = &worker_;
  worker_.watcher_ = [this](hooks::operation what, const hooks::site& where) {
    if (worker_is_free_ || telling_ || !is_step(where)) return;
    step(worker_, what, is_of_the_bell(where));
    tell(&where);
  };
  hooks::watch(&worker_.watcher_);
  worker_is_free_ = false;
  yield(worker_);
}

void stage::move_worker(std::uint64_t steps, bool of_the_bell) {
  if (worker_is_free_) return;
  if (const auto until = worker_sleeps_until(); until && !woken_ && now() < *until) return;
  worker_.counts_all_ = !of_the_bell;
  if (steps != 0) give_turn(worker_, steps);
}

void undisturbed(const std::function<void()>& work) {
  if (mine == nullptr) return work();
  const std::uint64_t left = std::exchange(mine->steps_, to_the_end);
  work();
  mine->steps_ = left;
}

std::optional<ns> stage::worker_sleeps_until() const noexcept {
  return asleep_at_ != nullptr ? std::optional(asleep_until_) : std::nullopt;
}

void stage::release_worker() {
  worker_is_free_ = true;
  worker_.turn_.give();
}

std::uint8_t stage::wait(const void* word, std::uint32_t expected, std::int64_t deadline) noexcept {
  if (mine == &worker_ && !worker_is_free_) return sleep(word, expected, deadline);
  if (mine == nullptr || mine == &worker_) return hooks::real::futex_wait(word, expected, INT64_MAX);
  mine->state_ = actor::state::waits;
  yield(*mine);
  return woken;
}

void stage::wake(void* word, int waiters) noexcept {
  if (asleep_at_ == word) woken_ = true;
  hooks::real::futex_wake(word, waiters);
}

std::uint8_t stage::sleep(const void* word, std::uint32_t expected, std::int64_t deadline) noexcept {
  if (__atomic_load_n(static_cast<const std::uint32_t*>(word), __ATOMIC_SEQ_CST) != expected) return changed;
  asleep_at_ = word;
  asleep_until_ = deadline;
  woken_ = false;
  telling_ = true;
  ears_.on_sleep(deadline);
  telling_ = false;
  worker_.state_ = actor::state::sleeps;
  yield(worker_);
  asleep_at_ = nullptr;
  return woken_ || worker_is_free_ ? woken : timed_out;
}

}  // namespace detent::worker_walks

extern "C" int nanosleep(const timespec* length, timespec* left) {
  if (detent::worker_walks::take_nap(length->tv_sec * detent::worker_walks::second + length->tv_nsec)) return 0;
  return static_cast<int>(::syscall(SYS_nanosleep, length, left));
}

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (clock != CLOCK_MONOTONIC) return static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  const detent::worker_walks::ns time = detent::worker_walks::read_clock();
  *now = {time / detent::worker_walks::second, time % detent::worker_walks::second};
  return 0;
}
