// SPDX-License-Identifier: MIT
// A counters file is made, removed or refused, and a forked child leaves its parent's alone.
#include <detent/detent.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <csignal>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hostile/drop_privileges.hpp"
#include "hostile/in_child.hpp"
#include "support/counters_file.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/leaks_of_parent_only.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using counters_layout::counter;
using counters_layout::file_state;
using drive::at;
using drive::bytes_of;
using drive::counters_file;
using drive::problem_of;
using drive::scratch_folder;
using drive::write_bytes;

engine_options with_file(const std::string& path, engine_options options = {}) {
  options.counters_file = path;
  return options;
}

// Returns this process's files in shared memory, including hidden ones.
std::vector<std::string> auto_files() {
  const std::string begin = "detent." + std::to_string(getpid()) + ".";
  std::vector<std::string> found;
  for (const std::string& name : drive::entries_of("/dev/shm"))
    if (name.find(begin) != std::string::npos) found.push_back("/dev/shm/" + name);
  return found;
}

TEST(EngineCountersFileEnds, StaysAndSaysSo) {
  scratch_folder folder;
  {
    drive::virtual_engine rig(with_file(folder / "counters"));
    rig.engine.schedule_at(at(10), [] {});
    EXPECT_EQ(counters_file(folder / "counters").state(), file_state::live);
    rig.engine.stop();
    EXPECT_EQ(counters_file(folder / "counters").state(), file_state::live);  // its counts can still be read
  }
  EXPECT_EQ(counters_file(folder / "counters").state(), file_state::ended);
  EXPECT_EQ(counters_file(folder / "counters").total(counter::returned), 1u);
}

TEST(EngineCountersFileEnds, AutoGoesWithItsEngine) {
  {
    engine one(with_file("auto"));
    engine two(with_file("auto"));
    const std::vector<std::string> found = auto_files();
    ASSERT_EQ(found.size(), 2u);
    for (const std::string& each : found) {
      EXPECT_EQ(counters_file(each).state(), file_state::live);
      EXPECT_EQ(each.rfind("/dev/shm/detent." + std::to_string(getpid()) + ".", 0), 0u) << each;
    }
  }
  EXPECT_TRUE(auto_files().empty());
}

TEST(EngineCountersFileEnds, AutoGoesThoughTimersAreHeldElsewhere) {
  timer kept;
  auto e = std::make_unique<engine>(with_file("auto"));
  const label mine = e->make_label("mine");
  kept = e->schedule_after(1h, [] {}, {.label = mine});
  timer_group outlives(*e);
  e.reset();
  EXPECT_TRUE(auto_files().empty());
}

TEST(EngineCountersFileEnds, TheNextEngineReplacesIt) {
  scratch_folder folder;
  for (int i = 0; i < 3; ++i) {
    engine e(with_file(folder / "counters"));
    EXPECT_EQ(counters_file(folder / "counters").total(counter::scheduled), 0u);
    e.schedule_after(1h, [] {});
    EXPECT_EQ(folder.files(), 1u);
  }
}

// The name of the next file that this process makes ends with this.
std::string next_mark() {
  drive::virtual_engine rig(with_file("auto"));
  const std::string path = auto_files().at(0);
  const auto number = std::stoull(path.substr(path.rfind('.') + 1));
  return std::to_string(getpid()) + "." + std::to_string(number + 1);
}

// Containers may share this memory and have processes with equal ids.
TEST(EngineCountersFileEnds, AutoTakesANameThatIsNobodysYet) {
  const std::string theirs = "/dev/shm/detent." + next_mark();
  write_bytes(theirs, "another's");
  {
    drive::virtual_engine rig(with_file("auto"));
    EXPECT_EQ(auto_files().size(), 2u);
  }
  EXPECT_EQ(auto_files(), std::vector<std::string>{theirs});
  EXPECT_EQ(bytes_of(theirs), "another's");
  std::filesystem::remove(theirs);
}

TEST(EngineCountersFileEnds, WhatAProcessWithThisIdNeverFinishedIsInNobodysWay) {
  scratch_folder folder;
  const std::string theirs = folder / (".counters." + next_mark());
  write_bytes(theirs, "another's");
  drive::virtual_engine rig(with_file(folder / "counters"));
  EXPECT_EQ(counters_file(folder / "counters").state(), file_state::live);
  EXPECT_EQ(bytes_of(theirs), "another's");
}

TEST(EngineCountersFileEnds, AForeignFileIsRefusedInOneLineAndLeftAlone) {
  scratch_folder folder;
  const std::string path = folder / "notes";
  const std::size_t threads = drive::threads(), descriptors = drive::descriptors();
  for (const std::string& theirs : {std::string(), std::string("det"), std::string("detent#d and more"),
                                    std::string("dear diary, ..."), std::string(1 << 16, 'x')}) {
    write_bytes(path, theirs);
    const auto problem = problem_of([&] { engine refused(with_file(path)); });
    EXPECT_EQ(problem.code, errc::invalid_option);
    EXPECT_TRUE(problem.names("counters_file = \"" + path)) << problem.what;
    EXPECT_FALSE(problem.names("\n")) << problem.what;
    EXPECT_EQ(bytes_of(path), theirs);
    EXPECT_EQ(folder.files(), 1u);
    failure code;
    EXPECT_FALSE(engine::try_create(with_file(path), code));
    EXPECT_EQ(code, errc::invalid_option);
    EXPECT_EQ(code.message(), problem.what);
  }
  EXPECT_EQ(drive::threads(), threads);
  EXPECT_EQ(drive::descriptors(), descriptors);
}

