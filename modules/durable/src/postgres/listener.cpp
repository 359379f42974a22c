// SPDX-License-Identifier: MIT
#include "listener.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace detent::durable::postgres {
namespace {

constexpr std::chrono::milliseconds pause_between_connections{50};
// So a change that commits late is found within 100 ms.
constexpr std::chrono::milliseconds between_looks{60};

}  // namespace

listener::listener(const std::string& url, const std::string& settings, std::chrono::microseconds patience,
                   const terms& own, shard_id shards, std::function<void(shard_id)> wake)
    : to_(url, settings + "listen detent;", patience),
      own_(own),
      shards_(shards),
      wake_(std::move(wake)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { run(); });
}

listener::~listener() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);  // writes 8 bytes, unless it is set already
  thread_.join();
  ::close(stop_);
}

void listener::run() {
  while (listen() && wait(pause_between_connections)) {
  }
}

// Listens until the connection is lost; returns false if it must stop.
bool listener::listen() {
  if (to_.open()) return true;
  looked_.clear();
  for (shard_id shard = 0; shard != shards_; ++shard) wake_(shard);  // announcements in between were missed
  auto next = std::chrono::steady_clock::now() + between_looks;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - std::chrono::steady_clock::now());
    pollfd both[] = {{stop_, POLLIN, 0}, {to_.descriptor(), POLLIN, 0}};
    if (left.count() > 0) ::poll(both, 2, static_cast<int>(left.count()));
    if (both[0].revents != 0) return false;
    if (both[1].revents != 0 && !hear()) return true;
    if (std::chrono::steady_clock::now() < next) continue;
    if (!look()) return true;
    next = std::chrono::steady_clock::now() + between_looks;
  }
}

bool listener::hear() {
  const bool ok = to_.take_notices([this](std::string_view text) {
    shard_id shard = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), shard);
    if (failed == std::errc() && shard < shards_) wake_(shard);
  });
  if (!ok) to_.close();
  return ok;
}

// Looks in each shard for changes at or below the level that were committed since the last look, or since a reading
// that came later.
bool listener::look() {
  const std::vector<terms::seen> own = own_.look();
  array shards(type::int2), bases(type::text), dues(type::time), ties(type::int8);
  std::map<shard_id, looked_at> now;
  for (const terms::seen& its : own) {
    looked_at& at = now[its.shard];
    const auto before = looked_.find(its.shard);
    at = {its.fence, its.readings, its.snapshot};
    if (before != looked_.end() && before->second.fence == its.fence && before->second.readings == its.readings)
      at.snapshot = before->second.snapshot;
    shards.add(its.shard);
    bases.add(at.snapshot);
    dues.add(its.level.due);
    ties.add(its.level.tie);
  }
  looked_ = std::move(now);
  if (own.empty()) return hear();
  parameters with;
  with.add(shards);
  with.add(bases);
  with.add(dues);
  with.add(ties);
  rows found;
  if (to_.run({statement::late_shards, &with}, found)) {
    to_.close();
    return false;
  }
  for (int i = 0; i != found.count(); ++i) {
    if (!found.is_null(i, 0))
      wake_(static_cast<shard_id>(found.number(i, 0)));
    else
      for (auto& [shard, at] : looked_) at.snapshot = found.text(i, 1);
  }
  return hear();
}

// Returns false if the thread must stop.
bool listener::wait(std::chrono::milliseconds limit) const {
  pollfd one{stop_, POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(limit.count())) == 0 || one.revents == 0;
}

}  // namespace detent::durable::postgres
