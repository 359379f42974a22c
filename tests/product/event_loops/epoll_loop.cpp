// SPDX-License-Identifier: MIT
// An epoll loop that serves a descriptor of the program's and detent's timers on one thread.
#include <detent/detent.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

namespace {

int fail(const char* what) {
  std::perror(what);
  return 1;
}

}  // namespace

int main() {
  detent::engine engine({.drive = detent::drive_kind::caller});
  const int loop = epoll_create1(EPOLL_CLOEXEC);
  const int messages = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);  // stands for the program's sockets
  const int timers = engine.wake_fd();
  for (int fd : {messages, timers}) {
    epoll_event interest{.events = EPOLLIN, .data = {.fd = fd}};  // by level, not EPOLLET
    if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &interest) != 0) return fail("epoll_ctl");
  }

  std::uint64_t received = 0;
  int from_outside = 0;
  bool done = false;
  detent::timer idle = engine.schedule_after(30s, [] { std::puts("idle"); });

  std::jthread peer([&] {
    for (int i = 0; i < 5; ++i) {
      engine.schedule_after(1ms, [&] { ++from_outside; });  // any thread may: the loop wakes up in time, and runs it
      eventfd_write(messages, 1);
      std::this_thread::sleep_for(2ms);
    }
  });

  while (!done) {
    epoll_event ready[16];
    const int count = epoll_wait(loop, ready, 16, -1);
    if (count < 0 && errno != EINTR) return fail("epoll_wait");
    bool due = false;  // not after an interrupted wait: what has arrived then was not read
    for (int i = 0; i < count; ++i) {
      if (ready[i].data.fd == timers) {
        due = true;
        continue;
      }
      eventfd_t arrived = 0;
      eventfd_read(messages, &arrived);
      received += arrived;
      idle.restart_after(30s);
      if (received == 5) engine.schedule_after(5ms, [&] { done = true; });  // from the loop's thread, the same
    }
    // Fires what is due, and sets the descriptor to the next deadline; there is nothing to read from it.
    if (due) engine.poll();
  }

  peer.join();
  close(messages);
  close(loop);  // before the engine, which closes its descriptor itself
  std::printf("%d messages, %d timers from outside\n", static_cast<int>(received), from_outside);
  return received == 5 && from_outside == 5 ? 0 : 1;
}
