// SPDX-License-Identifier: MIT
#pragma once

#include "run.hpp"

#include <detent/durable.hpp>
#include <detent/schedule.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace detent::durable::detail {

// The handlers and schedules of this node, by name. Complete before the node starts; read by any thread from then on.
class registry {
 public:
  bool add(std::string_view name, handling what) { return handlers_.emplace(name, std::move(what)).second; }
  bool add(std::string_view name, const schedule& what) { return schedules_.emplace(name, what).second; }
  const handling* handler(std::string_view name) const noexcept { return find(handlers_, name); }
  const schedule* find_schedule(std::string_view name) const noexcept { return find(schedules_, name); }
  // The handler that runs it here; null where its handler or its schedule is not known.
  const handling* of(const record& what) const noexcept {
    if (!what.schedule.empty() && find_schedule(what.schedule) == nullptr) return nullptr;
    return handler(what.handler);
  }

 private:
  template <class Map>
  static auto find(const Map& in, std::string_view name) noexcept -> const typename Map::mapped_type* {
    const auto found = in.find(name);
    return found == in.end() ? nullptr : &found->second;
  }

  std::map<std::string, handling, std::less<>> handlers_;
  std::map<std::string, schedule, std::less<>> schedules_;
};

}  // namespace detent::durable::detail
