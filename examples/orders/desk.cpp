// SPDX-License-Identifier: MIT
// A desk that has its orders in PostgreSQL: `orders_desk URL` reads lines and says what became of each. `place ORDER
// SYMBOL MS` writes the order and its expiry in one transaction: `placed ORDER`. `refuse ORDER SYMBOL MS` does the
// same, and rolls back: `refused ORDER`. `fill ORDER SYMBOL` fills it and cancels its expiry: `filled ORDER`, or `late
// ORDER`, which has expired. `unknown ORDER`: the connection was lost.
#include "database.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

namespace orders {
namespace {

// Nothing of detent is linked here: these are statements of the order's own transaction, as from any language.
void place(database& its, const std::string& order, const std::string& symbol, const std::string& after) {
  its.ask("insert into orders (id, symbol, state) values ($1, $2, 'open')", {order, symbol});
  its.ask(
      "select detent.schedule_at('expire-order', clock_timestamp() + $3::int * interval '1 ms', key => $1, "
      "partition => $2)",
      {order, symbol, after});
}

// Returns whether the order was open.
bool fill(database& its, const std::string& order, const std::string& symbol) {
  if (its.ask("update orders set state = 'filled' where id = $1 and state = 'open' returning id", {order}).empty())
    return false;
  its.ask("select detent.cancel($1, $2)", {order, symbol});
  return true;
}

std::string act(database& its, const std::string& what, const std::string& order, const std::string& symbol,
                const std::string& after) {
  its.ask("begin");
  if (what == "fill") {
    const bool is_filled = fill(its, order, symbol);
    its.ask("commit");
    return is_filled ? "filled" : "late";
  }
  place(its, order, symbol, after);
  its.ask(what == "refuse" ? "rollback" : "commit");
  return what == "refuse" ? "refused" : "placed";
}

int run(const std::string& url) {
  database its(url);
  std::string line, what, order, symbol, after;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> what >> order >> symbol;
    if (what != "fill") words >> after;
    while (!its.open()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::string said = "unknown";  // committed or not: the orders' table has the answer
    try {
      said = act(its, what, order, symbol, after);
    } catch (const database::lost&) {
    }
    std::printf("%s %s\n", said.c_str(), order.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace orders

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    if (count == 2) return orders::run(words[1]);
    std::fputs("usage: orders_desk URL\n", stderr);
    return 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "orders_desk: %s\n", problem.what());
    return 1;
  }
}
