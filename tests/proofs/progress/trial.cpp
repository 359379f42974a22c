// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <proofs/progress/trial.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace progress {
namespace {

using namespace std::chrono_literals;

constexpr int exit_suspended = 0, exit_at_end = 10, exit_hangs = 11, exit_wrong = 12;
constexpr std::uint64_t most_operations = 20'000;

template <std::size_t N>
void write_text(std::array<char, N>& out, const char* text) {
  std::snprintf(out.data(), N, "%s", text);
}

void note_where() {
  const hooks::parked_place* place = hooks::parked();
  if (place == nullptr) return;
  const char* file = std::strrchr(place->where.file, '/');
  std::snprintf(shared_report().suspended_at.data(), shared_report().suspended_at.size(), "%s at %s:%d",
                hooks::name(place->what), file == nullptr ? place->where.file : file + 1, place->where.line);
}

// Destroyed after whatever the engine keeps for a thread, if it was there first.
struct thread_end {
  std::atomic<bool>* reported = nullptr;
  ~thread_end() {
    if (reported == nullptr) return;
    hooks::park_never();
    reported->store(true);
  }
};
thread_local thread_end end_of_this_thread;

}  // namespace

trial_report& shared_report() {
  static auto* const report =
      new (mmap(nullptr, sizeof(trial_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) trial_report;
  return *report;
}

void probe(const char* what, std::uint64_t budget, const std::function<void()>& call) {
  write_text(shared_report().probe, what);
  const std::uint64_t before = hooks::operations();
  hooks::allow(budget, what);
  call();
  hooks::allow_any();
  const std::uint64_t used = hooks::operations() - before;
  std::atomic<std::uint64_t>& most = shared_report().most_in_a_call;
  if (budget == call_budget && used > most) most = used;
}

void probe_wait(const char* what, const std::function<bool()>& done) {
  write_text(shared_report().probe, what);
  while (!done()) std::this_thread::sleep_for(100us);
}

void require(bool condition, const char* what) {
  if (condition) return;
  write_text(shared_report().probe, what);
  _exit(exit_wrong);
}

victim::victim(const std::function<void()>& whole) {
  static std::atomic<bool> ended{false};
  ended = false;
  std::thread([whole] {
    end_of_this_thread.reported = &ended;
    whole();
  }).detach();
  wait_suspended(ended);
}

bool victim::suspended() { return hooks::parked() != nullptr; }

bool victim::wait_suspended(const std::atomic<bool>& at_end) {
  while (!suspended() && !at_end) std::this_thread::sleep_for(20us);
  note_where();
  return suspended();
}

outcome run_child(const std::function<void()>& body, unsigned seconds) {
  trial_report& report = shared_report();
  report.suspended_at = {};
  report.probe = {};
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    std::thread([seconds] {
      std::this_thread::sleep_for(std::chrono::seconds(seconds));
      _exit(exit_hangs);
    }).detach();
    body();
    _exit(victim::suspended() ? exit_suspended : exit_at_end);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const std::string where =
      std::string(" [") + report.probe.data() + "; the victim stopped: " + report.suspended_at.data() + "]";
  if (!WIFEXITED(status))
    return {outcome::wrong, "the child ended by signal " + std::to_string(WTERMSIG(status)) + where};
  switch (WEXITSTATUS(status)) {
    case exit_suspended: return {outcome::suspended, ""};
    case exit_at_end: return {outcome::at_end, ""};
    case exit_hangs: return {outcome::hangs, "does not end" + where};
    case exit_wrong: return {outcome::wrong, "wrong" + where};
    case hooks::over_budget: return {outcome::too_many_operations, "too many operations" + where};
    default: return {outcome::wrong, "exit status " + std::to_string(WEXITSTATUS(status)) + where};
  }
}

std::uint64_t for_each_operation(const char* scenario, const std::function<void(std::uint64_t)>& trial) {
  shared_report().most_in_a_call = 0;
  for (std::uint64_t n = 0; n < most_operations; ++n) {
    outcome result = run_child([&] { trial(n); });
    if (result.what == outcome::at_end) {
      std::printf("%s: %llu operations to stop at; a call of another thread took at most %llu\n", scenario,
                  static_cast<unsigned long long>(n),
                  static_cast<unsigned long long>(shared_report().most_in_a_call.load()));
      return n;
    }
    if (result.what == outcome::suspended) {
      std::printf("  %llu: %s\n", static_cast<unsigned long long>(n), shared_report().suspended_at.data());
      continue;
    }
    ADD_FAILURE() << scenario << ", stopped before operation " << n << ": " << result.says;
    return n;
  }
  ADD_FAILURE() << scenario << ": no end after " << most_operations << " operations";
  return most_operations;
}

}  // namespace progress
