// SPDX-License-Identifier: MIT
// detent itself, in the configurations that the works compare.
#include <detent/detent.hpp>
#include <detent/version.hpp>

#include <semaphore>
#include <string>

#include "../works/all.hpp"

namespace {

using namespace peers;
using namespace std::chrono_literals;

class detent_engine {
 public:
  using slot = detent::timer;
  static constexpr bool slot_holds_timer = false;

  explicit detent_engine(const detent::engine_options& options) : engine_(options) {}

  std::vector<slot> slots(std::size_t count) { return std::vector<slot>(count); }
  // A timer that is due at once makes the worker drain what this thread has submitted before it, and each time more of
  // the rest.
  void settle() {
    do {
      engine_.schedule_after(0ns, [this] { drained_.release(); });
      drained_.acquire();
    } while (engine_.metrics().backlog > little);
  }
  void stop() { engine_.stop(); }

  class producer {
   public:
    explicit producer(detent_engine& to) : engine_(to.engine_) {}
    void schedule_after(slot& at, nanoseconds delay, const argument& work) { at = engine_.schedule_after(delay, work); }
    void schedule_at(slot& at, std::int64_t deadline_ns, const argument& work) {
      at = engine_.schedule_at(detent::time_point(nanoseconds(deadline_ns)), work);
    }
    void cancel(slot& at) { at.cancel(); }
    bool restart_at(slot& at, std::int64_t deadline_ns) {
      return at.restart_at(detent::time_point(nanoseconds(deadline_ns)));
    }
    void flush() {}

   private:
    detent::engine& engine_;
  };

 private:
  static constexpr std::uint64_t little = 1024;

  std::binary_semaphore drained_{0};  // outlives the worker that releases it
  detent::engine engine_;
};

// Uses the defaults except for `options`, and reserves memory for the timers of a work.
variant configured(const std::string& name, const std::string& what, const detent::engine_options& options,
                   std::initializer_list<std::string_view> works = {}) {
  return {.name = name, .make = [=, works = std::vector<std::string_view>(works)] {
            peers::system made{.name = name, .version = std::string(detent::version), .how = what, .works = {}};
            made.how += "; `reserve` covers the timers of the work; jemalloc";
            add_works(made, works, [options](std::size_t timers) {
              detent::engine_options sized = options;
              sized.reserve += timers;
              return detent_engine(sized);
            });
            return made;
          }};
}

}  // namespace

int main(int count, char** words) {
  const auto wait = [](detent::wait_options how) { return detent::engine_options{.wait = how}; };
  const std::string touched = "`prefault`, as Netty's JVM touches its memory ahead";
  const auto coarse = [](detent::wheel_kind wheel) {
    detent::engine_options options{
        .tick = 1ms, .wait = detent::wait_options::sleep(), .memory = {.prefault = detent::preference::attempt}};
    options.wheel = wheel;  // apart: builds before 0.9, which `bench --against` measures, have another order
    options.hashed_slots = 512;
    return options;
  };
  return serve({words, static_cast<std::size_t>(count)},
               {configured("detent", "the defaults: the TSC where it may be, hybrid wait, exact deadlines", {}),
                configured("detent-steady", "clock steady, hybrid wait", {.clock = detent::clock_kind::steady}),
                configured("detent-tick1ms", "tick 1 ms and wait sleep: as coarse as a ticking wheel; " + touched,
                           coarse(detent::wheel_kind::hierarchical), {"pair", "fire", "lateness"}),
                configured("detent-hashed", "the hashed wheel of 512 slots, tick 1 ms, wait sleep; " + touched,
                           coarse(detent::wheel_kind::hashed), {"fire"}),
                configured("detent-busy", "wait busy", wait(detent::wait_options::busy()), {"lateness", "calls"}),
                configured("detent-hybrid500", "wait hybrid, spins at most 500 us",
                           wait(detent::wait_options::hybrid(500us)), {"lateness"}),
                configured("detent-sleep", "wait sleep", wait(detent::wait_options::sleep()), {"lateness", "fire"})});
}
