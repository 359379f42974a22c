// SPDX-License-Identifier: MIT
// What an engine must do, as an obvious model: a multimap from deadlines to ids. It keeps equal keys in the order of
// their insertion, which is the arming order.
#pragma once

#include <detent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace detent::drive {

class timer_model {
 public:
  struct due {
    int id;
    time_point deadline;
    bool operator==(const due&) const = default;
  };

  explicit timer_model(duration tick = duration(1)) : tick_(tick.count()) {}

  bool pending(int id) const { return places_.count(id) != 0; }
  std::size_t size() const { return places_.size(); }
  // Schedules, or restarts what is pending.
  void arm(int id, time_point deadline) {
    cancel(id);
    const time_point rounded = round_up(deadline);
    places_[id] = {rounded, order_.insert({rounded, id})};
  }
  bool cancel(int id) {
    auto found = places_.find(id);
    if (found == places_.end()) return false;
    order_.erase(found->second.in_order);
    places_.erase(found);
    return true;
  }
  time_point deadline(int id) const { return places_.at(id).deadline; }
  std::optional<time_point> next_deadline() const {
    if (order_.empty()) return std::nullopt;
    return order_.begin()->first;
  }
  // Ends the first that is due.
  std::optional<due> take(time_point now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    due first{order_.begin()->second, order_.begin()->first};
    cancel(first.id);
    return first;
  }

 private:
  time_point round_up(time_point t) const {
    const std::int64_t ns = t.time_since_epoch().count(), over = ((ns % tick_) + tick_) % tick_;
    if (over == 0) return t;
    return ns > std::numeric_limits<std::int64_t>::max() - (tick_ - over) ? time_point::max()
                                                                          : t + duration(tick_ - over);
  }

  struct place {
    time_point deadline;
    std::multimap<time_point, int>::iterator in_order;
  };
  std::int64_t tick_;
  std::multimap<time_point, int> order_;
  std::map<int, place> places_;
};

}  // namespace detent::drive
