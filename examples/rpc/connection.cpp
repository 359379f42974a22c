// SPDX-License-Identifier: MIT
#include "connection.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace rpc {
namespace {

std::string name_of(const tcp::endpoint& server) {
  return server.address().to_string() + ':' + std::to_string(server.port());
}

}  // namespace

connection::connection(asio::io_context& io, const tcp::endpoint& server) : io_(io), server_(server) {
  tcp::socket socket(io_);
  error_code failed;
  socket.connect(server_, failed);
  if (failed) throw std::runtime_error("cannot connect to " + name_of(server_) + ": " + failed.message());
  use(std::move(socket));
}

awaitable<bool> connection::serve() {
  if (!socket_) {
    tcp::socket socket(io_);
    error_code failed;
    co_await socket.async_connect(server_, redirect_error(use_awaitable, failed));
    if (failed || closed_) co_return false;
    use(std::move(socket));
  }
  for (;;) {
    const std::span<const frame> frames = co_await socket_->receive();
    if (frames.empty()) break;
    for (const frame& answer : frames) take(answer);
  }
  socket_.reset();
  lose_all();
  co_return true;
}

void connection::use(tcp::socket connected) {
  error_code ignored;  // the server may have gone; receive() will show it
  connected.set_option(tcp::no_delay(true), ignored);
  socket_ = std::make_shared<frame_socket>(std::move(connected));
}

void connection::close() {
  closed_ = true;
  if (socket_) socket_->finish();
}

void connection::take(const frame& answer) {
  const auto found = open_.find(answer.id);
  if (found == open_.end()) {
    ++tally_.late;
    return;
  }
  request& asked = *found->second;
  if (answer.value != asked.value_ + 1) ++tally_.wrong;
  asked.open_ = false;
  open_.erase(found);
  asked.to_.post(asked.answered_);
}

void connection::lose_all() {
  for (auto& [id, asked] : std::exchange(open_, {})) {
    asked->open_ = false;
    asked->to_.post(asked->lost_);
  }
}

connection::request::request(connection& over, std::uint32_t value, const mailbox& to, event answered, event lost)
    : over_(over), to_(to), id_(over.next_id_++), value_(value), answered_(answered), lost_(lost) {
  if (!over_.socket_) {
    to_.post(lost_);
    return;
  }
  over_.open_.emplace(id_, this);
  open_ = true;
  over_.socket_->send({.id = id_, .kind = frame_kind::request, .value = value_});
  ++over_.tally_.requests;
}

connection::request::~request() {
  if (!open_) return;
  over_.open_.erase(id_);
  over_.socket_->send({.id = id_, .kind = frame_kind::cancel, .value = 0});
  ++over_.tally_.cancels;
}

}  // namespace rpc
