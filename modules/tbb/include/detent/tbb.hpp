// SPDX-License-Identifier: MIT
// detent and oneTBB: callbacks as tasks of an arena.
#pragma once

#include <detent/detail/fired_batch.hpp>
#include <detent/executor.hpp>

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace detent {

namespace detail {

class arena_executor final : public executor {
 public:
  arena_executor(oneapi::tbb::task_arena& arena, std::size_t at_once) noexcept
      : arena_(arena), at_once_(std::max<std::size_t>(at_once, 1)) {}

  bool execute(fired_timer&& work) noexcept override { return execute_many({&work, 1}) == 1; }
  std::size_t execute_many(std::span<fired_timer> work) noexcept override {
    return enqueue_batches(work, at_once_, [this](const fired_batch& batch) { arena_.enqueue(batch); });
  }

 private:
  oneapi::tbb::task_arena& arena_;
  std::size_t at_once_;
};

// Tasks of a group, through an arena of its own: a task that the engine's thread spawned itself would wait for that
// thread if TBB has no other.
class group_executor final : public executor {
 public:
  group_executor(oneapi::tbb::task_group& group, std::size_t at_once) noexcept
      : group_(group), at_once_(std::max<std::size_t>(at_once, 1)) {}

  bool execute(fired_timer&& work) noexcept override { return execute_many({&work, 1}) == 1; }
  std::size_t execute_many(std::span<fired_timer> work) noexcept override {
    return enqueue_batches(work, at_once_, [this](const fired_batch& batch) { arena_.enqueue(group_.defer(batch)); });
  }

 private:
  oneapi::tbb::task_arena arena_;
  oneapi::tbb::task_group& group_;
  std::size_t at_once_;
};

}  // namespace detail

// For engine_options.executor: callbacks are enqueued as tasks of `arena`, or of `group`, whose wait() waits for those
// handed over so far. The arena or group must outlive the engine, and all that was handed over must have run before it
// ends. Of the callbacks that come due together, up to `at_once` form one task.
inline std::shared_ptr<executor> tbb_executor(oneapi::tbb::task_arena& arena, std::size_t at_once = 1) {
  return std::make_shared<detail::arena_executor>(arena, at_once);
}
inline std::shared_ptr<executor> tbb_executor(oneapi::tbb::task_group& group, std::size_t at_once = 1) {
  return std::make_shared<detail::group_executor>(group, at_once);
}

}  // namespace detent
