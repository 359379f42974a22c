// SPDX-License-Identifier: MIT
#include "trouble.hpp"

#include <algorithm>
#include <cctype>

namespace detent::durable::postgres {
namespace {

std::string_view first_line(std::string_view text) noexcept {
  text = text.substr(0, text.find('\n'));
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_state(std::string_view text) noexcept {
  return text.size() == 5 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) || std::isupper(c); });
}

}  // namespace

refusal classify(std::string_view state) noexcept {
  const std::string_view group = state.substr(0, 2);
  if (state == "55P03" || state == "40P01" || state == "40001") return refusal::locked;
  if (state == "DT008") return refusal::foreign;
  if (state == "DT009") return refusal::unsupported;
  if (state == "25006" || state == "42501" || group == "28") return refusal::not_permitted;
  // The connection, resources, an operator's intervention; a database or a schema that is not there yet.
  if (group == "08" || group == "53" || group == "57" || group == "58" || group == "40" || group == "3D" ||
      group == "3F" || state == "42P01" || state == "42883")
    return refusal::busy;
  return refusal::unexpected;
}

errc code_of(refusal kind) noexcept {
  switch (kind) {
    case refusal::none: return errc{};
    case refusal::not_permitted: return errc::not_permitted;
    case refusal::foreign: return errc::foreign_format;
    case refusal::unsupported: return errc::unsupported;
    case refusal::unexpected: return errc::corrupt;
    default: return errc::unavailable;
  }
}

trouble trouble_of(const PGresult* failed) {
  const auto field = [&](int code) {
    const char* const text = PQresultErrorField(failed, code);
    return std::string(text != nullptr ? text : "");
  };
  const std::string state = field(PG_DIAG_SQLSTATE);
  // An error without a state is libpq's own: the connection is gone.
  if (state.empty()) return {refusal::lost, std::string(first_line(PQresultErrorMessage(failed)))};
  trouble out{classify(state), field(PG_DIAG_MESSAGE_PRIMARY)};
  if (const std::string hint = field(PG_DIAG_MESSAGE_HINT); !hint.empty()) out.text += ": " + hint;
  return out;
}

trouble trouble_of(const PGconn* failed) {
  std::string_view text = PQerrorMessage(failed);
  for (std::size_t at = text.find(":  "); at != std::string_view::npos; at = text.find(":  ", at + 1)) {
    const std::string_view state = text.substr(at + 3, 5);
    if (!is_state(state) || text.substr(at + 8, 2) != ": ") continue;
    return {classify(state), std::string(first_line(text.substr(at + 10)))};
  }
  return {refusal::lost, std::string(first_line(text))};
}

}  // namespace detent::durable::postgres
