// SPDX-License-Identifier: MIT
// The file of a recording.
#pragma once

#include <detent/error.hpp>

#include "gzip_packer.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace detent::detail {

// The file always holds whole lines, even if the disk is full. If its name ends in .gz, it holds whole gzip members,
// one for each write. Only one writer may have a file; another one is refused.
class trace_file {
 public:
  static constexpr std::string_view header = "t_ns,op,id,delay_ns,source\n";

  trace_file() noexcept = default;
  ~trace_file() { close(0); }
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  // Leaves the contents as they are; if it fails, says why. `engine` is its name in messages about later failures.
  errc open(const std::string& path, const std::string& engine, std::string& why);
  // Closes a file that must not be used. `why` gets the option, the path and the reason. Returns the code of `problem`.
  errc refuse(int problem, const std::string& reason, std::string& why);
  // Removes the contents and writes the header. If it fails, says why.
  errc begin(std::string& why);
  struct loss {
    std::uint64_t rows = 0;
    std::uint64_t reported = 0;  // the sum in the loss lines that were lost
  };
  // Writes whole lines, at most limits::recorded_text bytes. Returns how many of them were lost. The first failure is
  // reported on stderr; from then on, all lines are lost.
  loss write(std::string_view lines) noexcept;
  // Writes a loss that no line reports yet at the end, even if a write has failed.
  void close(std::uint64_t lost) noexcept;

 private:
  bool write_all(std::string_view bytes, std::size_t& written) noexcept;
  // Returns the text as the file stores it, packed or not.
  std::string_view packed(std::string_view text) noexcept { return packer_ ? packer_->pack(text) : text; }
  void fail(int problem) noexcept;
  // Keeps the last of `lines`, which were just written, in memory. Allocates nothing.
  void remember(std::string_view lines) noexcept;
  // Makes room for the last words after a write that failed after `kept` bytes, and returns how many of these stay. If
  // they do not suffice, it also takes back lines of earlier writes.
  std::size_t make_room(std::string_view lines, std::size_t kept, loss& taken_back) noexcept;

  int file_ = -1;
  bool regular_ = false;
  bool failed_ = false;
  std::int64_t size_ = 0;
  std::string last_lines_;  // lines in the file that the last words can replace; empty for packed text
  std::string path_, engine_;
  std::unique_ptr<gzip_packer> packer_;  // null for plain text
};

// The length of the longest line of an operation, including its end.
inline constexpr std::size_t longest_row = 96;
// The length of "# dropped N\n", in which N is the number of missing operations.
inline constexpr std::size_t longest_loss_line = 10 + 20 + 1;
std::string_view loss_line(std::uint64_t lost, char (&room)[longest_loss_line]) noexcept;

}  // namespace detent::detail
