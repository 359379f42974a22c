// SPDX-License-Identifier: MIT
// Changes by another node between two calls of the one that owns a timer.
#include "conformance.hpp"
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>

namespace durable_test {
namespace {

using detent::schedule;

enum class comes_again : std::uint8_t { by_itself, as_a_retry, by_its_rule };

class CancelBeforeAnEnd : public testing::TestWithParam<comes_again> {};
INSTANTIATE_TEST_SUITE_P(ThatIsABeginning, CancelBeforeAnEnd,
                         testing::Values(comes_again::by_itself, comes_again::as_a_retry, comes_again::by_its_rule));

// The owner writes that end, to a time that it does not read yet, before it has read the question.
TEST_P(CancelBeforeAnEnd, TakesTheNextRunAway) {
  memory data{1};
  journal book;
  const auto other = data.connect();
  a_node node(data.connect(), book);
  std::atomic<bool> asked{false};
  node.connection->before_batch = [&](std::span<const change> batch) {
    for (const change& one : batch) {
      const auto* its = std::get_if<end_request>(&one);
      if (its == nullptr || its->how != end_kind::move || asked) continue;
      EXPECT_EQ(asker{*other}.cancel(0, its->key, 77), change_status::asked);
      asked = true;
    }
  };
  node.on.handle("again", [&](job&) {
    if (GetParam() == comes_again::as_a_retry) return outcome::retry_after(1h);
    return GetParam() == comes_again::by_itself ? outcome::again_after(1h) : outcome::done();
  });
  node.on.declare("yearly", schedule::quartz("0 0 0 1 1 ?"));
  node.on.start();
  if (GetParam() == comes_again::by_its_rule)
    node.on.schedule_on("yearly", "again", {}, {.key = "k"});
  else
    node.on.schedule_after(1h, "again", {}, {.key = "k"});
  node.on.restart_at("k", now());
  ASSERT_TRUE(soon([&] { return asked.load(); }));
  EXPECT_TRUE(soon([&] { return asker{*other}.read_answer(0, 77) != answer::none; }));
  EXPECT_EQ(asker{*other}.read_answer(0, 77), answer::cancelled);
  EXPECT_TRUE(node.on.list({}).empty());
}

// One of them is announced, as its node had read further than that, and the others lie beyond.
TEST(ALateReading, StartsWhatIsDueInItsOrder) {
  memory data{1};
  journal book;
  const auto other = data.connect();
  // Called amid the reading, for a timer that nothing handles: so what has started by then is told from the rest.
  const auto wait = [&](std::error_code why, std::string_view) {
    if (why == errc::unknown_handler) std::this_thread::sleep_for(100ms);
  };
  a_node node(data.connect(), book, {.horizon = 200ms, .lease = 1h, .on_trouble = wait});
  node.on.start();
  node.on.schedule_after(0s, "write", {}, {.key = "before"});
  ASSERT_TRUE(soon([&] { return book.size() == 1; }));  // it has read
  node.connection->cut = true;
  const auto begin = std::chrono::time_point_cast<stored_time::duration>(now());
  const auto put = [&](const std::string& key, std::uint64_t id, stored_time due, const char* handler) {
    return put_request{{.key = stored_key(key, "p"), .id = id, .due = due, .handler = handler}};
  };
  const change puts[] = {put("announced", 1, begin + 20ms, "write"), put("beyond", 2, begin + 400ms, "write"),
                         put("unknown", 3, begin + 401ms, "of another node")};
  change_status statuses[3]{};
  ASSERT_EQ(other->apply(puts, statuses), errc{});
  std::this_thread::sleep_until(begin + 450ms);
  node.connection->cut = false;
  ASSERT_TRUE(soon([&] { return book.size() == 3; }));
  EXPECT_EQ(book.lines()[1].key, "announced");
}

TEST(RulesOfShards, AreFollowedInOneThatIsTakenWhileTheNextIsGoneThrough) {
  constexpr stored_time far{std::chrono::sys_days(std::chrono::year(2150) / 1 / 1)};
  memory data{2};
  journal book;
  const auto other = data.connect();
  const take_result taken = asker{*other}.take(0, "other", 1h);
  std::string key = "k";
  while (shard_of(key, {}, 2) != 0) key += 'k';
  asker{*other}.put(
      {.key = stored_key(key), .id = 1, .due = far, .handler = "write", .schedule = "each second", .by_rule = true});
  a_node node(data.connect(), book, {.lease = 1s});
  bool has_come = false;
  int pages = 0;
  node.connection->answers_list = [&](const list_request& which, list_page& out) {
    has_come = has_come || which.shard == 0;
    if (has_come) return false;
    const term_ref term{0, taken.fence};
    if (++pages == 3) {
      EXPECT_EQ(other->give_back({&term, 1}), errc{});
    }
    for (std::size_t i = 0; i < which.limit; ++i)  // one page more of shard 1, all due later
      out.found.push_back({{.shard = 1, .due = far + pages * 1h, .handler = "write", .schedule = "of another node"}});
    out.next = std::to_string(pages);
    std::this_thread::sleep_for(1ms);
    return true;
  };
  node.on.declare("each second", schedule::quartz("* * * * * ?"));
  node.on.start();
  EXPECT_TRUE(soon([&] { return book.size() != 0; }, 20s)) << pages << " pages";
}

}  // namespace
}  // namespace durable_test
