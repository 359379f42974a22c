// SPDX-License-Identifier: MIT
// An io_uring loop that completes reads of the program's and runs detent's timers on one thread.
#include <detent/detent.hpp>

#include <liburing.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

using namespace std::chrono_literals;

namespace {

enum tag : __u64 { of_timers, of_message };

// One shot each, and armed again after each completion: that checks the descriptor as it is then. A multishot poll
// would report changes only, and miss what a poll(max_callbacks) left over.
void watch(io_uring& ring, int timers) {
  io_uring_sqe* entry = io_uring_get_sqe(&ring);
  io_uring_prep_poll_add(entry, timers, POLLIN);
  io_uring_sqe_set_data64(entry, of_timers);
}

void read_message(io_uring& ring, int messages, eventfd_t& into) {
  io_uring_sqe* entry = io_uring_get_sqe(&ring);
  io_uring_prep_read(entry, messages, &into, sizeof into, 0);
  io_uring_sqe_set_data64(entry, of_message);
}

}  // namespace

int main() {
  io_uring ring;
  if (int problem = io_uring_queue_init(8, &ring, 0); problem < 0) {
    std::fprintf(stderr, "io_uring: %s\n", std::strerror(-problem));
    return 77;  // a kernel without it
  }
  detent::engine engine({.drive = detent::drive_kind::caller});
  const int messages = eventfd(0, EFD_CLOEXEC);  // stands for the program's sockets
  eventfd_t arrived = 0, received = 0;
  int from_outside = 0;
  bool done = false;
  detent::timer idle = engine.schedule_after(30s, [] { std::puts("idle"); });
  watch(ring, engine.wake_fd());
  read_message(ring, messages, arrived);

  std::thread peer([&] {
    for (int i = 0; i < 5; ++i) {
      engine.schedule_after(1ms, [&] { ++from_outside; });
      eventfd_write(messages, 1);
      std::this_thread::sleep_for(2ms);
    }
  });

  while (!done) {
    io_uring_submit_and_wait(&ring, 1);
    io_uring_cqe* completion = nullptr;
    while (io_uring_peek_cqe(&ring, &completion) == 0) {
      const auto what = io_uring_cqe_get_data64(completion);
      io_uring_cqe_seen(&ring, completion);
      if (what == of_timers) {
        engine.poll();
        watch(ring, engine.wake_fd());
        continue;
      }
      received += arrived;
      idle.restart_after(30s);
      if (received == 5) engine.schedule_after(5ms, [&] { done = true; });
      read_message(ring, messages, arrived);
    }
  }

  peer.join();
  io_uring_queue_exit(&ring);  // before the engine, whose descriptor it watches
  close(messages);
  std::printf("%d messages, %d timers from outside\n", static_cast<int>(received), from_outside);
  return received == 5 && from_outside == 5 ? 0 : 1;
}
