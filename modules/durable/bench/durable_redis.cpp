// SPDX-License-Identifier: MIT
// Compares the cost of a durable timer in Redis with that of a bare SET of the same bytes in a pipeline. The two take
// turns in each round, on a server of their own; the result is the median of the ratios of CPU time.
#include "durable_loads.hpp"
#include "durable_work.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

#include <detent/durable.hpp>
#include <detent/durable_redis.hpp>
#include <detent/engine.hpp>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace detent::durable;

std::int64_t rows() { return detent::bench::full_or_smoke(50'000, 2'000); }

class server {
 public:
  explicit server(const char* appendonly) {
    std::string name = (std::filesystem::temp_directory_path() / "durable-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = name;
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(::open("/dev/null", O_RDWR), 1);
      ::execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", path().c_str(), "--save", "",
               "--appendonly", appendonly, "--dir", directory_.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    for (int i = 0; i != 5000 && to_ == nullptr; ++i) {
      to_.reset(redisConnectUnix(path().c_str()));
      if (to_ != nullptr && to_->err != 0) to_.reset();
      if (to_ == nullptr) ::usleep(1000);
    }
    if (to_ == nullptr) throw std::runtime_error("redis-server does not start: is it installed?");
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    std::filesystem::remove_all(directory_);
  }

  std::string path() const { return directory_ + "/socket"; }
  redisContext* to() const noexcept { return to_.get(); }
  std::string ask(const char* command) const {
    auto* const reply = static_cast<redisReply*>(redisCommand(to_.get(), command));
    if (reply == nullptr) throw std::runtime_error(command);
    std::string text(reply->str != nullptr ? reply->str : "", reply->len);
    freeReplyObject(reply);
    return text;
  }
  // The CPU time of the server and of this thread, which wait for each other. A busy machine does not change it.
  double cpu_seconds() const {
    clockid_t its{};
    timespec now{};
    if (::clock_getcpuclockid(process_, &its) != 0 || ::clock_gettime(its, &now) != 0)
      throw std::runtime_error("no clock of redis-server's CPU time");
    return static_cast<double>(now.tv_sec) +
           (static_cast<double>(now.tv_nsec) + static_cast<double>(detent::bench::thread_cpu_ns())) / 1e9;
  }
  double memory() const {
    const std::string info = ask("INFO memory");
    return std::stod(info.substr(info.find("used_memory:") + 12));
  }

 private:
  std::string directory_;
  pid_t process_ = 0;
  std::unique_ptr<redisContext, decltype(&redisFree)> to_{nullptr, &redisFree};
};

double bare_sets(const server& at, std::int64_t at_once) {
  const std::string body(64, 'b');
  const double begin = at.cpu_seconds();
  for (std::int64_t from = 0; from < rows(); from += at_once) {
    for (std::int64_t i = 0; i < at_once; ++i)
      redisAppendCommand(at.to(), "SET bare:%lld %b", static_cast<long long>(from + i), body.data(), body.size());
    for (std::int64_t i = 0; i < at_once; ++i) {
      void* reply = nullptr;
      if (redisGetReply(at.to(), &reply) != REDIS_OK) throw std::runtime_error("SET");
      freeReplyObject(reply);
    }
  }
  return static_cast<double>(rows()) / (at.cpu_seconds() - begin);
}

double put(const server& at, store& in, std::int64_t at_once) {
  std::mt19937_64 random(1);
  std::vector<change> requests(static_cast<std::size_t>(at_once), put_request{});
  std::vector<change_status> results(requests.size());
  double took = 0;
  for (std::int64_t from = 0; from < rows(); from += at_once) {
    for (std::int64_t i = 0; i < at_once; ++i) {
      record& one = std::get<put_request>(requests[static_cast<std::size_t>(i)]).what;
      one.key = std::to_string(1'000'000'000'000'000 + from + i);
      one.id = static_cast<std::uint64_t>(from + i + 1);
      one.due = stored_time(std::chrono::seconds(1'700'000'000) + std::chrono::microseconds(random() % 86'400'000'000));
      one.handler = "bill";
      one.payload.resize(64);
    }
    const double begin = at.cpu_seconds();
    if (in.apply(requests, results) != errc{}) throw std::runtime_error("put");
    took += at.cpu_seconds() - begin;
  }
  return static_cast<double>(rows()) / took;
}

struct rates {
  double put = 0, read = 0, end = 0, bytes = 0;
};

rates life(const server& at, std::int64_t at_once) {
  const auto in = redis_store(at.path(), {.shards = 1});
  rates out;
  const double before = at.memory();
  out.put = put(at, *in, at_once);
  out.bytes = (at.memory() - before) / static_cast<double>(rows());
  const take_request all{0, std::chrono::hours(1)};
  take_result taken;
  in->take("bench", {&all, 1}, {&taken, 1});
  const read_request next{
      {0, taken.fence}, stored_time(std::chrono::seconds(1'800'000'000)), 1000, std::chrono::hours(1)};
  std::vector<change> requests;
  double begin = at.cpu_seconds();
  for (read_result read; requests.size() < static_cast<std::size_t>(rows());) {
    if (in->read_on({&next, 1}, {&read, 1}) != errc{} || !read.stands) throw std::runtime_error("read_on");
    for (record& its : read.due) {
      auto& one = requests.emplace_back().emplace<end_request>();
      one.term = next.term;
      one.key = std::move(its.key);
      one.id = its.id;
      one.ran = its.due;
    }
  }
  out.read = static_cast<double>(rows()) / (at.cpu_seconds() - begin);
  std::vector<change_status> results(static_cast<std::size_t>(at_once));
  begin = at.cpu_seconds();
  for (std::size_t from = 0; from < requests.size(); from += results.size())
    if (in->apply(std::span(requests).subspan(from, results.size()), results) != errc{})
      throw std::runtime_error("end");
  out.end = static_cast<double>(rows()) / (at.cpu_seconds() - begin);
  return out;
}

void beside_bare_set(benchmark::State& state, const char* appendonly) {
  const std::int64_t at_once = state.range(0);
  std::vector<double> put_of, read_of, end_of, bare_rates, bytes;
  const server at(appendonly);
  for (auto round : state) {
    at.ask("FLUSHALL");
    const rates its = life(at, at_once);
    const double bare = bare_sets(at, 100);
    bare_rates.push_back(bare);
    put_of.push_back(its.put / bare);
    read_of.push_back(its.read / bare);
    end_of.push_back(its.end / bare);
    bytes.push_back(its.bytes);
  }
  const auto median = [](std::vector<double>& of) {
    std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
    return of[of.size() / 2];
  };
  state.counters["bare_set/cpu_s"] = median(bare_rates);
  state.counters["put_of_set"] = median(put_of);
  state.counters["read_of_set"] = median(read_of);
  state.counters["end_of_set"] = median(end_of);
  state.counters["bytes_each"] = median(bytes);
}
BENCHMARK_CAPTURE(beside_bare_set, in_memory, "no")
    ->ArgName("a_call")
    ->Arg(100)
    ->Arg(1000)
    ->Iterations(7)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(beside_bare_set, appending, "yes")
    ->ArgName("a_call")
    ->Arg(100)
    ->Iterations(7)
    ->Unit(benchmark::kMillisecond);

void lateness(benchmark::State& state) {
  const server at("no");
  detent::bench::measure_lateness(state, redis_store(at.path()), detent::bench::full_or_smoke(2'000, 100),
                                  std::chrono::seconds(4));
}
BENCHMARK(lateness)->Iterations(1)->Unit(benchmark::kMillisecond);

void look_ups(benchmark::State& state) {
  const server at("no");
  detent::bench::measure_look_ups(state, redis_store(at.path()), "redis+unix://" + at.path(),
                                  detent::bench::full_or_smoke(1'000'000, 2'000));
}
BENCHMARK(look_ups)->Iterations(1)->Unit(benchmark::kMillisecond);

void puts_and_cancels_by_turns(benchmark::State& state) {
  const server at("no");
  detent::bench::measure_turns(state, redis_store(at.path()), detent::bench::full_or_smoke(100'000, 1'000));
}
BENCHMARK(puts_and_cancels_by_turns)->Iterations(1)->Unit(benchmark::kMillisecond);

// For beside_bullmq.mjs as well.
void backlogs(benchmark::State& state) {
  const server at("no");
  detent::bench::measure_backlogs(
      state, [&] { return redis_store(at.path()); }, detent::bench::full_or_smoke(300'000, 2'000));
}
BENCHMARK(backlogs)->Iterations(1)->Unit(benchmark::kMillisecond);

void busy_partition(benchmark::State& state) {
  const server at("no");
  detent::bench::measure_busy_partition(
      state, [&] { return redis_store(at.path()); }, detent::bench::full_or_smoke(15, 1));
}
BENCHMARK(busy_partition)->Iterations(1)->Unit(benchmark::kMillisecond);

void large_payloads(benchmark::State& state) {
  const server at("no");
  detent::bench::measure_large_payloads(state, redis_store(at.path()), detent::bench::full_or_smoke(6'000, 20));
}
BENCHMARK(large_payloads)->Iterations(1)->Unit(benchmark::kMillisecond);

// The calls that the server gets a second from nodes that share the shards and have no timers.
void idle(benchmark::State& state) {
  const server at("no");
  struct node {
    explicit node(const server& on) : its(engine, redis_store(on.path())) { its.start(); }
    detent::engine engine;
    timers its;
  };
  const std::int64_t count = detent::bench::full_or_smoke(4, 1);
  std::vector<std::unique_ptr<node>> nodes;
  for (std::int64_t i = 0; i != count; ++i) nodes.push_back(std::make_unique<node>(at));
  const auto is_shared_out = [&] {
    std::size_t all = 0;
    for (const auto& one : nodes) {
      const std::size_t its = one->its.metrics().shards_owned;
      if (its == 0) return false;
      all += its;
    }
    return all == 64;
  };
  // A shard is given back by its first owner before the node has it to which it falls.
  for (int calm = 0; calm != (detent::bench::smoke() ? 1 : 300); calm = is_shared_out() ? calm + 1 : 0)
    ::usleep(10'000);
  const auto calls = [&] {
    const std::string info = at.ask("INFO commandstats");
    const std::size_t at_calls = info.find("calls=", info.find("cmdstat_evalsha:"));
    return std::stod(info.substr(at_calls + 6));
  };
  for (auto round : state) {
    const double before = calls();
    const auto begin = detent::bench::steady::now();
    ::usleep(detent::bench::smoke() ? 100'000 : 10'000'000);
    state.counters["calls/s"] = (calls() - before) / detent::bench::seconds_since(begin);
  }
}
BENCHMARK(idle)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
