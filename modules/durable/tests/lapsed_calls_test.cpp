// SPDX-License-Identifier: MIT
// Tests what a cancel is told of a run whose call came when its term was over.
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace durable_test {
namespace {

// Calls a function before the answer to a reading arrives that has a question in it.
class late_questions : public breakable {
 public:
  using breakable::breakable;
  std::function<void()> before_question;

  errc read_on(std::span<const read_request> what, std::span<read_result> results) override {
    const errc out = breakable::read_on(what, results);
    const auto has_question = [](const read_result& one) {
      return std::ranges::any_of(one.announced_keys, [](const announced& its) { return its.question != 0; });
    };
    if (before_question && std::ranges::any_of(results, has_question)) std::exchange(before_question, {})();
    return out;
  }
};

// The call finds that the term is over, and then the reading that was on its way renews the term.
TEST(LapsedCalls, AreNotSaidToBeRunning) {
  memory data{1};
  journal book;
  detent::engine engine;
  const auto connection = std::make_shared<late_questions>(data.connect());
  std::mutex lock;
  std::vector<std::function<void()>> calls;
  timers on(engine, connection, {.lease = 2s});
  on.handle("once",
            [&](job& of) {
              book.write(of);
              return outcome::done();
            },
            {.executor = [&](auto call) {
              const std::lock_guard locked(lock);
              calls.emplace_back(std::move(call));
            }});
  // Half of the term has gone when the reading begins that renews it, and all of it when its answer arrives.
  connection->before_batch = [](std::span<const change> batch) {
    if (std::holds_alternative<cancel_request>(batch.front())) std::this_thread::sleep_for(1s);
  };
  connection->before_question = [&] {
    std::this_thread::sleep_for(1200ms);
    const std::lock_guard locked(lock);
    calls.front()();
  };
  on.start();
  on.schedule_after(0s, "once", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] {
    const std::lock_guard locked(lock);
    return !calls.empty();
  }));
  EXPECT_EQ(cancelled(on, "k", 1min), cancel_result::cancelled);
  EXPECT_EQ(book.size(), 0u);
}

}  // namespace
}  // namespace durable_test
