// SPDX-License-Identifier: MIT
// Where a call waits for whatever comes next: an answer, a timer, the end of a connection.
#pragma once

#include "coroutines.hpp"

#include <cstdint>
#include <memory>

namespace rpc {

enum class event : std::uint8_t { answered_first, answered_second, lost_first, lost_second, hedge_due, timed_out };

// One reader. Copies are the same mailbox, so that a late letter has a place to go.
class mailbox {
 public:
  explicit mailbox(asio::io_context& io) : letters_(std::make_shared<channel>(io.get_executor(), most_letters)) {}

  void post(event what) const { letters_->try_send(error_code(), what); }
  auto next() const { return letters_->async_receive(use_awaitable); }

 private:
  // Each event comes once at most.
  static constexpr std::size_t most_letters = 6;
  using channel = asio::experimental::channel<asio::io_context::executor_type, void(error_code, event)>;
  std::shared_ptr<channel> letters_;
};

}  // namespace rpc
