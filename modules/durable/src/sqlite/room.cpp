// SPDX-License-Identifier: MIT
#include "room.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

namespace detent::durable::detail {
namespace {

constexpr std::int64_t most_bytes_of_log = std::int64_t{48} << 20;  // at the log's greatest length, with a batch or two
constexpr std::int64_t most_pages_of_log = 8192, least_pages_of_log = 64;
constexpr std::int64_t part_of_disk = 16;
constexpr int growth = 1 << 20;       // the file grows by this much
constexpr std::int64_t spare = 1024;  // pages, because a dead timer takes more of them than a live one

std::int64_t size_of_disk(const std::string& path) {
  struct statvfs disk {};
  return ::statvfs(path.c_str(), &disk) == 0 ? static_cast<std::int64_t>(disk.f_blocks * disk.f_frsize) : 0;
}

}  // namespace

room::room(sqlite3* file, const std::string& path, std::size_t most_bytes)
    : file_(file),
      most_(most_bytes == 0 ? INT64_MAX : static_cast<std::int64_t>(most_bytes)),
      count_pages_(file, "PRAGMA page_count") {
  statement page_size(file, "PRAGMA page_size");
  page_size_ = page_size.step() ? page_size.number(0) : 4096;
  const std::int64_t bytes = std::min(most_bytes_of_log, size_of_disk(path) / part_of_disk);
  if (const int log = ::open((path + "-wal").c_str(), O_WRONLY | O_CLOEXEC); log >= 0) {
    static_cast<void>(::fallocate(log, FALLOC_FL_KEEP_SIZE, 0, bytes));
    ::close(log);
  }
  // So that the log, with a batch that is being written, fits into its blocks.
  const std::int64_t pages = std::clamp(bytes * 2 / 3 / page_size_, least_pages_of_log, most_pages_of_log);
  check(sqlite3_wal_autocheckpoint(file, static_cast<int>(pages)));
  int step = static_cast<int>(std::min<std::int64_t>(growth, most_ / 64));
  // If it is refused, the file grows page by page.
  static_cast<void>(sqlite3_file_control(file, "main", SQLITE_FCNTL_CHUNK_SIZE, &step));
}

void room::make_for_growth() {
  count_pages_.with();
  const std::int64_t pages = count_pages_.step() ? count_pages_.number(0) : 0;
  const std::int64_t needed = std::min((pages + spare) * page_size_, most_);
  count_pages_.reset();
  if (needed <= made_) return;
  sqlite3_int64 hint = needed;
  const int code = sqlite3_file_control(file_, "main", SQLITE_FCNTL_SIZE_HINT, &hint);
  if (code != SQLITE_NOTFOUND) check(code);
  made_ = needed;
}

}  // namespace detent::durable::detail
