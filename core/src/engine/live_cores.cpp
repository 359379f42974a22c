// SPDX-License-Identifier: MIT
#include "engine/live_cores.hpp"

#include "engine/driven_engine.hpp"
#include "platform/process.hpp"

#include <detent/base/atomic.hpp>

#include <array>
#include <mutex>

namespace detent::detail {
namespace {

struct core_list {
  static_mutex mutex;
  driven_engine* first = nullptr;
  bool fork_handlers = false;
  // The numbers of those that live, each in its place if that was vacant, 0, when its engine came. Relaxed throughout:
  // a caller that asks for a number comes after that engine's beginning, and after its end where the answer must
  // be no.
  std::array<base::atomic<std::uint64_t>, 256> by_number{};

  base::atomic<std::uint64_t>& place_of(std::uint64_t number) noexcept { return by_number[number % by_number.size()]; }
};

// Constant-initialised and trivially destroyed in effect: engines of static storage duration may come and go while
// others are being made or destroyed.
core_list& all() {
  static constinit core_list instance;
  return instance;
}

void before_fork() {
  all().mutex.lock();
  label_store::before_fork();
}

void after_fork_in_parent() {
  label_store::after_fork();
  all().mutex.unlock();
}

void after_fork_in_child() {
  label_store::after_fork();
  tsc_clock::begin_again_in_child();
  for (driven_engine* each = all().first; each != nullptr; each = each->next_live) each->disown();
  all().mutex.unlock();
}

}  // namespace

bool live_cores::watch_forks() noexcept {
  std::lock_guard lock(all().mutex);
  if (!all().fork_handlers)
    all().fork_handlers = detail::watch_forks(before_fork, after_fork_in_parent, after_fork_in_child);
  return all().fork_handlers;
}

static_mutex& live_cores::mutex() noexcept { return all().mutex; }

void live_cores::add(driven_engine& core) noexcept {
  std::lock_guard lock(all().mutex);
  core.next_live = all().first;
  if (core.next_live != nullptr) core.next_live->previous_live = &core;
  all().first = &core;
  base::atomic<std::uint64_t>& place = all().place_of(core.number());
  if (place.load(base::relaxed) == 0) place.store(core.number(), base::relaxed);
}

void live_cores::remove(driven_engine& core) noexcept {
  std::lock_guard lock(all().mutex);
  (core.previous_live != nullptr ? core.previous_live->next_live : all().first) = core.next_live;
  if (core.next_live != nullptr) core.next_live->previous_live = core.previous_live;
  core.next_live = core.previous_live = nullptr;
  base::atomic<std::uint64_t>& place = all().place_of(core.number());
  if (place.load(base::relaxed) == core.number()) place.store(0, base::relaxed);
}

bool live_cores::contains(const engine_core* core) noexcept {
  std::lock_guard lock(all().mutex);
  for (const driven_engine* each = all().first; each != nullptr; each = each->next_live) {
    if (each == core) return true;
  }
  return false;
}

bool live_cores::is_live(std::uint64_t number) noexcept {
  if (all().place_of(number).load(base::relaxed) == number) return true;
  std::lock_guard lock(all().mutex);
  for (const driven_engine* each = all().first; each != nullptr; each = each->next_live) {
    if (each->number() == number) return true;
  }
  return false;
}

}  // namespace detent::detail
