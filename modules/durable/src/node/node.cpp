// SPDX-License-Identifier: MIT
#include "node.hpp"

#include <algorithm>
#include <utility>

namespace detent::durable::detail {
namespace {

[[noreturn]] void refuse(const char* option, const std::string& value, const char* cure) {
  throw error(detent::errc::invalid_option, std::string("durable::options::") + option + " = " + value + ": " + cure);
}

options checked(options how) {
  const auto ns = [](duration its) { return std::to_string(its.count()) + " ns"; };
  if (how.horizon < std::chrono::milliseconds(1)) refuse("horizon", ns(how.horizon), "at least 1 ms");
  if (how.lease < std::chrono::milliseconds(50) || how.lease > std::chrono::hours(1))
    refuse("lease", ns(how.lease), "from 50 ms to 1 h");
  if (how.flush < duration(0) || how.flush > std::chrono::hours(1)) refuse("flush", ns(how.flush), "from 0 ns to 1 h");
  if (how.max_skew <= duration(0)) refuse("max_skew", ns(how.max_skew), "more than 0 ns");
  if (how.outbox == 0) refuse("outbox", "0", "at least 1");
  if (how.read_ahead == 0) refuse("read_ahead", "0", "at least 1");
  if (how.unwritten == 0) refuse("unwritten", "0", "at least 1");
  if (how.node.size() > 32) refuse("node", how.node, "at most 32 bytes");
  return how;
}

std::shared_ptr<store> named(std::shared_ptr<store> in) {
  if (!in) refuse("store", "null", "name a store, such as sqlite_store(path)");
  return in;
}

}  // namespace

node::node(engine& on, std::shared_ptr<store> in, options how)
    : engine_(on),
      how_(checked(std::move(how))),
      store_(named(std::move(in))),
      line_(std::make_shared<finish_line>(bell_, how_.unwritten)),
      outbox_(*bell_, how_.outbox),
      trouble_(how_, store_->name()),
      names_(how_.node),
      calendar_(on, {.on_step = [this](const clock_step&) { bell_->ring(); }}),
      hand_(calendar_, registry_, line_, store_->shards(), how_.read_ahead),
      tenures_(*store_, names_.node(), how_),
      ends_({*store_, how_, registry_, hand_, tenures_, trouble_, counts_}),
      operations_(*store_, outbox_, trouble_, counts_),
      reader_({*store_, how_, hand_, tenures_, ends_, trouble_, counts_}, names_.node()) {
  if (const errc problem = store_->look({}); problem != errc{})
    throw error(problem, std::string(store_->name()) + ": " + make_error_code(problem).message());
  store_->listen([this](shard_id shard) {
    {
      const std::lock_guard locked(asking_);
      if (std::ranges::find(announced_, shard) == announced_.end()) announced_.push_back(shard);
    }
    bell_->ring();
  });
  try {
    thread_ = std::thread([this] { work(); });
  } catch (...) {
    store_->listen(nullptr);
    throw;
  }
}

node::~node() {
  {
    const std::lock_guard locked(asking_);
    stopping_ = true;
  }
  bell_->ring();
  thread_.join();
  store_->listen(nullptr);
}

void node::handle(std::string_view name, handling what) {
  const auto wrong = [&](const char* why) {
    throw error(detent::errc::invalid_option, "handle: \"" + std::string(name) + "\": " + why);
  };
  if (name.empty() || name.size() > handler_limit) wrong("a name has 1 to 64 bytes");
  if (!what.call) wrong("the handler is empty");
  if (what.how.max_attempts == 0) wrong("max_attempts is at least 1");
  if (what.how.first_retry <= duration(0)) wrong("first_retry is more than 0 ns");
  if (what.how.longest_retry <= duration(0)) wrong("longest_retry is more than 0 ns");
  const std::lock_guard locked(asking_);
  if (started_) throw error(detent::errc::not_permitted, "handle: the timers have started: name handlers before");
  if (!registry_.add(name, std::move(what))) wrong("it is taken");
}

void node::declare(std::string_view name, const schedule& when) {
  const auto wrong = [&](const char* why) {
    throw error(detent::errc::invalid_option, "declare: \"" + std::string(name) + "\": " + why);
  };
  if (name.empty() || name.size() > handler_limit) wrong("a name has 1 to 64 bytes");
  const std::lock_guard locked(asking_);
  if (started_) throw error(detent::errc::not_permitted, "declare: the timers have started: name schedules before");
  if (!registry_.add(name, when)) wrong("it is taken");
}

void node::start() {
  process_.check("start");
  {
    const std::lock_guard locked(asking_);
    if (started_) throw error(detent::errc::not_permitted, "start: the timers have started");
    started_ = true;
  }
  bell_->ring();
}

std::uint64_t node::new_id() {
  const std::lock_guard locked(naming_);
  return names_.id();
}

record node::make_record(const timer_name& which, stored_time due, std::string_view handler) {
  record out;
  std::string made;
  {
    const std::lock_guard locked(naming_);
    out.id = names_.id();
    if (which.key.empty()) made = names_.key();
  }
  const std::string_view key = which.key.empty() ? made : which.key;
  out.key = stored_key(key, which.partition);
  out.shard = shard_of(key, which.partition, store_->shards());
  out.due = due;
  out.handler = handler;
  return out;
}

void node::push(operation&& what) {
  process_.check("schedule, cancel or restart");
  if (!outbox_.push(std::move(what)))
    throw error(errc::outbox_full, "outbox_full: " + std::to_string(how_.outbox) +
                                       " operations wait for the store (options::outbox); nothing was scheduled");
}

const schedule& node::find_schedule(std::string_view name) const {
  const schedule* found = registry_.find_schedule(name);
  if (found == nullptr)
    throw error(errc::unknown_handler, "schedule_on: \"" + std::string(name) + "\": declare() it before start()");
  return *found;
}

void node::refuse_own_thread(const char* what) const {
  if (std::this_thread::get_id() == thread_.get_id())
    throw error(detent::errc::called_from_callback,
                std::string(what) + ": called from a callback of these timers, which it would wait for");
}

bool node::flush(duration patience) {
  process_.check("flush");
  refuse_own_thread("flush");
  return outbox_.wait_empty_of_earlier(patience);
}

void node::ask(const char* what, const std::function<errc(store&)>& question) {
  process_.check(what);
  refuse_own_thread(what);
  request mine{&question, {}};
  auto answered = mine.done.get_future();
  {
    const std::lock_guard locked(asking_);
    requests_.push_back(&mine);
  }
  bell_->ring();
  if (const errc problem = answered.get(); problem != errc{})
    throw error(problem, std::string(store_->name()) + ": " + make_error_code(problem).message());
}

durable::metrics node::metrics() const {
  if (!is_here()) return {};
  durable::metrics out = counts_.read();
  out.outbox = outbox_.size();
  return out;
}

}  // namespace detent::durable::detail
