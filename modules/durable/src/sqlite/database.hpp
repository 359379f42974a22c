// SPDX-License-Identifier: MIT
#pragma once

#include "room.hpp"
#include "statement.hpp"

#include <detent/durable_sqlite.hpp>

#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>

namespace detent::durable::detail {

// A lock on PATH.lock, held as long as this object lives. The kernel releases it when the process ends; a forked child
// has no part in it.
class file_lock {
 public:
  file_lock() noexcept = default;
  // Throws error with errc::in_use or errc::not_permitted.
  explicit file_lock(std::string path);
  file_lock(file_lock&& other) noexcept { *this = std::move(other); }
  file_lock& operator=(file_lock&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~file_lock();

  bool held() const noexcept { return fd_ >= 0; }
  // Returns false if the file was removed or another file has its name, because another process may hold the lock on
  // that. Costs two system calls.
  bool excludes_others() const noexcept;

 private:
  int fd_ = -1;
  std::string path_;
};

// The open file, whose format is this version's.
class database {
 public:
  // Throws what sqlite_store() does.
  database(const std::string& path, const sqlite_options& how);

  sqlite3* handle() const noexcept { return handle_.get(); }
  struct close {
    void operator()(sqlite3* its) const noexcept { sqlite3_close_v2(its); }
  };
  using connection = std::unique_ptr<sqlite3, close>;
  // Makes another connection, which only reads. Any thread. Throws sqlite_failure.
  void connect_to_read(connection& to) const { connect(path_, SQLITE_OPEN_READONLY, to); }
  shard_id shards() const noexcept { return shards_; }
  // The file itself, if the given path is a link to it.
  const std::string& path() const noexcept { return path_; }
  bool read_only() const noexcept { return !lock_.held(); }
  room& space() noexcept { return room_; }
  bool is_ours() const noexcept { return lock_.held() && lock_.excludes_others(); }
  void run(const char* sql) { check(sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr)); }

 private:
  static void connect(const std::string& path, int flags, connection& to);
  void set_up(const std::string& path, const sqlite_options& how);
  std::int64_t ask(const char* sql);

  const std::string path_;
  file_lock lock_;
  connection handle_;
  room room_;
  shard_id shards_ = 0;
};

}  // namespace detent::durable::detail
