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

// Holds whole lines at all times, also where the disk is full: under a name that ends in .gz as whole gzip members, one
// for each write. One writer a file: another one is refused.
class trace_file {
 public:
  static constexpr std::string_view header = "t_ns,op,id,delay_ns,source\n";

  trace_file() noexcept = default;
  ~trace_file() { close(0); }
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  // Leaves what is there as it is; on failure says why. `engine` is for the message about a later failure.
  errc open(const std::string& path, const std::string& engine, std::string& why);
  // It is not to be used: closes it, and says why in `why`, after the option and the path. The code of `problem`.
  errc refuse(int problem, const std::string& reason, std::string& why);
  // With the header; nothing of what was there before is left. On failure says why.
  errc begin(std::string& why);
  struct loss {
    std::uint64_t rows = 0;
    std::uint64_t reported = 0;  // the sum of what lost loss lines say
  };
  // Whole lines, at most limits::recorded_text. Returns how many of them were lost; after the first failure, which is
  // reported on stderr, all of them are.
  loss write(std::string_view lines) noexcept;
  // A loss that no line reports yet goes last, even where a write has failed.
  void close(std::uint64_t lost) noexcept;

 private:
  bool write_all(std::string_view bytes, std::size_t& written) noexcept;
  // As the file has it: packed or not.
  std::string_view packed(std::string_view text) noexcept { return packer_ ? packer_->pack(text) : text; }
  void fail(int problem) noexcept;
  // Keeps the last of `lines`, which were written, in memory. Allocates nothing.
  void remember(std::string_view lines) noexcept;
  // Makes room for the last words after a write that failed after `kept` bytes. Returns how many of these stay. Takes
  // back lines of earlier writes too if those bytes do not suffice.
  std::size_t make_room(std::string_view lines, std::size_t kept, loss& taken_back) noexcept;

  int file_ = -1;
  bool regular_ = false;
  bool failed_ = false;
  std::int64_t size_ = 0;
  std::string last_lines_;  // that were written and that the last words can replace; empty for packed text
  std::string path_, engine_;
  std::unique_ptr<gzip_packer> packer_;  // null: it is plain text
};

// The longest line of an operation, with its end.
inline constexpr std::size_t longest_row = 96;
// "# dropped N\n", where N operations are missing.
inline constexpr std::size_t longest_loss_line = 10 + 20 + 1;
std::string_view loss_line(std::uint64_t lost, char (&room)[longest_loss_line]) noexcept;

}  // namespace detent::detail
