// SPDX-License-Identifier: MIT
// The store in PostgreSQL: its beginning, the roll, terms. In postgres_reading.cpp: readings; in postgres_changes.cpp:
// changes of timers; in postgres_lookups.cpp: look-ups.
#include "postgres_store.hpp"

#include "opening.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace detent::durable {
namespace postgres {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw error(detent::errc::invalid_option, "postgres_store: " + what);
}

const std::string& checked(const std::string& url, const postgres_options& how) {
  if (how.shards == 0 || how.shards > most_shards)
    refuse("shards = " + std::to_string(how.shards) + ": must be 1 to " + std::to_string(most_shards));
  if (how.patience < std::chrono::milliseconds(1) || how.patience > std::chrono::minutes(1))
    refuse("patience = " + std::to_string(how.patience.count()) + " ns: must be 1 ms to 1 min");
  check_url(url);
  return url;
}

std::int64_t random_number() {
  std::random_device entropy;
  return static_cast<std::int64_t>((std::uint64_t{entropy()} << 32 | entropy()) >> 1 | 1u);
}

std::int64_t microseconds(std::chrono::milliseconds span) noexcept { return 1000 * span.count(); }

}  // namespace

postgres_store::postgres_store(const std::string& url, const postgres_options& how)
    : url_(checked(url, how)),
      patience_(std::chrono::duration_cast<std::chrono::microseconds>(how.patience)),
      read_only_(how.read_only),
      own_number_(random_number()),
      name_(place_of(url)),
      to_(url_, settings_of(read_only_, read_only_ ? 0 : own_number_), patience_) {
  if (const trouble why = open_store(to_, how, shards_))
    throw error(code_of(why.kind), "postgres_store: " + name_ + ": " + why.text);
  terms_.resize(shards_);
}

errc postgres_store::run(std::span<const query> what, std::vector<rows>& out) {
  return code_of(to_.run(what, out).kind);
}

errc postgres_store::call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) {
  if (read_only_) return errc::not_permitted;
  parameters with;
  with.add_text(node);
  with.add(microseconds(live_for));
  const query one{statement::call_roll, &with};
  std::vector<rows> found;
  if (const errc code = run({&one, 1}, found); code != errc{}) return code;
  out.nodes.assign(1, std::string(node));
  for (int i = 0; i != found[0].count(); ++i) {
    if (found[0].is_null(i, 1))
      out.now = found[0].time(i, 0);
    else
      out.nodes.emplace_back(found[0].text(i, 1));
  }
  return errc{};
}

errc postgres_store::take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) {
  if (read_only_) return errc::not_permitted;
  if (what.empty()) return errc{};
  array shards(type::int2), leases(type::int8);
  for (const take_request& one : what) {
    shards.add(one.shard);
    leases.add(microseconds(one.lease));
  }
  const std::string name = as_text(node);
  parameters locks, with;
  locks.add(shards);
  with.add(shards);
  with.add(leases);
  with.add_text(name);
  const query all[] = {
      {statement::begin}, {statement::lock_shards, &locks}, {statement::take, &with}, {statement::commit}};
  std::vector<rows> found;
  if (const errc code = run(all, found); code != errc{}) return code;
  const rows& its = found[2];
  for (int i = 0; i != its.count(); ++i) {
    const auto shard = static_cast<shard_id>(its.number(i, 0));
    if (!its.is_null(i, 5)) continue;
    const auto request = std::ranges::find(what, shard, &take_request::shard);
    if (request == what.end()) continue;
    take_result& result = results[static_cast<std::size_t>(request - what.begin())];
    result = {};
    if (its.is_null(i, 1)) {
      result.left = std::max(std::chrono::milliseconds(1),
                             std::chrono::ceil<std::chrono::milliseconds>(std::chrono::microseconds(its.number(i, 3))));
      continue;
    }
    const auto fence = static_cast<std::uint64_t>(its.number(i, 1));
    result = {.status = take_status::taken,
              .fence = fence,
              .abandoned = its.flag(i, 2),
              .former = static_cast<std::uint64_t>(its.number(i, 6))};
    terms_.begin({shard, fence});
  }
  for (int i = 0; i != its.count(); ++i) {
    if (its.is_null(i, 5)) continue;
    own_term& term = terms_.of_shard(static_cast<shard_id>(its.number(i, 0)));
    term.kept.try_emplace(stored_key(its.text(i, 5), its.text(i, 4)), own_term::successor{0, false});
  }
  return errc{};
}

errc postgres_store::give_back(std::span<const term_ref> what) {
  if (read_only_) return errc::not_permitted;
  if (what.empty()) return errc{};
  array shards(type::int2), fences(type::int8);
  for (const term_ref& one : what) {
    shards.add(one.shard);
    fences.add(one.fence);
  }
  parameters locks, with;
  locks.add(shards);
  with.add(shards);
  with.add(fences);
  const query all[] = {
      {statement::begin}, {statement::lock_shards, &locks}, {statement::give_back, &with}, {statement::commit}};
  std::vector<rows> found;
  if (const errc code = run(all, found); code != errc{}) return code;
  for (const term_ref& one : what) terms_.end(one);
  return errc{};
}

void postgres_store::listen(std::function<void(shard_id)> wake) {
  listener_.reset();
  if (wake != nullptr)
    listener_ = std::make_unique<listener>(url_, settings_of(true, 0), patience_, terms_, shards_, std::move(wake));
}

}  // namespace postgres

std::shared_ptr<store> postgres_store(const std::string& url, const postgres_options& how) {
  return std::make_shared<postgres::postgres_store>(url, how);
}

}  // namespace detent::durable
