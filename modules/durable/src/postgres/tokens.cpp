// SPDX-License-Identifier: MIT
#include "tokens.hpp"

#include "../stores/text.hpp"
#include "trouble.hpp"
#include "wire.hpp"

namespace detent::durable::postgres {
namespace {

void append_hex(std::string& to, std::string_view bytes) {
  constexpr const char* digits = "0123456789abcdef";
  for (const char its : bytes) {
    const auto byte = static_cast<unsigned char>(its);
    to += digits[byte >> 4];
    to += digits[byte & 15];
  }
}

}  // namespace

std::string finish_tokens::token(const record& ran, std::optional<stored_time> next) {
  const key_parts parts = parts_of(ran.key);
  std::string out = "1.";
  append_hex(out, parts.partition);
  out += '.';
  append_hex(out, parts.key);
  out += '.' + std::to_string(ran.id) + '.' + std::to_string(ran.due.time_since_epoch().count()) + '.';
  if (next) out += std::to_string(next->time_since_epoch().count());
  return out;
}

errc finish_tokens::finish_in(pg_conn* in, std::string_view token, bool& finished, std::string& why) {
  finished = false;
  if (in == nullptr) {
    why = "the connection is null";
    return errc::unavailable;
  }
  if (!detail::is_text(token)) {
    why = "this is no token of a job";
    return errc::corrupt;
  }
  const std::string text(token);
  const char* const values[] = {text.c_str()};
  const Oid types[] = {static_cast<Oid>(type::text)};
  const rows its(PQexecParams(in, "select detent.finish($1)", 1, types, values, nullptr, nullptr, 0));
  if (its.get() != nullptr && PQresultStatus(its.get()) == PGRES_TUPLES_OK && its.count() == 1) {
    finished = its.text(0, 0) == "t";
    return errc{};
  }
  if (its.get() == nullptr) {
    why = trouble_of(in).text;
    return errc::unavailable;
  }
  const char* const state = PQresultErrorField(its.get(), PG_DIAG_SQLSTATE);
  const trouble failed = trouble_of(its.get());
  why = failed.text.empty() ? "detent.finish() has no answer" : failed.text;
  // A transaction that has failed is as lost as one whose connection is.
  const bool is_failed = state != nullptr && std::string_view(state) == "25P02";
  return is_failed ? errc::unavailable : code_of(failed.kind == refusal::none ? refusal::lost : failed.kind);
}

}  // namespace detent::durable::postgres
