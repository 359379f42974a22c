// SPDX-License-Identifier: MIT
// A gateway: `orders_gateway REDIS EXCHANGE NAME LEASE_MS` expires orders at the exchange, beside others that do the
// same, until SIGTERM. SIGUSR1: it stops itself with the next expiry in its hands, as a machine may at any moment.
#include "exchange_link.hpp"
#include "store_options.hpp"

#include <detent/engine.hpp>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace orders {
namespace {

namespace durable = detent::durable;

std::atomic<bool> stop_next{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler sets it

// The payload of an order's timer is its symbol.
std::string_view symbol_of(const durable::job& job) {
  return {reinterpret_cast<const char*>(job.payload().data()), job.payload().size()};
}

class expiry {
 public:
  explicit expiry(const std::string& exchange) : exchange_(exchange) {}

  // An exception of the exchange becomes a retry.
  durable::outcome operator()(durable::job& job) {
    if (!job.still_mine()) return durable::outcome::retry("the term is over");
    if (stop_next.exchange(false)) {
      std::printf("stopping %.*s\n", static_cast<int>(job.key().size()), job.key().data());
      // Here no client can help itself: the exchange must refuse. raise(), as a signal to the whole process may be
      // taken by another thread, and this one go on until that has stopped it.
      std::raise(SIGSTOP);
    }
    const auto due = std::chrono::duration_cast<std::chrono::microseconds>(job.due().time_since_epoch());
    const std::string said = exchange_.expire(job.key(), symbol_of(job), job.fence(), due.count());
    if (said != "expired") std::printf("%s %.*s\n", said.c_str(), static_cast<int>(job.key().size()), job.key().data());
    return durable::outcome::done();
  }

 private:
  exchange_link exchange_;  // the engine's worker runs the handler, one order at a time
};

int run(const std::string& redis, const std::string& exchange, const std::string& name,
        std::chrono::milliseconds lease) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before there are other threads
  std::signal(SIGUSR1, [](int) { stop_next = true; });

  expiry expire(exchange);
  detent::engine engine;
  durable::timers timers(engine, open_store(redis, lease), node_options(name, lease));
  timers.handle("expire-order", [&](durable::job& job) { return expire(job); });
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
    if (count == 5) return orders::run(words[1], words[2], words[3], std::chrono::milliseconds(std::stoi(words[4])));
    std::fputs("usage: orders_gateway REDIS EXCHANGE NAME LEASE_MS\n", stderr);
    return 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "orders_gateway: %s\n", problem.what());
    return 1;
  }
}
