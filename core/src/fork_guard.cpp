// SPDX-License-Identifier: MIT
#include "fork_guard.hpp"

#include "engine_core.hpp"

#include <pthread.h>

#include <mutex>

namespace detent::detail {
namespace {

struct live_cores {
  std::mutex mutex;
  engine_core* first = nullptr;
};

// Never destroyed: engines of static storage duration may end after it would have been.
live_cores& all() {
  static live_cores* const instance = [] {
    pthread_atfork([] { all().mutex.lock(); }, [] { all().mutex.unlock(); },
                   [] {
                     for (engine_core* each = all().first; each != nullptr; each = each->next_core) each->disown();
                     all().mutex.unlock();
                   });
    return new live_cores;
  }();
  return *instance;
}

}  // namespace

void fork_guard::add(engine_core& core) noexcept {
  std::lock_guard lock(all().mutex);
  core.next_core = all().first;
  if (core.next_core != nullptr) core.next_core->previous_core = &core;
  all().first = &core;
}

void fork_guard::remove(engine_core& core) noexcept {
  std::lock_guard lock(all().mutex);
  (core.previous_core != nullptr ? core.previous_core->next_core : all().first) = core.next_core;
  if (core.next_core != nullptr) core.next_core->previous_core = core.previous_core;
  core.next_core = core.previous_core = nullptr;
}

}  // namespace detent::detail
