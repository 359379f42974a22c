// SPDX-License-Identifier: MIT
#include "trace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

namespace detent::detail {
namespace {

constexpr std::string_view loss_words = "# dropped ";

trace_file::loss loss_in(std::string_view lines) noexcept {
  trace_file::loss found;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    if (line.starts_with(loss_words)) {
      std::uint64_t reported = 0;
      std::from_chars(line.data() + loss_words.size(), line.data() + line.size(), reported);
      found.reported += reported;
    } else {
      ++found.rows;
    }
    lines.remove_prefix(line.size() + 1);
  }
  return found;
}

// Finds where the last lines begin that can be replaced by the last words. Returns 0 if all of the lines are needed for
// that.
std::size_t start_of_last(std::string_view lines) noexcept {
  std::size_t start = lines.size() - std::min(lines.size(), longest_loss_line);
  while (start != 0 && lines[start - 1] != '\n') --start;
  return start;
}

}  // namespace

std::string_view loss_line(std::uint64_t lost, char (&room)[longest_loss_line]) noexcept {
  char* end = std::copy(loss_words.begin(), loss_words.end(), room);
  end = std::to_chars(end, room + longest_loss_line - 1, lost).ptr;
  *end++ = '\n';
  return {room, static_cast<std::size_t>(end - room)};
}

errc trace_file::refuse(int problem, const std::string& reason, std::string& why) {
  why = "record = \"";
  why += path_.c_str();  // up to a NUL
  why += "\": ";
  why += reason;
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  return code_of(problem);
}

errc trace_file::open(const std::string& path, const std::string& engine, std::string& why) {
  path_ = path;
  engine_ = engine;
  last_lines_.reserve(2 * (longest_loss_line + longest_row));
  if (path.find('\0') != std::string::npos) return refuse(EINVAL, "a file's name has no NUL in it", why);
  if (path.ends_with(".gz")) {
    std::string reason;
    packer_ = gzip_packer::make(reason);
    if (packer_ == nullptr) return refuse(EINVAL, reason, why);
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  struct stat is {};
  bool usable = file_ >= 0 && fstat(file_, &is) == 0;
  regular_ = usable && S_ISREG(is.st_mode);
  if (regular_ && flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return refuse(EBUSY, "another engine is recording to it; give each a file of its own", why);
    usable = false;
  }
  const int problem = errno;
  return usable ? errc{} : refuse(problem, explain(problem), why);
}

errc trace_file::begin(std::string& why) {
  std::size_t written = 0;
  if ((!regular_ || ftruncate(file_, 0) == 0) && write_all(packed(header), written)) {
    size_ = static_cast<std::int64_t>(written);
    return errc{};
  }
  const int problem = errno;
  return refuse(problem, explain(problem), why);
}

bool trace_file::write_all(std::string_view bytes, std::size_t& written) noexcept {
  for (written = 0; written < bytes.size();) {
    const ssize_t count = ::write(file_, bytes.data() + written, bytes.size() - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
    } else if (count == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

trace_file::loss trace_file::write(std::string_view lines) noexcept {
  std::size_t kept = 0;
  loss lost;
  if (!failed_) {
    if (write_all(packed(lines), kept)) {
      size_ += static_cast<std::int64_t>(kept);
      if (!packer_) remember(lines);
      return {};
    }
    fail(errno);
    kept = packer_ ? 0 : make_room(lines, kept, lost);  // an incomplete gzip member is useless
    size_ += static_cast<std::int64_t>(kept);
    // If that fails, the file ends in the middle of a line, which its reader reports.
    if (regular_) static_cast<void>(ftruncate(file_, size_) == 0 && lseek(file_, size_, SEEK_SET) == size_);
  }
  const loss rest = loss_in(lines.substr(kept));
  return {lost.rows + rest.rows, lost.reported + rest.reported};
}

void trace_file::remember(std::string_view lines) noexcept {
  last_lines_.append(lines.substr(start_of_last(lines)));
  last_lines_.erase(0, start_of_last(last_lines_));
}

std::size_t trace_file::make_room(std::string_view lines, std::size_t kept, loss& taken_back) noexcept {
  if (kept < longest_loss_line) {
    size_ -= static_cast<std::int64_t>(last_lines_.size());
    taken_back = loss_in(last_lines_);
    last_lines_.clear();
    return 0;
  }
  return start_of_last(lines.substr(0, kept));
}

void trace_file::fail(int problem) noexcept {
  failed_ = true;
  std::fprintf(stderr, "detent: engine \"%s\": record = \"%s\": %s; the recording ends here\n", engine_.c_str(),
               path_.c_str(), std::strerror(problem));
}

void trace_file::close(std::uint64_t lost) noexcept {
  if (file_ < 0) return;
  char room[longest_loss_line];
  std::size_t written = 0;
  if (lost != 0 && !write_all(packed(loss_line(lost, room)), written) && !failed_) fail(errno);
  // A forked child shares the lock and would keep it until it ends.
  if (regular_) flock(file_, LOCK_UN);
  if (::close(std::exchange(file_, -1)) != 0 && !failed_) fail(errno);
}

}  // namespace detent::detail
