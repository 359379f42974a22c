// SPDX-License-Identifier: MIT
#include "console/timer_search.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "console/listed_timer.hpp"
#include "durable/timer_query.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {

using namespace durable;

namespace {

constexpr std::size_t most_found = 50;
constexpr auto least_pause = std::chrono::milliseconds(1);

}  // namespace

timer_search::timer_search(const std::string& typed) {
  result_.text = typed;
  const std::optional<std::string> bytes = bytes_of(typed);
  if (!bytes) {
    result_.trouble = "after a backslash comes another one, or x and two hexadecimal digits";
    result_.is_done = true;
    return;
  }
  wanted_ = *bytes;
  list_request which;
  which.limit = most_found;
  for (which.dead = false; true; which.dead = true) {
    if (wanted_.size() <= key_limit) {
      which.key_prefix = wanted_;
      kinds_.push_back(which);
      which.key_prefix.clear();
    }
    if (wanted_.size() <= handler_limit) {
      which.handler = wanted_;
      kinds_.push_back(which);
      which.handler.clear();
    }
    if (which.dead) break;
  }
  result_.is_done = kinds_.empty() || wanted_.empty();
}

void timer_search::take(listed_record&& its) {
  if (!names_.insert(its.what.key).second || result_.found.size() == most_found) return;
  result_.found.push_back(timer_of(std::move(its)));
  std::ranges::stable_sort(result_.found, {}, &console_timer::due);
}

// This costs a step or two, and is what most people search for.
void timer_search::look_for_the_key(store& in) {
  has_looked_for_the_key_ = true;
  if (wanted_.size() > key_limit) return;
  for (const bool dead : {false, true})
    for (listed_record& each : find_by_key(in, wanted_, dead, most_found)) take(std::move(each));
}

// Returns false if there is no further walk.
bool timer_search::next_walk(store& in) {
  list_request& its = kinds_[kind_];
  if (++its.shard < in.shards()) return true;
  return ++kind_ != kinds_.size();
}

void timer_search::go_on(store& in, std::chrono::steady_clock::time_point until) {
  using std::chrono::steady_clock;
  if (!result_.is_done && !has_looked_for_the_key_) look_for_the_key(in);
  for (auto now = steady_clock::now(); !result_.is_done && now < until; now = steady_clock::now()) {
    list_request& which = kinds_[kind_];
    list_page page;
    check(in.list(which, page), in);
    for (listed_record& each : page.found) take(std::move(each));
    which.after = std::move(page.next);
    result_.is_done = (which.after.empty() && !next_walk(in)) || result_.found.size() == most_found;
    std::this_thread::sleep_for(std::max<steady_clock::duration>(steady_clock::now() - now, least_pause));
  }
}

}  // namespace detent::tool
