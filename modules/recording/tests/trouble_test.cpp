// SPDX-License-Identifier: MIT
// A recording that cannot be made, or not to the end: it is reported in one line, counted, and hinders nothing else.
#include <detent/detent.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "../src/recording_limits.hpp"
#include "../src/trace_file.hpp"
#include "../src/trace_writer.hpp"
#include "hostile/drop_privileges.hpp"
#include "support/counters_file.hpp"
#include "support/drive_problem.hpp"
#include "support/engine_eventually.hpp"
#include "support/joined_thread.hpp"
#include "support/leaks_of_parent_only.hpp"
#include "support/platform/mapped_clock.hpp"
#include "support/recorded_trace.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;
using testing::recorded_trace;
using testing::recording_place;

std::uint64_t lines_in(const std::string& text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// Makes `pairs` pairs of a schedule and a cancel.
void schedule_and_cancel(engine& e, int pairs) {
  for (int i = 0; i < pairs; ++i) e.schedule_after(1h, [] {}).cancel();
}

void expect_refusal(const std::string& path, errc code, const std::string& why) {
  SCOPED_TRACE(path);
  const auto problem = problem_of([&] { engine e({.name = "e", .record = path}); });
  EXPECT_EQ(problem.code, make_error_code(code));
  EXPECT_TRUE(problem.names("engine \"e\": record = \"" + path + "\": " + why)) << problem.what;
}

TEST(EngineRecordRefused, NamesThePathAndTheReason) {
  recording_place place;
  expect_refusal(place.path("none/trace.csv"), errc::invalid_option, "No such file or directory");
  expect_refusal(place.path("."), errc::invalid_option, "Is a directory");
  expect_refusal(place.path(std::string(300, 'x')), errc::invalid_option, "File name too long");
  const auto with_nul = problem_of([&] { engine e({.record = std::string("a\0b", 3)}); });
  EXPECT_EQ(with_nul.code, make_error_code(errc::invalid_option));
  EXPECT_TRUE(with_nul.names("record = \"a\": a file's name has no NUL in it")) << with_nul.what;
  expect_refusal("/dev/full", errc::limit_reached, "No space left on device");
}

TEST(EngineRecordRefused, WhereAnotherEngineRecordsToTheFile) {
  recording_place place;
  {
    engine first({.record = place.path()});
    expect_refusal(place.path(), errc::not_permitted, "another engine is recording to it");
    first.schedule_after(1h, [] {});
  }
  EXPECT_EQ(recorded_trace::of_file(place.path()).rows.size(), 1u);
  engine later({.record = place.path()});
}

TEST(EngineRecordDiskFull, EndsInOneLineOfComplaintAndTheTraceSaysWhatIsMissing) {
  recording_place place;
  engine e({.name = "e", .record = place.path()});
  ::testing::internal::CaptureStderr();
  {
    hostile::lowered_limit limit(RLIMIT_FSIZE, 10'000);
    schedule_and_cancel(e, 2000);
    e.stop();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "detent: engine \"e\": record = \"" + place.path() + "\": File too large; the recording ends here\n");
  const auto trace = recorded_trace::of_file(place.path());
  EXPECT_GT(trace.rows.size(), 100u);
  EXPECT_EQ(trace.rows.size() + trace.dropped, 4000u);
  EXPECT_EQ(e.metrics().cancelled, 2000u);
}

// Covers every byte of a line, and every place in a block, as the first one that does not fit.
TEST(EngineRecordDiskFull, SaysWhatIsMissingWhereverTheRoomEnds) {
  for (int room = 400; room < 640; ++room) {
    SCOPED_TRACE(room);
    recording_place place;
    engine e({.record = place.path()});
    ::testing::internal::CaptureStderr();
    {
      hostile::lowered_limit limit(RLIMIT_FSIZE, static_cast<rlim_t>(room));
      schedule_and_cancel(e, 50);
      e.stop();
    }
    ::testing::internal::GetCapturedStderr();
    const auto trace = recorded_trace::of_file(place.path());
    EXPECT_EQ(trace.rows.size() + trace.dropped, 100u);
  }
}

TEST(EngineRecordDiskFull, IsShownByTheCountersToo) {
  recording_place place;
  drive::scratch_folder folder;
  manual_clock clock;
  engine e({.manual = &clock, .counters_file = folder / "counters", .record = place.path()});
  ::testing::internal::CaptureStderr();
  {
    hostile::lowered_limit limit(RLIMIT_FSIZE, 1'000);
    EXPECT_TRUE(testing::eventually([&] {
      schedule_and_cancel(e, 100);
      e.poll();
      return drive::counters_file(folder / "counters").value(counters_layout::gauge::record_dropped) > 0;
    }));
  }
  ::testing::internal::GetCapturedStderr();
}

// The caller's own mask is restored.
TEST(EngineRecordSignals, AreTheCallersAgain) {
  recording_place place;
  sigset_t some, before, after;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &some, nullptr);
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  engine e({.record = place.path()});
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  sigemptyset(&some);
  pthread_sigmask(SIG_SETMASK, &some, nullptr);
  for (int each = 1; each < SIGRTMIN; ++each) EXPECT_EQ(sigismember(&after, each), sigismember(&before, each)) << each;
}

TEST(EngineRecordDiskFull, LosesNoLossThatALostLineReported) {
  recording_place place;
  detail::trace_file file;
  std::string why;
  ASSERT_EQ(file.open(place.path(), "e", why), errc{}) << why;
  ASSERT_EQ(file.begin(why), errc{}) << why;
  ::testing::internal::CaptureStderr();
  signal(SIGXFSZ, SIG_IGN);
  {
    hostile::lowered_limit limit(RLIMIT_FSIZE, 80);
    const auto lost = file.write("1,S,1,1,x\n2,S,2,1,x\n3,S,3,1,x\n# dropped 5\n4,S,4,1,x\n# dropped 70\n");
    EXPECT_EQ(lost.rows, 2u);  // two were written and made room for the last words
    EXPECT_EQ(lost.reported, 75u);
    file.close(77);
  }
  signal(SIGXFSZ, SIG_DFL);
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(recorded_trace::of_file(place.path()).dropped, 77u);
}

// Covers losses that the file reports, and those that it does not.
TEST(EngineRecordDiskFull, KnowsWhichLossesTheFileReports) {
  recording_place place;
  detail::trace_file file;
  std::string why;
  ASSERT_EQ(file.open(place.path(), "e", why), errc{}) << why;
  ASSERT_EQ(file.begin(why), errc{}) << why;
  auto rows = std::make_unique<detail::trace_writer>(file, 0, detail::tick_grid(1));
  ::testing::internal::CaptureStderr();
  signal(SIGXFSZ, SIG_IGN);
  {
    hostile::lowered_limit limit(RLIMIT_FSIZE, 1'000);
    for (std::uint32_t i = 0; i < 100; ++i) rows->add({.id = i, .kind = detail::operation_kind::schedule}, 5);
    rows->flush();
  }
  signal(SIGXFSZ, SIG_DFL);
  ::testing::internal::GetCapturedStderr();
  const std::uint64_t reported = rows->reported();
  file.close(0);
  const auto trace = recorded_trace::of_file(place.path());
  EXPECT_GT(trace.dropped, 0u);
  EXPECT_EQ(trace.dropped, reported);
  EXPECT_EQ(trace.rows.size() + rows->take_lost(), 100u);
}

// A pipe takes 64 KiB and then blocks the writing thread until it is read.
class stalled_pipe {
 public:
  explicit stalled_pipe(const std::string& path) {
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    end_ = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  }
  ~stalled_pipe() { close_end(); }
  void close_end() {
    if (end_ >= 0) close(end_);
    end_ = -1;
  }
  // Reads until the last writer has closed the pipe.
  std::string read_all() {
    fcntl(end_, F_SETFL, 0);
    std::string all;
    std::array<char, 65536> part;
    for (ssize_t count = 0; (count = read(end_, part.data(), part.size())) > 0;)
      all.append(part.data(), static_cast<std::size_t>(count));
    return all;
  }

 private:
  int end_ = -1;
};

TEST(EngineRecordStalled, HoldsUpNobodyAndCountsWhatItDrops) {
  recording_place place;
  stalled_pipe pipe(place.path());
  engine e({.record = place.path()});
  testing::on_threads(2, [&] { schedule_and_cancel(e, 60'000); });  // the pipe is not read during this
  EXPECT_EQ(e.metrics().cancelled, 120'000u);
  std::string written;
  std::thread reader([&] { written = pipe.read_all(); });
  e.stop();
  reader.join();
  const auto trace = recorded_trace(std::istringstream(written));
  EXPECT_GE(trace.rows.size(), detail::limits::recording_room);
  EXPECT_GT(trace.dropped, 0u);
  EXPECT_EQ(trace.rows.size() + trace.dropped, 240'000u);
}

TEST(EngineRecordStalled, SurvivesAReaderThatGoes) {
  recording_place place;
  ::testing::internal::CaptureStderr();
  {
    stalled_pipe pipe(place.path());
    engine e({.record = place.path()});
    pipe.close_end();
    schedule_and_cancel(e, 10);
    e.stop();
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines_in(said), 1u) << said;
  EXPECT_NE(said.find("Broken pipe"), std::string::npos) << said;
}

TEST(EngineRecordEnd, LearnsNothingOfAGroupThatOutlivesTheClock) {
  recording_place place;
  testing::mapped_clock clock;
  std::optional<timer_group> outlives;
  {
    engine ends({.drive = drive_kind::caller, .manual = clock.get(), .record = place.path()});
    outlives.emplace(ends).schedule_after(10ns, [] {});
  }
  clock.end();
  outlives.reset();
  EXPECT_EQ(recorded_trace::of_file(place.path()).text(), "0,S,a,10,schedule\n");
}

TEST(EngineRecordFork, ChildWritesNothing) {
  recording_place place;
  {
    auto owned = std::make_unique<engine>(engine_options{.record = place.path()});
    timer pending = owned->schedule_after(1h, [] {});
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 3; ++i) pending.restart_after(1h);
      pending.cancel();
      owned.reset();
      std::exit(0);
    }
    int status = -1;
    ASSERT_TRUE(testing::eventually([&] { return waitpid(child, &status, WNOHANG) == child; }));
    EXPECT_EQ(status, 0);
    owned->schedule_after(1h, [] {});
  }
  const auto trace = recorded_trace::of_file(place.path());
  EXPECT_EQ(trace.count('S'), 2u);
  EXPECT_EQ(trace.rows.size(), 2u);
}

TEST(EngineRecordFork, ChildKeepsNobodyFromTheFile) {
  recording_place place;
  pid_t child = -1;
  {
    engine e({.record = place.path()});
    child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
  }
  EXPECT_NO_THROW(engine({.record = place.path()}));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace detent
