// SPDX-License-Identifier: MIT
#include "console/store_reader.hpp"

#include <detent/durable_store.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "durable/named_store.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

using namespace durable;

constexpr std::size_t most_shown = 50;
constexpr auto dead_at_least_every = std::chrono::seconds(30);

console_time wall_now() { return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()); }

console_timer timer_of(listed_record&& its) {
  record& what = its.what;
  const key_parts of = parts_of(what.key);
  return {.key = std::string(of.key),
          .partition = std::string(of.partition),
          .handler = std::move(what.handler),
          .due = what.due,
          .attempt = what.attempt,
          .shard = what.shard,
          .schedule = std::move(what.schedule),
          .why = std::move(its.why)};
}

struct refusal {
  durable::errc problem;
};

void check(durable::errc problem) {
  if (problem != durable::errc{}) throw refusal{problem};
}

}  // namespace

class store_reader::content {
 public:
  explicit content(const std::string& name) : store_(open_store(name, true)) { read_.name = printable(store_->name()); }

  void attempt();
  const console_store& read() const { return read_; }

 private:
  struct dead_page {
    std::uint64_t count = 0;
    console_time read_at{};
    std::vector<console_timer> latest;  // by due time, the latest last
  };

  std::vector<listed_record> page(const list_request& which);
  console_shard shard_of(const shard_state& state, console_time now, std::vector<console_timer>& next);
  std::vector<console_timer> latest_dead(shard_id shard, console_time now);
  void read_dead(const std::vector<shard_state>& states, console_time now);

  std::shared_ptr<store> store_;
  std::map<shard_id, dead_page> dead_;
  console_store read_;
};

std::vector<listed_record> store_reader::content::page(const list_request& which) {
  std::vector<listed_record> found;
  check(store_->list(which, found));
  return found;
}

console_shard store_reader::content::shard_of(const shard_state& state, console_time now,
                                              std::vector<console_timer>& next) {
  console_shard made{.shard = state.shard, .node = state.node, .timers = state.timers, .dead = state.dead};
  if (state.node == "?") {
    made.node.clear();
    made.node_known = false;
  }
  // A term that has read nothing has its read level below everything.
  if (state.upto.time_since_epoch().count() > 0)
    made.lag = std::chrono::duration<double, std::nano>(now - state.upto).count();
  if (state.timers == 0) return made;
  list_request first;
  first.shard = state.shard;
  first.limit = most_shown;
  for (listed_record& each : page(first)) {
    if (each.what.due <= now) ++made.backlog;
    next.push_back(timer_of(std::move(each)));
  }
  made.backlog_more = made.backlog == most_shown;
  return made;
}

// Pages go by due time from the earliest on. So a time is searched from which on one page holds all, the latest first
// if one page cannot hold what is due at one time; what the view still has room for comes from the last full page.
std::vector<console_timer> store_reader::content::latest_dead(shard_id shard, console_time now) {
  list_request which;
  which.shard = shard;
  which.dead = true;
  which.limit = 4 * most_shown;
  std::vector<listed_record> found = page(which), earlier;
  if (found.size() == which.limit) {
    constexpr auto year = std::chrono::hours(24 * 365);
    console_time full = found.front().what.due;
    console_time free = std::min(std::max(now, full), console_time::max() - year) + year;
    earlier = std::exchange(found, {});
    for (int tries = 0; tries < 64 && found.size() < most_shown; ++tries) {
      which.from = console_time(
          console_time::duration(std::midpoint(full.time_since_epoch().count(), free.time_since_epoch().count())));
      if (which.from == full) break;
      std::vector<listed_record> tried = page(which);
      const bool is_full = tried.size() == which.limit;
      (is_full ? full : free) = which.from;
      (is_full ? earlier : found) = std::move(tried);
    }
    std::erase_if(earlier, [free](const listed_record& each) { return each.what.due >= free; });
  }
  std::vector<console_timer> latest;
  for (std::vector<listed_record>* const some : {&earlier, &found})
    for (listed_record& each : *some) latest.push_back(timer_of(std::move(each)));
  latest.erase(latest.begin(), latest.end() - static_cast<std::ptrdiff_t>(std::min(latest.size(), most_shown)));
  return latest;
}

void store_reader::content::read_dead(const std::vector<shard_state>& states, console_time now) {
  std::vector<console_timer> dead;
  for (const shard_state& state : states) {
    dead_page& known = dead_[state.shard];
    if (known.count != state.dead || now - known.read_at >= dead_at_least_every) {
      known.latest = state.dead == 0 ? std::vector<console_timer>() : latest_dead(state.shard, now);
      known.count = state.dead;
      known.read_at = now;
    }
    dead.insert(dead.end(), known.latest.begin(), known.latest.end());
  }
  std::ranges::stable_sort(dead, std::greater<>(), &console_timer::due);
  dead.resize(std::min(dead.size(), most_shown));
  read_.dead = std::move(dead);
}

void store_reader::content::attempt() {
  try {
    const console_time now = wall_now();
    std::vector<shard_state> states(store_->shards());
    check(store_->look(states));
    std::vector<console_shard> shards;
    std::vector<console_timer> next;
    for (const shard_state& each : states) {
      shards.push_back(shard_of(each, now, next));
      std::ranges::stable_sort(next, {}, &console_timer::due);
      next.resize(std::min(next.size(), most_shown));
    }
    read_dead(states, now);
    read_.shards = std::move(shards);
    read_.next = std::move(next);
    read_.read_at = now;
    read_.trouble.clear();
  } catch (const refusal& why) {
    read_.trouble = make_error_code(why.problem).message();
  } catch (const std::exception& why) {
    read_.trouble = printable(why.what());
  }
}

store_reader::store_reader(const std::string& name) : content_(std::make_unique<content>(name)) {}

store_reader::~store_reader() = default;

const console_store& store_reader::last() const { return content_->read(); }

const console_store& store_reader::read() {
  content_->attempt();
  return content_->read();
}

}  // namespace detent::tool
