// SPDX-License-Identifier: MIT
// `orders_expirer URL NAME LEASE_MS` expires the orders of a PostgreSQL database, beside others that do the same, until
// SIGTERM. SIGUSR1: it stops itself with the next expiry in its hands. A fourth word `apart` ends each timer in another
// transaction than its order, which is wrong.
#include "database.hpp"

#include <detent/durable.hpp>
#include <detent/durable_postgres.hpp>
#include <detent/engine.hpp>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace orders {
namespace {

using namespace std::chrono_literals;
namespace durable = detent::durable;

std::atomic<bool> stop_next{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler sets it

class expiry {
 public:
  expiry(const std::string& url, bool apart) : its_(url), apart_(apart) {}

  // An exception becomes a retry.
  durable::outcome operator()(durable::job& job) {
    if (!its_.open()) return durable::outcome::retry_after(50ms, "no database");
    const std::string order(job.key());
    its_.ask("begin");
    its_.ask("update orders set state = 'expired', times = times + 1, at = clock_timestamp() where id = $1", {order});
    if (apart_) {
      its_.ask("commit");
      its_.ask("begin");
    }
    if (stop_next.exchange(false)) {
      std::printf("stopping %s\n", order.c_str());
      std::raise(SIGSTOP);
    }
    // False: another one has expired it, or it was filled. Then the update is undone.
    if (!job.finish_in(its_.get())) {
      its_.ask("rollback");
      std::printf("over %s\n", order.c_str());
      return durable::outcome::done();
    }
    its_.ask("commit");
    return durable::outcome::done();
  }

 private:
  database its_;  // the engine's worker runs the handler, one order at a time
  const bool apart_;
};

// A server that has just been started may not answer yet.
std::shared_ptr<durable::store> open_store(const std::string& url, std::chrono::milliseconds lease) {
  for (const auto last = std::chrono::steady_clock::now() + 30s;;) {
    try {
      return durable::postgres_store(url, {.shards = 8, .patience = lease / 5});
    } catch (const detent::error& problem) {
      if (problem.code() != durable::errc::unavailable || std::chrono::steady_clock::now() > last) throw;
      std::this_thread::sleep_for(lease / 5);
    }
  }
}

int run(const std::string& url, const std::string& name, std::chrono::milliseconds lease, bool apart) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before there are other threads
  std::signal(SIGUSR1, [](int) { stop_next = true; });

  expiry expire(url, apart);
  detent::engine engine;
  durable::options how;
  how.node = name;
  how.lease = lease;
  how.on_trouble = [](std::error_code, std::string_view what) {
    std::printf("trouble %.*s\n", static_cast<int>(what.size()), what.data());
  };
  durable::timers timers(engine, open_store(url, lease), how);
  timers.handle("expire-order", [&](durable::job& job) { return expire(job); },
                {.first_retry = 50ms, .longest_retry = 1s});
  timers.start();
  constexpr timespec look = {0, 20'000'000};
  for (std::size_t owned = 0; sigtimedwait(&ends, nullptr, &look) < 0;) {
    const std::size_t now = timers.metrics().shards_owned;
    if (now != owned) std::printf("owns %zu\n", owned = now);
  }
  return 0;
}

}  // namespace
}  // namespace orders

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    const bool apart = count == 5 && std::string_view(words[4]) == "apart";
    if (count == 4 || apart)
      return orders::run(words[1], words[2], std::chrono::milliseconds(std::stoi(words[3])), apart);
    std::fputs("usage: orders_expirer URL NAME LEASE_MS [apart]\n", stderr);
    return 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "orders_expirer: %s\n", problem.what());
    return 1;
  }
}
