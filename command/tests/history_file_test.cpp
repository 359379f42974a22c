// SPDX-License-Identifier: MIT
// The file in which `detent console` keeps an hour: what survives a restart, and what is not taken for a history.
#include "console/history_file.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

using namespace std::chrono_literals;

constexpr console_time noon{std::chrono::hours(12)};
constexpr std::size_t head_at = 16, records_at = 4096 + 640 * 512, record_bytes = 64;

class HistoryFile : public testing::Test {
 protected:
  HistoryFile() {
    std::string name = testing::TempDir() + "detent-history-XXXXXX";
    directory_ = mkdtemp(name.data());
    path_ = directory_ + "/history";
  }
  ~HistoryFile() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<history_file> open(std::chrono::microseconds length = 1h) const {
    return std::make_unique<history_file>("--history", path_, length);
  }
  std::string refusal(std::chrono::microseconds length = 1h) const {
    try {
      open(length);
    } catch (const input_error& refused) {
      return refused.what();
    }
    return "accepted";
  }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void leave(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  std::string directory_, path_;
};

kept_sample sample_at(console_time at, float pending = 0) {
  kept_sample made;
  made.at = at;
  made.seconds = 10;
  made.p50 = 100;
  made.p99 = 1'000;
  made.most = 2e9F;
  made.scheduled = 7.5F;
  made.fired = 6;
  made.pending = pending;
  made.judged = severity::bad;
  return made;
}

bool same(const kept_sample& a, const kept_sample& b) {
  return a.at == b.at && a.seconds == b.seconds && a.p50 == b.p50 && a.p99 == b.p99 && a.most == b.most &&
         a.scheduled == b.scheduled && a.fired == b.fired && a.cancelled == b.cancelled && a.missed == b.missed &&
         a.pending == b.pending && a.judged == b.judged;
}

const kept_engine orders{"e1.0-42", "orders, \"n\u00e4chste\"", 4711};

// Fills place 0 with a whole hour.
void fill(history_file& file) {
  for (int i = 359; i >= 0; --i) file.write(0, orders, sample_at(noon - i * 10s, static_cast<float>(i)));
}

TEST_F(HistoryFile, KeepsAnHourOverARestart) {
  {
    const auto file = open();
    EXPECT_EQ(file->note(), "");
    fill(*file);
    file->write(7, {"s1-2-3", "shards x4", 1}, sample_at(noon - 30s));
  }
  const auto kept = open()->read(noon);
  ASSERT_EQ(kept.size(), most_kept);
  EXPECT_EQ((std::vector{kept[0].engine.id, kept[0].engine.name, kept[7].engine.name}),
            (std::vector<std::string>{orders.id, orders.name, "shards x4"}));
  EXPECT_EQ(kept[0].engine.process, 4711);
  ASSERT_EQ(kept[0].samples.size(), kept_steps);
  for (std::size_t i = 0; i != kept_steps; ++i)
    EXPECT_TRUE(
        same(kept[0].samples[i], sample_at(noon - (359 - static_cast<int>(i)) * 10s, static_cast<float>(359 - i))));
  EXPECT_EQ(kept[7].samples.size(), 1U);
  EXPECT_EQ(kept[1].engine.id, "");
  EXPECT_EQ(open()->read(noon + 30min)[0].samples.size(), kept_steps / 2);
  EXPECT_EQ(open()->read(noon - 1min)[0].samples.size(), kept_steps - 6) << "those of the future are left out";
}

TEST_F(HistoryFile, IsBoundedAndTakesNoRoomForPlacesWithoutAnEngine) {
  const auto file = open();
  fill(*file);
  file->write(most_kept - 1, {"e2.0-1", "last", 1}, sample_at(noon));
  for (int i = 0; i != 1000; ++i) file->write(most_kept - 1, {"e2.0-1", "last", 1}, sample_at(noon + i * 10s));
  struct stat status = {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_LE(status.st_size, 15'100'000);
  EXPECT_LE(status.st_blocks * 512, 100'000);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(HistoryFile, GivesAPlaceToAnotherEngine) {
  const auto file = open();
  fill(*file);
  file->write(0, {"e3.0-9", "later", 3}, sample_at(noon + 10s));
  const auto kept = file->read(noon + 10s);
  EXPECT_EQ(kept[0].engine.id, "e3.0-9");
  EXPECT_EQ(kept[0].samples.size(), 1U) << "the others are of the engine that was there before";
}

TEST_F(HistoryFile, LeavesAFileOfAnythingElseAsItIs) {
  for (const std::string& text : {std::string("x"), std::string(5000, 'y'), std::string("detent history")}) {
    leave(text);
    EXPECT_NE(refusal().find("it is not a history of the console"), std::string::npos) << refusal();
    EXPECT_EQ(bytes(), text);
  }
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(refusal().find("not a regular file"), std::string::npos);
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_NE(refusal().find("--history: '"), std::string::npos);
}

TEST_F(HistoryFile, IsBegunAnewWhereItCannotBeContinuedAndSaysWhy) {
  const auto begun_anew = [&](const std::string& why, std::chrono::microseconds length = 1h) {
    auto file = open(length);
    EXPECT_NE(file->note().find("started over: " + why), std::string::npos) << file->note();
    EXPECT_EQ(file->read(noon)[0].samples.size(), 0U);
    fill(*file);
    file.reset();
    EXPECT_EQ(open(length)->note(), "");
  };
  fill(*open());
  begun_anew("it keeps 3600 s, and --keep says 7200 s", 2h);
  std::string changed = bytes();
  changed[head_at + 4] = 9;
  leave(changed);
  begun_anew("it is of version 9, and this console writes version 1");
  changed = bytes();
  changed[head_at + 12] ^= 1;
  leave(changed);
  begun_anew("its head is damaged");
  leave(bytes().substr(0, 20));
  begun_anew("its head is damaged");
  leave("");
  EXPECT_EQ(open()->note(), "");
}

// Everything that was cut or changed after the head is left out, and the rest is shown.
TEST_F(HistoryFile, LosesNoMoreThanWhatIsDamaged) {
  fill(*open());
  const std::string whole = bytes();
  const unsigned seed = std::random_device()();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  for (int round = 0; round != 50; ++round) {
    std::string changed = whole;
    std::set<std::size_t> hit;
    for (int i = 0; i != 20; ++i) {
      const std::size_t at = records_at + random() % (kept_steps * record_bytes);
      changed[at] = static_cast<char>(changed[at] ^ static_cast<char>(1 + random() % 255));
      hit.insert((at - records_at) / record_bytes);
    }
    // Cuts within a record; its last figures are zeros, which a cut would not change.
    const std::size_t size = records_at + random() % kept_steps * record_bytes + random() % 40;
    if (round % 2 == 0) changed.resize(size);
    leave(changed);
    const auto kept = open()->read(noon);
    std::size_t sound = kept_steps - hit.size();
    if (round % 2 == 0) {
      sound = 0;
      for (std::size_t i = 0; i != (size - records_at) / record_bytes; ++i) sound += hit.contains(i) ? 0U : 1U;
    }
    EXPECT_EQ(kept[0].samples.size(), sound);
    for (const kept_sample& each : kept[0].samples)
      EXPECT_TRUE(same(each, sample_at(each.at, static_cast<float>((noon - each.at) / 10s))));
  }
}

TEST_F(HistoryFile, TakesNoFigureThatIsNoneEvenWithTheRightChecksum) {
  fill(*open());
  std::string changed = bytes();
  for (std::size_t i = 0; i != 3; ++i) {
    char* const record = changed.data() + records_at + i * record_bytes;
    const float wrong[] = {std::numeric_limits<float>::quiet_NaN(), -1, std::numeric_limits<float>::infinity()};
    std::memcpy(record + 24, &wrong[i], sizeof(float));
    const auto sum = static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(record + 4), record_bytes - 4));
    std::memcpy(record, &sum, sizeof sum);
  }
  leave(changed);
  EXPECT_EQ(open()->read(noon)[0].samples.size(), kept_steps - 3);
}

TEST_F(HistoryFile, GoesOnOnceAFullDiskHasRoomAgain) {
  const auto file = open();
  file->write(0, orders, sample_at(noon - 20s));
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = records_at;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(file->write(0, orders, sample_at(noon - 10s)), input_error);
  EXPECT_THROW(file->write(1, {"e5.0-5", "other", 5}, sample_at(noon - 10s)), input_error);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  file->write(0, orders, sample_at(noon));
  file->write(1, {"e5.0-5", "other", 5}, sample_at(noon));
  const auto kept = file->read(noon);
  EXPECT_EQ(kept[0].samples.size(), 2U);
  EXPECT_EQ(kept[1].samples.size(), 1U);
}

}  // namespace
}  // namespace detent::tool
