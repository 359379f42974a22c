// SPDX-License-Identifier: MIT
// Long lists: in pieces, and beside the thread that talks to the store, which serves near timers in the meantime.
#include "nodes.hpp"
#include "sqlite_bed.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

namespace durable_test {
namespace {

class LongList : public testing::Test {
 protected:
  void put(a_node& by, int count) {
    for (int i = 0; i < count; ++i)
      by.on.schedule_at(begin + std::chrono::seconds(i / 2), "write", {}, {.key = "k" + std::to_string(i)});
    ASSERT_TRUE(by.on.flush(60s));
  }
  // Each once, by due time, up to the limit.
  void lists(a_node& by, std::size_t limit, std::size_t count) {
    const std::vector<listed> all = by.on.list({.limit = limit});
    ASSERT_EQ(all.size(), count);
    EXPECT_TRUE(std::ranges::is_sorted(all, {}, &listed::due));
    std::set<std::string> keys;
    for (const listed& one : all) keys.insert(one.key);
    EXPECT_EQ(keys.size(), count);
  }

  const detent::wall_time begin = std::chrono::floor<std::chrono::seconds>(now()) + 1h;
  journal book;
};

TEST_F(LongList, OfAFileIsReadBesideItsThread) {
  const temporary_directory directory;
  a_node node(sqlite_store(directory.file("timers"), {.shards = 2}), book);
  put(node, 5000);
  lists(node, 1'000'000, 5000);
  lists(node, 1999, 1999);
  std::promise<void> go_on;
  auto waits = go_on.get_future().share();
  std::atomic<bool> held{false};
  node.on.schedule_after(2h, "write", {}, {.key = "holds up", .on_stored = [&, waits](const put_result&) {
                                             held = true;
                                             waits.wait();
                                           }});
  ASSERT_TRUE(soon([&] { return held.load(); }));
  auto listed = std::async(std::launch::async, [&] { return node.on.list({.limit = 1'000'000}).size(); });
  EXPECT_EQ(listed.wait_for(60s), std::future_status::ready) << "it waits for that thread";
  go_on.set_value();
  EXPECT_EQ(listed.get(), 5001u);
}

}  // namespace
}  // namespace durable_test
