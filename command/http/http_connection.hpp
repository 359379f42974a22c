// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace detent::tool {

// One accepted connection for one request: its head comes in, and its answer goes out. No call blocks.
class http_connection {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class phase : std::uint8_t {
    asking,     // the head has not arrived completely
    asked,      // the head has arrived, and no answer has begun
    answering,  // part of the answer has not been sent
    leaving,    // all was sent, or nothing will be; further input is discarded, so that the client can read the answer
    over
  };

  explicit http_connection(int descriptor, time_point now) : descriptor_(descriptor), since_(now), active_(now) {}
  http_connection(const http_connection&) = delete;
  http_connection& operator=(const http_connection&) = delete;
  ~http_connection();

  int descriptor() const { return descriptor_; }
  phase now_in() const { return phase_; }
  short wants() const;  // poll's events
  // Reads or writes as much as the socket allows. To be called when poll has reported one of the events, or an error.
  void go_on(time_point now);
  // Ends with \r\n\r\n, or is the beginning of a head that was too long. The phase must be `asked`.
  const std::string& head() const { return text_; }
  void answer(std::string text, time_point now);     // an empty text for no answer
  time_point answered() const { return answered_; }  // when the answer began to go out
  void end() { phase_ = phase::over; }
  bool overdue(time_point now) const;

 private:
  void take(time_point now);
  void give(time_point now);
  void drop(time_point now);

  int descriptor_;
  phase phase_ = phase::asking;
  std::string text_;  // first the head, then the answer
  std::size_t given_ = 0, dropped_ = 0;
  time_point since_, active_, answered_{};
};

}  // namespace detent::tool
