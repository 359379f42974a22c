// SPDX-License-Identifier: MIT
#include "durable/durable_command.hpp"

#include <detent/durable_store.hpp>

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "durable/change_timers.hpp"
#include "durable/consent.hpp"
#include "durable/named_store.hpp"
#include "durable/postgres_named_store.hpp"
#include "durable/put_timer.hpp"
#include "durable/store_url.hpp"
#include "durable/timer_query.hpp"
#include "durable/timer_walk.hpp"
#include "durable/timer_words.hpp"
#include "text/input_error.hpp"
#include "text/option_values.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

using namespace durable;
using action = durable_options::action;

durable_result list(store& in, const durable_options& options) {
  std::optional<walk_place> after;
  if (!options.after.empty()) after = read_place(options.after);
  timer_walk walk(in, query_of(options), options.limit, after);
  durable_result result;
  std::vector<listed_record> shown;
  walk_place last;
  std::uint64_t count = 0;
  auto next = walk.next();
  for (; next && count != options.limit; next = walk.next(), ++count) {
    last = place_in_walk(*next);
    if (options.json) {
      result.text += json_of(*next).text("after", text_of(last)).str() + "\n";
    } else {
      next->what.payload.clear();
      shown.push_back(*std::move(next));
    }
  }
  if (!options.json) result.text = table_of(shown, options.dead);
  if (next)
    result.complaints.push_back(fmt::format("more follow: the same with --after {}, or --limit N", text_of(last)));
  return result;
}

// Throws usage_error, before any store is opened, if the words make no sense together.
void check_words(const durable_options& options) {
  switch (options.what) {
    case action::list:
      query_of(options);
      if (!options.after.empty()) read_place(options.after);
      return;
    case action::show:
    case action::get:
      typed_key(options);
      typed_partition(options);
      return;
    case action::put: return check_put(options);
    default: return check_change(options);
  }
}

durable_result look_at(store& in, const durable_options& options) {
  const std::optional<listed_record> its = find_named(in, options);
  if (!its) {
    const std::string key = in_quotes(typed_key(options));
    return {.failed = true, .complaints = {key + ": no such timer"}};
  }
  if (options.json) return {full_json(*its).str() + "\n"};
  if (options.what == action::get) return {std::string(payload_of(its->what))};
  return {full_text(*its)};
}

durable_result migrate(const durable_options& options) {
  if (options.print) return {postgres_script()};
  if (options.store.empty()) throw usage_error("migrate: --store STORE or --print is needed");
  if (!is_postgres(options.store))
    throw usage_error(
        fmt::format("migrate: only a store in PostgreSQL has a schema; {} is none, and needs no migration",
                    in_quotes(without_password(options.store))));
  const std::string name = without_password(options.store);
  if (!has_consent("make the schema detent in " + name + ", or bring it up to date", options.yes))
    return {"nothing was changed\n", true};
  migrate_postgres(options.store);
  return {fmt::format("{}: the schema detent is there, in the newest version that this command knows\n", name)};
}

}  // namespace

durable_result take_durable(const durable_options& options) {
  if (options.what == action::migrate) return migrate(options);
  const bool reads = options.what == action::list || options.what == action::show || options.what == action::get;
  check_words(options);
  const bool puts = options.what == action::put;
  const auto in = open_store(options.store, reads ? store_use::look : puts ? store_use::fill : store_use::change);
  switch (options.what) {
    case action::list: return list(*in, options);
    case action::show:
    case action::get: return look_at(*in, options);
    case action::put: return put_timer(*in, options);
    default: return change_timers(*in, options);
  }
}

}  // namespace detent::tool
