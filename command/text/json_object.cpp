// SPDX-License-Identifier: MIT
#include "text/json_object.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text/utf8_text.hpp"

namespace detent::tool {
namespace {

// A file's name need not be UTF-8, but JSON must be.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char32_t c : decoded(text)) {
    if (c == U'"' || c == U'\\') {
      out += '\\';
      append_utf8(out, c);
    } else if (c < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      append_utf8(out, c);
    }
  }
  return out;
}

}  // namespace

json_object& json_object::raw(std::string_view name, std::string_view value) {
  if (!members_.empty()) members_ += ", ";
  members_ += fmt::format("\"{}\": {}", name, value);
  return *this;
}

json_object& json_object::text(std::string_view name, std::string_view value) {
  return raw(name, '"' + escaped(value) + '"');
}

json_object& json_object::number(std::string_view name, double value) {
  return raw(name, std::isfinite(value) ? fmt::format("{:.6g}", value) : "null");
}

json_object& json_object::list(std::string_view name, const std::vector<json_object>& values) {
  std::string items;
  for (const json_object& value : values) items += (items.empty() ? "" : ", ") + value.str();
  return raw(name, "[" + items + "]");
}

}  // namespace detent::tool
