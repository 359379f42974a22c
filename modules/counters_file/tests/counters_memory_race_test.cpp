// SPDX-License-Identifier: MIT
// Several that want one counters file at the same moment: one gets it, and a file that is written is never replaced.
#include "../src/counters_file_memory.hpp"

#include <detent/counters_layout.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <barrier>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "support/counters_file.hpp"
#include "support/drive_problem.hpp"
#include "support/platform/process.hpp"

namespace detent::detail {
namespace {

using drive::bytes_of;
using drive::scratch_folder;
using drive::write_bytes;

constexpr std::size_t page = 4096;
// A file that begins with this may be replaced.
const std::string magic(counters_layout::magic, sizeof(counters_layout::magic));

// Makes a file as an engine does.
std::unique_ptr<counters_file_memory> begun(const std::string& path) {
  auto memory = std::make_unique<counters_file_memory>(path);
  if (std::byte* at = memory->map(0, page)) magic.copy(reinterpret_cast<char*>(at), magic.size());
  return memory;
}
ino_t identity_of(const std::string& path) {
  struct stat reported {};
  return stat(path.c_str(), &reported) == 0 ? reported.st_ino : 0;
}

TEST(CountersMemoryRace, OfTwoThatAreMadeAtOnceOneGetsTheFile) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  const auto first = begun(path), second = begun(path);
  EXPECT_TRUE(first->problem().empty()) << first->problem();
  EXPECT_TRUE(second->problem().empty()) << second->problem();
  ASSERT_TRUE(first->publish());
  const ino_t live = identity_of(path);
  EXPECT_FALSE(second->publish());
  EXPECT_EQ(second->problem(),
            "counters_file = \"" + path + "\": another engine writes it; give each a file of its own, or \"auto\"");
  EXPECT_EQ(identity_of(path), live);
}

TEST(CountersMemoryRace, OfTwoThatWouldReplaceAStaleFileOneDoes) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  write_bytes(path, magic);
  auto first = begun(path);
  EXPECT_TRUE(first->problem().empty()) << first->problem();
  EXPECT_EQ(begun(path)->problem(),
            "counters_file = \"" + path + "\": another engine writes it; give each a file of its own, or \"auto\"");
  ASSERT_TRUE(first->publish()) << first->problem();
  EXPECT_EQ(begun(path)->problem(),
            "counters_file = \"" + path + "\": another engine writes it; give each a file of its own, or \"auto\"");
  first = nullptr;
  const auto next = begun(path);
  EXPECT_TRUE(next->is_file() && next->publish()) << next->problem();
  EXPECT_EQ(folder.files(), 1u);
}

TEST(CountersMemoryRace, AStaleFileThatIsALiveOneByThenIsLeftAlone) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  write_bytes(path, magic);
  const auto first = begun(path);
  std::filesystem::remove(path);
  const auto second = begun(path);
  ASSERT_TRUE(second->publish());
  const ino_t live = identity_of(path);
  EXPECT_FALSE(first->publish());
  EXPECT_EQ(identity_of(path), live);
}

TEST(CountersMemoryRace, AnAutomaticNameThatIsTakenByThenIsAnother) {
  const std::string folder = "/dev/shm/", made = ".detent." + std::to_string(getpid()) + ".";
  counters_file_memory memory("auto");
  ASSERT_NE(memory.map(0, page), nullptr) << memory.problem();
  std::string theirs;
  for (const std::string& each : drive::entries_of(folder.c_str())) {
    if (each.rfind(made, 0) == 0) theirs = folder + each.substr(1, each.find('.', made.size()) - 1);
  }
  ASSERT_FALSE(theirs.empty());
  write_bytes(theirs, "a stranger's");
  EXPECT_TRUE(memory.publish()) << memory.problem();
  EXPECT_EQ(bytes_of(theirs), "a stranger's");
  memory.withdraw();
  EXPECT_EQ(bytes_of(theirs), "a stranger's");
  std::filesystem::remove(theirs);
}

// A child that was forked while the engine was being made has a copy of its descriptor, and may live on.
TEST(CountersMemoryRace, AChildKeepsNoFileInUse) {
  scratch_folder folder;
  const std::string path = folder / "counters";
  auto memory = begun(path);
  ASSERT_TRUE(memory->publish());
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  memory = nullptr;
  EXPECT_EQ(begun(path)->problem(), "");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(CountersMemoryRace, OfTwoEnginesThatAreMadeAtOnceOneGetsTheFileAndTheOtherLearnsWhy) {
  constexpr int rounds = 50;
  scratch_folder folder;
  const std::string path = folder / "counters";
  for (int round = 0; round != rounds; ++round) {
    if (round % 2 == 0) std::filesystem::remove(path);  // otherwise the last round's file is replaced
    std::optional<engine> made[2];
    drive::problem problems[2];
    std::barrier both(2);
    auto make = [&](std::size_t mine) {
      both.arrive_and_wait();
      problems[mine] = drive::problem_of([&] {
        made[mine].emplace(engine_options{.drive = drive_kind::caller, .reserve = 0, .counters_file = path});
      });
    };
    std::thread other(make, 1);
    make(0);
    other.join();
    ASSERT_NE(made[0].has_value(), made[1].has_value()) << "round " << round;
    const std::size_t refused = made[0] ? 1 : 0;
    EXPECT_EQ(problems[refused].code, errc::not_permitted);
    EXPECT_TRUE(problems[refused].names(path + "\": another engine writes it")) << problems[refused].what;
    EXPECT_EQ(folder.files(), 1u);
    made[1 - refused]->schedule_after(std::chrono::hours(1), [] {});
    EXPECT_EQ(drive::counters_file(path).total(counters_layout::counter::scheduled), 1u) << "the file is the other's";
  }
}

}  // namespace
}  // namespace detent::detail
