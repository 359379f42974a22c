// SPDX-License-Identifier: MIT
// A disk that is full refuses timers, and lets those that are there run and end.
#include "nodes.hpp"
#include "sqlite_bed.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>

namespace durable_test {
namespace {

// SQLite's own way to the disk, which has no more blocks to give while it is full.
class small_disk {
 public:
  static void install() {
    real_ = sqlite3_vfs_find(nullptr);
    ours_ = *real_;
    ours_.zName = "small";
    ours_.xOpen = open;
    sqlite3_vfs_register(&ours_, 1);
  }
  static inline std::atomic<bool> is_full{false};

 private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* given) {
    const int code = real_->xOpen(real_, name, file, flags, given);
    if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
    methods_ = *file->pMethods;
    control_ = methods_.xFileControl;
    write_ = methods_.xWrite;
    methods_.xFileControl = control;
    methods_.xWrite = write;
    file->pMethods = &methods_;
    return code;
  }
  static int control(sqlite3_file* file, int what, void* value) {
    return is_full && what == SQLITE_FCNTL_SIZE_HINT ? SQLITE_FULL : control_(file, what, value);
  }
  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
    sqlite3_int64 size = 0;
    methods_.xFileSize(file, &size);
    return is_full && at + count > size ? SQLITE_FULL : write_(file, bytes, count, at);
  }

  static inline sqlite3_vfs* real_ = nullptr;
  static inline sqlite3_vfs ours_{};
  static inline sqlite3_io_methods methods_{};
  static inline decltype(sqlite3_io_methods::xFileControl) control_ = nullptr;
  static inline decltype(sqlite3_io_methods::xWrite) write_ = nullptr;
};

// Enough ends that the log is carried over into the file and begins anew, more than once.
TEST(AFullDisk, RefusesTimersAndLetsThoseThatAreThereEnd) {
  constexpr int timers = 30000;
  small_disk::install();
  const temporary_directory directory;
  journal book;
  a_node node(sqlite_store(directory.file("timers"), {.most_bytes = std::size_t{1} << 40}), book);
  const std::string body(300, 'b');
  for (int i = 0; i < timers; ++i) node.on.schedule_after(0s, "write", bytes(body));
  ASSERT_TRUE(node.on.flush(60s));
  small_disk::is_full = true;
  const std::string large(payload_limit, 'l');
  for (int i = 0; i < 200; ++i) node.on.schedule_after(1h, "write", bytes(large));
  ASSERT_TRUE(soon([&] { return node.reported->has(errc::unavailable); }));
  node.on.start();
  ASSERT_TRUE(soon([&] { return node.on.metrics().runs == timers && node.on.metrics().ends == 0; }));
  EXPECT_GT(node.on.metrics().outbox, 0u);
  small_disk::is_full = false;
  EXPECT_TRUE(node.on.flush(60s));
  EXPECT_EQ(node.on.list({.limit = 1000}).size(), 200u);
}

}  // namespace
}  // namespace durable_test
