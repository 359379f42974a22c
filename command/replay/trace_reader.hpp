// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "replay/line_reader.hpp"
#include "replay/trace_row.hpp"

namespace detent::tool {

// Reads a trace row by row, plain or gzipped, in bounded memory. Everything that is not exactly the format is an
// input_error whose text starts "FILE:LINE: field 'NAME': ". Only comments, which are lines that begin with '#', are
// skipped. The constructor checks the header.
class trace_reader {
 public:
  static constexpr std::string_view header = "t_ns,op,id,delay_ns,source";

  explicit trace_reader(std::string path);

  bool next(trace_row& row);  // false at the end of the trace
  // The number of missing operations by the comments read so far ("# dropped N").
  std::uint64_t dropped() const { return dropped_; }

 private:
  bool next_line(std::string_view& line);
  void take_comment(std::string_view line);
  void parse(std::string_view line, trace_row& row) const;
  std::uint64_t number(std::size_t field, std::string_view text) const;
  [[noreturn]] void refuse(std::size_t field, const std::string& reason) const;

  std::string path_;
  line_reader lines_;
  std::uint64_t last_t_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace detent::tool
