// SPDX-License-Identifier: MIT
#include "clock_watch.hpp"

#include <detent/error.hpp>

#include <pthread.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

namespace detent::detail {
namespace {

[[noreturn]] void refuse(const char* what, int problem) {
  throw error(code_of(problem), std::string("calendar: ") + what + ": " + explain(problem));
}

// Makes the descriptor readable at `seconds` since 1970, or when the wall clock is set. If the clock was set since the
// timer was last armed, the kernel answers ECANCELED; the reader is then about to look at the clock.
bool arm(int fd, std::time_t seconds) noexcept {
  itimerspec when{};
  when.it_value.tv_sec = seconds;
  while (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, nullptr) != 0) {
    if (errno != ECANCELED) return false;
  }
  return true;
}

constexpr std::time_t far_time = 7'258'118'400;  // 2200
constexpr std::time_t past_time = 1;

}  // namespace

clock_watch::clock_watch() : fd_(timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC)), process_(getpid()) {
  if (fd_ < 0) refuse("timerfd_create", errno);
  if (arm(fd_, far_time)) return;
  const int problem = errno;
  close(fd_);
  refuse("timerfd_settime with TFD_TIMER_CANCEL_ON_SET", problem);
}

clock_watch::~clock_watch() {
  stop();
  close(fd_);
}

void clock_watch::start(std::function<void()> stepped) {
  // The thread takes no signals, which are for threads that the program knows.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int problem = 0;
  try {
    thread_ = std::thread([this, stepped = std::move(stepped)] { run(stepped); });
  } catch (const std::system_error& refused) {
    problem = refused.code().value();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (problem != 0) refuse("the thread that watches the clock cannot be started", problem);
  pthread_setname_np(thread_.native_handle(), "detent-calendar");
}

void clock_watch::run(const std::function<void()>& stepped) noexcept {
  for (;;) {
    std::uint64_t expirations = 0;
    if (read(fd_, &expirations, sizeof expirations) < 0 && errno != ECANCELED && errno != EINTR) break;
    // Armed before any thread reads the clock, so that the next read reports every step after that reading.
    if (!arm(fd_, far_time)) break;
    if (stopping_.load(base::acquire)) return;  // (1) acquire: pairs with (2)
    stepped();
  }
  std::fprintf(stderr, "detent: calendar: the wall clock is no longer watched: %s\n",
               std::generic_category().message(errno).c_str());
}

void clock_watch::stop() noexcept {
  if (!thread_.joinable()) return;
  if (process_ != getpid()) return thread_.detach();
  // (2) release: pairs with (1). The thread checks this after it has armed the timer for the far time, and here the
  // timer is armed for the past after the store. Whichever comes last, the thread ends.
  stopping_.store(true, base::release);
  arm(fd_, past_time);
  thread_.join();
}

}  // namespace detent::detail
