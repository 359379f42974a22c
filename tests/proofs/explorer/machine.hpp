// SPDX-License-Identifier: MIT
// The machine on which an execution runs: threads, weak memory, plain memory, and a trace of what happens. There is one
// in the process; atomic.hpp and the hooks on plain accesses lead here.
#pragma once

#include "choices.hpp"
#include "heap.hpp"
#include "memory.hpp"
#include "scheduler.hpp"
#include "weakening.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace model {

struct bounds {
  unsigned preemptions = 3;
  weak_bounds weak = {};
  unsigned surprises = 0;                // weak exchanges that fail, and futexes that wake, for no reason
  bool time_passes = false;              // when nobody can run, the futex wait with the earliest deadline times out
  unsigned steps = 2000;                 // of one execution; more: it does not end
  std::uint64_t executions = 2'000'000;  // give up after so many
};

class machine {
 public:
  static machine& instance();

  // One execution, on the way that the choices take. The complaint, or nothing.
  std::string run(const bounds& limits, const std::function<void()>& body, bool traced);
  choices& decisions() { return choices_; }
  const std::vector<std::string>& trace() const { return trace_; }
  // The marks of all executions since the last forget_marks().
  const std::vector<std::string>& marks() const { return marks_; }
  void forget_marks() { marks_.clear(); }
  std::uint64_t steps() const { return steps_; }
  weakening& orders() { return orders_; }

  // --- From inside an execution ---
  bool executing() const { return scheduler_.running(); }
  thread_index current() { return self().self; }
  void start(const char* name, std::function<void()> work);
  void join();
  unsigned choose(unsigned count) { return choices_.choose(count); }
  void reach(const char* mark);
  // Ends the execution with a complaint.
  [[noreturn]] void fail(std::string complaint);
  // The latest deadline that has come; INT64_MIN: none.
  std::int64_t time() const { return time_; }
  void note(const std::string& text);
  void* allocate(std::size_t bytes, std::size_t alignment, const char* label);
  void free(void* memory);
  void set_poisoned(const void* from, std::size_t bytes, bool poisoned) { heap_.set_poisoned(from, bytes, poisoned); }

  // Atomic operations; `size` bytes at `at`. Outside of an execution they are plain ones.
  std::uint64_t load(const void* at, unsigned size, order o, site where);
  void store(void* at, unsigned size, std::uint64_t value, order o, site where);
  std::uint64_t update(void* at, unsigned size, const char* name, memory::change how, std::uint64_t operand, order o,
                       site where);
  bool compare_exchange(void* at, unsigned size, std::uint64_t& expected, std::uint64_t desired, order success,
                        order failure, bool weak, site where);
  // Exchanges the upper 32 bits of eight bytes; acq_rel.
  bool compare_exchange_upper(void* at, std::uint32_t expected, std::uint32_t desired, site where);
  bool compare_exchange_both(void* low, void* high, const std::uint64_t (&expected)[2],
                             const std::uint64_t (&desired)[2], site where);
  void fence(order o, site where);
  // A full fence in every thread, wherever each then is: not in all at the same moment.
  void fence_everybody(site where);
  // A heavy fence. Returns false, and does nothing, if it is refused by now.
  bool heavy_fence(site where);
  // From now on, in this execution.
  void refuse_heavy_fences() { heavy_fences_refused_ = true; }

  enum class wait_result : std::uint8_t { woken, changed, timed_out, interrupted };
  wait_result futex_wait(const void* at, std::uint32_t expected, std::int64_t deadline, site where);
  void futex_wake(const void* at, int count, site where);
  void pause(site where);

  // Plain accesses, as the compiler's instrumentation reports them.
  void plain_read(const void* from, std::size_t bytes);
  void plain_write(const void* from, std::size_t bytes);

 private:
  machine() = default;

  void make_fence(order o, site where);
  // Around each operation, which is a scheduling point.
  void begin(site where);
  void end() { self().now.tick(self().self); }
  // Returns the location of the atomic object at `at`, which is about to be read or written.
  memory::location place_of(const void* at, unsigned size, bool writes);
  thread& self() { return scheduler_.current(); }
  bool surprise();
  void require(std::string complaint);
  // For the trace, if there is to be one.
  void say(site where, const char* operation, const void* at, order o, std::initializer_list<std::uint64_t> values);
  std::string describe_stuck() const;

  choices choices_;
  weakening orders_;
  heap heap_;
  memory memory_{choices_};
  scheduler scheduler_{choices_};
  bounds limits_;
  bool traced_ = false;
  std::vector<std::string> trace_;
  std::vector<std::string> marks_;
  std::string complaint_;
  std::uint64_t steps_ = 0;
  unsigned surprises_ = 0;
  std::int64_t time_ = INT64_MIN;
  bool heavy_fences_refused_ = false;
  site last_[max_threads] = {};
};

}  // namespace model
