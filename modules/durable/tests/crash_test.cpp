// SPDX-License-Identifier: MIT
// A process that is killed while it writes, and a machine that loses its power: what counted as stored is there.
#include "forgetful_disk.hpp"
#include "histories.hpp"
#include "sqlite_bed.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <random>
#include <set>

namespace durable_test {
namespace {

constexpr std::uint64_t batch = 20, done_mark = 1ull << 63;

enum class end_of_process { kill, power_cut };

// Puts batches and ends half of each, and says after each step how far it is.
[[noreturn]] void work(const std::string& path, int to, end_of_process by) {
  if (by == end_of_process::power_cut) forgetful_disk::install();
  const auto in =
      sqlite_store(path, {.durability = by == end_of_process::power_cut ? sqlite_options::sync::each_commit
                                                                        : sqlite_options::sync::at_checkpoints});
  asker on{*in};
  const term_ref term{0, on.take(0).fence};
  const std::uint64_t before = on.list({.limit = 1'000'000}).size();
  for (std::uint64_t next = 1'000'000 + before * 1'000; true; next += batch) {
    std::vector<change> puts, ends;
    for (std::uint64_t id = next; id < next + batch; ++id) {
      const record its = timer(std::to_string(id), id, at(1));
      puts.push_back(put_request{its, {}});
      if (id % 2 == next % 2) ends.push_back(end_of(term, its));
    }
    std::vector<change_status> stored(batch);
    if (in->apply(puts, stored) != errc{}) _exit(1);
    if (::write(to, &next, sizeof next) != sizeof next) _exit(1);
    std::vector<change_status> ended(ends.size());
    if (in->apply(ends, ended) != errc{}) _exit(1);
    const std::uint64_t done = next | done_mark;
    if (::write(to, &done, sizeof done) != sizeof done) _exit(1);
  }
}

class AStoreThatLosesItsProcess : public testing::Test {
 protected:
  temporary_directory directory;
  const std::string path = directory.file("timers");
  std::set<std::string> stored, ended, perhaps_ended;

  void end_amid_writing(std::chrono::milliseconds after, end_of_process by) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    if (by == end_of_process::power_cut) forgetful_disk::begin(path);
    const pid_t child = fork();
    if (child == 0) {
      try {
        work(path, ends[1], by);
      } catch (const std::exception& problem) {
        std::fprintf(stderr, "the process that writes: %s\n", problem.what());
      }
      _exit(1);
    }
    close(ends[1]);
    std::uint64_t step = 0;
    ASSERT_EQ(read(ends[0], &step, sizeof step), ssize_t{sizeof step}) << "it did not begin";
    note(step);
    std::this_thread::sleep_for(after);
    kill(child, SIGKILL);
    while (read(ends[0], &step, sizeof step) == ssize_t{sizeof step}) note(step);
    close(ends[0]);
    // The ends of the last batch may be in the file without a word of it.
    const std::uint64_t last = step & ~done_mark;
    for (std::uint64_t id = last; id < last + batch; id += 2) perhaps_ended.insert(std::to_string(id));
    waitpid(child, nullptr, 0);
    if (by == end_of_process::power_cut) forgetful_disk::lose_power(path);
  }
  void note(std::uint64_t step) {
    const bool done = (step & done_mark) != 0;
    const std::uint64_t first = step & ~done_mark;
    for (std::uint64_t id = first; id < first + batch; id += done ? 2 : 1)
      (done ? ended : stored).insert(std::to_string(id));
  }
  // How many that counted as stored, or as ended, are not so.
  std::size_t broken() {
    const auto again = sqlite_store(path);
    std::set<std::string> there;
    for (const auto& its : asker{*again}.list({.limit = 1'000'000})) there.insert(its.what.key);
    std::size_t wrong = 0;
    for (const std::string& key : ended) wrong += there.contains(key);
    for (const std::string& key : stored)
      wrong += !there.contains(key) && !ended.contains(key) && !perhaps_ended.contains(key);
    return wrong;
  }
  void integrity() {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
    std::string answer;
    const auto keep = [](void* to, int, char** words, char**) {
      *static_cast<std::string*>(to) = words[0];
      return 0;
    };
    sqlite3_exec(file, "PRAGMA integrity_check", keep, &answer, nullptr);
    sqlite3_close(file);
    EXPECT_EQ(answer, "ok");
  }
  void several_times(end_of_process by) {
    const std::uint64_t seed = seed_of_run();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int round = 0; round < 5 && !HasFailure(); ++round) {
      end_amid_writing(milliseconds(random() % 80), by);
      if (HasFailure()) return;
      EXPECT_EQ(broken(), 0u) << "of " << stored.size();
      integrity();
    }
  }
};

TEST_F(AStoreThatLosesItsProcess, HasWhatItSaidItHad) { several_times(end_of_process::kill); }

TEST_F(AStoreThatLosesItsProcess, HasItAfterAPowerCut) { several_times(end_of_process::power_cut); }

}  // namespace
}  // namespace durable_test
