// SPDX-License-Identifier: MIT
// The lock by which others see, in every namespace, that an engine lives.
#include "../src/counters_file_memory.hpp"

#include <detent/counters_layout.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "support/counters_file.hpp"
#include "support/leaks_of_parent_only.hpp"

namespace detent::detail {
namespace {

using drive::scratch_folder;
using drive::write_bytes;

constexpr std::size_t page = 4096;

// Asks as another program does.
std::string lock_of(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "no file";
  const bool taken = flock(file, LOCK_SH | LOCK_NB) == 0;
  const int reason = errno;
  ::close(file);
  return taken ? "free" : reason == EWOULDBLOCK ? "held" : std::strerror(reason);
}

std::unique_ptr<counters_file_memory> live(const std::string& path) {
  auto made = std::make_unique<counters_file_memory>(path);
  std::byte* const at = made->map(0, page);
  if (at != nullptr) std::memcpy(at, counters_layout::magic, sizeof(counters_layout::magic));
  EXPECT_TRUE(made->publish()) << made->problem();
  return made;
}

// A process that makes a file, forks a child which calls `in_child` and then waits, and is killed itself.
class killed_parent {
 public:
  template <class InChild>
  killed_parent(const std::string& path, InChild in_child) {
    int ready[2];
    if (::pipe(ready) != 0) std::abort();
    const pid_t parent = fork();
    if (parent == 0) {
      auto memory = live(path);
      const pid_t child = fork();
      if (child == 0) {
        in_child(*memory);
        const pid_t own = getpid();
        if (::write(ready[1], &own, sizeof own) != sizeof own) _exit(1);
        pause();
      }
      pause();
      _exit(0);
    }
    if (::read(ready[0], &child_, sizeof child_) != sizeof child_) std::abort();
    ::close(ready[0]);
    ::close(ready[1]);
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
  }
  killed_parent(const killed_parent&) = delete;
  killed_parent& operator=(const killed_parent&) = delete;
  ~killed_parent() { kill(child_, SIGKILL); }

 private:
  pid_t child_ = 0;
};

TEST(CountersLock, IsHeldAsLongAsTheEngineLives) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  auto memory = live(path);
  EXPECT_TRUE(memory->is_locked());
  EXPECT_EQ(lock_of(path), "held");
  memory = nullptr;
  EXPECT_EQ(lock_of(path), "free");
}

TEST(CountersLock, EndsWithItsProcessThoughAChildThatHasDisownedItLivesOn) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  const killed_parent gone(path, [](counters_file_memory& memory) { memory.make_private(); });
  EXPECT_EQ(lock_of(path), "free");
  EXPECT_EQ(counters_file_memory(path).problem(), "");
}

TEST(CountersLock, EndsWithItsProcessThoughAChildLivesOnThatKnowsNothingOfIt) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  const killed_parent gone(path, [](counters_file_memory&) {});
  EXPECT_EQ(lock_of(path), "free");
  EXPECT_EQ(counters_file_memory(path).problem(), "");
}

TEST(CountersLock, OfTheParentStaysWhenAChildEnds) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  auto memory = live(path);
  const pid_t child = fork();
  if (child == 0) {
    memory->make_private();
    memory = nullptr;
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(lock_of(path), "held");
}

TEST(CountersLock, AReaderThatLooksAtThatMomentKeepsNobodyFromReplacingAFile) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  write_bytes(path, std::string(counters_layout::magic, sizeof(counters_layout::magic)));
  const int reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(reader, LOCK_SH | LOCK_NB), 0);
  std::thread looks([reader] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::close(reader);
  });
  const counters_file_memory memory(path);
  looks.join();
  EXPECT_EQ(memory.problem(), "");
}

}  // namespace
}  // namespace detent::detail
