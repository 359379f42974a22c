// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace detent::test {

inline durable::record timer(std::string key, std::uint64_t id) {
  durable::record its;
  its.key = std::move(key);
  its.id = id;
  its.due = durable::stored_time(std::chrono::seconds(1'000'000'000));
  its.handler = "h";
  return its;
}

inline durable::errc put(durable::store& to, const durable::record& what) {
  const durable::put_request one{what, durable::put_mode::keep};
  durable::put_status status{};
  return to.put({&one, 1}, {&status, 1});
}

}  // namespace detent::test
