// SPDX-License-Identifier: MIT
#include "database.hpp"

#include "span_index.hpp"

#include <detent/error.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

namespace detent::durable::detail {
namespace {

constexpr std::int64_t application = 0x64746e74;  // marks this library's files in SQLite's header
constexpr std::size_t least_cache = std::size_t{1} << 20;

// Rows are numbered as they come, so that a new row goes to the end of the table. Keys that the library makes grow with
// time, so their index grows at its end too.
constexpr const char* schema = R"(
CREATE TABLE shards (shard INTEGER PRIMARY KEY, fence INTEGER NOT NULL, held INTEGER NOT NULL,
  timers INTEGER NOT NULL, dead INTEGER NOT NULL);
CREATE TABLE ring (generation INTEGER NOT NULL);
INSERT INTO ring VALUES (0);
CREATE TABLE timers (row INTEGER PRIMARY KEY, shard INTEGER NOT NULL, key BLOB NOT NULL, id INTEGER NOT NULL,
  due INTEGER NOT NULL, attempt INTEGER NOT NULL, by_rule INTEGER NOT NULL, handler BLOB NOT NULL,
  schedule BLOB NOT NULL, payload BLOB NOT NULL);
CREATE UNIQUE INDEX timers_by_key ON timers (shard, key);
CREATE TABLE successors (shard INTEGER NOT NULL, key BLOB NOT NULL, id INTEGER NOT NULL,
  due INTEGER NOT NULL, attempt INTEGER NOT NULL, by_rule INTEGER NOT NULL, handler BLOB NOT NULL,
  schedule BLOB NOT NULL, payload BLOB NOT NULL, PRIMARY KEY (shard, key)) WITHOUT ROWID;
CREATE TABLE dead (shard INTEGER NOT NULL, key BLOB NOT NULL, id INTEGER NOT NULL, due INTEGER NOT NULL,
  attempt INTEGER NOT NULL, by_rule INTEGER NOT NULL, handler BLOB NOT NULL, schedule BLOB NOT NULL,
  payload BLOB NOT NULL, why BLOB NOT NULL, died INTEGER NOT NULL, PRIMARY KEY (shard, key)) WITHOUT ROWID;
CREATE INDEX dead_in_order ON dead (shard, died, key);
)";

// Returns the file that a link leads to, even if that file does not exist yet, so that all names of a file share one
// lock.
std::string itself(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;
  std::error_code unknown;
  fs::path at = path;
  for (int i = 0; i != most_links && fs::is_symlink(at, unknown); ++i)
    at = at.parent_path() / fs::read_symlink(at, unknown);
  const fs::path found = fs::weakly_canonical(at, unknown);
  return unknown ? path : found.string();
}

// The descriptors of this process's locks. A forked child would hold the locks as long as it lives, even after its
// parent has ended; so it closes them.
struct held_locks {
  std::mutex lock;
  std::vector<int> descriptors;

  static held_locks& all() {
    static held_locks its;
    static const int watched = pthread_atfork([] { all().lock.lock(); }, [] { all().lock.unlock(); },
                                              [] {
                                                for (const int each : all().descriptors) ::close(each);
                                                all().descriptors.clear();
                                                all().lock.unlock();
                                              });
    static_cast<void>(watched);
    return its;
  }
  void add(int descriptor) {
    const std::lock_guard locked(lock);
    descriptors.push_back(descriptor);
  }
  // Returns false in a forked child, where the descriptor is closed already.
  bool remove(int descriptor) {
    const std::lock_guard locked(lock);
    return std::erase(descriptors, descriptor) != 0;
  }
};

[[noreturn]] void refuse(errc code, const std::string& path, const std::string& what) {
  throw error(code, "sqlite_store: " + path + ": " + what);
}

}  // namespace

errc meaning(int code) noexcept {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_MISMATCH: return errc::corrupt;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN: return errc::not_permitted;
    default: return errc::unavailable;  // a full or failing disk, no memory, or a reader's lock
  }
}

file_lock::file_lock(std::string path) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) refuse(errc::not_permitted, path_, std::strerror(errno));
  if (flock(fd_, LOCK_EX | LOCK_NB) == 0) {
    held_locks::all().add(fd_);
    return;
  }
  const int problem = errno;
  ::close(fd_);
  if (problem == EWOULDBLOCK)
    refuse(errc::in_use, path_, "another process, or another store of this one, has the file: one at a time");
  refuse(errc::not_permitted, path_, std::strerror(problem));
}

