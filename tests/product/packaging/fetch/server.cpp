// SPDX-License-Identifier: MIT
// The library is the same wherever it comes from: an engine, coroutines, pools, C.
#include <detent/detent.h>
#include <detent/detent.hpp>

#include <atomic>
#include <memory>
#include <thread>
using namespace std::chrono_literals;

int main() {
  detent::engine engine({.executor = std::make_shared<detent::thread_pool>()});
  std::atomic<bool> fired = false;
  engine.schedule_after(1ms, [&] { fired = true; });
  while (!fired) std::this_thread::sleep_for(1ms);
  engine.drain_for(1s);
  const char* text = nullptr;
  return detent_last_error(&text);
}
