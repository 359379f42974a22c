// SPDX-License-Identifier: MIT
// How a timer ends in its handler's own transaction: detent.finish() of the schema, which needs nothing of the store.
#pragma once

#include <detent/durable_tokens.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace detent::durable::postgres {

class finish_tokens final : public run_tokens {
 public:
  // The form is 1.PARTITION.KEY.ID.DUE.NEXT. The names are in hexadecimal digits, the times in microseconds since 1970,
  // and NEXT may be empty.
  std::string token(const record& ran, std::optional<stored_time> next) override;
  errc finish_in(pg_conn* in, std::string_view token, bool& finished, std::string& why) override;
};

}  // namespace detent::durable::postgres
