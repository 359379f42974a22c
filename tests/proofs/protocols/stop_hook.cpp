// SPDX-License-Identifier: MIT
// A one-shot that a stop request cancels: the box that the engine and the scheduling thread have in common, between the
// two and whoever asks for the stop. The stop token and the engine are the scenario's.
#include "scenario.hpp"

#include <detent/base/stop_token.hpp>
#include <detent/detail/bulk.hpp>
#include <detent/detail/callable.hpp>
#include <detent/detail/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

namespace model {

// The shared state of the tokens of one source, for one callback. As in libstdc++, a callback runs without the lock,
// its destructor waits for a run on another thread, and a run may destroy its own callback.
class stop_state {
 public:
  struct callback {
    void (*run)(callback& self) = nullptr;
    bool* destroyed = nullptr;         // the running thread's, for that thread
    atomic<std::uint32_t> has_run{0};  // for others
  };

  void request() {
    lock();
    requested_ = true;
    requester_ = this_thread();
    callback* const found = std::exchange(registered_, nullptr);
    unlock();
    if (found == nullptr) return;
    bool destroyed = false;
    found->destroyed = &destroyed;
    found->run(*found);
    if (!destroyed) found->has_run.store(1, order::release);
  }
  void add(callback& added) {
    lock();
    const bool late = requested_;
    if (!late) registered_ = &added;
    unlock();
    if (late) {
      added.has_run.store(1, order::relaxed);  // as far as others are concerned, of whom there are none yet
      added.run(added);
    }
  }
  void remove(callback& removed) {
    lock();
    const bool waits = std::exchange(registered_, nullptr) == nullptr;
    const bool within = waits && requester_ == this_thread();
    unlock();
    if (!waits) return;
    if (within) {
      if (removed.destroyed != nullptr) *removed.destroyed = true;
    } else {
      while (removed.has_run.load(order::acquire) == 0) detent::base::cpu_pause();
    }
  }

 private:
  void lock() {
    for (std::uint32_t free = 0; !locked_.compare_exchange_strong(free, 1, order::acquire, order::relaxed); free = 0)
      detent::base::cpu_pause();
  }
  void unlock() { locked_.store(0, order::release); }

  atomic<std::uint32_t> locked_{0};
  bool requested_ = false;
  unsigned requester_ = 0;
  callback* registered_ = nullptr;
};

}  // namespace model

// Found before the real ones by what stoppable.hpp names.
namespace detent::detail::base {
using namespace detent::base;

class stop_token {
 public:
  explicit stop_token(model::stop_state& of) : of_(&of) {}
  bool stop_possible() const { return true; }
  model::stop_state& state() const { return *of_; }

 private:
  model::stop_state* of_;
};

template <class F>
class stop_callback : model::stop_state::callback {
 public:
  stop_callback(stop_token of, F what) : of_(of.state()), what_(std::move(what)) {
    run = [](callback& self) { static_cast<stop_callback&>(self).what_(); };
    of_.add(*this);
  }
  ~stop_callback() { of_.remove(*this); }

 private:
  model::stop_state& of_;
  F what_;
};
}  // namespace detent::detail::base

#include <detent/detail/stoppable.hpp>

