// SPDX-License-Identifier: MIT
// Processes that are killed at random moments amid a backlog. The ring says of each run whether it has ended, and calls
// no other run under way.
#include "../src/sqlite/ring.hpp"
#include "seed.hpp"
#include "temporary_directory.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace durable_test {
namespace {

using namespace detent::durable;
using namespace std::chrono_literals;
using detail::left_ring;
using detail::left_run;
using detail::ring;

constexpr std::size_t executors = 3, unwritten = 200, most_timers = 1 << 20;

// How far each timer's last run has really come, in memory that outlives the process that writes it.
enum class fact : std::uint8_t { nothing, called, about_to_end, ended };
struct evidence {
  std::atomic<std::uint64_t> next, lives;
  std::atomic<fact> of[most_timers];
};

std::string key_of(std::uint64_t id) { return std::string(1 + id % 200, 'k') + std::to_string(id); }
// Every seventh run has more to leave, and sometimes too much.
end_request end_of(std::uint64_t id) {
  end_request out;
  if (id % 7 != 0) return out;
  out.how = end_kind::move;
  out.due = stored_time(std::chrono::microseconds(id));
  out.payload.emplace(id * 17 % 1200, static_cast<std::byte>(id));
  return out;
}

// One process: its executors run timers, and a thread writes into the file what has ended, as a store would.
[[noreturn]] void live(const std::string& path, int store, std::uint64_t generation, std::vector<std::uint64_t> again,
                       evidence& seen) {
  ring its(path, generation, true);
  its.make_room(unwritten + executors);
  std::mutex lock;
  std::vector<std::pair<std::uint64_t, ring::place>> ends;
  std::atomic<std::size_t> unwritten_ends = 0;
  const auto execute = [&] {
    while (true) {
      std::uint64_t id = 0;
      {
        const std::lock_guard locked(lock);
        if (unwritten_ends >= unwritten) continue;
        id = again.empty() ? seen.next++ : again.back();
        if (!again.empty()) again.pop_back();
        ++unwritten_ends;
      }
      if (id >= most_timers) _exit(2);
      record what;
      what.id = id;
      what.key = key_of(id);
      const ring::place place = its.begin(what);
      seen.of[id] = fact::called;
      for (const auto until = std::chrono::steady_clock::now() + 3us; std::chrono::steady_clock::now() < until;) {
      }
      seen.of[id] = fact::about_to_end;
      its.end(place, end_of(id), {});
      seen.of[id] = fact::ended;
      const std::lock_guard locked(lock);
      ends.emplace_back(id, place);
    }
  };
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < executors; ++i) all.emplace_back(execute);
  ++seen.lives;
  while (true) {
    std::vector<std::pair<std::uint64_t, ring::place>> some;
    {
      const std::lock_guard locked(lock);
      some.swap(ends);
    }
    std::vector<std::uint64_t> ids;
    std::vector<ring::place> places;
    for (const auto& [id, place] : some) {
      ids.push_back(id);
      places.push_back(place);
    }
    const auto bytes = static_cast<ssize_t>(ids.size() * sizeof ids[0]);
    if (::write(store, ids.data(), static_cast<std::size_t>(bytes)) != bytes) _exit(1);
    its.release(places);
    unwritten_ends -= ids.size();
    std::this_thread::sleep_for(200us);
  }
}

class LivesOfAProcess : public testing::Test {
 protected:
  temporary_directory directory;
  const std::string path = directory.file("ring");
  const int store = ::open(directory.file("store").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  evidence& seen = *static_cast<evidence*>(
      ::mmap(nullptr, sizeof(evidence), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::set<std::uint64_t> stored;
  std::vector<std::uint64_t> again;
  std::size_t under_way = 0, rescued = 0, untold = 0;

  ~LivesOfAProcess() override {
    ::munmap(&seen, sizeof(evidence));
    ::close(store);
  }

  void live_until(std::chrono::microseconds after, std::uint64_t generation) {
    const std::uint64_t before = seen.lives;
    const pid_t child = ::fork();
    if (child == 0) live(path, store, generation, again, seen);
    while (seen.lives == before) std::this_thread::yield();
    std::this_thread::sleep_for(after);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "ended by itself: " << WEXITSTATUS(status);
    read_store();
  }

  void read_store() {
    std::vector<std::uint64_t> ids(1 << 16);
    ::lseek(store, static_cast<off_t>(stored_bytes_), SEEK_SET);
    for (ssize_t got = 0; (got = ::read(store, ids.data(), ids.size() * sizeof ids[0])) > 0;) {
      stored.insert(ids.begin(), ids.begin() + got / static_cast<ssize_t>(sizeof ids[0]));
      stored_bytes_ += static_cast<std::size_t>(got);
    }
  }

  // The next process opens it.
  void judge(std::uint64_t generation, std::uint64_t first) {
    const left_ring left = ring::read(path, generation);
    ASSERT_TRUE(left.is_known);
    EXPECT_TRUE(left.is_complete);
    std::map<std::uint64_t, const left_run*> runs;
    for (const left_run& its : left.runs) {
      EXPECT_TRUE(runs.emplace(its.id, &its).second) << "twice: " << its.id;
      EXPECT_EQ(its.key, key_of(its.id));
    }
    std::vector<std::uint64_t> candidates = again;
    for (std::uint64_t id = first; id < seen.next; ++id) candidates.push_back(id);
    again.clear();
    std::size_t running = 0;
    for (const std::uint64_t id : candidates) {
      const auto found = runs.find(id);
      const fact was = seen.of[id];
      if (found == runs.end()) {
        EXPECT_TRUE(stored.contains(id) || was == fact::nothing) << "there is no trace of its run: " << id;
        if (!stored.contains(id)) again.push_back(id);
        continue;
      }
      const left_run& its = *found->second;
      runs.erase(found);
      if (its.was == left_run::state::under_way) {
        EXPECT_NE(was, fact::ended) << "it has ended: " << id;
        EXPECT_FALSE(stored.contains(id)) << id;
        ++running;
      } else {
        EXPECT_GE(was, fact::about_to_end) << "it has not ended: " << id;
      }
      if (its.was == left_run::state::ended) {
        const end_request wanted = end_of(id);
        EXPECT_EQ(its.left.end.payload, wanted.payload);
        EXPECT_EQ(its.left.end.due, wanted.due);
        rescued += stored.insert(id).second;
      } else if (!stored.contains(id)) {
        untold += its.was == left_run::state::ended_untold;
        again.push_back(id);
      }
    }
    for (const std::uint64_t id : again) seen.of[id] = fact::nothing;
    EXPECT_LE(running, executors);
    EXPECT_TRUE(runs.empty()) << "it never ran: " << runs.begin()->first;
    under_way += running;
  }

 private:
  std::size_t stored_bytes_ = 0;
};

TEST_F(LivesOfAProcess, AreKnownToTheNextOne) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (std::uint64_t life = 1; life <= 60 && !HasFailure(); ++life) {
    const std::uint64_t first = seen.next;
    ASSERT_NO_FATAL_FAILURE(live_until(std::chrono::microseconds(random() % 4000), life));
    judge(life, first);
  }
  std::cout << seen.next << " timers; under way when a process was killed: " << under_way
            << ", ended and not stored: " << rescued << ", of more than the ring has room for: " << untold << '\n';
  EXPECT_GT(under_way, 0u);
  EXPECT_GT(rescued, 0u);
}

}  // namespace
}  // namespace durable_test
