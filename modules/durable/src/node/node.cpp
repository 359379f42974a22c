// SPDX-License-Identifier: MIT
#include "node.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::size_t room_for_what_runs = 1024;  // in the journal; runs beyond it are repeated after a crash

[[noreturn]] void refuse(const char* option, const std::string& value, const char* cure) {
  throw error(detent::errc::invalid_option, std::string("durable::options::") + option + " = " + value + ": " + cure);
}

options checked(const engine& on, options how) {
  const bool is_manual = std::strcmp(on.metrics().clock.name, "manual") == 0;
  if (is_manual && how.time.clock == nullptr)
    refuse("time", "none", "the engine is on a manual clock; give {&clock, the wall time at that clock's zero}");
  if (!is_manual && how.time.clock != nullptr)
    refuse("time", "virtual", "the engine is on a real clock; leave it out, or set engine_options::manual");
  const auto ns = [](duration its) { return std::to_string(its.count()) + " ns"; };
  if (how.horizon < std::chrono::milliseconds(1)) refuse("horizon", ns(how.horizon), "must be at least 1 ms");
  if (how.lease < std::chrono::milliseconds(50) || how.lease > std::chrono::hours(1))
    refuse("lease", ns(how.lease), "must be 50 ms to 1 h");
  if (how.flush < duration(0) || how.flush > std::chrono::hours(1))
    refuse("flush", ns(how.flush), "must be 0 ns to 1 h");
  if (how.max_skew <= duration(0)) refuse("max_skew", ns(how.max_skew), "must be more than 0 ns");
  if (how.outbox == 0) refuse("outbox", "0", "must be at least 1");
  if (how.outbox_bytes == 0) refuse("outbox_bytes", "0", "must be at least 1");
  if (how.read_ahead == 0) refuse("read_ahead", "0", "must be at least 1");
  if (how.read_ahead_bytes == 0) refuse("read_ahead_bytes", "0", "must be at least 1");
  if (how.unwritten == 0) refuse("unwritten", "0", "must be at least 1");
  if (how.dead_for < duration(0))
    refuse("dead_for", ns(how.dead_for), "must not be negative; 0 ns keeps dead timers for ever");
  if (how.node.size() > 32) refuse("node", "\"" + how.node + "\"", "must be at most 32 bytes");
  return how;
}

// In virtual time a node has the store for itself, and nothing takes time. So it reads everything, and its terms never
// end.
options with_time(options how) {
  if (how.time.clock != nullptr) how.horizon = how.lease = std::chrono::hours(24) * 365 * 50;
  return how;
}

calendar_set_up calendar_of(const options& how, std::function<void()> on_step) {
  calendar_set_up out;
  out.on_step = [on_step = std::move(on_step)](const clock_step&) { on_step(); };
  if (how.time.clock != nullptr) out.virtual_epoch = how.time.epoch;
  return out;
}

std::shared_ptr<store> named(std::shared_ptr<store> in) {
  if (!in) refuse("store", "null", "name a store, such as sqlite_store(path)");
  return in;
}

finish_line::of_store of(store& its) { return {std::string(its.name()), its.journal(), its.tokens()}; }

}  // namespace

node::node(engine& on, std::shared_ptr<store> in, options how)
    : engine_(on),
      how_(with_time(checked(on, std::move(how)))),
      clock_(how_.time),
      store_(named(std::move(in))),
      view_(store_->view_apart()),
      inbox_(std::make_shared<inbox>(bell_, how_.outbox, how_.outbox_bytes)),
      line_(std::make_shared<finish_line>(inbox_, how_.unwritten, verdicts_, of(*store_))),
      trouble_(how_, store_->name(), clock_),
      names_(how_.node, clock_),
      calendar_(on, calendar_of(how_, [this] { rules_change(); })),
      hand_(calendar_, registry_, line_, store_->shards(), how_.read_ahead),
      tenures_(*store_, names_.node(), how_, clock_),
      questions_(*store_, trouble_),
      writer_(common_, {*inbox_, hand_, questions_, trials_, store_->journal()}),
      rules_(common_, writer_),
      dead_(common_, names_.node()),
      reader_(common_, hand_, writer_, rules_, dead_, names_.node()) {
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
    if (clock_.are_virtual())
      bell_->call_at_each_ring([this] { pass_soon(); });
    else
      thread_ = std::thread([this] { work(); });
  } catch (...) {
    store_->listen(nullptr);
    throw;
  }
}

node::~node() {
  if (passes_ || std::this_thread::get_id() == thread_.get_id()) {
    std::fputs(
        "detent: durable timers are destroyed by a callback on their own thread, which they would wait for: destroy "
        "them "
        "on another thread\n",
        stderr);
    std::abort();
  }
  for (run* by = run::innermost(); by != nullptr; by = by->outer())
    if (&by->line() == line_.get()) by->end_early(handlers_);
  {
    const std::lock_guard locked(asking_);
    stopping_ = true;
  }
  if (clock_.are_virtual()) {
    bell_->call_at_each_ring(nullptr);
    next_pass_.cancel();
    end();
  } else {
    bell_->ring();
    thread_.join();
  }
  store_->listen(nullptr);
}