// Boxes, as the callable in them is aligned for: of the machine's memory.
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return model::machine::instance().allocate(bytes, static_cast<std::size_t>(alignment), "box");
}
void operator delete(void* memory, std::align_val_t) noexcept { model::machine::instance().free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { model::machine::instance().free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  model::machine::instance().free(memory);
}

namespace model {
namespace {

namespace engine = detent::detail;
using detent::timer;

// An engine of one node. The taker of the timer has the callable: the canceller destroys it where it lies, the driver
// moves it out.
struct one_timer {
  alignas(engine::capture_alignment) std::byte capture[engine::capture_size];
  const engine::callable_ops* ops = nullptr;
  atomic<std::uint32_t> pending{0};
  bool refuses = false;
  bool may_go = false;  // nobody calls it
  bool is_gone = false;
  stop_state source;

  bool take() { return pending.exchange(0, order::acq_rel) != 0; }
  void end() {
    if (!take()) return;
    reach("the engine");
    engine::detached_callable out(*ops, capture);
    is_gone = true;  // as it may be once nothing is in a node; plain, so that a reader reads before
  }
  bool cancel() {
    if (!take()) return false;
    reach("the stop");
    engine::destroy_callable(*ops, capture);
    return true;
  }
};
// Outside the model's memory, because it is made before the threads are.
one_timer* the_engine = nullptr;
engine::engine_core& core() { return *reinterpret_cast<engine::engine_core*>(the_engine); }

struct alignas(64) callable {
  void operator()() {}
};

}  // namespace
}  // namespace model

namespace detent::detail {
claim claim_node(engine_core&, const plan&) noexcept {
  return {reinterpret_cast<node*>(model::the_engine), nullptr, model::the_engine->capture};
}
timer refused(const engine_core&, const plan&, errc problem) noexcept { return timer_access::refusal(problem); }
void abandon(engine_core&, const claim&) noexcept {}
void add_reference(engine_core&) noexcept {}
void drop_reference(engine_core&) noexcept {}
timer publish(engine_core& to, const claim& owned, const callable_ops& ops, const plan&, bool) noexcept {
  if (model::the_engine->refuses) {
    destroy_callable(ops, owned.capture);
    return timer_access::refusal(errc::stopped);
  }
  model::the_engine->ops = &ops;
  model::the_engine->pending.store(1, base::release);
  return timer_access::make(&to, 0, 1);
}
std::size_t cancel_many(engine_core& of, std::span<const timer> timers) noexcept {
  model::require(timers.size() == 1 && timers[0] == timer_access::make(&of, 0, 1), "cancels what it does not know");
  model::require(&of == &model::core(), "cancels in another engine");
  if (model::the_engine->may_go) model::require(!model::the_engine->is_gone, "cancels in an engine that is gone");
  return model::the_engine->cancel() ? 1 : 0;
}
}  // namespace detent::detail

namespace model {
namespace {

one_timer& make_engine(execution& run) {
  auto& made = run.make<one_timer>("engine");
  the_engine = &made;
  return made;
}

void schedule(one_timer& in) {
  engine::schedule_stoppable(core(), 0, engine::base::stop_token(in.source), callable{}, {}, detent::origin::unknown());
}

// The machine finds objects that are never freed, freed twice, or touched afterwards.
void stopped_while_it_is_scheduled(execution& run) {
  one_timer& shared = make_engine(run);
  run.thread("schedules", [&] { schedule(shared); });
  run.thread("stops", [&] { shared.source.request(); });
  run.join();
  require(!shared.take(), "not cancelled");
}

void ended_while_it_is_scheduled(execution& run) {
  one_timer& shared = make_engine(run);
  run.thread("schedules", [&] { schedule(shared); });
  run.thread("drives", [&] { shared.end(); });
  run.join();
  shared.end();
}

void ended_and_stopped(execution& run) {
  one_timer& shared = make_engine(run);
  schedule(shared);
  shared.may_go = true;
  run.thread("drives", [&] { shared.end(); });
  run.thread("stops", [&] { shared.source.request(); });
  run.join();
}

void all_three(execution& run) {
  one_timer& shared = make_engine(run);
  run.thread("schedules", [&] { schedule(shared); });
  run.thread("drives", [&] { shared.end(); });
  run.thread("stops", [&] { shared.source.request(); });
  run.join();
  require(!shared.take(), "not cancelled");
}

void refused(execution& run) {
  one_timer& shared = make_engine(run);
  shared.refuses = true;
  run.thread("schedules", [&] { schedule(shared); });
  run.thread("stops", [&] { shared.source.request(); });
  run.join();
}

const suite stop_hook("StopHook", {
                                      {"StoppedWhileItIsScheduled", stopped_while_it_is_scheduled, {}, {"the stop"}},
                                      {"EndedWhileItIsScheduled", ended_while_it_is_scheduled, {}, {"the engine"}},
                                      {"EndedAndStopped", ended_and_stopped, {}, {"the stop", "the engine"}},
                                      {"AllThree", all_three, {.weak = {.stale = 2}}, {"the stop", "the engine"}},
                                      {"Refused", refused},
                                  });

}  // namespace
}  // namespace model