TEST(EngineCountersFileEnds, WhereItMayNotWrite) {
  scratch_folder folder;
  std::filesystem::permissions(folder.path, std::filesystem::perms(0555));
  hostile::expect_in_child([&] {
    ASSERT_TRUE(hostile::drop_privileges());
    const auto problem = problem_of([&] { engine refused(with_file(folder / "counters")); });
    EXPECT_EQ(problem.code, errc::not_permitted);
    EXPECT_TRUE(problem.names("counters_file = \"" + (folder / "counters"))) << problem.what;
  });
}

TEST(EngineCountersFileEnds, WhereThereIsNoRoomForIt) {
  scratch_folder folder;
  hostile::expect_in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    hostile::lowered_limit limit(RLIMIT_FSIZE, counters_layout::labels_offset / 2);
    const auto problem = problem_of([&] { engine refused(with_file(folder / "counters")); });
    EXPECT_EQ(problem.code, errc::limit_reached);
    EXPECT_TRUE(problem.names("counters_file = \"" + (folder / "counters"))) << problem.what;
    EXPECT_TRUE(problem.names("raise RLIMIT_FSIZE, which is ")) << problem.what;
    EXPECT_EQ(folder.files(), 0u);
  });
}

TEST(EngineCountersFileEnds, WhereThereIsNoRoomForALabel) {
  scratch_folder folder;
  hostile::expect_in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    hostile::lowered_limit limit(RLIMIT_FSIZE, counters_layout::labels_offset + counters_layout::label_stride);
    drive::virtual_engine rig(with_file(folder / "counters"));
    const label first = rig.engine.make_label("first");
    const auto problem = problem_of([&] { rig.engine.make_label("second"); });
    EXPECT_EQ(problem.code, errc::limit_reached);
    EXPECT_TRUE(problem.names("counters_file = ") && problem.names("second")) << problem.what;
    EXPECT_EQ(counters_file(folder / "counters").header.labels_in_use, 1u);
    rig.engine.schedule_at(at(10), [] {}, {.label = first});
    rig.poll_at(at(10));
    EXPECT_EQ(rig.engine.metrics(first).fired, 1u);
  });
}

// Changes that a forked child makes to its parent's engine stay in the child.
template <class Body>
void expect_untouched_by_child(const std::string& asked, Body&& body) {
  scratch_folder folder;
  std::optional<drive::virtual_engine> rig(with_file(asked == "auto" ? asked : folder / asked));
  const std::string path = asked == "auto" ? auto_files().at(0) : folder / asked;
  const label mine = rig->engine.make_label("mine");
  timer one = rig->engine.schedule_at(at(10), [] {}, {.label = mine});
  rig->engine.poll();
  const std::string before = bytes_of(path);
  hostile::expect_in_child([&] { body(rig, one); });
  EXPECT_TRUE(std::filesystem::exists(path));
  const std::string after = bytes_of(path);
  EXPECT_EQ(after.size(), before.size());
  EXPECT_TRUE(after == before);
  EXPECT_EQ(counters_file(path).state(), file_state::live);
  EXPECT_EQ(rig->engine.make_label("next").name(), "next");
  EXPECT_EQ(counters_file(path).label_name(1), "next");
}

TEST(EngineCountersFileFork, AChildsCallsAreNotCounted) {
  for (const char* asked : {"auto", "counters"}) {
    expect_untouched_by_child(asked, [](auto& rig, timer one) {
      EXPECT_FALSE(rig->engine.try_schedule_at(at(10), [] {}));
      one.cancel();
      one.restart_at(at(20));
    });
  }
}

TEST(EngineCountersFileFork, AChildMayDestroyTheEngine) {
  for (const char* asked : {"auto", "counters"})
    expect_untouched_by_child(asked, [](auto& rig, timer) { rig.reset(); });
}

TEST(EngineCountersFileFork, AChildMayExit) {
  for (const char* asked : {"auto", "counters"}) expect_untouched_by_child(asked, [](auto&, timer) {});
}

TEST(EngineCountersFileFork, AChildsLabelsAreNotItsParents) {
  expect_untouched_by_child("counters", [](auto& rig, timer) {
    try {
      rig->engine.make_label("child's");
    } catch (const error&) {
      // It may be refused or be the child's own.
    }
  });
}

// Otherwise the program would hold the lock of each file as long as it runs.
TEST(EngineCountersFileFork, AnotherProgramInheritsNoFile) {
  scratch_folder folder;
  drive::virtual_engine rig(with_file(folder / "counters", {.record = folder / "trace.csv"}));
  std::size_t open = 0;
  for (const std::string& each : drive::entries_of("/proc/self/fd")) {
    std::error_code none;  // ends the use of the folder
    const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/fd/" + each, none);
    if (file.parent_path() != std::filesystem::canonical(folder.path)) continue;
    ++open;
    EXPECT_NE(fcntl(std::stoi(each), F_GETFD) & FD_CLOEXEC, 0) << file;
  }
  EXPECT_EQ(open, 2u);
}

// It has no worker, which a thread sanitizer forbids in such a child.
TEST(EngineCountersFileFork, AChildMayHaveAnEngineOfItsOwn) {
  engine e(with_file("auto"));
  const std::vector<std::string> before = auto_files();
  hostile::expect_in_child([] {
    drive::virtual_engine own(with_file("auto"));
    EXPECT_EQ(auto_files().size(), 1u);
  });
  EXPECT_EQ(auto_files(), before);
}

}  // namespace
}  // namespace detent
