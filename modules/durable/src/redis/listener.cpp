// SPDX-License-Identifier: MIT
#include "listener.hpp"

#include "no_sigpipe.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace detent::durable::redis {

namespace {

constexpr std::chrono::milliseconds pause_between_connections{50};
// After this long without a word the server is asked for a sign of life. After twice as long, it counts as gone.
constexpr std::chrono::milliseconds silence{1000};

}  // namespace

listener::listener(whereabouts where, access how, std::string channel, shard_id shards,
                   std::function<void(shard_id)> wake)
    : where_(std::move(where)),
      how_(std::move(how)),
      sentinels_(where_.master.empty() ? nullptr : std::make_unique<sentinels>(where_, how_)),
      channel_(std::move(channel)),
      shards_(shards),
      wake_(std::move(wake)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { run(); });
}

listener::~listener() {
  const std::uint64_t one = 1;
  // It writes 8 bytes, unless it is set already.
  [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);
  thread_.join();
  ::close(stop_);
}

void listener::run() {
  const no_sigpipe guard;
  for (std::size_t turn = 0;; ++turn) {
    address server;
    if (sentinels_ == nullptr)
      server = where_.known[turn % where_.known.size()];
    else if (sentinels_->ask(server))
      server = {};
    if (!server.host.empty() && !listen_to(server)) return;
    if (!wait(pause_between_connections)) return;
  }
}

// Listens until the connection is lost; returns false if it must stop.
bool listener::listen_to(const address& server) {
  link to(server, how_, purpose::other);
  if (to.open()) return true;
  to.append(std::array<std::string_view, 2>{"SUBSCRIBE", channel_});
  const reply answer = to.read();
  if (answer == nullptr) return true;
  if (answer->type != REDIS_REPLY_ARRAY) return wait(silence);  // refused: the user lacks the right
  for (shard_id shard = 0; shard != shards_; ++shard)
    wake_(shard);  // messages that were published in between were missed
  for (bool is_silent = false;;) {
    pollfd both[] = {{stop_, POLLIN, 0}, {to.descriptor(), POLLIN, 0}};
    const int ready = ::poll(both, 2, static_cast<int>(silence.count()));
    if (both[0].revents != 0) return false;
    if (sentinels_ != nullptr && sentinels_->has_moved()) return true;
    if (ready == 0) {
      if (std::exchange(is_silent, true)) return true;
      to.append(std::array<std::string_view, 1>{"PING"});
      if (!to.flush()) return true;
    } else if (ready > 0) {
      is_silent = false;
      if (!to.take_pushed([this](const redisReply& message) { hear(message); })) return true;
    }
  }
}

void listener::hear(const redisReply& message) const {
  if (message.type != REDIS_REPLY_ARRAY || message.elements != 3 || text_of(*message.element[0]) != "message") return;
  const std::string_view text = text_of(*message.element[2]);
  shard_id shard = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), shard);
  if (failed == std::errc() && shard < shards_) wake_(shard);
}

// Returns false if the thread must stop.
bool listener::wait(std::chrono::milliseconds limit) const {
  pollfd one{stop_, POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(limit.count())) == 0 || one.revents == 0;
}

}  // namespace detent::durable::redis
