// SPDX-License-Identifier: MIT
// The store on Redis: its beginning, shards and terms. In redis_timers.cpp: timers; in redis_ends.cpp: their ends.
#include "redis_store.hpp"

#include "batch.hpp"
#include "read_answer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <utility>

namespace detent::durable {
namespace redis {
namespace {

constexpr std::array<const char*, 6> key_names = {"own", "announced", "due", "body", "dead", "grave"};
constexpr shard_id most_shards = 1024;
constexpr std::chrono::milliseconds soon{100};  // after which a shard whose server does not answer is tried again

[[noreturn]] void refuse(const std::string& what) { throw error(detent::errc::invalid_option, "redis_store: " + what); }

void check(const redis_options& how) {
  if (how.prefix.empty() || how.prefix.size() > 64 || how.prefix.find_first_of("{}") != std::string::npos)
    refuse("prefix '" + how.prefix + "': 1 to 64 bytes without braces");
  if (how.shards > most_shards)
    refuse("shards " + std::to_string(how.shards) + ": from 0 to " + std::to_string(most_shards));
  if (how.patience < std::chrono::milliseconds(1) || how.patience > std::chrono::minutes(1))
    refuse("patience " + std::to_string(how.patience.count()) + " ns: from 1 ms to 1 min");
  if (how.password.empty() && !how.user.empty()) refuse("user '" + how.user + "' without a password");
}

std::vector<address> places_in(const std::string& text) {
  try {
    return parse_addresses(text);
  } catch (const std::invalid_argument& bad) {
    refuse(bad.what());
  }
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
    case refusal::fenced: return errc::fenced;
    case refusal::unexpected: return errc::corrupt;
    default: return errc::unavailable;
  }
}

redis_store::redis_store(const std::string& address, const redis_options& how)
    : to_((check(how), places_in(address)), {how.user, how.password},
          std::chrono::duration_cast<std::chrono::microseconds>(how.patience)),
      who_{how.user, how.password},
      prefix_(how.prefix),
      replicas_(how.replicas),
      read_only_(how.read_only),
      channel_(how.prefix + ":announced:" + random_name()),
      name_("Redis at " + address + ", prefix " + how.prefix) {
  const auto fail = [&](const trouble& why) {
    const bool foreign = why.kind == refusal::foreign;
    throw error(code_of(why.kind), "redis_store: " + (foreign ? name_ + ": " + foreign_words(why.text) : why.text));
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

errc redis_store::run(std::span<call> calls) {
  if (!may_run(calls)) return errc::not_permitted;
  to_.run(calls);
  const trouble* const failed = first_failure(calls);
  return failed != nullptr ? code_of(failed->kind) : errc{};
}

errc redis_store::run_apart(std::span<call> calls) {
  if (!may_run(calls)) return errc::not_permitted;
  to_.run(calls);
  errc code{};
  bool is_any_answered = false;
  for (const call& one : calls) {
    if (!one.failed || one.failed.kind == refusal::fenced)
      is_any_answered = true;
    else if (code == errc{})
      code = code_of(one.failed.kind);
  }
  return is_any_answered && to_.is_cluster() && code == errc::unavailable ? errc{} : code;
}

errc redis_store::call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) {
  arena in;
  call one{script::roll, nodes_, {node, in.number(microseconds(live_for))}};
  const errc code = run(std::span(&one, 1));
  if (code != errc{}) return code;
  out.now = time_of(text_of(element(*one.answer, 0)));
  out.nodes.clear();
  for (std::size_t i = 1; i != one.answer->elements; ++i) out.nodes.emplace_back(text_of(element(*one.answer, i)));
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
    if (answer == nullptr) {
      results[i] = {take_status::held, 0, soon};
    } else if (answer->type == REDIS_REPLY_ARRAY) {
      const auto left = std::chrono::microseconds(number_in(element(*answer, 1)).value_or(0));
      results[i] = {take_status::held, 0, std::chrono::ceil<std::chrono::milliseconds>(left)};
    } else {
      const std::optional<std::uint64_t> fence = number_in(*answer);
      if (!fence) return errc::corrupt;
      results[i] = {take_status::taken, *fence, {}};
      terms_[what[i].shard] = {results[i].fence, std::string(node), calls[i].process, std::to_string(lowest), 0};
      taken.emplace_back(term_ref{what[i].shard, results[i].fence}, calls[i].process);
    }
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
  arena in;
  std::vector<call> calls;
  for (const read_request& one : what) {
    const term& mine = of(one.term);
    calls.push_back(
        {script::read_on,
         keys_of(one.term.shard, 0, 4),
         {mine.node, in.number(one.term.fence), in.number(microseconds(one.lease)), mine.level,
          in.number(score_of(one.upto)), in.number(std::uint64_t{one.limit}), in.number(std::uint64_t{mine.seen})}});
  }
  const errc code = run_apart(calls);
  if (code != errc{} && code != errc::fenced) return code;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i != what.size(); ++i) {
    results[i] = {};
    if (calls[i].answer == nullptr) {
      results[i].unanswered = calls[i].failed.kind != refusal::fenced;
      continue;
    }
    const shard_id shard = what[i].term.shard;
    if (const term& mine = of(what[i].term); !mine.process.empty() && mine.process != calls[i].process) {
      left.push_back(i);
      continue;
    }
    results[i] = result_of(shard, *calls[i].answer);
    terms_[shard].level = text_of(element(*calls[i].answer, 0));
    terms_[shard].seen += results[i].announced_keys.size();
  }
  if (!left.empty()) leave(what, left);
  return errc{};
}

// Another process answers than the one that gave the term: a replica that was promoted, or the server after a restart.
// It may not have heard the last ends, nor how far was read. Only a new term reads what it has from the beginning.
void redis_store::leave(std::span<const read_request> what, std::span<const std::size_t> places) {
  std::vector<term_ref> terms;
  for (const std::size_t place : places) terms.push_back(what[place].term);
  static_cast<void>(give_back(terms));  // without it, the lease runs out
}

errc redis_store::look(std::span<shard_state> shards) {
  std::vector<call> calls;
  for (std::size_t shard = 0; shard != shards.size(); ++shard)
    calls.push_back({script::look, keys_of(static_cast<shard_id>(shard), 0, 5), {}});
  const errc code = run_apart(calls);
  if (code != errc{}) return code;
  for (std::size_t i = 0; i != shards.size(); ++i) {
    if (calls[i].answer == nullptr) {
      shards[i] = {.shard = static_cast<shard_id>(i), .node = "?"};  // no node can take it now
      continue;
    }
    const redisReply& its = *calls[i].answer;
    const auto fence = number_in(element(its, 0)), timers = number_in(element(its, 3)),
               dead = number_in(element(its, 4));
    if (!fence || !timers || !dead) return errc::corrupt;
    shards[i] = {static_cast<shard_id>(i),          *fence,  std::string(text_of(element(its, 1))),
                 time_of(text_of(element(its, 2))), *timers, *dead};
  }
  return errc{};
}

void redis_store::listen(std::function<void(shard_id)> wake) {
  listener_.reset();
  if (wake != nullptr)
    listener_ = std::make_unique<listener>(to_.places(), who_, to_.patience(), channel_, shards(), std::move(wake));
}

}  // namespace redis

std::shared_ptr<store> redis_store(const std::string& address, const redis_options& how) {
  return std::make_shared<redis::redis_store>(address, how);
}

}  // namespace detent::durable
