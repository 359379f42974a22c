// SPDX-License-Identifier: MIT
#include "connection.hpp"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace net {
namespace {

constexpr std::size_t longest_line = 1024;
constexpr std::size_t bytes_a_turn = 16384;  // so that one that floods does not keep the others waiting

bool try_later(int problem) { return problem == EAGAIN || problem == EINTR; }

}  // namespace

connection::connection(event_loop& loop, descriptor socket, std::size_t output_limit)
    : loop_(loop), socket_(std::move(socket)), lines_(longest_line), output_limit_(output_limit) {
  loop_.watch(socket_.get(), *this, EPOLLIN);
}

connection::~connection() { loop_.forget(*this); }

void connection::on_events(std::uint32_t events) {
  if (ended_) return;
  if ((events & EPOLLOUT) != 0) flush();
  if (!ended_ && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read();
}

void connection::read() {
  std::array<char, bytes_a_turn> piece;
  const ssize_t size = recv(socket_.get(), piece.data(), piece.size(), 0);
  if (size < 0 && try_later(errno)) return;
  if (size <= 0) return lose(size == 0 ? "closed by the peer" : std::strerror(errno));
  on_bytes();
  lines_.feed(
      std::string_view(piece.data(), static_cast<std::size_t>(size)),
      [this](std::string_view line) {
        if (!ended_) on_line(line);
      },
      [this] {
        if (!ended_) on_too_long();
      });
}

void connection::flush() {
  flush_asked_ = false;
  while (!output_.empty()) {
    const ssize_t sent = send(socket_.get(), output_.data(), output_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && try_later(errno)) break;
    if (sent < 0) return output_.clear();  // the reader finds out, after what the peer has said last
    output_.erase(0, static_cast<std::size_t>(sent));
  }
  if (ended_) return;  // that was the farewell, as far as the socket took it
  if (output_.size() > output_limit_) return lose("does not read");
  if (waits_for_room_ == output_.empty()) {
    waits_for_room_ = !output_.empty();
    loop_.change(socket_.get(), *this, waits_for_room_ ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }
}

bool connection::has_unread_input() const {
  int unread = 0;
  return ioctl(socket_.get(), FIONREAD, &unread) == 0 && unread > 0;
}

void connection::lose(std::string_view why) {
  output_.clear();
  if (!ended_) on_lost(why);
}

std::string& connection::output() {
  if (!flush_asked_) {
    flush_asked_ = true;
    loop_.flush_later(*this);
  }
  return output_;
}

}  // namespace net
