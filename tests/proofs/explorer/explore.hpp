// SPDX-License-Identifier: MIT
// What a model test is written with: a body that makes shared objects and threads, and the exploration of everything
// that can happen when it runs.
#pragma once

#include <proofs/explorer/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace model {

// --- Inside an execution, on any of its threads ---

// Ends the execution as a failure unless `holds`.
inline void require(bool holds, const char* what) {
  if (!holds) machine::instance().fail(what);
}
// Notes that an execution came by here, so that a scenario can be held to what it is about.
inline void reach(const char* mark) { machine::instance().reach(mark); }
// One of `count` ways, all of which are tried: what the environment may do.
inline unsigned choose(unsigned count) { return machine::instance().choose(count); }
// Returns the time, if time passes: the latest deadline that a thread has slept until.
inline std::int64_t time_passed_to() { return machine::instance().time(); }
// From now on the kernel has no heavy fence, though it had one when it was asked.
inline void refuse_heavy_fences() { machine::instance().refuse_heavy_fences(); }
// Which of the threads runs this.
inline unsigned this_thread() { return machine::instance().current(); }
// Shared objects. What is not destroyed at the end is a leak.
template <class T, class... Arguments>
T& create(const char* label, Arguments&&... arguments) {
  void* memory = machine::instance().allocate(sizeof(T), alignof(T), label);
  return *new (memory) T(std::forward<Arguments>(arguments)...);
}
template <class T>
void destroy(T& object) {
  object.~T();
  machine::instance().free(&object);
}
// Makes every access to the object a failure, atomic ones too, and ends that.
template <class T>
void poison(T& object) {
  machine::instance().set_poisoned(&object, sizeof object, true);
}
template <class T>
void unpoison(T& object) {
  machine::instance().set_poisoned(&object, sizeof object, false);
}

// The body's hold on its execution.
class execution {
 public:
  execution() = default;
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  // As create(), and destroyed at the end of the execution, the last first.
  template <class T, class... Arguments>
  T& make(const char* label, Arguments&&... arguments) {
    T& made = create<T>(label, std::forward<Arguments>(arguments)...);
    made_.push_back({&made, [](void* object) { destroy(*static_cast<T*>(object)); }});
    return made;
  }
  // A thread, which runs from join() on; at most five.
  template <class F>
  void thread(const char* name, F&& work) {
    machine::instance().start(name, std::forward<F>(work));
  }
  // Runs the threads until all have ended.
  void join() { machine::instance().join(); }
  // For the machine's owner: the end.
  void destroy_made();

 private:
  struct owned {
    void* object;
    void (*destroy)(void*);
  };
  std::vector<owned> made_;
};

// --- Outside ---

struct verdict {
  std::string complaint;  // empty: none of the executions failed
  std::string schedule;   // of the failure: replays it
  std::vector<std::string> trace;
  std::vector<std::string> marks;  // that were reached
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  bool complete = false;  // everything within the bounds has been seen
};

using body = std::function<void(execution&)>;

// Runs everything that can happen within the bounds, until something fails.
verdict explore(const bounds& limits, const body& what);
// Runs one schedule, as a verdict printed it.
verdict replay(const bounds& limits, const body& what, const std::string& schedule);
// The failure and how it came about, in lines; and the size of the search.
std::string report(const verdict& of);

}  // namespace model