void node::handle(std::string_view name, handling what) {
  const auto wrong = [&](const char* why) {
    throw error(detent::errc::invalid_option, "handle(\"" + std::string(name) + "\"): " + why);
  };
  if (name.empty() || name.size() > handler_limit) wrong("a name must have 1 to 64 bytes");
  if (!what.call) wrong("the handler is empty");
  if (what.how.max_attempts == 0) wrong("max_attempts = 0: must be at least 1");
  if (what.how.first_retry <= duration(0)) wrong("first_retry must be more than 0 ns");
  if (what.how.longest_retry <= duration(0)) wrong("longest_retry must be more than 0 ns");
  const std::lock_guard locked(asking_);
  if (started_)
    throw error(detent::errc::not_permitted, "handle(): the timers have started; name all handlers before start()");
  if (!registry_.add(name, std::move(what))) wrong("another handler has this name");
}

void node::declare(std::string_view name, const schedule& when) {
  const auto wrong = [&](const char* why) {
    throw error(detent::errc::invalid_option, "declare(\"" + std::string(name) + "\"): " + why);
  };
  if (name.empty() || name.size() > handler_limit) wrong("a name must have 1 to 64 bytes");
  process_.check("declare");
  registry_.set(name, when);
  rules_change();
}

void node::reload_zones() {
  process_.check("reload_zones");
  registry_.reload_zones();
  rules_change();
}

void node::rules_change() {
  {
    const std::lock_guard locked(asking_);
    rules_changed_ = true;
  }
  bell_->ring();
}

void node::start() {
  process_.check("start");
  {
    const std::lock_guard locked(asking_);
    if (started_) throw error(detent::errc::not_permitted, "start(): the timers have started already");
    if (run_journal* const in = store_->journal()) in->make_room(how_.unwritten + room_for_what_runs);
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

void node::push(pending_change&& operation) {
  process_.check("schedule, cancel or restart");
  const auto full = [](std::size_t limit, const char* of, const char* option) {
    throw error(errc::outbox_full, "outbox_full: " + std::to_string(limit) + of +
                                       " wait for the store (options::" + option + "); nothing was scheduled");
  };
  switch (inbox_->admit(operation)) {
    case inbox::room::enough: break;
    case inbox::room::too_many: full(how_.outbox, " operations", "outbox"); break;
    case inbox::room::too_many_bytes: full(how_.outbox_bytes, " bytes of operations", "outbox_bytes"); break;
  }
  run* const by = run::current();
  const bool is_about_itself = by != nullptr && &by->line() == line_.get() && by->what().shard == operation.shard() &&
                               by->what().key == key_in(operation.what);
  if (is_about_itself)
    by->ask_with_end(std::move(operation));
  else
    inbox_->push(std::move(operation));
}

schedule node::find_schedule(std::string_view name) const {
  const auto found = registry_.find_schedule(name);
  if (!found)
    throw error(errc::unknown_handler,
                "schedule_on(\"" + std::string(name) + "\"): there is no schedule of this name; declare() it first");
  return *found;
}

void node::refuse_own_thread(const char* what) const {
  if (passes_ || std::this_thread::get_id() == thread_.get_id())
    throw error(detent::errc::called_from_callback,
                std::string(what) + ": called from a callback of these timers, which it would wait for");
}

bool node::flush(duration patience) {
  process_.check("flush");
  refuse_own_thread("flush");
  if (!clock_.are_virtual()) return inbox_->wait_for_earlier(patience);
  next_write_ = {};
  pass_in_virtual_time();
  return inbox_->wait_for_earlier({});
}

void node::check(const char* what, errc problem) const {
  if (problem != errc{})
    throw error(problem,
                std::string(what) + ": " + std::string(store_->name()) + ": " + make_error_code(problem).message());
}

void node::ask(const char* what, const std::function<errc(store&)>& question) {
  process_.check(what);
  refuse_own_thread(what);
  if (clock_.are_virtual()) return check(what, question(*store_));
  request mine{&question, {}};
  auto answered = mine.done.get_future();
  {
    const std::lock_guard locked(asking_);
    requests_.push_back(&mine);
  }
  bell_->ring();
  check(what, answered.get());
}

void node::look(const char* what, const std::function<errc(store_view&)>& question) {
  process_.check(what);
  refuse_own_thread(what);
  const std::lock_guard locked(looking_);
  check(what, question(*view_));
}

durable::metrics node::metrics() const {
  if (!is_here()) return {};
  durable::metrics out = counts_.read();
  const inbox::load waiting = inbox_->size();
  out.outbox = waiting.operations;
  out.outbox_bytes = waiting.bytes;
  return out;
}

}  // namespace detent::durable::detail
