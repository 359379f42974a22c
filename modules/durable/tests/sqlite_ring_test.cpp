// SPDX-License-Identifier: MIT
// A store in a file after kill -9: what had ended has ended, and what ran is marked.
#include "../src/stores/attempts.hpp"
#include "conformance.hpp"
#include "temporary_directory.hpp"

#include <detent/durable_journal.hpp>
#include <detent/durable_sqlite.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <thread>

namespace durable_test {
namespace {

using detail::attempts;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

class AFileWithARing : public testing::Test {
 protected:
  temporary_directory directory;
  const std::string path = directory.file("timers");
  std::shared_ptr<store> its = open();
  std::uint64_t next_id = 1;

  std::shared_ptr<store> open() const {
    return sqlite_store(path, {.durability = sqlite_options::sync::at_checkpoints, .shards = 1});
  }
  asker on() { return asker{*its}; }
  // The process is gone: what it has asked of the store is there, and nothing else.
  void crash() {
    its.reset();
    its = open();
  }
  record put(const std::string& key) {
    record one = timer(key, next_id++, at(1));
    EXPECT_EQ(on().put(one), change_status::stored);
    return one;
  }
  run_journal::place begin(const record& what) { return its->journal()->begin(what); }
  void end(const record& what, const end_request& how, const std::vector<change>& asked = {}) {
    its->journal()->end(begin(what), how, asked);
  }
  std::map<std::string, record> left(bool dead = false) {
    std::map<std::string, record> out;
    for (const listed_record& each : on().list({.dead = dead})) out.emplace(each.what.key, each.what);
    return out;
  }
  bool knows() const { return its->journal()->knows_former(); }
};

TEST_F(AFileWithARing, HasTheEndsThatItsProcessHadNotWritten) {
  const record a = put("done"), b = put("again"), c = put("dead"), d = put("untouched");
  end(a, {});
  end_request move{.how = end_kind::move, .due = at(77), .attempt = 2};
  move.payload = bytes_of("new");
  end(b, move);
  end(c, {.how = end_kind::kill, .why = "no use"});
  crash();
  EXPECT_TRUE(knows());
  const auto now = left();
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(std::tuple(now.at("again").due, now.at("again").attempt, now.at("again").payload),
            std::tuple(at(77), 2u, bytes_of("new")));
  EXPECT_EQ(std::tuple(now.at("untouched").id, now.at("untouched").attempt), std::tuple(d.id, 1u));
  EXPECT_EQ(left(true).size(), 1u);
}

TEST_F(AFileWithARing, CarriesOutWhatAHandlerAskedForAfterTheEnd) {
  const record a = put("a"), b = put("b"), c = put("c");
  record next = timer("a", next_id++, at(50));
  end(a, {}, {put_request{next, put_mode::keep}});
  const end_request move{.how = end_kind::move, .due = at(60)};
  end(b, move, {cancel_request{0, "b", 9}});
  // Another timer has the key by then, and the cancel has had no answer.
  end(c, {}, {cancel_request{0, "c", 9}});
  EXPECT_EQ(on().put(timer("c", next_id++, at(70)), put_mode::replace), change_status::replaced);
  crash();
  const auto now = left();
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(std::tuple(now.at("a").id, now.at("a").due), std::tuple(next.id, at(50)));
  EXPECT_EQ(now.at("c").due, at(70));
}

TEST_F(AFileWithARing, MarksWhatRan) {
  record a = put("a"), b = put("b");
  put("c");
  begin(a);
  begin(b);
  crash();
  EXPECT_TRUE(knows());
  EXPECT_EQ(attempts::of(left().at("a").attempt), (attempts{1, 0, 1})) << "it may have been the other one";
  EXPECT_EQ(attempts::of(left().at("b").attempt), (attempts{1, 0, 1}));
  EXPECT_EQ(left().at("c").attempt, 1u);
  a = left().at("a");
  begin(a);
  crash();
  EXPECT_EQ(attempts::of(left().at("a").attempt), (attempts{1, 1, 2})) << "nothing else ran";
  crash();
  EXPECT_EQ(attempts::of(left().at("a").attempt), (attempts{1, 1, 2})) << "nothing ran at all";
}

TEST_F(AFileWithARing, LeavesAMarkThatIsThereAlready) {
  const record a = put("a");
  const take_result term = on().take(0);
  begin(a);
  end_request mark = end_of({0, term.fence}, a, end_kind::move);
  mark.due = a.due;
  mark.attempt = attempts{1, 1, 1}.stored();
  EXPECT_EQ(on().end(mark), change_status::ended);
  crash();
  EXPECT_EQ(left().at("a").attempt, mark.attempt);
}

TEST_F(AFileWithARing, KnowsNothingWithoutIt) {
  end(put("a"), {});
  its.reset();
  fs::remove(path + ".ring");
  its = open();
  EXPECT_FALSE(knows());
  EXPECT_EQ(left().at("a").attempt, 1u);
  crash();
  EXPECT_TRUE(knows());
}

TEST_F(AFileWithARing, KnowsNothingWhereNotAllRunsHadAPlace) {
  end(put("a"), {});
  const record b = put("b");
  while (begin(b) != run_journal::nowhere) {
  }
  crash();
  EXPECT_FALSE(knows());
  EXPECT_FALSE(left().contains("a"));
}

// A backup that is brought back while the ring is that of what came after it.
TEST_F(AFileWithARing, IsNotTakenForThatOfABackup) {
  put("a");
  const std::string kept = directory.file("kept");
  const auto copy = [&](const std::string& from, const std::string& to) {
    for (const char* part : {"", "-wal"}) fs::copy_file(from + part, to + part, fs::copy_options::overwrite_existing);
  };
  copy(path, kept);
  std::this_thread::sleep_for(1100ms);
  const record b = put("b");
  end(left().at("a"), {});
  its.reset();
  fs::remove(path + "-shm");
  copy(kept, path);
  its = open();
  EXPECT_FALSE(knows());
  EXPECT_TRUE(left().contains("a"));
  EXPECT_FALSE(left().contains(b.key));
}

TEST_F(AFileWithARing, IsWithoutOneWhereItIsOnlyRead) {
  put("a");
  const auto beside = sqlite_store(path, {.read_only = true});
  EXPECT_EQ(beside->journal(), nullptr);
}

}  // namespace
}  // namespace durable_test
