// SPDX-License-Identifier: MIT
#include "search/poll_walks/shrink.hpp"

#include <algorithm>
#include <chrono>

namespace detent::poll_walks {
namespace {

class shrinker {
 public:
  explicit shrinker(program failing) : least_(std::move(failing)) {}

  program make() {
    for (std::size_t before = 0; before != cost() && !late();) {
      before = cost();
      remove_ranges();
      each_list(least_.steps);
      simplify();
    }
    return least_;
  }

 private:
  using clock = std::chrono::steady_clock;

  bool late() const { return clock::now() > end_; }
  bool still_fails() const { return !late() && !failure_of(least_).empty(); }
  std::size_t cost() const { return text(least_).size(); }

  void remove_ranges() {
    for (std::size_t count = std::max<std::size_t>(least_.steps.size() / 2, 1);; count /= 2) {
      for (std::size_t at = 0; at < least_.steps.size();) {
        if (!removed(least_.steps, at, count)) at += count;
      }
      if (count <= 1) return;
    }
  }
  // Returns whether it fails without these. If not, they are put back.
  bool removed(std::vector<operation>& from, std::size_t at, std::size_t count) {
    const std::vector<operation> all = from;
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(at);
    from.erase(first, first + static_cast<std::ptrdiff_t>(std::min(count, from.size() - at)));
    if (still_fails()) return true;
    from = all;
    return false;
  }
  // The operations of callbacks.
  void each_list(std::vector<operation>& steps) {
    for (operation& each : steps) {
      for (std::size_t at = each.inside.size(); at-- > 0;) static_cast<void>(removed(each.inside, at, 1));
      each_list(each.inside);
    }
  }

  template <class Value>
  void try_value(Value& at, const Value& simpler) {
    if (at == simpler) return;
    const Value was = at;
    at = simpler;
    if (!still_fails()) at = was;
  }
  void simplify() {
    setting& made_with = least_.made_with;
    const setting none;
    try_value(made_with.wheel, none.wheel);
    try_value(made_with.tick, none.tick);
    try_value(made_with.start, none.start);
    try_value(made_with.capacity, none.capacity);
    try_value(made_with.reserve, none.reserve);
    try_value(made_with.executors, none.executors);
    try_value(made_with.own_executor, none.own_executor);
    try_value(made_with.keeps_order, none.keeps_order);
    try_value(made_with.origin, none.origin);
    try_value(made_with.fd, none.fd);
    try_value(made_with.labels, none.labels);
    try_value(made_with.set, none.set);
    for (const unsigned fewer : {1U, 2U}) {
      if (made_with.engines > fewer) try_value(made_with.engines, fewer);
    }
    simplify(least_.steps);
  }
  void simplify(std::vector<operation>& steps) {
    const spec::plan none;
    for (operation& each : steps) {
      spec::plan& asked = each.asked;
      try_value(asked.lane, none.lane);
      try_value(asked.slack, none.slack);
      try_value(asked.max_lateness, none.max_lateness);
      try_value(asked.stale, none.stale);
      try_value(asked.label, none.label);
      try_value(asked.tag, none.tag);
      try_value(asked.executor, none.executor);
      try_value(asked.group, none.group);
      try_value(asked.missed, none.missed);
      try_value(asked.runs, none.runs);
      try_value(each.step, nanoseconds_t{0});
      try_value(each.thread, 0U);
      try_value(each.on, 0U);
      try_value(each.among, 0U);
      try_value(each.token, 0U);
      try_value(each.all, false);
      try_value(each.after, false);
      try_value(each.wait, false);
      for (std::uint32_t fewer = each.count / 2; fewer != 0 && each.count > 1; fewer /= 2)
        try_value(each.count, each.count - fewer);
      if (each.when.from == moment::base::now) {
        for (const nanoseconds_t near : {1, 10, 100}) {
          if (each.when.by > near) try_value(each.when.by, near);
        }
      }
      simplify(each.inside);
    }
  }

  program least_;
  const clock::time_point end_ = clock::now() + std::chrono::seconds(60);
};

}  // namespace

program shrink(program failing) { return shrinker(std::move(failing)).make(); }

}  // namespace detent::poll_walks
