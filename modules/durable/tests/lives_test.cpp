// SPDX-License-Identifier: MIT
// A process that is killed amid a backlog, several times: what its handlers have done is not done again, and a timer
// that kills it is given up.
#include "nodes.hpp"
#include "temporary_directory.hpp"

#include <detent/durable_sqlite.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace durable_test {
namespace {

class LivesThatAreCutShort : public testing::Test {
 protected:
  temporary_directory directory;
  const std::string path = directory.file("timers"), book = directory.file("book");

  std::shared_ptr<store> open() const {
    return sqlite_store(path, {.durability = sqlite_options::sync::at_checkpoints, .shards = 4});
  }
  void note(const std::string& line) const {
    std::FILE* const to = std::fopen(book.c_str(), "a");
    std::fprintf(to, "%s\n", line.c_str());
    std::fclose(to);
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    std::ifstream from(book);
    for (std::string line; std::getline(from, line);) out.push_back(line);
    return out;
  }
  // In a child. Whether it has come to its end.
  template <class Life>
  bool live(Life&& life) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        life();
        _exit(0);
      } catch (const std::exception& problem) {
        std::fprintf(stderr, "a life: %s\n", problem.what());
      }
      _exit(1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return !WIFSIGNALED(status);
  }
  void put(const std::vector<std::string>& keys) {
    EXPECT_TRUE(live([&] {
      detent::engine engine;
      timers on(engine, open());
      for (const std::string& key : keys) on.schedule_after(0s, key == "poison" ? key : "work", {}, {.key = key});
      if (!on.flush(60s)) _exit(1);
    }));
  }
  // Runs what is due, until nothing is left, or it is killed in its run of that number.
  void work(int dies_in) {
    detent::engine engine;
    std::atomic<int> runs{0};
    // So rarely are ends written that many of them are in no file when it is killed.
    timers on(engine, open(), {.flush = 100ms, .unwritten = 64, .on_dead = [this](const dead_timer& its) {
                                 note("dead " + std::string(its.why) + ' ' + std::to_string(its.attempts));
                               }});
    on.handle("work", [&](job& of) {
      const std::string payload(reinterpret_cast<const char*>(of.payload().data()), of.payload().size());
      note(std::string(of.key()) + payload);
      if (++runs == dies_in) ::kill(::getpid(), SIGKILL);
      return payload.empty() && of.key().ends_with('3') ? outcome::again_after(0s, bytes(" again")) : outcome::done();
    });
    on.handle("poison",
              [&](job& of) {
                note("poison " + std::to_string(of.attempt()));
                ::kill(::getpid(), SIGKILL);
                return outcome::done();
              },
              {.max_attempts = 3});
    on.start();
    if (!soon([&] { return on.list({}).empty(); })) _exit(1);
  }
};

std::vector<std::string> many_keys(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back("k" + std::to_string(i));
  return out;
}

TEST_F(LivesThatAreCutShort, RunNothingAgainThatHadEnded) {
  put(many_keys(1300));
  std::set<std::string> ran, last_ones;
  std::size_t had = 0;
  for (bool goes_on = true; goes_on;) {
    ASSERT_LT(last_ones.size(), 20u) << "it comes to no end";
    goes_on = !live([&] { work(last_ones.empty() ? 1250 : 50); });  // at first, more than the ring has room for
    const auto now = lines();
    for (; had < now.size(); ++had)
      EXPECT_TRUE(ran.insert(now[had]).second || last_ones.contains(now[had])) << now[had] << " ran again";
    if (goes_on) last_ones.insert(now.back());  // one thread runs them: all before it had ended
  }
  EXPECT_GE(last_ones.size(), 3u);
  EXPECT_EQ(ran.size(), 1430u);
}

TEST_F(LivesThatAreCutShort, GiveUpTheTimerThatCutsThemAndNoOther) {
  auto keys = many_keys(20);
  keys.insert(keys.begin() + 10, "poison");
  put(keys);
  for (int life = 0; !live([&] { work(0); });) ASSERT_LT(++life, 10);
  std::map<std::string, int> times;
  for (const std::string& line : lines()) ++times[line];
  EXPECT_EQ(times["poison 1"] + times["poison 2"] + times["poison 3"], 3);
  EXPECT_EQ(times["dead its process ended during the run 3"], 1);
  EXPECT_EQ(times.size(), 20u + 2 + 3 + 1);
  for (const auto& [line, count] : times) EXPECT_EQ(count, 1) << line;
  detent::engine engine;
  timers on(engine, open());
  const auto dead = on.list({.dead = true});
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(std::tuple(dead[0].key, dead[0].attempt, dead[0].why),
            std::tuple(std::string("poison"), 3u, std::string("its process ended during the run")));
}

}  // namespace
}  // namespace durable_test
