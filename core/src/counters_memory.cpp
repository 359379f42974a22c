// SPDX-License-Identifier: MIT
#include "counters_memory.hpp"

#include <detent/base/atomic.hpp>
#include <detent/counters_layout.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

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
  if (path.empty()) return;
  const std::string mark = std::to_string(owner_) + "." + std::to_string(next_number());
  path_ = path == "auto" ? "/dev/shm/detent." + mark : path;
  unfinished_ = unfinished_name(path_, mark);
  if (!may_replace()) return;
  unlink(unfinished_.c_str());  // of an earlier process with this id
  file_ = ::open(unfinished_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file_ < 0 || fchmod(file_, 0644) != 0) fail(asked_, errno);  // whatever the umask
}

counters_memory::~counters_memory() {
  if (getpid() == owner_ && file_ >= 0) {
    if (!named_) unlink(unfinished_.c_str());
    withdraw();
  }
  for (std::size_t i = 0; i < count_; ++i) munmap(pieces_[i].at, pieces_[i].bytes);
  if (file_ >= 0) close(file_);
}

bool counters_memory::fail(const std::string& what, int reason) {
  problem_ = "counters_file = " + what + ": " + std::strerror(reason);
  return false;
}

// Whether there is nothing at the place where the file is to be, or an older one.
bool counters_memory::may_replace() {
  const int there = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (there < 0) return errno == ENOENT || fail(asked_, errno);
  char begin[sizeof(counters_layout::magic)];
  const ssize_t got = read(there, begin, sizeof(begin));
  close(there);
  if (got == sizeof(begin) && std::memcmp(begin, counters_layout::magic, sizeof(begin)) == 0) return true;
  problem_ = "counters_file = " + asked_ + ": there is a file that is no counters file";
  return false;
}

std::byte* counters_memory::map(std::size_t offset, std::size_t bytes) noexcept {
  if (count_ == pieces_.size() || (!asked_.empty() && file_ < 0)) return nullptr;
  if (file_ >= 0) {
    const int refused = posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
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
  if (named_ && asked_ == "auto" && getpid() == owner_) unlink(path_.c_str());
  named_ = named_ && asked_ != "auto";
}

void counters_memory::make_private() noexcept {
  if (file_ < 0) return;
  for (std::size_t i = 0; i < count_; ++i) {
    const piece& each = pieces_[i];
    mmap(each.at, each.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_, static_cast<off_t>(each.offset));
  }
}

}  // namespace detent::detail
