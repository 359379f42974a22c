// SPDX-License-Identifier: MIT
// A TCP connection that talks in lines.
#pragma once

#include "descriptor.hpp"
#include "event_loop.hpp"
#include "wire/line_splitter.hpp"
#include "wire/message_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace net {

class connection : public event_handler {
 public:
  // A peer that leaves more than `output_limit` bytes unread is cut off.
  connection(event_loop& loop, descriptor socket, std::size_t output_limit);
  ~connection() override;

  // A message to the peer: sent at the end of the turn, together with what else this turn writes.
  wire::message_text write(wire::message_type type) { return {output(), type}; }
  void write_raw(std::string_view bytes) { output() += bytes; }

  // Sends what the socket takes; called by the loop.
  void flush();
  // No line comes any more and nothing is written; the socket is closed with this object.
  void end() { ended_ = true; }
  bool ended() const { return ended_; }
  void set_output_limit(std::size_t bytes) { output_limit_ = bytes; }
  // Returns whether the kernel holds bytes that were not read yet.
  bool has_unread_input() const;

 protected:
  event_loop& loop() { return loop_; }
  int socket() const { return socket_.get(); }

 private:
  virtual void on_bytes() = 0;  // before the lines of each piece that arrives
  virtual void on_line(std::string_view line) = 0;
  virtual void on_too_long() = 0;
  // The peer has closed, or cannot be reached; `why` in a few words. Once, and not after end().
  virtual void on_lost(std::string_view why) = 0;

  void on_events(std::uint32_t events) final;
  void read();
  void lose(std::string_view why);
  std::string& output();

  event_loop& loop_;
  descriptor socket_;
  wire::line_splitter lines_;
  std::string output_;
  std::size_t output_limit_;
  bool flush_asked_ = false;
  bool waits_for_room_ = false;
  bool ended_ = false;
};

}  // namespace net
