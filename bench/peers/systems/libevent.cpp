// SPDX-License-Identifier: MIT
// libevent: events with a timeout on a base with a thread of its own, commands announced by event_active.
#include <event2/event.h>
#include <event2/event_struct.h>
#include <event2/thread.h>

#include <memory>

#include "../works/all.hpp"
#include "handover.hpp"

namespace {

using namespace peers;

template <bool precise>
class event_loop {
 public:
  struct timer {
    event timeout;
    argument work;
    bool made;
  };

  explicit event_loop(handover<event_loop>& owner) {
    evthread_use_pthreads();
    const std::unique_ptr<event_config, decltype(&event_config_free)> config(event_config_new(), event_config_free);
    if constexpr (precise) event_config_set_flag(config.get(), EVENT_BASE_FLAG_PRECISE_TIMER);
    base_ = event_base_new_with_config(config.get());
    const auto take_up = [](evutil_socket_t, short, void* to) { static_cast<handover<event_loop>*>(to)->take_up(); };
    event_assign(&bell_, base_, -1, EV_PERSIST, take_up, &owner);
  }

  std::vector<timer> make_timers(std::size_t count) { return std::vector<timer>(count); }
  void run() { event_base_loop(base_, EVLOOP_NO_EXIT_ON_EMPTY); }
  void quit() { event_base_loopbreak(base_); }
  void close() { event_base_free(base_); }
  void wake() { event_active(&bell_, EV_READ, 0); }
  void begin_batch() { event_base_update_cache_time(base_); }

  void start(timer& at, const due& when, const argument& work) {
    if (!at.made) {
      const auto fire = [](evutil_socket_t, short, void* self) { static_cast<timer*>(self)->work(); };
      event_assign(&at.timeout, base_, -1, 0, fire, &at);
      at.made = true;
    }
    at.work = work;
    const auto whole = std::chrono::ceil<std::chrono::microseconds>(when.remaining).count();
    const timeval length{.tv_sec = whole / 1'000'000, .tv_usec = whole % 1'000'000};
    event_add(&at.timeout, &length);
  }
  void stop(timer& at) { event_del(&at.timeout); }

 private:
  event_base* base_ = nullptr;
  event bell_{};
};

template <bool precise>
peers::system libevent() {
  peers::system made{
      .name = precise ? "libevent-precise" : "libevent",
      .version = event_get_version(),
      .how =
          std::string(
              "events reused by event_add; other threads' commands (deadlines) go through moodycamel::ConcurrentQueue "
              "with producer tokens and one event_active for up to 64, one thread-safe call for many; "
              "event_base_update_cache_time before each batch; ") +
          (precise ? "EVENT_BASE_FLAG_PRECISE_TIMER" : "the default clock, which is the cheaper one") +
          "; delays are rounded up to its unit, the microsecond; jemalloc; timer slack 1 ns",
      .works = {}};
  const auto make = [](std::size_t) { return handover<event_loop<precise>>(); };
  if constexpr (precise) {
    add_works(made, {"lateness", "fire"}, make);
  } else {
    add_works(made, {}, make);
  }
  return made;
}

}  // namespace

int main(int count, char** words) {
  return serve({words, static_cast<std::size_t>(count)},
               {{.name = "libevent", .make = libevent<false>}, {.name = "libevent-precise", .make = libevent<true>}});
}
