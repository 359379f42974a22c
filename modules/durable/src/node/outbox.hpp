// SPDX-License-Identifier: MIT
#pragma once

#include "bell.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <system_error>
#include <variant>
#include <vector>

namespace detent::durable::detail {

struct put_operation {
  put_request what;
  std::function<void(std::error_code)> done;
};
struct cancel_operation {
  cancel_request what;
  std::function<void(cancel_result)> done;
  std::chrono::nanoseconds give_up_at{};  // by elapsed()
  bool given_up = false;                  // it has been answered, and only keeps its place
};
using operation = std::variant<put_operation, cancel_operation>;

// The operations that wait for the store, in order, bounded. An operation has its place until it is over.
class outbox {
 public:
  outbox(bell& of, std::size_t limit) noexcept : bell_(of), limit_(limit) {}

  // Any thread. False: full, and nothing was moved from.
  bool push(operation&& what);
  // The writing thread takes the operations that have come since.
  std::vector<operation> take_all();
  // The first ones are over.
  void over(std::size_t count);
  // Waits until all that was pushed before the call is over.
  bool wait_empty_of_earlier(std::chrono::nanoseconds patience);
  std::size_t size() const;

 private:
  bell& bell_;
  const std::size_t limit_;
  mutable std::mutex lock_;
  std::condition_variable less_;
  std::vector<operation> waiting_;
  std::uint64_t pushed_ = 0;
  std::uint64_t over_ = 0;
};

}  // namespace detent::durable::detail
