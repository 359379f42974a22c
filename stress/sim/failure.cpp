// SPDX-License-Identifier: MIT
#include "failure.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace detent::sim {
namespace {

char world_arguments[4096];
volatile std::uint64_t current_step = 0;

// Async-signal-safe.
void write_text(const char* text) noexcept {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}
void write_number(std::uint64_t number) noexcept {
  char digits[24];
  char* at = digits + sizeof digits - 1;
  *at = '\0';
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  write_text(at);
}

void write_how_to_repeat() noexcept {
  write_text("sim: at step ");
  write_number(current_step);
  write_text("; to see it again: stress_sim ");
  write_text(world_arguments);
  write_text(" --trace\n");
}

void on_signal(int signal) {
  write_text("sim: FAILED: ");
  write_text(signal == SIGALRM ? "the world hangs" : signal == SIGABRT ? "aborted" : "crashed");
  write_text("\n");
  write_how_to_repeat();
  _exit(failed_status);
}

}  // namespace

void announce_world(const std::string& arguments) {
  std::strncpy(world_arguments, arguments.c_str(), sizeof world_arguments - 1);
  current_step = 0;
}

void announce_step(std::uint64_t step) noexcept { current_step = step; }

void catch_crashes() {
  for (int each : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM}) std::signal(each, &on_signal);
}

void watch_for_hang(unsigned seconds) noexcept { alarm(seconds); }

void fail(const char* what, const std::string& detail) {
  std::fflush(stdout);
  std::fprintf(stderr, "sim: FAILED: %s%s%s\n", what, detail.empty() ? "" : ": ", detail.c_str());
  write_how_to_repeat();
  _exit(failed_status);
}

}  // namespace detent::sim
