// SPDX-License-Identifier: MIT
#include "counters_file_memory.hpp"

#include <detent/base/atomic.hpp>

#include "leftovers.hpp"
#include "name_spaces.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

namespace detent::detail {
namespace {

// RENAME_NOREPLACE of <linux/fs.h>, which also defines a macro BLOCK_SIZE.
constexpr unsigned rename_noreplace = 1;

constexpr const char* automatic_directory = "/dev/shm";

// The size of the mapping that holds the lock; the kernel rounds it up to a page.
constexpr std::size_t lock_bytes = 1;

// Reads field 22 of /proc/self/stat, or returns zero. It counts from after the name, which may contain anything.
std::uint64_t start_of_this_process() noexcept {
  std::FILE* file = std::fopen("/proc/self/stat", "re");
  if (file == nullptr) return 0;
  char text[1024];
  const std::size_t got = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  text[got] = '\0';
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at, nullptr, 10);
}

std::uint64_t next_number() noexcept {
  static base::atomic<std::uint64_t> issued{0};
  return issued.fetch_add(1, base::relaxed) + 1;  // relaxed: it must only be unique
}

// Runs once in a process, with the first engine whose counters file has an automatic name, because a host may have a
// thousand files.
void age_leftovers_once(const char* directory) noexcept {
  static base::atomic<bool> done{false};
  // relaxed: only one call may see false, and it publishes nothing.
  if (!done.exchange(true, base::relaxed)) age_leftovers(directory);
}

std::string next_mark(pid_t process) { return std::to_string(process) + "." + std::to_string(next_number()); }

// Returns false if an engine writes the file or is about to replace it. If the file system has no locks, or none of
// this kind for files that are open for reading only, other engines are not noticed.
bool lock_if_free(int file) noexcept {
  // A program that checks whether an engine lives holds a shared lock for a moment.
  for (int tries = 50;; --tries) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    const bool refused = errno == EWOULDBLOCK;
    if (flock(file, LOCK_SH | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    if (!refused || tries == 0) return true;
    flock(file, LOCK_UN);
    const timespec a_millisecond = {.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&a_millisecond, nullptr);
  }
}

bool is_same(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
bool is_same_file(int one, int other) noexcept {
  struct stat a {
  }, b{};
  return fstat(one, &a) == 0 && fstat(other, &b) == 0 && is_same(a, b);
}

// Returns a `name` in the same directory that is hidden from programs that look for counters files.
std::string unfinished_name(const std::string& path, const std::string& mark) {
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(0, name) + "." + path.substr(name) + "." + mark;
}

}  // namespace

std::unique_ptr<counters_memory> make_counters_file(const std::string& path) {
  return std::make_unique<counters_file_memory>(path);
}

counters_file_memory::counters_file_memory(const std::string& path) : asked_(path), owner_(getpid()) {
  // A name may be taken by a file of an earlier process with this id, or by a stranger.
  for (int tries = 100; tries != 0; --tries) {
    const std::string mark = next_mark(owner_);
    path_ = path;
    if (is_auto()) name_automatically(mark);
    unfinished_ = unfinished_name(path_, mark);
    const bool made = is_auto() ? is_vacant() && create() : may_replace() && create();
    if (made) {
      problem_.clear();
      return;
    }
    if (!is_auto() && errno != EEXIST) return;
  }
}

bool counters_file_memory::create() {
  file_ = ::open(unfinished_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file_ >= 0 && hold_lock()) return true;
  const int reason = errno;
  if (file_ >= 0) {
    unlink(unfinished_.c_str());
    close(std::exchange(file_, -1));
  }
  forget_older();  // first, because the next line may throw out of the constructor
  return fail(asked_, reason);
}

// The lock shows other engines and programs, in every namespace, that the engine lives. A lock ends with the last use
// of its open file. So it has an open file of its own, which is used only by a mapping that no forked child inherits,
// however it was forked. If the umask denies the owner access, the file cannot be opened again, so its only open file
// is used. A file system without locks gives none. Returns false if there is no descriptor or no memory left; see
// errno.
bool counters_file_memory::hold_lock() {
  int file = ::open(unfinished_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0 && !is_same_file(file, file_)) close(std::exchange(file, -1));
  if (file < 0) file = fcntl(file_, F_DUPFD_CLOEXEC, 0);
  if (file < 0) return false;
  const bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
  void* const made = locked ? mmap(nullptr, lock_bytes, PROT_NONE, MAP_SHARED, file, 0) : nullptr;
  const int reason = errno;
  close(file);
  errno = reason;
  if (made == MAP_FAILED) return false;
  lock_ = made;
  if (locked) madvise(lock_, lock_bytes, MADV_DONTFORK);
  return true;
}

counters_file_memory::~counters_file_memory() {
  if (getpid() == owner_ && file_ >= 0) {
    named_ ? withdraw() : static_cast<void>(unlink(unfinished_.c_str()));
  }
  forget_older();
  // In a child, other data may be mapped there by now.
  if (lock_ != nullptr && getpid() == owner_) munmap(lock_, lock_bytes);
  if (file_ >= 0) close(file_);
}

void counters_file_memory::describe(counters_layout::header& into) const noexcept {
  into.process = owner_;
  into.process_start = start_of_this_process();
  into.locked = is_locked() ? 1 : 0;
  const name_spaces own = name_spaces_of_this_process();
  into.process_namespace = own.processes;
  into.monotonic_offset = own.monotonic_offset;
  into.since_boot_offset = own.since_boot_offset;
}

bool counters_file_memory::fail(const std::string& what, int reason) { return fail(what, reason, explain(reason)); }

bool counters_file_memory::fail(const std::string& what, int reason, const std::string& why) {
  problem_ = "counters_file = \"" + what + "\": " + why;
  code_ = code_of(reason);
  errno = reason;
  return false;
}

bool counters_file_memory::is_vacant() {
  struct stat there {};
  if (lstat(path_.c_str(), &there) != 0 && errno == ENOENT) return true;
  return fail(path_, EEXIST);
}

// Returns whether the file's place is free, or has a file whose engine is gone; that file is kept locked.
bool counters_file_memory::may_replace() {
  forget_older();
  const int there = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (there < 0) return errno == ENOENT || fail(asked_, errno);
  char begin[sizeof(counters_layout::magic)];
  const ssize_t got = read(there, begin, sizeof(begin));
  if (got < 0) {
    const int reason = errno;  // most likely it is a folder
    close(there);
    return fail(asked_, reason);
  }
  const bool foreign = got != sizeof(begin) || std::memcmp(begin, counters_layout::magic, sizeof(begin)) != 0;
  if (!foreign && lock_if_free(there)) {
    older_ = there;
    return true;
  }
  close(there);
  if (foreign) return fail(asked_, EINVAL, "there is a file that is no counters file; name another one");
  return fail(asked_, EBUSY, "another engine writes it; give each a file of its own, or \"auto\"");
}

bool counters_file_memory::make_room(std::size_t offset, std::size_t bytes) noexcept {
  if (file_ < 0) return false;
  int refused = EINTR;
  while (refused == EINTR) refused = posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (refused == 0) return true;
  try {
    fail(asked_, refused);
  } catch (const std::bad_alloc&) {
    // The returned value says so.
  }
  return false;
}

namespace {

// Gives a file a name that is free. If it is taken, errno is EEXIST. It renames the file, because readers look for the
// name that its descriptors have. If the file system cannot refuse a rename onto another file, it makes a second link.
// It uses the number of the system call because musl 1.2.3 has no function for it.
bool name_if_vacant(const char* from, const char* to) noexcept {
  if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, rename_noreplace) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (link(from, to) != 0) return false;
  unlink(from);
  return true;
}

}  // namespace

// Only the engine that holds the lock of the older file replaces it, and every engine that wants its name needs that
// lock first.
bool counters_file_memory::publish() {
  if (file_ < 0) return true;
  if (is_auto()) age_leftovers_once(automatic_directory);
  for (int tries = 100; tries != 0; --tries) {
    const bool replaces = older_ >= 0 && is_at_name(older_);
    if (!replaces && name_if_vacant(unfinished_.c_str(), path_.c_str())) return named_ = true;
    if (replaces || errno != EEXIST) {  // no hard links here, so a race goes unnoticed
      if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) return fail(asked_, errno);
      forget_older();
      return named_ = true;
    }
    // Another engine was faster.
    if (is_auto()) {
      name_automatically(next_mark(owner_));
    } else if (!may_replace()) {
      return false;
    }
  }
  return fail(asked_, EEXIST);
}

bool counters_file_memory::is_at_name(int file) const noexcept {
  struct stat mine {
  }, there{};
  return fstat(file, &mine) == 0 && stat(path_.c_str(), &there) == 0 && is_same(mine, there);
}

void counters_file_memory::name_automatically(const std::string& mark) {
  path_ = std::string(automatic_directory) + "/detent." + mark;
}

void counters_file_memory::forget_older() noexcept {
  if (older_ >= 0) close(std::exchange(older_, -1));
}

void counters_file_memory::withdraw() noexcept {
  if (std::exchange(named_, false) && is_auto() && getpid() == owner_ && is_at_name(file_)) unlink(path_.c_str());
}

void counters_file_memory::make_private() noexcept {
  forget_older();
  if (file_ < 0) return;
  for (std::size_t i = 0; i < count_; ++i) {
    const piece& each = pieces_[i];
    // If it fails, the child continues to count in its parent's file, because a fork has no caller to report to.
    static_cast<void>(mmap(each.at, each.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_,
                           static_cast<off_t>(each.offset)));
  }
  close(std::exchange(file_, -1));
}

}  // namespace detent::detail
