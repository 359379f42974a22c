// SPDX-License-Identifier: MIT
// libuv: uv_timer_t on a loop with a thread of its own, commands announced by uv_async_send.
#include <uv.h>

#include "../works/all.hpp"
#include "handover.hpp"

namespace {

using namespace peers;

class uv_loop {
 public:
  struct timer {
    uv_timer_t handle;
    argument work;
    bool made;
  };

  explicit uv_loop(handover<uv_loop>& owner) {
    uv_loop_init(&loop_);
    uv_async_init(&loop_, &bell_, [](uv_async_t* bell) { static_cast<handover<uv_loop>*>(bell->data)->take_up(); });
    bell_.data = &owner;
  }

  std::vector<timer> make_timers(std::size_t count) { return std::vector<timer>(count); }
  void run() { uv_run(&loop_, UV_RUN_DEFAULT); }
  void quit() { uv_stop(&loop_); }
  void close() {
    const auto close_one = [](uv_handle_t* handle, void*) { uv_close(handle, nullptr); };
    uv_walk(&loop_, close_one, nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }
  void wake() { uv_async_send(&bell_); }
  void begin_batch() { uv_update_time(&loop_); }

  void start(timer& at, const due& when, const argument& work) {
    if (!at.made) {
      uv_timer_init(&loop_, &at.handle);
      at.handle.data = &at;
      at.made = true;
    }
    at.work = work;
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(when.remaining).count();
    uv_timer_start(
        &at.handle, [](uv_timer_t* handle) { static_cast<timer*>(handle->data)->work(); },
        static_cast<std::uint64_t>(whole), 0);
  }
  void stop(timer& at) { uv_timer_stop(&at.handle); }

 private:
  uv_loop_t loop_{};
  uv_async_t bell_{};
};

peers::system libuv() {
  peers::system made{
      .name = "libuv",
      .version = uv_version_string(),
      .how =
          "uv_timer_t reused by uv_timer_start; other threads' commands (deadlines) go through "
          "moodycamel::ConcurrentQueue with "
          "producer tokens and one uv_async_send for up to 64, as uv_async_send is the only thread-safe call and is "
          "documented to coalesce; uv_update_time before each batch; its unit is the millisecond, delays are "
          "rounded up to it; jemalloc; timer slack 1 ns",
      .works = {}};
  add_works(made, {}, [](std::size_t) { return handover<uv_loop>(); });
  return made;
}

}  // namespace

int main(int count, char** words) {
  return serve({words, static_cast<std::size_t>(count)}, {{.name = "libuv", .make = libuv}});
}
