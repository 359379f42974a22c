// SPDX-License-Identifier: MIT
#include "counters/counters_search.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>

#include "counters/counters_file.hpp"
#include "host/name_spaces.hpp"
#include "support/counters_image.hpp"
#include "support/ordinary_user.hpp"
#include "support/temporary_directory.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

class engines_of_a_host : public testing::Test {
 protected:
  // Returns the verdict on a live engine's file while /proc is as the test has made it.
  std::string said() const {
    test::counters_image image;
    counters_layout::header header = image.header();
    header.process = 500;
    header.process_start = 123456;
    image.put(header);
    const counters_snapshot read = counters_file(directory.write("live", image.bytes())).read();
    try {
      require_owner(read, host_files(directory.path()));
      return "";
    } catch (const input_error& refusal) {
      return refusal.what();
    }
  }
  void process(const std::string& name, const std::string& state, const std::string& start) const {
    directory.write("proc/500/stat", fmt::format("500 ({}) {} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 {} 20 21\n",
                                                 name, state, start));
  }

  test::temporary_directory directory;
};
using CountersSearch = engines_of_a_host;

TEST_F(CountersSearch, FindsTheFilesThatAreNamedAsEnginesNameThem) {
  for (const char* name : {"detent.30.2", "detent.30.10", "detent.4.1", "detent.30", "detent.x.1", "detent.30.1.gz",
                           ".detent.30.3.30.3", "detent.-1.2", "other.1.1"}) {
    directory.write(name, "");
  }
  const std::string at = directory.path() + "/detent.";
  EXPECT_EQ(counters_files_of_host(directory.path()), (std::vector{at + "4.1", at + "30.2", at + "30.10"}));
  EXPECT_EQ(counters_files_of(30'000'000, directory.path()), std::vector<std::string>());
  const std::string orders = directory.write("orders.counters", test::counters_image().bytes());
  directory.write(".orders.counters.30.4", test::counters_image().bytes());  // a file that is not complete yet
  EXPECT_EQ(counters_files_of_host(directory.path()), (std::vector{at + "4.1", at + "30.2", at + "30.10", orders}));
  EXPECT_EQ(automatic_files_of_host(directory.path()).size(), 3u);
  EXPECT_EQ(counters_files_of_host(directory.path() + "/none"), std::vector<std::string>());
}

TEST_F(CountersSearch, FindsWhateverCountersFilesAProcessHasMapped) {
  const std::string path = directory.write("counters of mine", test::counters_image().bytes());
  const std::string other = directory.write("other", std::string(4'096, 'x'));
  std::vector<void*> mapped;
  for (const std::string& each : {path, other}) {
    const int file = ::open(each.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    mapped.push_back(::mmap(nullptr, 4'096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    ::close(file);
    ASSERT_NE(mapped.back(), MAP_FAILED);
  }
  const auto found = counters_files_of(::getpid(), directory.path());
  for (void* each : mapped) ::munmap(each, 4'096);
  const std::string real = std::filesystem::canonical(path).string();
  EXPECT_EQ(std::count(found.begin(), found.end(), real), 1);
  EXPECT_EQ(std::count(found.begin(), found.end(), std::filesystem::canonical(other).string()), 0);
}

// A file on which the engine holds, or has held, a lock.
class locked_file : public engines_of_a_host {
 protected:
  locked_file() {
    header.locked = 1;
    header.process_namespace = own_name_spaces().processes;
  }
  // The complaint about the file on this host.
  std::string said_here() {
    image.put(header);
    const std::string path = directory.write("locked", image.bytes());
    const int held = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (is_held) ::flock(held, LOCK_EX | LOCK_NB);
    std::string said;
    try {
      require_owner(counters_file(path).read());
    } catch (const input_error& refusal) {
      said = refusal.what();
    }
    ::close(held);
    return said;
  }

  const std::string stale = directory.path() + "/locked: stale: ";
  const std::uint64_t elsewhere = own_name_spaces().processes + 1;
  test::counters_image image;
  counters_layout::header header = image.header();
  bool is_held = true;
};
using CountersLock = locked_file;

TEST_F(CountersLock, ShowsThatAnEngineLivesWhateverItsProcessIsCalledThere) {
  EXPECT_EQ(said_here(), "");
  header.process_namespace = elsewhere;
  for (const std::int64_t process : {1, 999'999'999}) {
    header.process = process;
    header.process_start = 1;
    EXPECT_EQ(said_here(), "");
  }
}

TEST_F(CountersLock, ThatNobodyHoldsShowsThatTheEngineHasGone) {
  is_held = false;
  EXPECT_EQ(said_here(), stale + fmt::format("process {} continues without this engine", ::getpid()));
  header.process_namespace = elsewhere;
  EXPECT_EQ(said_here(), stale + fmt::format("process {} of another namespace is gone", ::getpid()));
  header.process_namespace = own_name_spaces().processes;
  header.process = 999'999'999;
  EXPECT_EQ(said_here(), stale + "process 999999999 is gone");
}

TEST_F(CountersLock, ThatAStrangerHoldsShowsNoEngine) {
  header.process = 999'999'999;
  EXPECT_EQ(said_here(), stale + "process 999999999 is gone");
  header.process = std::int64_t{1} << 32;
  EXPECT_EQ(said_here(), stale + "process 4294967296 is gone");
  header.process = ::getpid();
  ++header.process_start;
  EXPECT_EQ(said_here(), stale + fmt::format("another process has the id {} by now", ::getpid()));
}

TEST_F(CountersLock, OfAnOlderEngineIsEnoughAndNotNeeded) {
  header.header_bytes = offsetof(counters_layout::header, locked);
  for (const bool held : {true, false}) {
    is_held = held;
    EXPECT_EQ(said_here(), "") << held;
  }
  header.process = 999'999'999;
  EXPECT_EQ(said_here(), stale + "process 999999999 is gone");
}

TEST_F(CountersLock, WhereThereIsNoneAnotherNamespaceIsNoGuess) {
  header.locked = 0;
  header.process_namespace = elsewhere;
  is_held = false;
  EXPECT_NE(said_here().find("cannot tell"), std::string::npos);
}

TEST_F(CountersLock, OfAnotherTimeNamespaceStartsAreNotCompared) {
  header.locked = 0;
  is_held = false;
  header.since_boot_offset = own_name_spaces().since_boot_offset + 864'000'000'000'000;
  ++header.process_start;
  EXPECT_EQ(said_here(), "");
  header.since_boot_offset = own_name_spaces().since_boot_offset;
  EXPECT_NE(said_here(), "");
}

TEST_F(CountersSearch, AnEngineLivesWithItsProcess) {
  const std::string stale = directory.path() + "/live: stale: ";
  EXPECT_EQ(said(), stale + "process 500 is gone");
  process("server", "Z", "123456");
  EXPECT_EQ(said(), stale + "process 500 is gone");
  process("server", "S", "123457");
  EXPECT_EQ(said(), stale + "another process has the id 500 by now");
  process("server", "S", "123456");
  EXPECT_EQ(said(), "");
  process("a) R 1 (b", "R", "123456");
  EXPECT_EQ(said(), "");
}

TEST_F(CountersSearch, AnEndedEngineNeedsNoProcess) {
  test::counters_image image;
  counters_layout::header header = image.header();
  header.process = 500;
  header.state = static_cast<std::uint32_t>(counters_layout::file_state::ended);
  image.put(header);
  const auto read = counters_file(directory.write("live", image.bytes())).read();
  EXPECT_NO_THROW(require_owner(read, host_files(directory.path())));
}

}  // namespace
}  // namespace detent::tool
