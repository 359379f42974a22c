// SPDX-License-Identifier: MIT
#include "weakening.hpp"

#include <array>
#include <charconv>
#include <cstddef>

namespace model {
namespace {

constexpr std::array<const char*, 5> names = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};

std::optional<order> order_named(std::string_view name) {
  for (std::size_t i = 0; i != names.size(); ++i)
    if (name == names[i]) return static_cast<order>(i);
  return std::nullopt;
}

// Takes the text before the next colon off `text`, together with the colon.
std::string_view next_part(std::string_view& text) {
  const std::size_t end = text.find(':');
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

}  // namespace

const char* name_of(order o) { return names[static_cast<std::size_t>(o)]; }

bool weakening::parse(std::string_view text) {
  file_ = next_part(text);
  const std::string_view line = next_part(text);
  operation_ = next_part(text);
  const auto from = order_named(next_part(text)), to = order_named(next_part(text));
  const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), line_);
  if (!from || !to || problem != std::errc{} || end != line.data() + line.size() || file_.empty()) return false;
  from_ = *from;
  to_ = *to;
  return true;
}

void weakening::note(const char* operation, order o, site where) {
  if (o == order::relaxed) return;
  passed_.insert(std::string(where.file) + ':' + std::to_string(where.line) + ':' + operation + ':' + name_of(o));
}

order weakening::weakened(const char* operation, order o, site where) const {
  return operation == operation_ && std::string_view(where.file).ends_with(file_) ? to_ : o;
}

}  // namespace model
