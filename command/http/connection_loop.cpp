// SPDX-License-Identifier: MIT
#include "http/connection_loop.hpp"

#include <sys/socket.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t most_connections = 256, most_answers = 16;
constexpr std::chrono::milliseconds between_looks(100);  // for overdue connections
constexpr std::chrono::seconds longest_end(1);
constexpr std::chrono::seconds longest_turn(1);  // for an answer while another one waits for its place

}  // namespace

std::size_t connection_loop::how_many(phase which) const {
  return static_cast<std::size_t>(std::count_if(connections_.begin(), connections_.end(),
                                                [which](const auto& each) { return each.now_in() == which; }));
}

void connection_loop::run(int ending) {
  for (;;) {
    wait(ending);
    const time_point now = clock::now();
    if (polled_[0].revents != 0) break;
    if ((polled_[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
      throw input_error(at_.option() + ": the socket has failed");
    const bool more = polled_[1].revents != 0;
    go_on();
    if (more) accept_all();
    answer_all();
    end_overdue(now);
  }
  std::erase_if(connections_, [](const auto& each) { return each.now_in() == phase::asking; });
  for (const time_point until = clock::now() + longest_end; clock::now() < until;) {
    answer_all();
    if (how_many(phase::answering) + how_many(phase::asked) == 0) break;
    wait(-1);
    go_on();
    end_overdue(clock::now());
  }
  connections_.clear();
}

void connection_loop::wait(int ending) {
  polled_.clear();
  polled_.push_back({ending, POLLIN, 0});
  const bool accepts = ending >= 0 && clock::now() >= accepts_from_;
  polled_.push_back({accepts ? at_.descriptor() : -1, POLLIN, 0});
  for (const http_connection& each : connections_) polled_.push_back({each.descriptor(), each.wants(), 0});
  const int timeout = accepts && connections_.empty() ? -1 : static_cast<int>(between_looks.count());
  if (::poll(polled_.data(), polled_.size(), timeout) < 0) {
    if (errno != EINTR) throw input_error(fmt::format("{}: {}", at_.option(), std::strerror(errno)));
    for (pollfd& each : polled_) each.revents = 0;
  }
}

void connection_loop::go_on() {
  const time_point now = clock::now();
  std::size_t place = 2;
  for (http_connection& each : connections_) {
    if (polled_[place++].revents != 0) each.go_on(now);
  }
}

// Ends the oldest connection that is not being answered, preferring one whose answer has gone out.
bool connection_loop::make_room() {
  for (const phase which : {phase::over, phase::leaving, phase::asking}) {
    const auto found = std::find_if(connections_.begin(), connections_.end(),
                                    [which](const auto& each) { return each.now_in() == which; });
    if (found == connections_.end()) continue;
    connections_.erase(found);
    return true;
  }
  return false;
}

// While no connection can be accepted, the socket stays readable, and poll would return at once for nothing.
void connection_loop::pause() { accepts_from_ = clock::now() + between_looks; }

void connection_loop::accept_all() {
  // The loop is bounded, so that requests are answered in between.
  for (std::size_t i = 0; i < most_connections; ++i) {
    if (connections_.size() >= most_connections && !make_room()) return pause();
    const int descriptor = ::accept4(at_.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
      connections_.emplace_back(descriptor, clock::now());
      connections_.back().go_on(clock::now());  // most clients have sent their request by now
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      if (make_room()) continue;
      return pause();
    }
    if (errno == ECONNABORTED || errno == EINTR) continue;
    return;
  }
}

// Ends the answer that has been going out for the longest time, if it has had a second, which is enough even for slow
// readers.
bool connection_loop::end_slowest() {
  const auto slower = [](const http_connection& a, const http_connection& b) {
    return (a.now_in() == phase::answering) != (b.now_in() == phase::answering) ? a.now_in() == phase::answering
                                                                                : a.answered() < b.answered();
  };
  const auto slowest = std::min_element(connections_.begin(), connections_.end(), slower);
  if (clock::now() - slowest->answered() < longest_turn) return false;
  slowest->end();
  return true;
}

void connection_loop::answer_all() {
  std::size_t answers = how_many(phase::answering);
  for (http_connection& each : connections_) {
    if (each.now_in() != phase::asked) continue;
    if (answers == most_answers && !end_slowest()) return;
    answers = std::min(answers, most_answers - 1);
    std::string text = answer_(each.head());  // first, because the clock must be read after it is made
    each.answer(std::move(text), clock::now());
    if (each.now_in() == phase::answering) ++answers;
  }
}

// `now` is a time before the answers were made. Requests that arrived during that time are read and judged in the next
// round.
void connection_loop::end_overdue(time_point now) {
  std::erase_if(connections_, [now](const auto& each) { return each.now_in() == phase::over || each.overdue(now); });
}

}  // namespace detent::tool
