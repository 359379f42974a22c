// SPDX-License-Identifier: MIT
// The least program there is, and the version it was built with.
#include <detent/detent.hpp>

#include <atomic>
#include <memory>

#include "expect.hpp"

using namespace std::chrono_literals;

int main() {
  std::atomic<bool> done{false};
  auto pool = std::make_shared<detent::thread_pool>(detent::thread_pool_options{.threads = 2});
  detent::engine engine({.executor = pool});
  detent::scoped_timer owned{engine.schedule_after(1ms, [&] { done = true; })};
  wait_for([&] { return done.load(); });
  static_assert(!detent::version.empty());
}
