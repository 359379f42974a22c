// SPDX-License-Identifier: MIT
// A counters file whose process was killed keeps its figures for a day, and goes after that.
#include "../src/leftovers.hpp"

#include <detent/counters_layout.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "support/temporary_directory.hpp"

namespace detent::detail {
namespace {

class CountersLeftovers : public testing::Test {
 protected:
  // Returns the header of a file whose engine holds, or has held, the lock.
  std::string left(const std::string& name, std::uint32_t locked = 1) const {
    counters_layout::header header{};
    std::memcpy(header.magic, counters_layout::magic, sizeof header.magic);
    header.locked = locked;
    return directory_.write(name, {reinterpret_cast<const char*>(&header), sizeof header});
  }
  static void set_time_back(const std::string& path, time_t seconds) {
    const timespec then[2] = {{.tv_sec = time(nullptr) - seconds, .tv_nsec = 0},
                              {.tv_sec = time(nullptr) - seconds, .tv_nsec = 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), then, 0), 0);
  }
  void age() const { age_leftovers(directory_.path().c_str()); }

  static constexpr time_t a_day = 24 * 60 * 60;

 private:
  test::temporary_directory directory_;
};

TEST_F(CountersLeftovers, AreKeptForADayAfterTheyWereFoundThoughTheirEngineWroteThemLongAgo) {
  const std::string path = left("detent.4194305.1");
  set_time_back(path, 30 * a_day);
  age();
  age();
  ASSERT_TRUE(std::filesystem::exists(path));
  set_time_back(path, a_day - 100);
  age();
  ASSERT_TRUE(std::filesystem::exists(path));
  set_time_back(path, a_day + 1);
  age();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(CountersLeftovers, OfAnEngineThatLivesStay) {
  const std::string path = left("detent.4194305.1");
  const int held = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  ASSERT_EQ(::fchmod(held, 0444), 0);  // as by a program that forbids itself to write
  set_time_back(path, 30 * a_day);
  age();
  EXPECT_TRUE(std::filesystem::exists(path));
  ::close(held);
}

TEST_F(CountersLeftovers, AreOnlyFilesThatAnEngineHasNamedAndLocked) {
  const std::string others[] = {left("detent.1.2", 0), left("detent.gateway"), left("detent.1."), left("orders.1.2")};
  for (const std::string& each : others) {
    ASSERT_EQ(::chmod(each.c_str(), 0444), 0);
    set_time_back(each, 30 * a_day);
  }
  const std::string target = left("target");
  ASSERT_EQ(::chmod(target.c_str(), 0444), 0);
  set_time_back(target, 30 * a_day);
  const std::string link = target.substr(0, target.rfind('/')) + "/detent.1.3";
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  age();
  for (const std::string& each : others) EXPECT_TRUE(std::filesystem::exists(each)) << each;
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::exists(target));
}

}  // namespace
}  // namespace detent::detail
