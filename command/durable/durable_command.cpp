// SPDX-License-Identifier: MIT
#include "durable/durable_command.hpp"

#include <detent/durable_store.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "cron/zoned_time.hpp"
#include "durable/named_store.hpp"
#include "text/column_table.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"
#include "text/text_table.hpp"

namespace detent::tool {
namespace {

using namespace durable;

constexpr auto patience = std::chrono::seconds(5);

void check(durable::errc problem, const store& in) {
  if (problem != durable::errc{})
    throw input_error("durable: " + printable(in.name()) + ": " + make_error_code(problem).message());
}

stored_time time_of(const char* option, const std::string& text, stored_time otherwise) {
  if (text.empty()) return otherwise;
  return std::chrono::ceil<std::chrono::microseconds>(instant_of(option, text));
}

std::vector<listed_record> find_all(store& in, const durable_options& options) {
  list_request page;
  page.handler = options.handler;
  page.key_prefix = options.key;
  if (!options.partition.empty()) page.partition = options.partition;
  page.from = time_of("--from", options.from, page.from);
  page.until = time_of("--until", options.until, page.until);
  page.dead = options.dead;
  page.limit = options.limit;
  std::vector<listed_record> found;
  for (shard_id shard = 0; shard < in.shards(); ++shard) {
    page.shard = shard;
    check(in.list(page, found), in);
  }
  std::ranges::stable_sort(found, {}, [](const listed_record& its) { return its.what.due; });
  if (found.size() > options.limit) found.resize(options.limit);
  return found;
}

std::string list(store& in, const durable_options& options) {
  using side = column_table::side;
  column_table table({side::left, side::left, side::left, side::left, side::right, side::left});
  for (const listed_record& its : find_all(in, options)) {
    const record& what = its.what;
    std::string note = options.dead ? printable(its.why) : "";
    if (!options.dead && !what.schedule.empty()) note = "on " + printable(what.schedule);
    const key_parts of = parts_of(what.key);
    table.add({utc_text(what.due), printable(what.handler), printable(of.key), printable(of.partition),
               std::to_string(what.attempt), note});
  }
  return table.text();
}

// The timer of that key, alive or dead; none: an empty key.
std::pair<listed_record, bool> find(store& in, const durable_options& options) {
  const std::string wanted = stored_key(options.key, options.partition);
  list_request page;
  page.shard = shard_of(options.key, options.partition, in.shards());
  page.partition = options.partition;
  page.key_prefix = options.key;
  for (const bool dead : {false, true}) {
    page.dead = dead;
    page.after_due = stored_time::min();
    page.after_key.clear();
    for (std::vector<listed_record> found; true; found.clear()) {
      check(in.list(page, found), in);
      for (listed_record& its : found)
        if (its.what.key == wanted) return {std::move(its), dead};
      if (found.size() < page.limit) break;
      page.after_due = found.back().what.due;
      page.after_key = found.back().what.key;
    }
  }
  return {};
}

durable_result show(store& in, const durable_options& options) {
  const auto [its, dead] = find(in, options);
  if (its.what.key.empty()) return {in_quotes(options.key) + ": no such timer\n", true};
  text_table table;
  table.add("key", printable(options.key));
  if (!options.partition.empty()) table.add("partition", printable(options.partition));
  table.add("handler", printable(its.what.handler));
  if (!its.what.schedule.empty()) table.add("on", printable(its.what.schedule));
  table.add("due", utc_text(its.what.due));
  table.add("attempt", std::to_string(its.what.attempt));
  table.add("shard", std::to_string(its.what.shard));
  if (dead) table.add("dead", its.why.empty() ? "yes" : printable(its.why));
  const auto* bytes = reinterpret_cast<const char*>(its.what.payload.data());
  table.add("payload", std::to_string(its.what.payload.size()) + " bytes: " +
                           printable(std::string_view(bytes, std::min<std::size_t>(its.what.payload.size(), 256))));
  return {table.text()};
}

std::uint64_t random_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) >> 1 | 1;
}

// The owner's answer, where the timer is in its hand.
answer wait_for_answer(store& in, const question_ref& which) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (answer reply = answer::none; true; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    check(in.read_answers({&which, 1}, {&reply, 1}), in);
    if (reply != answer::none || std::chrono::steady_clock::now() >= until) return reply;
  }
}

durable_result cancel(store& in, const durable_options& options) {
  const cancel_request what{shard_of(options.key, options.partition, in.shards()),
                            stored_key(options.key, options.partition), random_number()};
  cancel_status status{};
  check(in.cancel({&what, 1}, {&status, 1}), in);
  answer reply = status == cancel_status::cancelled ? answer::cancelled : answer::gone;
  if (status == cancel_status::asked || status == cancel_status::withdrawn)
    reply = wait_for_answer(in, {what.shard, what.question});
  if (status == cancel_status::withdrawn && reply == answer::gone) reply = answer::cancelled;
  const std::string name = in_quotes(options.key);
  switch (reply) {
    case answer::cancelled: return {name + ": cancelled\n"};
    case answer::running: return {name + ": runs now, and will be neither retried nor repeated\n", true};
    case answer::gone: return {name + ": no such timer\n", true};
    case answer::none: break;
  }
  return {name + ": unknown: the node that has it did not answer; it may run once\n", true};
}

durable_result revive(store& in, const durable_options& options) {
  put_request what;
  what.what.shard = shard_of(options.key, options.partition, in.shards());
  what.what.key = stored_key(options.key, options.partition);
  what.what.id = random_number();
  what.what.due = std::chrono::ceil<std::chrono::microseconds>(std::chrono::system_clock::now());
  put_status status{};
  check(in.revive({&what, 1}, {&status, 1}), in);
  if (status == put_status::stored) return {in_quotes(options.key) + ": lives again, due now\n"};
  return {in_quotes(options.key) + ": no such dead timer\n", true};
}

}  // namespace

durable_result take_durable(const durable_options& options) {
  using action = durable_options::action;
  const bool reads = options.what == action::list || options.what == action::show;
  const auto in = open_store(options.store, reads);
  switch (options.what) {
    case action::list: return {list(*in, options)};
    case action::show: return show(*in, options);
    case action::cancel: return cancel(*in, options);
    case action::revive: break;
  }
  return revive(*in, options);
}

}  // namespace detent::tool
