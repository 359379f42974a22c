// SPDX-License-Identifier: MIT
#include "console/store_reader.hpp"

#include <detent/durable_store.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "console/listed_timer.hpp"
#include "console/node_watch.hpp"
#include "durable/named_store.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

using namespace durable;

constexpr std::size_t most_shown = 50;
constexpr auto dead_at_least_every = std::chrono::seconds(30);

console_time wall_now() { return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()); }

struct refusal {
  durable::errc problem;
};

void check(durable::errc problem) {
  if (problem != durable::errc{}) throw refusal{problem};
}

}  // namespace

class store_reader::content {
 public:
  explicit content(const std::string& name) : watched_(name) { read_.name = printable(watched_.current().name()); }

  void attempt();
  const console_store& read() const { return read_; }

 private:
  struct dead_page {
    std::uint64_t count = 0;
    console_time read_at{};
    std::vector<console_timer> latest;
  };

  void use(store& now);
  std::vector<console_timer> page(list_request which);
  void read_shards(const std::vector<shard_state>& states, console_time now);
  std::vector<console_timer> latest_dead(shard_id shard, std::uint64_t count);
  void read_dead(const std::vector<shard_state>& states, console_time now);

  watched_store watched_;
  store* store_ = nullptr;
  std::map<shard_id, dead_page> dead_;
  node_watch nodes_;
  console_store read_;
};

void store_reader::content::use(store& now) {
  if (store_ == &now) return;
  store_ = &now;
  dead_.clear();
  nodes_ = {};
}

// Collects as many as are asked for. A page of the store may have fewer and not be the last one.
std::vector<console_timer> store_reader::content::page(list_request which) {
  std::vector<console_timer> found;
  const std::size_t wanted = which.limit;
  do {
    list_page some;
    which.limit = wanted - found.size();
    check(store_->list(which, some));
    for (listed_record& each : some.found) found.push_back(timer_of(std::move(each)));
    which.after = std::move(some.next);
  } while (!which.after.empty() && found.size() < wanted);
  return found;
}

void store_reader::content::read_shards(const std::vector<shard_state>& states, console_time now) {
  std::vector<std::uint64_t> due(states.size());
  check(store_->count_due(now, due));
  std::vector<console_shard> shards;
  std::vector<console_timer> next;
  for (std::size_t i = 0; i != states.size(); ++i) {
    const shard_state& state = states[i];
    console_shard made{.shard = state.shard, .node = state.node, .timers = state.timers, .backlog = due[i]};
    made.dead = state.dead;
    if (state.node == "?") {
      made.node.clear();
      made.node_known = false;
    }
    // The read level of a term that has read nothing is below everything.
    if (state.upto.time_since_epoch().count() > 0)
      made.lag = std::chrono::duration<double, std::nano>(now - state.upto).count();
    shards.push_back(std::move(made));
    if (state.timers == 0) continue;
    list_request first;
    first.shard = state.shard;
    first.limit = most_shown;
    std::ranges::move(page(first), std::back_inserter(next));
    std::ranges::stable_sort(next, {}, &console_timer::due);
    next.resize(std::min(next.size(), most_shown));
  }
  read_.shards = std::move(shards);
  read_.next = std::move(next);
}

// Finds the instant of the fiftieth death from the end. Returns all timers that died after it and, as far as there is
// room, those that died in it.
std::vector<console_timer> store_reader::content::latest_dead(shard_id shard, std::uint64_t count) {
  std::vector<stored_time> deaths(std::size_t{shard} + 1);
  const std::uint64_t nth = count > most_shown ? count - most_shown + 1 : 1;
  check(store_->look_at_deaths(nth, deaths));
  list_request which;
  which.shard = shard;
  which.dead = true;
  which.limit = most_shown;
  const stored_time first = deaths.back();
  std::vector<console_timer> latest;
  if (first == stored_time::max()) return latest;  // they were purged or revived in the meantime
  which.from = first + std::chrono::microseconds(1);
  latest = page(which);
  which.until = std::exchange(which.from, first);
  which.limit = most_shown - latest.size();
  if (which.limit != 0) std::ranges::move(page(which), std::back_inserter(latest));
  return latest;
}

void store_reader::content::read_dead(const std::vector<shard_state>& states, console_time now) {
  std::vector<console_timer> dead;
  for (const shard_state& state : states) {
    dead_page& known = dead_[state.shard];
    if (known.count != state.dead || now - known.read_at >= dead_at_least_every) {
      known.latest = state.dead == 0 ? std::vector<console_timer>() : latest_dead(state.shard, state.dead);
      known.count = state.dead;
      known.read_at = now;
    }
    dead.insert(dead.end(), known.latest.begin(), known.latest.end());
  }
  std::ranges::stable_sort(dead, std::greater<>(), &console_timer::died);
  dead.resize(std::min(dead.size(), most_shown));
  read_.dead = std::move(dead);
}

void store_reader::content::attempt() {
  try {
    use(watched_.current());
    const console_time now = wall_now();
    std::vector<shard_state> states(store_->shards());
    check(store_->look(states));
    read_shards(states, now);
    read_dead(states, now);
    roll_state roll;
    const durable::errc known = store_->look_at_roll(roll);
    if (known != durable::errc::unsupported) check(known);
    read_.nodes_known = known == durable::errc{};
    if (read_.nodes_known) nodes_.take(roll, now, read_);
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
