// SPDX-License-Identifier: MIT
// A disk that drops everything that was not synced when the power goes, and that can be full.
#pragma once

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace durable_test {

// SQLite's own way to the disk, which keeps beside each file what of it was synced: FILE.synced. A process that is
// killed amid a sync leaves a part of that there, as a disk does.
class forgetful_disk {
 public:
  // In the process that will lose its power, before it opens anything.
  static void install() {
    real_ = sqlite3_vfs_find(nullptr);
    ours_ = *real_;
    ours_.zName = "forgetful";
    ours_.xOpen = open;
    sqlite3_vfs_register(&ours_, 1);
  }
  // A file that was closed is on the disk as a whole.
  static void begin(const std::string& store) {
    for (const std::string& file : {store, store + "-wal"}) {
      std::filesystem::remove(file + ".synced");
      if (std::filesystem::exists(file)) std::filesystem::copy_file(file, file + ".synced");
    }
  }
  // The process is gone: what the disk has is what the next one finds.
  static void lose_power(const std::string& store) {
    for (const std::string& file : {store, store + "-wal"}) {
      std::filesystem::remove(file);
      if (std::filesystem::exists(file + ".synced")) std::filesystem::rename(file + ".synced", file);
    }
    std::filesystem::remove(store + "-shm");
  }
  // While it is full, nothing is written, over what is there neither: each write takes new blocks. A log that only may
  // not grow would be written from its beginning again. Any thread, and signal handlers.
  static void fill(bool is_full) noexcept { full_.store(is_full); }

 private:
  struct file_state {
    std::string name;
    const sqlite3_io_methods* real = nullptr;
    int synced = -1;                                               // FILE.synced
    std::vector<std::pair<sqlite3_int64, sqlite3_int64>> dirty{};  // from, to: written since the last sync
  };

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* given) {
    const int code = real_->xOpen(real_, name, file, flags, given);
    if (code != SQLITE_OK || name == nullptr) return code;
    file_state& its = files_[file];
    its = {name, file->pMethods};
    its.synced = ::open((its.name + ".synced").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (its.synced < 0) throw std::system_error(errno, std::generic_category(), its.name + ".synced");
    // A database and its log have different methods.
    sqlite3_io_methods& methods = methods_[file->pMethods];
    methods = *file->pMethods;
    methods.xClose = close;
    methods.xWrite = write;
    methods.xSync = sync;
    file->pMethods = &methods;
    return code;
  }

  static int close(sqlite3_file* file) {
    const file_state its = std::exchange(files_[file], {});
    files_.erase(file);
    ::close(its.synced);
    return its.real->xClose(file);
  }

  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
    file_state& its = files_[file];
    if (full_.load()) return SQLITE_FULL;
    if (!its.dirty.empty() && its.dirty.back().second == at)
      its.dirty.back().second += count;
    else
      its.dirty.emplace_back(at, at + count);
    return its.real->xWrite(file, bytes, count, at);
  }

  // The disk below is not asked to sync: what it has is not what the next process finds.
  static int sync(sqlite3_file* file, int) {
    file_state& its = files_[file];
    sqlite3_int64 size = 0;
    if (its.real->xFileSize(file, &size) != SQLITE_OK) return SQLITE_IOERR_FSYNC;
    std::vector<char> bytes;
    for (const auto& [from, to] : std::exchange(its.dirty, {})) {
      bytes.resize(static_cast<std::size_t>(std::max<sqlite3_int64>(std::min(to, size) - from, 0)));
      if (bytes.empty()) continue;
      if (its.real->xRead(file, bytes.data(), static_cast<int>(bytes.size()), from) != SQLITE_OK ||
          ::pwrite(its.synced, bytes.data(), bytes.size(), from) != static_cast<ssize_t>(bytes.size()))
        return SQLITE_IOERR_FSYNC;
    }
    return ::ftruncate(its.synced, size) == 0 ? SQLITE_OK : SQLITE_IOERR_FSYNC;
  }

  static inline sqlite3_vfs* real_ = nullptr;
  static inline sqlite3_vfs ours_{};
  static inline std::map<const sqlite3_io_methods*, sqlite3_io_methods> methods_;
  static inline std::map<sqlite3_file*, file_state> files_;
  static inline std::atomic<bool> full_{false};
};

}  // namespace durable_test
