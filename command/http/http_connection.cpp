// SPDX-License-Identifier: MIT
#include "http/http_connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace detent::tool {
namespace {

using std::chrono::seconds;

constexpr seconds longest_silence(2), longest_life(10), longest_leave(1);
constexpr std::size_t longest_head = 8192, most_dropped = 1 << 20;
constexpr std::string_view end_of_head = "\r\n\r\n";

bool try_later() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

http_connection::~http_connection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

short http_connection::wants() const {
  switch (phase_) {
    case phase::asking:
    case phase::leaving: return POLLIN;
    case phase::answering: return POLLOUT;
    case phase::asked:
    case phase::over: break;
  }
  return 0;
}

void http_connection::go_on(time_point now) {
  if (phase_ == phase::asked) phase_ = phase::over;  // it waits for nothing, so poll has reported a failure
  if (phase_ == phase::asking) take(now);
  if (phase_ == phase::answering) give(now);
  if (phase_ == phase::leaving) drop(now);
}

void http_connection::take(time_point now) {
  char some[1024];
  while (phase_ == phase::asking) {
    const ssize_t got = ::recv(descriptor_, some, sizeof some, 0);
    if (got < 0 && try_later()) return;
    if (got <= 0) {
      phase_ = phase::over;
      return;
    }
    active_ = now;
    const std::size_t known = text_.size() < end_of_head.size() ? 0 : text_.size() - end_of_head.size();
    text_.append(some, static_cast<std::size_t>(got));
    const std::size_t end = text_.find(end_of_head, known);
    if (end != std::string::npos) text_.resize(end + end_of_head.size());
    if (end == std::string::npos && text_.size() <= longest_head) continue;
    text_.resize(std::min(text_.size(), longest_head));
    phase_ = phase::asked;
  }
}

void http_connection::answer(std::string text, time_point now) {
  text_ = std::move(text);
  since_ = active_ = answered_ = now;  // an answer's time begins now: making it is not the client's time
  phase_ = phase::answering;
  go_on(now);
}

void http_connection::give(time_point now) {
  while (given_ != text_.size()) {
    const ssize_t went = ::send(descriptor_, text_.data() + given_, text_.size() - given_, MSG_NOSIGNAL);
    if (went < 0 && try_later()) return;
    if (went <= 0) {
      phase_ = phase::over;
      return;
    }
    active_ = now;
    given_ += static_cast<std::size_t>(went);
  }
  text_ = std::string();
  active_ = now;
  phase_ = ::shutdown(descriptor_, SHUT_WR) == 0 ? phase::leaving : phase::over;
}

// If a connection is closed while received data is unread, it ends with a reset, which may overtake the answer.
void http_connection::drop(time_point now) {
  char some[4096];
  for (;;) {
    const ssize_t got = ::recv(descriptor_, some, sizeof some, 0);
    if (got < 0 && try_later()) return;
    if (got > 0) dropped_ += static_cast<std::size_t>(got);
    if (got <= 0 || dropped_ > most_dropped || overdue(now)) {
      phase_ = phase::over;
      return;
    }
  }
}

bool http_connection::overdue(time_point now) const {
  if (phase_ == phase::leaving) return now - active_ >= longest_leave;
  if (phase_ == phase::asked) return now - since_ >= longest_life;  // others keep it waiting
  return now - active_ >= longest_silence || now - since_ >= longest_life;
}

}  // namespace detent::tool
