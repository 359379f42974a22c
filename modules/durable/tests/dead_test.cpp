// SPDX-License-Identifier: MIT
// Look-ups and dead timers, on the stores of one process; and what nodes with other limits for the dead do.
#include "lookups_suite.hpp"
#include "sqlite_bed.hpp"

#include <detent/manual_clock.hpp>

namespace durable_test {
namespace {

class memory_of_several {
 public:
  std::shared_ptr<store> connect() { return data_.connect(); }

 private:
  memory data_{4};
};

class file_of_several {
 public:
  std::shared_ptr<store> connect() { return sqlite_store(directory_.file("timers"), {.shards = 4}); }

 private:
  temporary_directory directory_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(memory, LookUps, memory_of_several);
INSTANTIATE_TYPED_TEST_SUITE_P(sqlite, LookUps, file_of_several);

class DeadTimers : public testing::Test {
 protected:
  static void let_die(timers& on) {
    on.handle("dies", [](job&) { return outcome::dead("its hour"); });
  }

  memory data{4};
  journal book;
};

TEST_F(DeadTimers, StayAsLongAsTheNodeSaysThatKeepsThemLongest) {
  a_node brief(data.connect(), book, {.lease = 200ms, .dead_for = 1ms}, "brief");
  let_die(brief.on);
  {
    a_node ever(data.connect(), book, {.lease = 200ms}, "ever");
    ever.on.start();
    ASSERT_TRUE(soon([&] { return ever.on.metrics().shards_owned != 0; }));
    brief.on.start();
    for (int i = 0; i < 20; ++i) brief.on.schedule_after(0s, "dies", {}, {.key = std::to_string(i)});
    ASSERT_TRUE(soon([&] { return brief.reported->all().find("dead_for") != std::string::npos; }));
    ASSERT_TRUE(soon([&] { return ever.reported->all().find("dead_for") != std::string::npos; }));
    EXPECT_NE(brief.reported->all().find("the most hold (for ever)"), std::string::npos) << brief.reported->all();
    ASSERT_TRUE(soon([&] { return brief.on.metrics().dead_in_store == 20; }));
    EXPECT_EQ(brief.on.list({.dead = true}).size(), 20u);
    EXPECT_EQ(brief.connection->purges + ever.connection->purges, 0);
  }
  EXPECT_TRUE(soon([&] { return brief.on.list({.dead = true}).empty(); })) << "now its own limit holds";
  const std::string lines = brief.reported->all();
  EXPECT_EQ(lines.find("dead_for"), lines.rfind("dead_for")) << "once: " << lines;
}

TEST_F(DeadTimers, OfNodesThatAgreeNoneSaysAnything) {
  a_node one(data.connect(), book, {.lease = 100ms, .dead_for = 1h});
  a_node other(data.connect(), book, {.lease = 100ms, .dead_for = 1h});
  one.on.start();
  other.on.start();
  ASSERT_TRUE(soon([&] { return one.connection->rolls > 60 && other.connection->rolls > 60; })) << "for some leases";
  EXPECT_EQ((one.reported->all() + other.reported->all()).find("dead_for"), std::string::npos);
}

TEST_F(DeadTimers, InVirtualTimeGoAtTheirTime) {
  constexpr detent::wall_time new_year{std::chrono::sys_days(std::chrono::year(2027) / 1 / 1)};
  detent::manual_clock clock;
  const detent::durable::virtual_time time{&clock, new_year};
  memory here(4, time);
  detent::engine engine{{.manual = &clock}};
  timers on(engine, here.connect(), {.dead_for = 24h, .most_dead = 50, .time = time});
  let_die(on);
  on.start();
  for (int i = 0; i < 300; ++i) on.schedule_after(1h, "dies", {}, {.key = "first" + std::to_string(i)});
  on.schedule_after(3h, "dies", {}, {.key = "second"});
  clock.run_for(2h, engine);
  EXPECT_EQ(on.list({.dead = true, .limit = 1000}).size(), 50u);
  clock.run_for(2h, engine);
  EXPECT_EQ(on.list({.dead = true, .limit = 1000}).size(), 50u);
  EXPECT_EQ(on.get("second")->died, new_year + 3h);
  clock.run_for(21h - 1s, engine);
  EXPECT_EQ(on.metrics().dead_in_store, 50u);
  clock.run_for(2s, engine);
  EXPECT_EQ(on.metrics().dead_in_store, 1u);
  clock.run_for(24h * 365, engine);
  EXPECT_EQ(on.metrics().dead_in_store, 0u);
  EXPECT_TRUE(on.list({.dead = true}).empty());
}

}  // namespace
}  // namespace durable_test
