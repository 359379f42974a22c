// SPDX-License-Identifier: MIT
// Fuzz target: the bytes are a trace file. Either it is refused by one line that names the place, or its rows, written
// plainly, are read as the same rows.
#include "replay/trace_reader.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "search/fuzz/memory_file.hpp"
#include "search/fuzz/target.hpp"
#include "text/input_error.hpp"

namespace detent::fuzz {
namespace {

std::vector<tool::trace_row> rows_of(const std::string& path) {
  tool::trace_reader reader(path);
  std::vector<tool::trace_row> rows;
  for (tool::trace_row row; reader.next(row);) rows.push_back(row);
  return rows;
}

std::string plain(const tool::trace_row& row) {
  return fmt::format("{},{},{},{},x\n", row.t_ns, "SRCX"[static_cast<std::size_t>(row.op)], row.id, row.delay_ns);
}

std::string plain(const std::vector<tool::trace_row>& rows) {
  std::string text(tool::trace_reader::header);
  text += '\n';
  for (const tool::trace_row& row : rows) text += plain(row);
  return text;
}

}  // namespace
}  // namespace detent::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  const fuzz::memory_file file(fuzz::text_of(data, size));
  try {
    const std::vector<tool::trace_row> rows = fuzz::rows_of(file.path());
    const std::string written = fuzz::plain(rows);
    const fuzz::memory_file again(written);
    fuzz::require(fuzz::plain(fuzz::rows_of(again.path())) == written, "rows are read as they were written", written);
  } catch (const tool::input_error& refusal) {
    fuzz::require_one_line(refusal.what());
    const std::string_view reported(refusal.what());
    fuzz::require(reported.starts_with(file.path() + ":"), "a refusal begins with the place", refusal.what());
    fuzz::require(reported.find(": field '") != reported.npos, "a refusal names the field", refusal.what());
  }
  return 0;
}
