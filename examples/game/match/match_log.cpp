// SPDX-License-Identifier: MIT
// Lines of text, written and read; what is no log is refused by its line.
#include "match/match_log.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace game {
namespace {

constexpr std::string_view title = "detent game log 1";

std::optional<std::uint64_t> number_from(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Splits at the first blank.
std::pair<std::string_view, std::string_view> split(std::string_view line) {
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return {line, {}};
  return {line.substr(0, blank), line.substr(blank + 1)};
}

}  // namespace

log_writer::log_writer(std::ostream& out, std::uint64_t seed) : out_(out) {
  fmt::print(out_, "{}\nseed {}\n", title, seed);
}

void log_writer::frame(std::uint64_t number, std::span<const input> inputs) {
  for (const input& one : inputs) fmt::print(out_, "{} {}\n", number, to_text(one));
}

void log_writer::end(std::uint64_t last_frame) { fmt::print(out_, "end {}\n", last_frame); }

log_reader::log_reader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  if (next_line() != title) refuse(fmt::format("not '{}'", title));
  const std::string line = next_line();
  const auto [word, value] = split(line);
  const auto seed = number_from(value);
  if (word != "seed" || !seed) refuse("not 'seed NUMBER'");
  seed_ = *seed;
  ahead_ = read_entry();
}

std::optional<std::span<const input>> log_reader::next_frame() {
  if (!ahead_.what && frame_ == ahead_.frame) {
    if (in_.peek() != std::istream::traits_type::eof()) refuse("something follows the end");
    return std::nullopt;
  }
  ++frame_;
  inputs_.clear();
  while (ahead_.what && ahead_.frame == frame_) {
    inputs_.push_back(*ahead_.what);
    ahead_ = read_entry();
  }
  return inputs_;
}

std::string log_reader::next_line() {
  ++line_;
  std::string line;
  if (!std::getline(in_, line)) refuse("no 'end' before the end of the file: the recording is not whole");
  return line;
}

log_reader::entry log_reader::read_entry() {
  const std::string line = next_line();
  const auto [first, rest] = split(line);
  entry read;
  if (first != "end") read.what = input_from(rest);
  const auto frame = number_from(first == "end" ? rest : first);
  if (!frame || (first != "end" && !read.what)) refuse(fmt::format("'{}' is neither an input nor the end", line));
  if (*frame < frame_ || (read.what && *frame == 0)) refuse(fmt::format("'{}' is of a frame before", line));
  read.frame = *frame;
  return read;
}

void log_reader::refuse(const std::string& why) const {
  throw std::runtime_error(fmt::format("{}:{}: {}", name_, line_, why));
}

}  // namespace game
