// SPDX-License-Identifier: MIT
#include "frame_socket.hpp"

#include <cstring>
#include <utility>

namespace rpc {

void frame_socket::send(const frame& f) {
  if (finished_) return;
  waiting_.push_back(f);
  if (writing_) return;
  writing_ = true;
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->write(); });
}

void frame_socket::write() {
  leaving_.clear();
  std::swap(leaving_, waiting_);
  asio::async_write(socket_, asio::buffer(leaving_), [self = shared_from_this()](error_code failed, std::size_t) {
    if (failed) {
      self->finished_ = true;  // receive() will show it
    } else if (!self->waiting_.empty()) {
      self->write();
    } else {
      self->writing_ = false;
      if (self->finished_) self->finish();
    }
  });
}

void frame_socket::finish() {
  finished_ = true;
  error_code ignored;  // the peer may have gone
  if (!writing_) socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

awaitable<std::span<const frame>> frame_socket::receive() {
  char* const bytes = reinterpret_cast<char*>(received_.data());
  received_bytes_ -= taken_bytes_;
  std::memmove(bytes, bytes + taken_bytes_, received_bytes_);  // the beginning of a frame
  taken_bytes_ = 0;
  while (received_bytes_ < sizeof(frame)) {
    error_code failed;
    received_bytes_ +=
        co_await socket_.async_read_some(asio::buffer(bytes + received_bytes_, sizeof(received_) - received_bytes_),
                                         redirect_error(use_awaitable, failed));
    if (failed) {
      socket_.close(failed);
      finished_ = true;
      co_return std::span<const frame>();
    }
  }
  const std::size_t whole = received_bytes_ / sizeof(frame);
  taken_bytes_ = whole * sizeof(frame);
  co_return std::span<const frame>(received_.data(), whole);
}

}  // namespace rpc
