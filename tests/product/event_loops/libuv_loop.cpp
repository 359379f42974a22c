// SPDX-License-Identifier: MIT
// A libuv loop that runs detent's timers: its callbacks and the engine's on one thread.
#include <detent/detent.hpp>

#include <uv.h>

#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

namespace {

struct program {
  detent::engine engine{{.drive = detent::drive_kind::caller}};
  uv_poll_t timers{};    // watches engine.wake_fd()
  uv_async_t message{};  // stands for the program's sockets
  detent::timer idle;
  bool reported = false;
  int from_outside = 0;

  void end() {
    uv_close(reinterpret_cast<uv_handle_t*>(&message), nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&timers), nullptr);  // while the engine and its descriptor still are
  }
};

void on_timers(uv_poll_t* handle, int status, int) {
  if (status < 0) std::fprintf(stderr, "uv_poll: %s\n", uv_strerror(status));
  static_cast<program*>(handle->data)->engine.poll();
}

void on_message(uv_async_t* handle) {
  program& mine = *static_cast<program*>(handle->data);
  mine.idle.restart_after(30s);
  if (mine.reported) return;
  mine.reported = true;
  mine.engine.schedule_after(5ms, [&mine] { mine.end(); });  // on the loop's thread: it may use all of libuv
}

}  // namespace

int main() {
  program mine;
  mine.timers.data = mine.message.data = &mine;
  uv_loop_t loop;
  int problem = uv_loop_init(&loop);
  if (problem == 0) problem = uv_poll_init(&loop, &mine.timers, mine.engine.wake_fd());
  if (problem == 0) problem = uv_poll_start(&mine.timers, UV_READABLE, on_timers);
  if (problem == 0) problem = uv_async_init(&loop, &mine.message, on_message);
  if (problem != 0) {
    std::fprintf(stderr, "libuv: %s\n", uv_strerror(problem));
    return 1;
  }
  mine.idle = mine.engine.schedule_after(30s, [] { std::puts("idle"); });

  std::thread peer([&mine] {
    for (int i = 0; i < 5; ++i) mine.engine.schedule_after(i * 1ms, [&mine] { ++mine.from_outside; });
    uv_async_send(&mine.message);
  });
  uv_run(&loop, UV_RUN_DEFAULT);  // until both handles are closed

  peer.join();
  uv_loop_close(&loop);
  std::printf("%s, %d timers from outside\n", mine.reported ? "reported" : "not reported", mine.from_outside);
  return mine.reported && mine.from_outside == 5 ? 0 : 1;
}
