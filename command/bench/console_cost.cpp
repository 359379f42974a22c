// SPDX-License-Identifier: MIT
// The cost to a program of a console that reads its counters once a second: pairs of schedule and cancel, in turns with
// `detent console` reading and with it stopped.
#include <benchmark/benchmark.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/live_timers.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;

constexpr std::int64_t live_timers_kept = 1'000;

class directory {
 public:
  directory() {
    std::string name = "/dev/shm/console-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory in /dev/shm can be made");
    path_ = name;
  }
  directory(const directory&) = delete;
  directory& operator=(const directory&) = delete;
  ~directory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs `detent console` for the engines in a directory; it reads them from its construction on.
class console {
 public:
  explicit console(const std::string& counters) {
    int from[2];
    if (::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    std::string words[] = {DETENT_COMMAND, "console", "--listen", "0", "--counters", counters};
    std::vector<char*> arguments;
    for (std::string& each : words) arguments.push_back(each.data());
    arguments.push_back(nullptr);
    const int problem = ::posix_spawn(&process_, DETENT_COMMAND, &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(from[1]);
    char line[256];  // "serving ...", or the error if it cannot serve
    const bool serves = problem == 0 && ::read(from[0], line, sizeof line) > 0;
    ::close(from[0]);
    if (problem == 0 && !serves) ::waitpid(process_, nullptr, 0);
    if (!serves) throw std::runtime_error("detent console does not serve");
  }
  console(const console&) = delete;
  console& operator=(const console&) = delete;
  ~console() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  void read_on(bool on) { ::kill(process_, on ? SIGCONT : SIGSTOP); }

 private:
  pid_t process_ = 0;
};

double quantile(std::vector<double>& of, double part) {
  const auto place = static_cast<std::ptrdiff_t>(part * static_cast<double>(of.size() - 1));
  std::nth_element(of.begin(), of.begin() + place, of.end());
  return of[static_cast<std::size_t>(place)];
}

double cost_of_a_turn(live_timers<schedule_at_counted>& live, std::chrono::milliseconds length) {
  const auto until = detent::clock::now() + length;
  const std::int64_t began = thread_cpu_ns();
  std::int64_t pairs = 0;
  do {
    for (int i = 0; i < 1'000; ++i) live.replace(live.oldest());
    pairs += 1'000;
  } while (detent::clock::now() < until);
  return static_cast<double>(thread_cpu_ns() - began) / static_cast<double>(pairs);
}

void pair_beside_a_console(benchmark::State& state) try {
  const directory here;
  detent::engine engine({.name = "watched", .counters_file = here.path() + "/detent.1.0"});
  [[maybe_unused]] const detent::timer far = engine.schedule_after(far_delay, [] {});
  live_timers live(live_timers_kept, 1, schedule_at_counted(engine));
  settle(engine);
  console reader(here.path());
  const std::chrono::milliseconds turn(full_or_smoke(1'000, 20));
  std::vector<double> ratios, read, alone;
  for (auto _ : state) {
    double costs[2];  // without and with the console reading; the order alternates
    for (const bool first : {true, false}) {
      const bool reads = first == (ratios.size() % 2 == 0);
      reader.read_on(reads);
      costs[reads] = cost_of_a_turn(live, turn);
    }
    ratios.push_back(costs[1] / costs[0]);
    read.push_back(costs[1]);
    alone.push_back(costs[0]);
  }
  // In a normal distribution, the quartiles are 1.349 standard deviations apart, and a median's error is 1.253 times
  // that of a mean.
  const double deviation = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 1.349;
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["standard_error"] = 1.253 * deviation / std::sqrt(static_cast<double>(ratios.size()));
  state.counters["reading_ns"] = quantile(read, 0.5);
  state.counters["stopped_ns"] = quantile(alone, 0.5);
} catch (const std::exception& trouble) {
  state.SkipWithError(trouble.what());
}

BENCHMARK(pair_beside_a_console)->Iterations(full_or_smoke(100, 2))->Unit(benchmark::kSecond);

}  // namespace
