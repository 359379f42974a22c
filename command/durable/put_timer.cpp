// SPDX-License-Identifier: MIT
#include "durable/put_timer.hpp"

#include <detent/durable_store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "cron/zoned_time.hpp"
#include "durable/change_run.hpp"
#include "durable/consent.hpp"
#include "durable/timer_query.hpp"
#include "durable/timer_words.hpp"
#include "text/input_error.hpp"
#include "text/json_object.hpp"
#include "text/option_values.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

using namespace durable;

// Reads enough of the file to show that it is too large.
std::string bytes_of_file(const std::string& name) {
  const bool is_input = name == "-";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(is_input ? nullptr : std::fopen(name.c_str(), "rb"),
                                                               [](std::FILE* file) { return std::fclose(file); });
  std::FILE* const file = is_input ? stdin : opened.get();
  std::string bytes(payload_limit + 1, '\0');
  if (file != nullptr) bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  if (file == nullptr || std::ferror(file) != 0)
    throw input_error(fmt::format("durable: --payload {}: {}", in_quotes(name), std::strerror(errno)));
  std::clearerr(file);  // clears a terminal's end of input, because consent is asked for there as well
  return bytes;
}

std::vector<std::byte> payload_from(const std::string& option) {
  std::string bytes = option;
  if (option == "-") {
    bytes = bytes_of_file(option);
  } else if (option.starts_with('@')) {
    bytes = bytes_of_file(option.substr(1));
  }
  if (bytes.size() > payload_limit)
    throw input_error(fmt::format("durable: --payload: more than {} bytes, which a timer has at most", payload_limit));
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

put_mode mode_of(const std::string& word) {
  if (word == "keep") return put_mode::keep;
  if (word == "replace") return put_mode::replace;
  if (word == "fail") return put_mode::fail;
  throw usage_error(fmt::format("--if-exists: {} is not keep, replace or fail", in_quotes(word)));
}

// Leaves out the payload, which standard input may give, but only once.
put_request request_of(const durable_options& options, shard_id shards) {
  if (options.due.empty() == options.in.empty()) throw usage_error("put: either --due TIME or --in SPAN is needed");
  const std::string key = typed_key(options);
  const std::string partition = typed_partition(options).value_or("");
  put_request put{.mode = mode_of(options.if_exists)};
  put.what.shard = shard_of(key, partition, shards);
  put.what.key = stored_key(key, partition);
  put.what.handler = typed_bytes("--handler", options.handler, 1, handler_limit);
  put.what.due = options.in.empty() ? typed_time("--due", options.due) : time_now() + signed_span("--in", options.in);
  return put;
}

std::string plan_of(const put_request& put, const std::optional<listed_record>& before, const store& in) {
  std::string plan =
      fmt::format("put {} for handler {}, due {}, with {} bytes of payload, in {}", name_text(put.what),
                  in_quotes(put.what.handler), utc_text(put.what.due), put.what.payload.size(), printable(in.name()));
  if (!before || before->died) return plan;
  plan += fmt::format("; the key names a timer of handler {}, due {}, ", in_quotes(before->what.handler),
                      utc_text(before->what.due));
  return plan + (put.mode == put_mode::replace ? "which is replaced" : "which stays");
}

struct put_word {
  std::string_view word, text;
};
put_word word_of(change_status status) {
  switch (status) {
    case change_status::stored: return {"stored", "stored"};
    case change_status::replaced: return {"replaced", "stored in place of the one that was there"};
    case change_status::kept:
      return {"kept", "the key names a timer, which stays; --if-exists replace puts this one in its place"};
    case change_status::exists: return {"exists", "the key names a timer, which stays: nothing was put"};
    default: return {"unknown", "the part of the store that has it did not answer; put it again"};
  }
}

}  // namespace

void check_put(const durable_options& options) { request_of(options, 1); }

durable_result put_timer(store& in, const durable_options& options) {
  put_request put = request_of(options, in.shards());
  put.what.payload = payload_from(options.payload);
  std::optional<listed_record> before;
  check(in.find({put.what.shard, put.what.key}, before), in);
  if (!has_consent(plan_of(put, before, in), options.yes)) return {"nothing was changed\n", true};
  put.what.id = change_run::new_id();
  const change what = put;
  change_status status{};
  const durable::errc code = in.apply({&what, 1}, {&status, 1});
  if (code == durable::errc::unsupported && in.names_are_text())
    throw input_error(fmt::format("durable: {}: in {} a key, a partition and a handler are UTF-8 without a zero byte",
                                  name_text(put.what), printable(in.name())));
  check(code, in);
  const put_word said = word_of(status);
  durable_result result{.failed = said.word == "exists" || said.word == "unknown"};
  if (options.json) {
    const key_parts of = parts_of(put.what.key);
    json_object json;
    json.text("action", "put").text("key", printable(of.key)).text("partition", printable(of.partition));
    json.text("result", said.word).text("due", utc_text(put.what.due));
    json.count("due_us", put.what.due.time_since_epoch().count());
    result.text = json.str() + "\n";
  } else {
    result.text = fmt::format("{}: {}\n", name_text(put.what), said.text);
  }
  return result;
}

}  // namespace detent::tool
