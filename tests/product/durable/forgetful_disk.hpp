// SPDX-License-Identifier: MIT
// A disk that drops whatever was not synced when the power goes.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <string>

namespace durable_test {

// SQLite's own way to the disk, which keeps a copy of each file as it was when it was last synced: FILE.synced.
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
  // What was closed is on the disk.
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

 private:
  struct hook {
    std::string name;
    int (*sync)(sqlite3_file*, int);
  };

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* given) {
    const int code = real_->xOpen(real_, name, file, flags, given);
    if (code != SQLITE_OK || name == nullptr) return code;
    files_[file] = {name, file->pMethods->xSync};
    // A database and its log have different methods.
    sqlite3_io_methods& methods = methods_[file->pMethods];
    methods = *file->pMethods;
    methods.xSync = sync;
    file->pMethods = &methods;
    return code;
  }
  // The copy takes its place at once: the process may be killed amid it.
  static int sync(sqlite3_file* file, int flags) {
    const hook& its = files_[file];
    const int code = its.sync(file, flags);
    std::filesystem::copy_file(its.name, its.name + ".copy", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(its.name + ".copy", its.name + ".synced");
    return code;
  }

  static inline sqlite3_vfs* real_ = nullptr;
  static inline sqlite3_vfs ours_{};
  static inline std::map<const sqlite3_io_methods*, sqlite3_io_methods> methods_;
  static inline std::map<sqlite3_file*, hook> files_;
};

}  // namespace durable_test
