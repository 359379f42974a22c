// SPDX-License-Identifier: MIT
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

// Writes one JSON object, member by member, in the order of the calls. The program gives the names, which are not
// escaped.
class json_object {
 public:
  json_object& text(std::string_view name, std::string_view value);
  json_object& number(std::string_view name, double value);  // NaN and infinity, which JSON lacks, become null
  template <std::integral T>
  json_object& count(std::string_view name, T value) {
    return raw(name, std::to_string(value));
  }
  json_object& boolean(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  json_object& object(std::string_view name, const json_object& value) { return raw(name, value.str()); }
  json_object& list(std::string_view name, const std::vector<json_object>& values);

  std::string str() const { return "{" + members_ + "}"; }

 private:
  json_object& raw(std::string_view name, std::string_view value);

  std::string members_;
};

}  // namespace detent::tool
