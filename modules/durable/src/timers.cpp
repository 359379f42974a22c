// SPDX-License-Identifier: MIT
#include "node/node.hpp"
#include "stores/text.hpp"

#include <detent/durable.hpp>

#include <algorithm>
#include <utility>

namespace detent::durable {
namespace {

using detail::stored;
using detail::too_large;

// Some stores hold only text.
void check_text(const detail::node& in, const char* what, std::string_view its) {
  if (!in.names_are_text() || detail::is_text(its)) return;
  throw error(errc::unsupported, std::string(what) + " that is no text: in this store it is UTF-8 without a zero byte");
}

void check_name(const detail::node& in, const timer_name& which) {
  detail::check_name(which);
  check_text(in, "a key", which.key);
  check_text(in, "a partition", which.partition);
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
  check_name(in, which);
  check_text(in, "a handler's name", what.handler);
  if (what.handler.empty())
    throw error(errc::too_large, "a handler's name of 0 bytes: must have 1 to " + std::to_string(handler_limit));
  if (what.handler.size() > handler_limit) too_large("a handler's name", what.handler.size(), handler_limit);
  if (what.payload.size() > payload_limit) too_large("a payload", what.payload.size(), payload_limit);
  record its = in.make_record(which, what.due, what.handler);
  its.schedule = what.schedule;
  its.payload.assign(what.payload.begin(), what.payload.end());
  std::string key(parts_of(its.key).key);
  its.by_rule = !what.schedule.empty();
  in.push({.what = put_request{std::move(its), mode_of(how.conflict)}, .by = how.on_stored});
  return key;
}

}  // namespace

timers::timers(engine& on, std::shared_ptr<store> in, options how)
    : node_(std::make_unique<detail::node>(on, std::move(in), std::move(how))) {}

timers::~timers() {
  // The child of a fork has no thread that could end the node's work, and the store's connection belongs to the parent.
  if (!node_->is_here()) static_cast<void>(node_.release());
}

void timers::handle(std::string_view name, handler_function f, handler_options how) {
  node_->handle(name, {std::move(f), std::move(how)});
}

void timers::declare(std::string_view name, const schedule& when) { node_->declare(name, when); }

void timers::reload_zones() { node_->reload_zones(); }

void timers::start() { node_->start(); }

std::string timers::schedule_at(wall_time due, std::string_view handler, std::span<const std::byte> payload,
                                const timer_options& how) {
  return put(*node_, {stored(due), handler, {}, payload}, how);
}

std::string timers::schedule_after(duration delay, std::string_view handler, std::span<const std::byte> payload,
                                   const timer_options& how) {
  const wall_time now = node_->clock().wall();
  const wall_time due =
      delay > detail::last_time - now ? wall_time(detail::last_time) : now + std::max(delay, duration(0));
  return put(*node_, {stored(due), handler, {}, payload}, how);
}

std::string timers::schedule_on(std::string_view schedule, std::string_view handler, std::span<const std::byte> payload,
                                const timer_options& how) {
  const auto first = node_->find_schedule(schedule).next(node_->clock().wall());
  if (!first) throw error(errc::gone, "schedule_on: \"" + std::string(schedule) + "\": nothing is due any more");
  return put(*node_, {stored(*first), handler, schedule, payload}, how);
}

void timers::cancel(const timer_name& which, std::function<void(cancel_result)> done, duration patience) {
  check_name(*node_, which);
  const duration limited = std::clamp<duration>(patience, duration(0), std::chrono::hours(24));
  node_->push({.what = cancel_request{shard_of(which.key, which.partition, node_->shards()),
                                      stored_key(which.key, which.partition), detail::random_bits() | 1},
               .by = detail::asking_caller{std::move(done), node_->clock().elapsed() + limited}});
}

void timers::restart_at(const timer_name& which, wall_time due, std::function<void(std::error_code)> done) {
  check_name(*node_, which);
  record its = node_->make_record(which, stored(due), {});
  its.key = stored_key(which.key, which.partition);  // no key is made up: an empty one names no timer
  its.shard = shard_of(which.key, which.partition, node_->shards());
  std::function<void(put_result)> told;
  if (done) told = [done = std::move(done)](const put_result& result) { done(result.error()); };
  node_->push({.what = put_request{std::move(its), put_mode::move}, .by = std::move(told)});
}

bool timers::flush(duration patience) { return node_->flush(patience); }

durable::metrics timers::metrics() const { return node_->metrics(); }

}  // namespace detent::durable