file_lock::~file_lock() {
  if (fd_ >= 0 && held_locks::all().remove(fd_)) ::close(fd_);
}

bool file_lock::excludes_others() const noexcept {
  struct stat ours {};
  struct stat named {};
  return fstat(fd_, &ours) == 0 && stat(path_.c_str(), &named) == 0 && ours.st_dev == named.st_dev &&
         ours.st_ino == named.st_ino;
}

database::database(const std::string& path, const sqlite_options& how) : path_(itself(path)) {
  if (how.cache < least_cache)
    throw error(detent::errc::invalid_option,
                "sqlite_options::cache = " + std::to_string(how.cache) + ": at least " + std::to_string(least_cache));
  if (how.shards < 1 || how.shards > 1024)
    throw error(detent::errc::invalid_option, "sqlite_options::shards = " + std::to_string(how.shards) + ": 1 to 1024");
  struct stat file {};
  if (::stat(path.c_str(), &file) == 0 && !S_ISREG(file.st_mode))
    refuse(errc::not_permitted, path, "it is not a regular file: name another file");
  if (!how.read_only) lock_ = file_lock(path_ + ".lock");
  try {
    connect(path, how.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, handle_);
    set_up(path, how);
  } catch (const sqlite_failure& failure) {
    std::string words = sqlite3_errstr(failure.code);
    if (handle_ != nullptr) words = sqlite3_errmsg(handle_.get());
    refuse(meaning(failure.code), path, words);
  }
}

// If it fails, `to` can tell why.
void database::connect(const std::string& path, int flags, connection& to) {
  sqlite3* made = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &made, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  to.reset(made);
  check(code);
  check(sqlite3_extended_result_codes(made, 1));
  check(sqlite3_busy_timeout(made, 1000));  // for concurrent readers: checkpoints wait for them
  check(sqlite3_exec(made, "PRAGMA mmap_size = 1073741824", nullptr, nullptr, nullptr));
}

std::int64_t database::ask(const char* sql) {
  statement question(handle_.get(), sql);
  return question.step() ? question.number(0) : 0;
}

void database::set_up(const std::string& path, const sqlite_options& how) {
  const std::int64_t format = ask("PRAGMA user_version");
  const bool fresh = ask("SELECT count(*) FROM sqlite_schema") == 0;
  if (!fresh && ask("PRAGMA application_id") != application)
    refuse(errc::corrupt, path, "a database of something else: name another file");
  if (!fresh && format != store_format)
    refuse(errc::foreign_format, path,
           "of format " + std::to_string(format) + ", and this version knows " + std::to_string(store_format) +
               ": use the version that wrote it, or name another file");
  if (how.read_only) {
    if (fresh) refuse(errc::corrupt, path, "no timers were ever stored here");
    shards_ = static_cast<shard_id>(ask("SELECT count(*) FROM shards"));
    return;
  }

  run(how.durability == sqlite_options::sync::each_commit ? "PRAGMA synchronous = FULL"
                                                          : "PRAGMA synchronous = NORMAL");
  statement mode(handle_.get(), "PRAGMA journal_mode = WAL");
  if (!mode.step() || mode.text(0) != "wal")
    refuse(errc::not_permitted, path, "no write-ahead log here: SQLite needs shared memory, which network drives lack");
  mode.reset();
  run(("PRAGMA cache_size = -" + std::to_string(how.cache >> 10)).c_str());
  if (how.most_bytes != 0)
    run(("PRAGMA max_page_count = " +
         std::to_string(how.most_bytes / static_cast<std::size_t>(ask("PRAGMA page_size")) + 1))
            .c_str());
  if (fresh) {
    run("BEGIN IMMEDIATE");
    run(schema);
    run(span_index::index);
    statement add(handle_.get(), "INSERT INTO shards VALUES (?, 0, 0, 0, 0)");
    for (shard_id shard = 0; shard < how.shards; ++shard) add.with(shard).run();
    run(("PRAGMA application_id = " + std::to_string(application)).c_str());
    run(("PRAGMA user_version = " + std::to_string(store_format)).c_str());
    run("COMMIT");
  }
  shards_ = static_cast<shard_id>(ask("SELECT count(*) FROM shards"));
  if (shards_ == 0) refuse(errc::corrupt, path, "it has no shards");
  room_ = room(handle_.get(), path_, how.most_bytes);  // the log is open by now
}

}  // namespace detent::durable::detail
