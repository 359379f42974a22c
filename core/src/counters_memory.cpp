// SPDX-License-Identifier: MIT
#include "counters_memory.hpp"

#include <detent/base/atomic.hpp>
#include <detent/counters_layout.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace detent::detail {
namespace {

std::uint64_t next_number() noexcept {
  static base::atomic<std::uint64_t> issued{0};
  return issued.fetch_add(1, base::relaxed) + 1;  // relaxed: only has to be unique
}

// `name` in its directory, hidden from those who look for counters files.
std::string unfinished_name(const std::string& path, const std::string& mark) {
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(0, name) + "." + path.substr(name) + "." + mark;
}

}  // namespace

counters_memory::counters_memory(const std::string& path) : asked_(path), owner_(getpid()) {
  // A name may be taken: by what an earlier process with this id left behind, or by a stranger.
  for (int tries = 100; !path.empty() && tries != 0; --tries) {
    const std::string mark = std::to_string(owner_) + "." + std::to_string(next_number());
    path_ = is_auto() ? "/dev/shm/detent." + mark : path;
    unfinished_ = unfinished_name(path_, mark);
    const bool made = is_auto() ? is_vacant() && create() : may_replace() && create();
    if (made) {
      problem_.clear();
      return;
    }
    if (!is_auto() && errno != EEXIST) return;
  }
}

bool counters_memory::create() {
  file_ = ::open(unfinished_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  // Tells other engines that somebody writes it, for as long as it is open; where there are no locks, nobody is told.
  if (file_ >= 0) return flock(file_, LOCK_EX | LOCK_NB), true;
  const int reason = errno;
  fail(asked_, reason);
  errno = reason;
  return false;
}

counters_memory::~counters_memory() {
  if (getpid() == owner_ && file_ >= 0) {
    named_ ? withdraw() : static_cast<void>(unlink(unfinished_.c_str()));
  }
  for (std::size_t i = 0; i < count_; ++i) munmap(pieces_[i].at, pieces_[i].bytes);
  if (file_ >= 0) close(file_);
}

bool counters_memory::fail(const std::string& what, int reason) {
  problem_ = "counters_file = " + what + ": " + std::strerror(reason);
  return false;
}

bool counters_memory::is_vacant() {
  struct stat there {};
  if (lstat(path_.c_str(), &there) != 0 && errno == ENOENT) return true;
  return fail(path_, EEXIST);
}

// Whether there is nothing at the place where the file is to be, or one whose engine has gone.
bool counters_memory::may_replace() {
  const int there = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (there < 0) return errno == ENOENT || fail(asked_, errno);
  char begin[sizeof(counters_layout::magic)];
  const ssize_t got = read(there, begin, sizeof(begin));
  const bool foreign = got != sizeof(begin) || std::memcmp(begin, counters_layout::magic, sizeof(begin)) != 0;
  const bool in_use = !foreign && flock(there, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(there);
  if (!foreign && !in_use) return true;
  problem_ = "counters_file = " + asked_ +
             (foreign ? ": there is a file that is no counters file" : ": another engine writes it");
  errno = EBUSY;
  return false;
}

std::byte* counters_memory::map(std::size_t offset, std::size_t bytes) noexcept {
  if (count_ == pieces_.size() || (!asked_.empty() && file_ < 0)) return nullptr;
  if (file_ >= 0) {
    int refused = EINTR;
    while (refused == EINTR) refused = posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    if (refused != 0) {
      try {
        fail(asked_, refused);
      } catch (const std::bad_alloc&) {
        // The null says it.
      }
      return nullptr;
    }
  }
  const int kind = file_ >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, file_, file_ >= 0 ? static_cast<off_t>(offset) : 0);
  if (made == MAP_FAILED) return nullptr;
  pieces_[count_] = {static_cast<std::byte*>(made), offset, bytes};
  return pieces_[count_++].at;
}

bool counters_memory::publish() {
  if (file_ < 0) return true;
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) return fail(asked_, errno);
  named_ = true;
  return true;
}

void counters_memory::withdraw() noexcept {
  struct stat mine {
  }, there{};
  const bool named = std::exchange(named_, false) && is_auto() && getpid() == owner_;
  if (!named || fstat(file_, &mine) != 0 || lstat(path_.c_str(), &there) != 0) return;
  if (mine.st_dev == there.st_dev && mine.st_ino == there.st_ino) unlink(path_.c_str());
}

void counters_memory::make_private() noexcept {
  if (file_ < 0) return;
  for (std::size_t i = 0; i < count_; ++i) {
    const piece& each = pieces_[i];
    // If it fails the child goes on counting in its parent's file: whoever forks has nobody to tell.
    static_cast<void>(mmap(each.at, each.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_,
                           static_cast<off_t>(each.offset)));
  }
  close(std::exchange(file_, -1));
}

}  // namespace detent::detail
