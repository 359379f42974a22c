// SPDX-License-Identifier: MIT
#include "../src/counters_file_memory.hpp"

#include <detent/counters_layout.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>
#include <cstring>

#include <filesystem>
#include <set>
#include <string>

#include "hostile/drop_privileges.hpp"
#include "hostile/in_child.hpp"
#include "support/counters_file.hpp"
#include "support/leaks_of_parent_only.hpp"
#include "support/platform/process.hpp"

namespace detent::detail {
namespace {

using drive::bytes_of;
using drive::scratch_folder;
using drive::write_bytes;

constexpr std::size_t page = 4096;
// A file that begins with this may be replaced.
const std::string magic(counters_layout::magic, sizeof(counters_layout::magic));

TEST(CountersMemory, AFileHasItsNameWhenItIsComplete) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  counters_file_memory memory(path);
  ASSERT_TRUE(memory.problem().empty()) << memory.problem();
  std::byte* at = memory.map(0, 2 * page);
  ASSERT_NE(at, nullptr);
  at[page] = std::byte{7};
  EXPECT_FALSE(std::filesystem::exists(path));
  for (const auto& each : std::filesystem::directory_iterator(folder.path))
    EXPECT_EQ(each.path().filename().string().front(), '.') << each.path();
  ASSERT_TRUE(memory.publish());
  EXPECT_EQ(folder.files(), 1u);
  EXPECT_EQ(bytes_of(path).size(), 2 * page);
  EXPECT_EQ(bytes_of(path)[page], 7);
  at[page + 1] = std::byte{8};
  EXPECT_EQ(bytes_of(path)[page + 1], 8);
}

TEST(CountersMemory, NorAreOtherThingsThanFilesReplaced) {
  scratch_folder folder;
  std::filesystem::create_directory(folder / "folder");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* name : {"folder", "pipe"}) {
    counters_file_memory memory(folder / name);
    EXPECT_NE(memory.problem().find(folder / name), std::string::npos) << name;
  }
  EXPECT_TRUE(std::filesystem::is_directory(folder / "folder"));
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  EXPECT_EQ(folder.files(), 2u);
}

TEST(CountersMemory, AStaleFileIsReplaced) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  write_bytes(path, magic + "of an engine that is no more");
  counters_file_memory memory(path);
  ASSERT_TRUE(memory.problem().empty()) << memory.problem();
  ASSERT_NE(memory.map(0, page), nullptr);
  EXPECT_EQ(bytes_of(path).substr(0, 8), magic);
  ASSERT_TRUE(memory.publish());
  EXPECT_EQ(bytes_of(path), std::string(page, '\0'));
  EXPECT_EQ(folder.files(), 1u);
}

// It cannot be seen whether the file is foreign.
TEST(CountersMemory, AFileThatMayNotBeReadIsLeftAlone) {
  scratch_folder folder;
  std::filesystem::permissions(folder.path, std::filesystem::perms(0777));
  const std::string path = folder / "secret";
  write_bytes(path, "dear diary");
  std::filesystem::permissions(path, std::filesystem::perms(0));
  hostile::expect_in_child([&] {
    ASSERT_TRUE(hostile::drop_privileges());
    counters_file_memory memory(path);
    EXPECT_NE(memory.problem().find(path), std::string::npos) << memory.problem();
    if (memory.map(0, page) != nullptr) memory.publish();
  });
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  EXPECT_EQ(bytes_of(path), "dear diary");
}

TEST(CountersMemory, AutoLeavesWhatIsInItsPlaceByNow) {
  const auto files = [] {
    std::set<std::string> found;
    for (const auto& each : std::filesystem::directory_iterator("/dev/shm")) found.insert(each.path());
    return found;
  };
  const std::set<std::string> before = files();
  std::string path;
  {
    counters_file_memory memory("auto");
    ASSERT_NE(memory.map(0, page), nullptr);
    ASSERT_TRUE(memory.publish());
    for (const std::string& each : files()) {
      if (before.count(each) == 0 && each.find("." + std::to_string(getpid()) + ".") != std::string::npos) path = each;
    }
    ASSERT_FALSE(path.empty());
    std::filesystem::remove(path);
    write_bytes(path, "another's");
  }
  EXPECT_EQ(bytes_of(path), "another's");
  std::filesystem::remove(path);
}

TEST(CountersMemory, LeavesNoDescriptorOpen) {
  scratch_folder folder;
  const std::size_t before = drive::descriptors();
  for (int i = 0; i < 3; ++i) {
    counters_file_memory memory(folder / "counters");  // in place of the one before
    std::byte* const at = memory.map(0, page);
    ASSERT_NE(at, nullptr);
    std::memcpy(at, magic.data(), magic.size());
    ASSERT_TRUE(memory.publish());
  }
  EXPECT_EQ(drive::descriptors(), before);
  counters_file_memory memory(folder / "counters");
  hostile::expect_in_child([&] {
    memory.make_private();
    EXPECT_EQ(drive::descriptors(), before);
  });
}

}  // namespace
}  // namespace detent::detail
