// SPDX-License-Identifier: MIT
// Tests what else a process does to its timers: two of them on one store object, a fork, a lock that is removed.
#include "nodes.hpp"
#include "sqlite_bed.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace durable_test {
namespace {

template <class F>
std::error_code code_of(F&& f) {
  try {
    f();
  } catch (const detent::error& refused) {
    return refused.code();
  }
  return {};
}

TEST(DurableProcess, GivesAStoreObjectToOneOfItsTimersAtATime) {
  memory data;
  const auto connection = data.connect();
  detent::engine engine;
  std::optional<timers> first(std::in_place, engine, connection);
  EXPECT_EQ(code_of([&] { timers(engine, connection); }), errc::in_use);
  first.reset();
  EXPECT_EQ(code_of([&] { timers(engine, connection); }), std::error_code());
}

// Ends the child with status 0 where `holds` is true.
template <class F>
int in_a_child(F&& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(DurableProcess, RefusesItsTimersToAChildWhichMayDestroyThem) {
  memory data;
  detent::engine engine;
  auto parents = std::make_unique<timers>(engine, data.connect());
  parents->start();
  const auto refused = [&](auto&& call) { return code_of(call) == detent::errc::forked; };
  EXPECT_EQ(in_a_child([&] {
              const bool all = refused([&] { parents->schedule_after(1h, "write", {}); }) &&
                               refused([&] { parents->cancel("k", {}); }) && refused([&] { parents->flush(1s); }) &&
                               refused([&] { parents->list({}); });
              parents.reset();
              return all;
            }),
            0);
  parents->schedule_after(1h, "write", {});
  EXPECT_TRUE(parents->flush(10s));
}

TEST(DurableProcess, LeavesNoLockOfItsFileToAChild) {
  const temporary_directory directory;
  auto held = sqlite_store(directory.file("timers"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    char any = 0;
    close(ends[1]);
    _exit(read(ends[0], &any, 1) == 0 ? 0 : 1);
  }
  EXPECT_EQ(code_of([&] { sqlite_store(directory.file("timers")); }), errc::in_use);
  held.reset();
  EXPECT_EQ(code_of([&] { sqlite_store(directory.file("timers")); }), std::error_code()) << "while the child lives";
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
}

TEST(DurableProcess, RunsNothingMoreOnceItsLockIsRemoved) {
  const temporary_directory directory;
  const std::string file = directory.file("timers");
  journal book;
  a_node first(sqlite_store(file), book, {}, "first");
  first.on.start();
  for (int i = 0; i < 20; ++i) first.on.schedule_after(1h, "write", {}, {.key = "k" + std::to_string(i)});
  ASSERT_TRUE(first.on.flush(10s));
  ASSERT_TRUE(soon([&] { return first.on.metrics().shards_owned == 1; }));
  std::filesystem::remove(file + ".lock");
  ASSERT_TRUE(soon([&] { return first.on.metrics().shards_owned == 0; }));
  EXPECT_TRUE(soon([&] { return first.reported->has(errc::in_use); })) << first.reported->all();
  a_node second(sqlite_store(file), book, {}, "second");
  second.on.start();
  for (int i = 0; i < 20; ++i) second.on.restart_at("k" + std::to_string(i), now());
  ASSERT_TRUE(soon([&] { return book.size() == 20; }));
  for (const auto& line : book.lines()) EXPECT_EQ(line.node, "second");
}

}  // namespace
}  // namespace durable_test
