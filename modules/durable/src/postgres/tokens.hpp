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
  // 1.PARTITION.KEY.ID.DUE.NEXT, the names in hexadecimal digits, the times in us since 1970, NEXT perhaps empty.
  std::string token(const record& ran, std::optional<stored_time> next) override;
  errc finish_in(pg_conn* in, std::string_view token, bool& finished, std::string& why) override;
};

}  // namespace detent::durable::postgres
