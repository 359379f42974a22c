// SPDX-License-Identifier: MIT
#include "leftovers.hpp"

#include <detent/counters_layout.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string_view>

namespace detent::detail {
namespace {

constexpr time_t a_day = 24 * 60 * 60;
constexpr int most_files = 1024;  // any user may leave a hundred thousand in the directory

// Returns whether the name is automatic: detent.PID.NUMBER.
bool is_automatic(std::string_view name) noexcept {
  constexpr std::string_view prefix = "detent.";
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  const std::size_t dot = std::min(name.find('.'), name.size());
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return is_number(name.substr(0, dot)) && dot != name.size() && is_number(name.substr(dot + 1));
}

// Returns whether the file says that its engine holds a lock as long as it lives.
bool has_lock(int file) noexcept {
  char magic[sizeof(counters_layout::magic)] = {};
  std::uint32_t locked = 0;
  return pread(file, magic, sizeof magic, 0) == sizeof magic &&
         std::equal(std::begin(magic), std::end(magic), counters_layout::magic) &&
         pread(file, &locked, sizeof locked, offsetof(counters_layout::header, locked)) == sizeof locked && locked == 1;
}

// No engine may hold the lock of the file.
void age(int directory, const char* name, int file) noexcept {
  struct stat now {};
  if (fstat(file, &now) != 0 || now.st_uid != geteuid()) return;
  if ((now.st_mode & S_IWUSR) != 0) {  // found for the first time
    const mode_t read_only = now.st_mode & (S_IRUSR | S_IRGRP | S_IROTH);
    if (futimens(file, nullptr) == 0) static_cast<void>(fchmod(file, read_only));
    return;
  }
  if (std::time(nullptr) - now.st_mtime >= a_day) unlinkat(directory, name, 0);
}

}  // namespace

void age_leftovers(const char* directory) noexcept {
  DIR* const list = opendir(directory);
  if (list == nullptr) return;
  int seen = 0;
  for (const dirent* each = readdir(list); each != nullptr && seen < most_files; each = readdir(list)) {
    if (!is_automatic(each->d_name)) continue;
    ++seen;
    const int file = openat(dirfd(list), each->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0) continue;
    if (has_lock(file) && flock(file, LOCK_SH | LOCK_NB) == 0) age(dirfd(list), each->d_name, file);
    close(file);  // releases the lock
  }
  closedir(list);
}

}  // namespace detent::detail
