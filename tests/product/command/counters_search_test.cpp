// SPDX-License-Identifier: MIT
#include "counters/counters_search.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "counters/counters_file.hpp"
#include "support/counters_image.hpp"
#include "support/ordinary_user.hpp"
#include "support/temporary_directory.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

class engines_of_a_host : public testing::Test {
 protected:
  // What is said of a live engine's file while /proc is as the test made it.
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
  EXPECT_EQ(counters_files_of_host(directory.path() + "/none"), std::vector<std::string>());
}

TEST_F(CountersSearch, ADirectoryThatMayNotBeListedIsNotAnEmptyOne) {
  std::filesystem::permissions(directory.path(), std::filesystem::perms::none);
  const auto said_of = [](const auto& look) -> std::string {
    const test::ordinary_user restricted;
    try {
      look();
      return "";
    } catch (const input_error& refusal) {
      return refusal.what();
    }
  };
  const std::string refusal = directory.path() + ": cannot be listed: Permission denied";
  EXPECT_EQ(said_of([&] { counters_files_of_host(directory.path()); }), refusal);
  EXPECT_EQ(said_of([&] { counters_files_of(::getpid(), directory.path()); }), refusal);
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
  EXPECT_EQ(said_of([&] { counters_files_of_host("/dev/shm"); }), "");
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

TEST_F(CountersSearch, ALiveEnginesProcessIsThere) {
  process("server", "S", "123456");
  EXPECT_EQ(said(), "");
  process("a) R 1 (b", "R", "123456");
  EXPECT_EQ(said(), "");
}

TEST_F(CountersSearch, AnEngineWhoseProcessIsGoneIsStale) {
  EXPECT_EQ(said(), directory.path() + "/live: stale: process 500 is gone");
  process("server", "Z", "123456");
  EXPECT_EQ(said(), directory.path() + "/live: stale: process 500 is gone");
}

TEST_F(CountersSearch, AnotherProcessWithTheSameIdIsNotTheEngines) {
  process("server", "S", "123457");
  EXPECT_EQ(said(), directory.path() + "/live: stale: another process has the id 500 by now");
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
