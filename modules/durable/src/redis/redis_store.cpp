// SPDX-License-Identifier: MIT
// The store on Redis: its beginning, shards and terms. In redis_changes.cpp: changes of timers; in
// redis_listing.cpp: look-ups.
#include "redis_store.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <stdexcept>

namespace detent::durable {
namespace redis {
namespace {

constexpr std::array<const char*, 9> key_names = {"own",   "announced", "due",       "body", "dead",
                                                  "grave", "next",      "recurring", "names"};
constexpr shard_id most_shards = 1024;
constexpr std::size_t most = std::size_t{1} << 40;  // Lua holds this number exactly
constexpr std::chrono::milliseconds soon{100};      // until a shard whose server does not answer is tried again

[[noreturn]] void refuse(const std::string& what) { throw error(detent::errc::invalid_option, "redis_store: " + what); }

void check(const redis_sentinel& how) {
  if (how.master.empty() && !(how.user.empty() && how.password.empty()))
    refuse("a user or password of sentinel without sentinel.master: give the name of the master");
  if (how.password.empty() && !how.user.empty()) refuse("sentinel.user '" + how.user + "' without sentinel.password");
}

void check(const redis_tls& how) {
  for (const auto& [name, value] : {std::pair("ca_file", how.ca_file),
                                    {"certificate_file", how.certificate_file},
                                    {"key_file", how.key_file},
                                    {"server_name", how.server_name}})
    if (!how.on && !value.empty()) refuse("tls." + std::string(name) + " '" + value + "' without tls.on");
  if (how.certificate_file.empty() != how.key_file.empty())
    refuse("tls.certificate_file '" + how.certificate_file + "' and tls.key_file '" + how.key_file +
           "': give both or none");
}

void check(const redis_options& how) {
  if (how.prefix.empty() || how.prefix.size() > 64 || how.prefix.find_first_of("{}") != std::string::npos)
    refuse("prefix '" + how.prefix + "': 1 to 64 bytes without braces");
  if (how.shards > most_shards)
    refuse("shards = " + std::to_string(how.shards) + ": must be 0 to " + std::to_string(most_shards));
  if (how.patience < std::chrono::milliseconds(1) || how.patience > std::chrono::minutes(1))
    refuse("patience = " + std::to_string(how.patience.count()) + " ns: must be 1 ms to 1 min");
  if (how.password.empty() && !how.user.empty()) refuse("user '" + how.user + "' without a password");
  check(how.sentinel);
  check(how.tls);
}

std::vector<address> places_in(const std::string& text, const redis_options& how) {
  std::vector<address> all;
  try {
    all = parse_addresses(text);
  } catch (const std::invalid_argument& bad) {
    refuse(bad.what());
  }
  for (const address& one : all)
    if (one.is_path() && how.tls.on)
      refuse("tls.on with the socket '" + one.host +
             "', whose connections leave no machine: give HOST:PORT, or no TLS");
  return all;
}

access access_of(const redis_options& how) {
  check(how);
  return {{how.user, how.password},
          std::chrono::duration_cast<std::chrono::microseconds>(how.patience),
          how.tls.on ? tls::of(how.tls) : nullptr};
}

std::uint64_t random_number() {
  std::random_device entropy;
  return std::uint64_t{entropy()} << 32 | entropy();
}

std::string random_name() {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(random_number()));
  return text;
}

std::int64_t microseconds(std::chrono::milliseconds span) noexcept { return 1000 * span.count(); }

}  // namespace

errc code_of(refusal kind) noexcept {
  switch (kind) {
    case refusal::none: return errc{};
    case refusal::not_permitted:
    case refusal::read_only: return errc::not_permitted;
    case refusal::foreign: return errc::foreign_format;
    case refusal::unsupported: return errc::unsupported;
    case refusal::unexpected: return errc::corrupt;
    default: return errc::unavailable;
  }
}

redis_store::redis_store(const std::string& address, const redis_options& how)
    : how_(access_of(how)),
      to_({places_in(address, how), how.sentinel.master, {how.sentinel.user, how.sentinel.password}}, how_),
      prefix_(how.prefix),
      replicas_(how.replicas),
      read_only_(how.read_only),
      own_name_(random_name()),
      channel_(how.prefix + ":announced:" + own_name_),
      name_("Redis " + (how.sentinel.master.empty() ? "" : "'" + how.sentinel.master + "' of the Sentinels ") + "at " +
            address + ", prefix " + how.prefix) {
  const auto fail = [&](const trouble& why) {
    const bool is_foreign = why.kind == refusal::foreign;
    throw error(code_of(why.kind), "redis_store: " + (is_foreign ? name_ + ": " + foreign_words(why.text) : why.text));
  };
  if (const trouble why = to_.open()) fail(why);
  const keys meta = {key("meta", "store")};
  const std::string wanted = std::to_string(read_only_ ? 0 : how.shards);
  const std::string own_format = std::to_string(store_format);
  call opening{script::open, meta, {wanted, own_format, read_only_ ? std::string_view() : channel_}};
  to_.run(opening);
  if (opening.failed) fail(opening.failed);
  const std::optional<std::uint64_t> had = number_in(*opening.answer);
  if (!had) fail({refusal::unexpected, address + ": " + meta.front() + " is damaged: its shards are no number"});
  if (*had == 0) fail({refusal::lost, address + ": no store has the prefix '" + prefix_ + "'"});
  terms_.resize(std::min<std::uint64_t>(*had, most_shards));
  for (std::size_t shard = 0; shard != terms_.size(); ++shard) {
    char tag[8];
    std::snprintf(tag, sizeof tag, "%02zu", shard);
    keys& its = keys_.emplace_back();
    for (const char* const each : key_names) its.push_back(key(tag, each));
  }
  remembered_.resize(terms_.size());
  nodes_ = {key("nodes", "alive")};
}

std::string redis_store::key(std::string_view tag, std::string_view name_of) const {
  return prefix_ + ":{" + std::string(tag) + "}:" + std::string(name_of);
}

std::span<const std::string> redis_store::keys_of(shard_id shard, std::size_t first, std::size_t count) const noexcept {
  return std::span(keys_[shard]).subspan(first, count);
}

const redis_store::term& redis_store::of(const term_ref& which) const noexcept {
  static const term stranger;
  const term& mine = terms_[which.shard];
  return mine.fence == which.fence ? mine : stranger;
}

bool redis_store::may_run(std::span<const call> calls) const noexcept {
  return !read_only_ || std::ranges::none_of(calls, [](const call& one) { return writes(one.what); });
}

errc redis_store::run_apart(std::span<call> calls) { return may_run(calls) ? run(to_, calls) : errc::not_permitted; }

errc redis_store::call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) {
  arena in;
  call one{script::roll, nodes_, {node, in.number(microseconds(live_for))}};
  const errc code = run_apart({&one, 1});
  if (code != errc{}) return code;
  out.now = time_of(text_of(element(*one.answer, 0)));
  out.nodes.clear();
  for (std::size_t i = 1; i != one.answer->elements; ++i) out.nodes.emplace_back(text_of(element(*one.answer, i)));
  return errc{};
}

