// SPDX-License-Identifier: MIT
#include "durable/timer_query.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "cron/zoned_time.hpp"
#include "durable/timer_words.hpp"
#include "text/input_error.hpp"
#include "text/option_values.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {

using namespace durable;

namespace {

constexpr std::ptrdiff_t most_named = 10;  // of an ambiguous key, so that the line stays readable
constexpr std::size_t most_found = 100;

std::optional<listed_record> find_in(store& in, const std::string& key, const std::string& partition) {
  std::optional<listed_record> found;
  check(in.find({shard_of(key, partition, in.shards()), stored_key(key, partition)}, found), in);
  return found;
}

// Returns the timers with that key, by their names. A timer that moves during the search may be found twice; it appears
// once.
std::map<std::string, listed_record> find_everywhere(store& in, const std::string& key, timer_state state) {
  std::map<std::string, listed_record> found;
  for (const bool dead : {true, false}) {
    if (state == (dead ? timer_state::alive : timer_state::dead)) continue;
    for (listed_record& its : find_by_key(in, key, dead, most_found)) {
      std::string name = its.what.key;
      found.insert_or_assign(std::move(name), std::move(its));
    }
  }
  return found;
}

}  // namespace

std::vector<listed_record> find_by_key(store& in, const std::string& key, bool dead, std::size_t limit) {
  std::vector<listed_record> found;
  check(in.find_by_key({{shard_of(key, "", in.shards()), stored_key(key)}, dead, limit}, found), in);
  return found;
}

void check(durable::errc problem, const store& in) {
  if (problem != durable::errc{})
    throw input_error("durable: " + printable(in.name()) + ": " + make_error_code(problem).message());
}

std::string typed_bytes(std::string_view option, const std::string& text, std::size_t least, std::size_t most) {
  std::optional<std::string> bytes = bytes_of(text);
  if (!bytes)
    throw usage_error(fmt::format("{}: {}: after a backslash comes another one, or x and two hexadecimal digits",
                                  option, in_quotes(text)));
  if (bytes->size() < least) throw usage_error(fmt::format("{}: it is empty", option));
  if (bytes->size() > most)
    throw usage_error(
        fmt::format("{}: {} has {} bytes; {} are the most", option, in_quotes(text), bytes->size(), most));
  return *std::move(bytes);
}

stored_time time_now() { return std::chrono::ceil<std::chrono::microseconds>(std::chrono::system_clock::now()); }

stored_time typed_time(std::string_view option, const std::string& text) {
  if (text == "now") return time_now();
  const std::optional<zoned_time> read = read_time(text);
  if (!read || !read->offset)
    throw usage_error(
        fmt::format("{}: {} is neither \"now\" nor a time with Z or an offset, such as "
                    "2024-03-08T00:00:00Z",
                    option, in_quotes(text)));
  return std::chrono::ceil<std::chrono::microseconds>(read->clock - *read->offset);
}

list_request query_of(const durable_options& options) {
  list_request which;
  which.handler = typed_bytes("--handler", options.handler, 0, handler_limit);
  which.key_prefix = typed_bytes("--key", options.prefix, 0, key_limit);
  which.partition = typed_partition(options);
  if (!options.from.empty()) which.from = typed_time("--from", options.from);
  if (!options.until.empty()) which.until = typed_time("--until", options.until);
  which.dead = options.dead;
  which.limit = 500;
  return which;
}

std::string typed_key(const durable_options& options) {
  return typed_bytes("KEY", options.key.value_or(""), 1, key_limit);
}

std::optional<std::string> typed_partition(const durable_options& options) {
  if (!options.partition) return {};
  return typed_bytes("--partition", *options.partition, 0, partition_limit);
}

bool narrows(const durable_options& options) {
  return options.partition ||
         !(options.prefix.empty() && options.handler.empty() && options.from.empty() && options.until.empty());
}

std::string words_of(const durable_options& options) {
  const list_request which = query_of(options);
  std::vector<std::string> all;
  const char* const when = which.dead ? "dead" : "due";
  if (!which.handler.empty()) all.push_back("with handler " + in_quotes(which.handler));
  if (!which.key_prefix.empty()) all.push_back("with a key that begins with " + in_quotes(which.key_prefix));
  if (which.partition)
    all.push_back(which.partition->empty() ? "without a partition" : "in partition " + in_quotes(*which.partition));
  if (which.from != stored_time::min()) all.push_back(fmt::format("{} since {}", when, utc_text(which.from)));
  if (which.until != stored_time::max()) all.push_back(fmt::format("{} before {}", when, utc_text(which.until)));
  std::string out;
  for (const std::string& each : all) out += (out.empty() ? "" : ", ") + each;
  return out;
}

void each_found(store& in, list_request which, const std::function<void(listed_record&&)>& visit) {
  for (shard_id shard = 0; shard < in.shards(); ++shard) {
    which.shard = shard;
    which.after.clear();
    do {
      list_page page;
      check(in.list(which, page), in);
      for (listed_record& each : page.found) visit(std::move(each));
      which.after = std::move(page.next);
    } while (!which.after.empty());
  }
}

std::optional<listed_record> find_named(store& in, const durable_options& options, timer_state state) {
  const std::string key = typed_key(options);
  if (const std::optional<std::string> partition = typed_partition(options)) {
    auto found = find_in(in, key, *partition);
    if (found && state == (found->died ? timer_state::alive : timer_state::dead)) found.reset();
    return found;
  }
  std::map<std::string, listed_record> found = find_everywhere(in, key, state);
  if (found.empty()) return {};
  if (found.size() == 1) return std::move(found.begin()->second);
  std::string list;
  for (auto its = found.begin(); its != found.end() && std::distance(found.begin(), its) != most_named; ++its)
    list += (list.empty() ? "" : ", ") + quoted_option(parts_of(its->first).partition);
  throw input_error(fmt::format("durable: {} is the key of {}{} timers; give one of {}{}", in_quotes(key), found.size(),
                                found.size() < most_found ? "" : " or more", list,
                                std::ssize(found) > most_named ? ", ..." : ""));
}

}  // namespace detent::tool
