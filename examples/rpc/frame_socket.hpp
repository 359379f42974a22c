// SPDX-License-Identifier: MIT
// The protocol: frames of 16 bytes over TCP, in the byte order of the host, as both ends are on one.
#pragma once

#include "coroutines.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rpc {

enum class frame_kind : std::uint32_t { request, cancel, answer };

struct frame {
  std::uint64_t id;  // counted by the client, for each connection
  frame_kind kind;
  std::uint32_t value;  // of a request; that of its answer is the next number
};
static_assert(sizeof(frame) == 16, "no padding travels");

// A connected socket. All calls come from the thread that runs its context.
class frame_socket : public std::enable_shared_from_this<frame_socket> {
 public:
  explicit frame_socket(tcp::socket connected) : socket_(std::move(connected)) {}

  // Frames that are sent in one turn of the loop leave in one write.
  void send(const frame& f);
  // The frames that have come, at least one. None: the peer has gone. Valid until the next call.
  awaitable<std::span<const frame>> receive();
  // Nothing is sent any more; the peer sees the end after all that was sent before.
  void finish();

 private:
  void write();

  tcp::socket socket_;
  std::vector<frame> waiting_;  // for the write after this one
  std::vector<frame> leaving_;
  bool writing_ = false;
  bool finished_ = false;
  std::array<frame, 4096> received_;
  std::size_t received_bytes_ = 0;
  std::size_t taken_bytes_ = 0;
};

}  // namespace rpc