errc redis_store::look_at_roll(roll_state& out) {
  call one{script::look_roll, nodes_, {}};
  const errc code = run_apart({&one, 1});
  if (code != errc{}) return code;
  out = {.now = time_of(text_of(element(*one.answer, 0)))};
  for (std::size_t i = 1; i + 1 < one.answer->elements; i += 2)
    out.entries.push_back(
        {std::string(text_of(element(*one.answer, i))), time_of(text_of(element(*one.answer, i + 1)))});
  return errc{};
}

errc redis_store::take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) {
  arena in;
  std::vector<call> calls;
  for (const take_request& one : what) {
    calls.push_back({script::take,
                     keys_of(one.shard, 0, 2),
                     {node, in.number(microseconds(one.lease)), in.number(std::int64_t{store_format}), channel_,
                      in.bytes_of(random_number(), 8)}});
  }
  const errc code = run_apart(calls);
  if (code != errc{}) return code;
  std::vector<std::pair<term_ref, std::string>> taken;
  for (std::size_t i = 0; i != what.size(); ++i) {
    const reply& answer = calls[i].answer;
    results[i] = {.left = soon};
    if (answer == nullptr) continue;
    const std::uint64_t number = number_in(element(*answer, 1)).value_or(0);
    if (number_in(element(*answer, 0)) == 0u) {
      results[i].left = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::microseconds(number));
      continue;
    }
    if (number == 0) return errc::corrupt;
    results[i] = {.status = take_status::taken,
                  .fence = number,
                  .abandoned = text_of(element(*answer, 2)) == "1",
                  .former = number_in(element(*answer, 3)).value_or(0)};
    terms_[what[i].shard] = {number, std::string(node), calls[i].process, std::to_string(lowest), {}, 0};
    taken.emplace_back(term_ref{what[i].shard, number}, calls[i].process);
  }
  return end_again(taken);
}

errc redis_store::give_back(std::span<const term_ref> what) {
  arena in;
  std::vector<call> calls;
  for (const term_ref& one : what)
    calls.push_back({script::give_back, keys_of(one.shard, 0, 2), {of(one).node, in.number(one.fence)}});
  return run_apart(calls);
}

errc redis_store::read_on(std::span<const read_request> what, std::span<read_result> results) {
  if (what.empty()) return errc{};
  arena in;
  calls_of_shards calls(script::read_on, to_.is_cluster(), what.size());
  for (const read_request& one : what) {
    const term& mine = of(one.term);
    calls.add(keys_of(one.term.shard, 0, 4),
              {mine.node, in.number(one.term.fence), in.number(microseconds(one.lease)), mine.level, mine.level_key,
               in.number(score_of(one.upto)), in.number(std::uint64_t{std::min(one.limit, most)}),
               in.number(std::uint64_t{std::min(one.bytes, most)}), in.number(std::uint64_t{mine.seen})});
  }
  const errc code = run_apart(calls.all());
  if (code != errc{}) return code;
  std::vector<term_ref> left;
  for (std::size_t i = 0; i != what.size(); ++i) {
    const redisReply* const answer = calls.answer_to(i);
    results[i] = {};
    results[i].unanswered = answer == nullptr;
    if (answer == nullptr || answer->type != REDIS_REPLY_ARRAY) continue;
    const shard_id shard = what[i].term.shard;
    // Another process answers than the one that gave the term: a promoted replica, or the server after a restart. It
    // may not have heard of the last ends or of how far was read. Only a new term reads all that it has.
    if (const term& mine = of(what[i].term); !mine.process.empty() && mine.process != calls.of(i).process) {
      left.push_back(what[i].term);
      continue;
    }
    results[i] = result_of(shard, *answer);
    terms_[shard].level = text_of(element(*answer, 0));
    terms_[shard].level_key = text_of(element(*answer, 1));
    terms_[shard].seen += results[i].announced_keys.size();
  }
  if (!left.empty()) static_cast<void>(give_back(left));  // without it, the leases run out
  return errc{};
}

void redis_store::listen(std::function<void(shard_id)> wake) {
  listener_.reset();
  if (wake != nullptr) listener_ = std::make_unique<listener>(to_.places(), how_, channel_, shards(), std::move(wake));
}

}  // namespace redis

std::shared_ptr<store> redis_store(const std::string& address, const redis_options& how) {
  return std::make_shared<redis::redis_store>(address, how);
}

}  // namespace detent::durable
