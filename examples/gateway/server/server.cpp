// SPDX-License-Identifier: MIT
#include "server.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "session.hpp"

namespace gateway {

using namespace std::chrono_literals;

namespace {

constexpr int admitted_a_turn = 16;

net::descriptor listen_on(std::uint16_t port) {
  net::descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
  const int yes = 1;
  setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  if (bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) net::throw_errno("bind");
  if (listen(made.get(), SOMAXCONN) != 0) net::throw_errno("listen");
  return made;
}

// One line of the account: how often a kind of timer fired, and how late.
std::string timers_line(const detent::engine& engine, detent::label of) {
  const detent::engine_metrics reported = engine.metrics(of);
  auto late = [&reported](double percent) {
    return static_cast<double>(reported.lateness.percentile(percent).count()) / 1e3;
  };
  return fmt::format(
      "gateway: timer {:9} scheduled {:9}  restarted {:9}  fired {:9}  late p50 {:.0f} us, p99 {:.0f} us\n", of.name(),
      reported.scheduled, reported.restarted, reported.fired, late(50), late(99));
}

}  // namespace

server::server(net::event_loop& loop, std::uint16_t port, std::size_t most_sessions)
    : loop_(loop),
      listener_(listen_on(port)),
      most_sessions_(most_sessions),
      book_(loop.engine()),
      heartbeat_(loop.engine().make_label("heartbeat")),
      silence_(loop.engine().make_label("silence")) {
  loop_.watch(listener_.get(), *this, EPOLLIN);
}

server::~server() = default;

std::uint16_t server::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) net::throw_errno("getsockname");
  return ntohs(address.sin_port);
}

void server::on_events(std::uint32_t) {
  for (int i = 0; i < admitted_a_turn; ++i) {
    const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      admit(net::descriptor(fd, "accept4"));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return pause_listening(errno);
    }
  }
}

void server::admit(net::descriptor socket) {
  const int yes = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  auto made = std::make_unique<session>(*this, loop_, std::move(socket));
  session& admitted = *made;
  sessions_.emplace(&admitted, std::move(made));
  if (sessions_.size() > most_sessions_) {
    ++turned_away_;
    return admitted.log_out(fmt::format("{} sessions are the most", most_sessions_));
  }
  ++admitted_;
}

// The listener stays readable while nobody can be accepted: ignoring it for a moment is better than spinning.
void server::pause_listening(int problem) {
  fmt::print(stderr, "gateway: accept: {}; again in 100 ms\n", std::strerror(problem));
  loop_.change(listener_.get(), *this, 0);
  loop_.engine().schedule_after(100ms, [this] { loop_.change(listener_.get(), *this, EPOLLIN); });
}

void server::close(std::string_view why) {
  while (!sessions_.empty()) sessions_.begin()->first->log_out(why);
}

void server::let_go(session& ended) {
  const auto found = sessions_.find(&ended);
  loop_.let_go(std::move(found->second));
  sessions_.erase(found);
}

std::string server::account() const {
  const order_counts& orders = book_.counts();
  std::string text = fmt::format(
      "gateway: {} sessions admitted, {} turned away, {} found dead, {} lines rejected, {} heartbeat slots skipped\n",
      admitted_, turned_away_, dead_, rejects_, missed_slots_);
  for (const detent::label& each : {heartbeat_, silence_, book_.label()}) text += timers_line(loop_.engine(), each);
  return text + fmt::format("gateway: orders accepted={} traded={} cancelled={} expired={}\n", orders.accepted,
                            orders.traded, orders.cancelled, orders.expired);
}

bool server::balances() const {
  const order_counts& orders = book_.counts();
  return orders.accepted == orders.traded + orders.cancelled + orders.expired && loop_.engine().pending() == 0;
}

}  // namespace gateway
