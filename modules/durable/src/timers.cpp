// SPDX-License-Identifier: MIT
#include "node/node.hpp"

#include <detent/durable.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace detent::durable {
namespace {

// Of years 1970 to 2200, which every store holds and no arithmetic overflows.
constexpr stored_time last_time{std::chrono::sys_days(std::chrono::year(2200) / 1 / 1)};

stored_time stored(wall_time due) {
  return std::clamp(std::chrono::ceil<std::chrono::microseconds>(due), stored_time{}, last_time);
}

[[noreturn]] void too_large(const char* what, std::size_t size, std::size_t limit) {
  throw error(errc::too_large,
              std::string(what) + " of " + std::to_string(size) + " bytes: at most " + std::to_string(limit));
}

void check_name(const timer_name& which) {
  if (which.key.size() > key_limit) too_large("a key", which.key.size(), key_limit);
  if (which.partition.size() > partition_limit) too_large("a partition", which.partition.size(), partition_limit);
}

put_mode mode_of(on_conflict how) noexcept {
  switch (how) {
    case on_conflict::replace: return put_mode::replace;
    case on_conflict::fail: return put_mode::fail;
    case on_conflict::keep: break;
  }
  return put_mode::keep;
}

struct wanted {
  stored_time due;
  std::string_view handler, schedule;
  std::span<const std::byte> payload;
};

std::string put(detail::node& in, const wanted& what, const timer_options& how) {
  const timer_name which(how.key, how.partition);
  check_name(which);
  if (what.handler.empty() || what.handler.size() > handler_limit)
    too_large("a handler's name, which has 1 byte or more,", what.handler.size(), handler_limit);
  if (what.payload.size() > payload_limit) too_large("a payload", what.payload.size(), payload_limit);
  record its = in.make_record(which, what.due, what.handler);
  its.schedule = what.schedule;
  its.payload.assign(what.payload.begin(), what.payload.end());
  std::string key(parts_of(its.key).key);
  in.push(detail::put_operation{{std::move(its), mode_of(how.conflict)}, how.on_stored});
  return key;
}

listed shown(listed_record& its) {
  const key_parts of = parts_of(its.what.key);
  return {std::string(of.key),
          std::string(of.partition),
          std::move(its.what.handler),
          std::move(its.what.schedule),
          std::move(its.what.payload),
          its.what.due,
          its.what.attempt,
          its.what.shard,
          std::move(its.why)};
}

// All shards, each up to the limit, and of those the first by due time. Asks shard by shard, so that the thread that
// answers renews its terms in between.
std::vector<listed_record> list_all(detail::node& in, const char* what, const query& which) {
  std::vector<listed_record> out;
  list_request page;
  page.handler = which.handler;
  page.partition = which.partition;
  page.key_prefix = which.key_prefix;
  page.from = std::chrono::ceil<std::chrono::microseconds>(which.from);
  page.until = which.until == (wall_time::max)() ? stored_time::max()
                                                 : std::chrono::ceil<std::chrono::microseconds>(which.until);
  page.dead = which.dead;
  page.limit = std::max<std::size_t>(which.limit, 1);
  for (shard_id shard = 0; shard < in.shards(); ++shard) {
    page.shard = shard;
    in.ask(what, [&](store& of) { return of.list(page, out); });
  }
  std::ranges::stable_sort(out, {}, [](const listed_record& its) { return its.what.due; });
  if (out.size() > which.limit) out.resize(which.limit);
  return out;
}

}  // namespace

timers::timers(engine& on, std::shared_ptr<store> in, options how)
    : node_(std::make_unique<detail::node>(on, std::move(in), std::move(how))) {}

timers::~timers() {
  // In the child of a fork there is no thread that could end what it began, and the store's connection is the parent's.
  if (!node_->is_here()) static_cast<void>(node_.release());
}

void timers::handle(std::string_view name, handler_function f, handler_options how) {
  node_->handle(name, {std::move(f), how});
}

void timers::declare(std::string_view name, const schedule& when) { node_->declare(name, when); }

void timers::start() { node_->start(); }

std::string timers::schedule_at(wall_time due, std::string_view handler, std::span<const std::byte> payload,
                                const timer_options& how) {
  return put(*node_, {stored(due), handler, {}, payload}, how);
}

std::string timers::schedule_after(duration delay, std::string_view handler, std::span<const std::byte> payload,
                                   const timer_options& how) {
  const wall_time now = std::chrono::system_clock::now();
  const wall_time due = delay > last_time - now ? wall_time(last_time) : now + std::max(delay, duration(0));
  return put(*node_, {stored(due), handler, {}, payload}, how);
}

std::string timers::schedule_on(std::string_view schedule, std::string_view handler, std::span<const std::byte> payload,
                                const timer_options& how) {
  const auto first = node_->find_schedule(schedule).next(std::chrono::system_clock::now());
  if (!first) throw error(errc::gone, "schedule_on: \"" + std::string(schedule) + "\": nothing is due any more");
  return put(*node_, {stored(*first), handler, schedule, payload}, how);
}

void timers::cancel(const timer_name& which, std::function<void(cancel_result)> done, duration patience) {
  check_name(which);
  const duration limited = std::clamp<duration>(patience, duration(0), std::chrono::hours(24));
  node_->push(detail::cancel_operation{{shard_of(which.key, which.partition, node_->shards()),
                                        stored_key(which.key, which.partition), detail::random_bits() | 1},
                                       std::move(done),
                                       detail::elapsed() + limited});
}

void timers::restart_at(const timer_name& which, wall_time due, std::function<void(std::error_code)> done) {
  check_name(which);
  record its = node_->make_record(which, stored(due), {});
  its.key = stored_key(which.key, which.partition);  // an empty key names no timer here
  its.shard = shard_of(which.key, which.partition, node_->shards());
  node_->push(detail::put_operation{{std::move(its), put_mode::move}, std::move(done)});
}

bool timers::flush(duration patience) { return node_->flush(patience); }

std::vector<listed> timers::list(const query& which) {
  std::vector<listed_record> found = list_all(*node_, "list", which);
  std::vector<listed> out;
  out.reserve(found.size());
  std::ranges::transform(found, std::back_inserter(out), shown);
  return out;
}

std::size_t timers::revive(const query& which) {
  query dead = which;
  dead.dead = true;
  std::vector<put_request> again;
  for (listed_record& its : list_all(*node_, "revive", dead)) {
    its.what.id = node_->new_id();
    its.what.due = detail::wall_now();
    again.push_back({std::move(its.what), put_mode::keep});
  }
  std::vector<put_status> results(again.size());
  node_->ask("revive", [&](store& in) { return in.revive(again, results); });
  return static_cast<std::size_t>(std::ranges::count(results, put_status::stored));
}

durable::metrics timers::metrics() const { return node_->metrics(); }

}  // namespace detent::durable
