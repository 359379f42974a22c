// SPDX-License-Identifier: MIT
#include "server.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace loops {

using namespace std::chrono_literals;

namespace {

detent::time_point wanted_at(const datagram& of) {
  return detent::time_point(detent::duration(of.sent_at)) + std::chrono::microseconds(of.delay_us);
}

}  // namespace

server::server(const server_options& options)
    : set_({.name = "loops",
            .shards = options.loops,
            .each = {.drive = detent::drive_kind::caller, .reserve = 4'096, .counters_file = "auto"}}),
      sessions_(options.sessions),
      counts_(2 * options.loops) {
  for (std::size_t i = 0; i < options.loops; ++i) {
    udp_socket socket = udp_socket::listening(port_);
    port_ = socket.port();
    loops_.push_back(
        std::make_unique<loop>(set_, i, std::move(socket), [this, i](const letter& got) { take(i, got); }));
  }
  // Session 0's, and so its loop's.
  set_.of(0U).schedule_at_fixed_rate(250ms, 500ms, [](detent::firing&) { std::this_thread::sleep_for(100ms); });
  for (const std::unique_ptr<loop>& each : loops_) threads_.emplace_back([&each] { each->run(); });
}

server::~server() { stop(); }

// On the loop whose socket got it. The timer is the session's: it fires on the session's loop, whichever that is.
void server::take(std::size_t at, const letter& got) {
  const std::uint32_t session = got.content.session;
  if (session >= sessions_.size()) return;
  if (loop_of(session) != at) ++crossed_;
  set_.of(session).try_schedule_after(std::chrono::microseconds(got.content.delay_us),
                                      [this, at, got](const detent::firing& now) { answer(at, got, now); });
}

// On the session's loop. The reply leaves by the socket that the client knows: a UDP socket takes it from any thread.
void server::answer(std::size_t received_by, const letter& got, const detent::firing& now) {
  session_state& of = sessions_[got.content.session];
  answer_counts& counts = counts_[2 * set_.local_index() + (received_by == loop_of(0) ? 1 : 0)];
  if (of.home == std::thread::id()) of.home = std::this_thread::get_id();
  counts.strangers += of.home != std::this_thread::get_id() || set_.local_index() != loop_of(got.content.session);
  counts.disorder += now.deadline() < of.last;
  of.last = std::max(of.last, now.deadline());
  ++of.answered;
  ++counts.answered;
  const detent::duration late = detent::clock::now() - wanted_at(got.content);
  counts.late += late > late_from;
  counts.worst = std::max(counts.worst, late);
  loops_[received_by]->socket().send(got.content, got.from);
}

std::size_t server::stop() {
  for (const std::unique_ptr<loop>& each : loops_) each->end();
  for (std::thread& each : threads_) each.join();
  threads_.clear();
  detent::failure problem;
  return set_.try_stop(problem).size();
}

}  // namespace loops
