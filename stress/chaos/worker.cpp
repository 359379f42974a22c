// SPDX-License-Identifier: MIT
// One node of the chaos: it runs timers and writes a line for each run, or it puts them and writes a line for each that
// the store has. The lines carry the machine's own time, also where this node's clock is set off.
#include <detent/durable.hpp>
#include <detent/durable_redis.hpp>
#include <detent/engine.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace {

using namespace std::chrono_literals;
namespace durable = detent::durable;

long offset_ms = 0;  // of this node's wall clock; set before a thread is

std::int64_t machine_us() noexcept {
  timespec read{};
  ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &read);
  return std::int64_t{read.tv_sec} * 1'000'000 + read.tv_nsec / 1000;
}

std::int64_t to_us(detent::wall_time when) noexcept {
  return std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
}

}  // namespace

// In the place of the C library's, so that whoever asks this process for the wall clock gets the one that is off.
extern "C" int clock_gettime(clockid_t which, timespec* out) noexcept {
  const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, which, out));
  if (failed == 0 && which == CLOCK_REALTIME) {
    const std::int64_t ns = std::int64_t{out->tv_sec} * 1'000'000'000 + out->tv_nsec + offset_ms * 1'000'000;
    out->tv_sec = static_cast<time_t>(ns / 1'000'000'000);
    out->tv_nsec = static_cast<long>(ns % 1'000'000'000);
  }
  return failed;
}

namespace {

struct wanted {
  std::string redis, journal, node = "node";
  durable::shard_id shards = 8;
  long lease = 500, horizon = 1000, patience = 100;
  unsigned replicas = 0;
  // Of the one that puts.
  std::size_t timers = 0;
  double seconds = 20;
  std::uint64_t seed = 1;
  std::int64_t begin = 0;
};

class journal {
 public:
  explicit journal(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw std::runtime_error(path + ": " + std::strerror(errno));
  }
  // One write() of one line: whole, or not at all, also if the process is killed.
  template <class... Words>
  void write(const Words&... words) const {
    std::ostringstream line;
    const char* gap = "";
    ((line << std::exchange(gap, " ") << words), ...);
    line << '\n';
    const std::string text = line.str();
    if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  }

 private:
  int file_;
};

durable::options options_of(const wanted& how) {
  durable::options out;
  out.node = how.node;
  out.lease = std::chrono::milliseconds(how.lease);
  out.horizon = std::chrono::milliseconds(how.horizon);
  out.on_trouble = [node = how.node](std::error_code, std::string_view line) {
    std::fprintf(stderr, "%s: %.*s\n", node.c_str(), static_cast<int>(line.size()), line.data());
  };
  return out;
}

// Half of them at once, spread over all the time; the others while it passes, each within two seconds of its due time:
// beside the read level, and below it.
void put_all(durable::timers& timers, const wanted& how, const journal& book) {
  std::mt19937_64 random(how.seed);
  std::uniform_real_distribution<double> any(0, 1);
  const auto put = [&](std::size_t number, std::int64_t due) {
    const std::string key = "t" + std::to_string(number);
    const std::string partition = "p" + std::to_string(number % 97);
    const std::int64_t asked = machine_us();
    durable::timer_options named;
    named.key = key;
    named.partition = partition;
    named.on_stored = [&book, number, due, asked](std::error_code failed) {
      book.write(failed ? 'F' : 'P', number, due, asked, machine_us());
    };
    const detent::wall_time when{
        std::chrono::duration_cast<detent::wall_time::duration>(std::chrono::microseconds(due))};
    for (;;) {
      try {
        timers.schedule_at(when, "note", std::as_bytes(std::span(partition)), named);
        return;
      } catch (const detent::error& full) {
        if (full.code() != durable::errc::outbox_full) throw;
        std::this_thread::sleep_for(1ms);
      }
    }
  };
  const auto length = static_cast<std::int64_t>(how.seconds * 1e6);
  const std::size_t half = how.timers / 2;
  for (std::size_t i = 0; i != half; ++i)
    put(i, how.begin + static_cast<std::int64_t>(any(random) * static_cast<double>(length)));
  for (std::size_t i = half; i != how.timers; ++i) {
    const std::int64_t at =
        how.begin + length * static_cast<std::int64_t>(i - half) / static_cast<std::int64_t>(how.timers - half);
    while (machine_us() < at) std::this_thread::sleep_for(500us);
    put(i, at + static_cast<std::int64_t>(any(random) * any(random) * 2e6));
  }
  if (!timers.flush(60s)) std::fprintf(stderr, "%s: not everything was stored within a minute\n", how.node.c_str());
}

int run(const wanted& how) {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const journal book(how.journal);
  detent::engine engine;
  durable::redis_options on;
  on.shards = how.shards;
  on.patience = std::chrono::milliseconds(how.patience);
  on.replicas = how.replicas;
  // What is started while the server is away waits for it.
  std::shared_ptr<durable::store> store;
  while (store == nullptr) {
    try {
      store = durable::redis_store(how.redis, on);
    } catch (const detent::error& why) {
      if (why.code() != durable::errc::unavailable && why.code() != durable::errc::not_permitted) throw;
      std::this_thread::sleep_for(10ms);
    }
  }
  durable::timers timers(engine, store, options_of(how));
  if (how.timers != 0) {
    put_all(timers, how, book);
    return 0;
  }
  timers.handle("note", [&](durable::job& job) {
    const std::string partition(reinterpret_cast<const char*>(job.payload().data()), job.payload().size());
    book.write('X', job.key().substr(1), to_us(job.due()), machine_us(), job.fence(), partition, how.node);
    return durable::outcome::done();
  });
  timers.start();
  int number = 0;
  ::sigwait(&ends, &number);
  const durable::metrics counts = timers.metrics();
  book.write('M', how.node, counts.lapsed, counts.fenced);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  wanted how;
  CLI::App app("one node of the chaos of durable timers");
  app.add_option("--redis", how.redis)->required();
  app.add_option("--journal", how.journal)->required();
  app.add_option("--node", how.node);
  app.add_option("--shards", how.shards);
  app.add_option("--lease", how.lease, "in ms");
  app.add_option("--horizon", how.horizon, "in ms");
  app.add_option("--patience", how.patience, "in ms");
  app.add_option("--replicas", how.replicas);
  app.add_option("--clock-off", offset_ms, "by so many ms");
  app.add_option("--put", how.timers, "so many timers, and end");
  app.add_option("--seconds", how.seconds);
  app.add_option("--seed", how.seed);
  app.add_option("--begin", how.begin, "in us since 1970");
  CLI11_PARSE(app, argc, argv);
  return run(how);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "chaos_worker: %s\n", problem.what());
  return 1;
}
