// SPDX-License-Identifier: MIT
// libev: ev_timer on a loop with a thread of its own, commands announced by ev_async_send.
#include <ev.h>

#include <string>

#include "../works/all.hpp"
#include "handover.hpp"

namespace {

using namespace peers;

class ev_loop_adapter {
 public:
  struct timer {
    ev_timer watcher;
    argument work;
    bool made;
  };

  explicit ev_loop_adapter(handover<ev_loop_adapter>& owner) : loop_(ev_loop_new(EVFLAG_AUTO)) {
    ev_async_init(&bell_, [](struct ev_loop*, ev_async* bell, int) {
      static_cast<handover<ev_loop_adapter>*>(bell->data)->take_up();
    });
    bell_.data = &owner;
    ev_async_start(loop_, &bell_);
  }

  std::vector<timer> make_timers(std::size_t count) { return std::vector<timer>(count); }
  void run() { ev_run(loop_, 0); }
  void quit() { ev_break(loop_, EVBREAK_ALL); }
  void close() { ev_loop_destroy(loop_); }
  void wake() { ev_async_send(loop_, &bell_); }
  void begin_batch() { ev_now_update(loop_); }

  void start(timer& at, const due& when, const argument& work) {
    if (!at.made) {
      ev_init(&at.watcher, [](struct ev_loop*, ev_timer* self, int) { static_cast<timer*>(self->data)->work(); });
      at.watcher.data = &at;
      at.made = true;
    }
    // A running timer must not be set again.
    ev_timer_stop(loop_, &at.watcher);
    at.work = work;
    ev_timer_set(&at.watcher, std::chrono::duration<double>(when.remaining).count(), 0.0);
    ev_timer_start(loop_, &at.watcher);
  }
  void stop(timer& at) { ev_timer_stop(loop_, &at.watcher); }

 private:
  struct ev_loop* loop_;
  ev_async bell_{};
};

peers::system libev() {
  peers::system made{
      .name = "libev",
      .version = std::to_string(ev_version_major()) + "." + std::to_string(ev_version_minor()),
      .how =
          "ev_timer reused by ev_timer_set and _start; other threads' commands (deadlines) go through "
          "moodycamel::ConcurrentQueue "
          "with producer tokens and one ev_async_send for up to 64, as ev_async is its documented way across threads "
          "and may fold several sends into one; ev_now_update before each batch; jemalloc; timer slack 1 ns",
      .works = {}};
  add_works(made, {}, [](std::size_t) { return handover<ev_loop_adapter>(); });
  return made;
}

}  // namespace

int main(int count, char** words) {
  return serve({words, static_cast<std::size_t>(count)}, {{.name = "libev", .make = libev}});
}
