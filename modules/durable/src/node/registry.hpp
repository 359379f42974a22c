// SPDX-License-Identifier: MIT
#pragma once

#include "roll.hpp"

#include <detent/durable.hpp>
#include <detent/schedule.hpp>

#include <map>
#include <mutex>
#include <utility>

namespace detent::durable::detail {

// The handler of timers of one name on this node, with its options.
struct handling {
  timers::handler_function call;
  handler_options how;
};

// The handlers and schedules of this node, by name. Any thread may use it. Handlers are complete before the node
// starts; schedules may change at any time.
class registry {
 public:
  bool add(std::string_view name, handling what) { return handlers_.emplace(name, std::move(what)).second; }
  const handling* handler(std::string_view name) const noexcept {
    const auto found = handlers_.find(name);
    return found == handlers_.end() ? nullptr : &found->second;
  }

  // From now on, the name stands for this schedule.
  void set(std::string_view name, const schedule& what) {
    const std::lock_guard locked(lock_);
    schedules_.insert_or_assign(std::string(name), what);
  }
  std::optional<schedule> find_schedule(std::string_view name) const {
    const std::lock_guard locked(lock_);
    const auto found = schedules_.find(name);
    return found == schedules_.end() ? std::nullopt : std::optional(found->second);
  }
  // Reads the zones of all schedules again. If it throws unknown_zone, nothing has changed.
  void reload_zones() {
    const std::lock_guard locked(lock_);
    auto now = schedules_;
    for (auto& [name, its] : now) its = its.in_zone(its.options().zone.reloaded());
    schedules_.swap(now);
  }

  // Returns the handler that runs the timer here, or null if its handler or its schedule is unknown.
  const handling* of(const record& what) const {
    if (!what.schedule.empty() && !find_schedule(what.schedule)) return nullptr;
    return handler(what.handler);
  }

  // The names that other nodes are told.
  std::vector<ability> abilities() const {
    std::vector<ability> out;
    const std::lock_guard locked(lock_);
    for (const auto& [name, its] : handlers_) out.push_back(ability_of_handler(name));
    for (const auto& [name, its] : schedules_) out.push_back(ability_of_schedule(name));
    return out;
  }

 private:
  std::map<std::string, handling, std::less<>> handlers_;
  mutable std::mutex lock_;
  std::map<std::string, schedule, std::less<>> schedules_;
};

}  // namespace detent::durable::detail
