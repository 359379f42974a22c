// SPDX-License-Identifier: MIT
// A trader: `orders_trader REDIS LEASE_MS` reads lines, `place ORDER SYMBOL MS` and `cancel ORDER SYMBOL`, and says
// what became of each: `stored ORDER`; `cancelled ORDER`, `running`, `gone` or `unknown`. It runs no timers.
#include "store_options.hpp"

#include <detent/engine.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <system_error>

namespace orders {
namespace {

using namespace std::chrono_literals;
namespace durable = detent::durable;

const char* word_for(durable::cancel_result result) {
  switch (result) {
    case durable::cancel_result::cancelled: return "cancelled";
    case durable::cancel_result::running: return "running";
    case durable::cancel_result::gone: return "gone";
    case durable::cancel_result::unknown: break;
  }
  return "unknown";
}

void place(durable::timers& timers, const std::string& order, const std::string& symbol,
           std::chrono::milliseconds after) {
  // The symbol is the partition: its orders expire in order, on one gateway at a time, and its fences only grow.
  timers.schedule_after(after, "expire-order", std::as_bytes(std::span(symbol)),
                        {.key = order, .partition = symbol, .on_stored = [order](std::error_code problem) {
                           std::printf("%s %s\n", problem ? "refused" : "stored", order.c_str());
                         }});
}

int run(const std::string& redis, std::chrono::milliseconds lease) {
  detent::engine engine;
  durable::timers timers(engine, open_store(redis, lease), node_options("trader", lease));
  std::string line, what, order, symbol;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> what >> order >> symbol;
    if (int after = 0; what == "place" && words >> after) {
      place(timers, order, symbol, std::chrono::milliseconds(after));
    } else if (what == "cancel") {
      timers.cancel(
          {order, symbol},
          [order](durable::cancel_result result) { std::printf("%s %s\n", word_for(result), order.c_str()); }, 10s);
    } else {
      std::fprintf(stderr, "orders_trader: '%s'?\n", line.c_str());
      return 2;
    }
  }
  return timers.flush(1min) ? 0 : 1;
}

}  // namespace
}  // namespace orders

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    if (count == 3) return orders::run(words[1], std::chrono::milliseconds(std::stoi(words[2])));
    std::fputs("usage: orders_trader REDIS LEASE_MS\n", stderr);
    return 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "orders_trader: %s\n", problem.what());
    return 1;
  }
}
