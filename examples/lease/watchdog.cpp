// SPDX-License-Identifier: MIT
#include "watchdog.hpp"

#include "lock_scripts.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

namespace lease {

using namespace std::chrono_literals;

namespace {

// Redis's own refusal (out of memory, a replica, still loading) is no answer either.
std::string_view refusal(const redisReply* reply, std::string_view why) {
  if (reply == nullptr) return why.empty() ? "no answer" : why;
  return reply->type == REDIS_REPLY_ERROR ? std::string_view(reply->str, reply->len) : std::string_view();
}

}  // namespace

watchdog::watchdog(watchdog_options options, watchdog_events events)
    : options_(std::move(options)),
      events_(std::move(events)),
      link_(engine_, options_.redis),
      thread_([this] { run(); }) {}

watchdog::~watchdog() {
  engine_.schedule_after(0ns, [this] { finish(); });
  thread_.join();
}

// --- The caller's thread: what it wants is scheduled at once, which wakes the watchdog's ---

std::shared_ptr<term> watchdog::acquire(const std::stop_token& stop) {
  engine_.schedule_after(0ns, [this] {
    wanted_ = true;
    ask();
  });
  std::unique_lock lock(mutex_);
  granted_.wait(lock, stop, [this] { return grant_ != nullptr; });
  if (grant_ == nullptr) engine_.schedule_after(0ns, [this] { wanted_ = false; });
  return std::exchange(grant_, nullptr);
}

void watchdog::release(const std::shared_ptr<term>& ending) {
  ending->end();  // first: from here on nobody acts on it
  engine_.schedule_after(0ns, [this, ending] { let_go(ending); });
}

// --- The watchdog's thread ---

void watchdog::run() {
  while (!ending_) {
    pollfd watched[] = {{engine_.wake_fd(), POLLIN, 0}, {link_.descriptor(), link_.interest(), 0}};
    if (::poll(watched, std::size(watched), -1) < 0) continue;  // interrupted
    if (watched[1].revents != 0) link_.handle(watched[1].revents);
    engine_.poll();
  }
}

void watchdog::ask_redis(const char* script, const std::string& token, redis_link::answer done) {
  link_.send(
      {"EVAL", script, "2", options_.lock, options_.lock + ":fence", token, std::to_string(options_.lease.count())},
      options_.third(), std::move(done));
}

void watchdog::ask() {
  const std::string token = new_token();
  const boot_time sent = boot_clock::now();  // before: redis cannot have granted it earlier
  ask_redis(acquire_script, token,
            [=, this](const redisReply* reply, std::string_view why) { on_asked(token, sent, reply, why); });
}

void watchdog::on_asked(const std::string& token, boot_time sent, const redisReply* reply, std::string_view why) {
  if (const auto refused = refusal(reply, why); !refused.empty()) {
    events_.on_trouble(refused);
    next_ask_ = engine_.schedule_after(pauses_.next(), [this] {
      if (wanted_) ask();
    });
    return;
  }
  pauses_.reset();
  const std::int64_t fence = reply->element[0]->integer;
  const auto wait = std::chrono::milliseconds(reply->element[1]->integer);
  auto granted = std::make_shared<term>(token, fence, end_of(sent));
  if (fence > 0 && wanted_ && granted->still_mine()) {
    hold(std::move(granted));
  } else {
    // Ours, but nobody wants it any more, or the answer came too late to be of use.
    if (fence > 0) ask_redis(release_script, token, [](const redisReply*, std::string_view) {});
    // It may be released before its time, so a third is as long as anybody waits.
    const detent::duration again = std::min<detent::duration>(wait, options_.third());
    next_ask_ = engine_.schedule_after(again, [this] {
      if (wanted_) ask();
    });
  }
}

void watchdog::hold(std::shared_ptr<term> granted) {
  wanted_ = false;
  held_ = std::move(granted);
  renewal_ = engine_.schedule_with_fixed_delay(options_.third(), options_.third(), [this] { renew(); });
  end_ = engine_.schedule_after(held_->until() - boot_clock::now(), [this] { lose("its time ran out"); });
  events_.on_granted(*held_);
  const std::lock_guard lock(mutex_);
  grant_ = held_;
  granted_.notify_one();
}

void watchdog::renew() {
  // After a long stop of this thread both timers are due, this one first.
  if (!held_->still_mine()) return lose("its time ran out");
  const boot_time sent = boot_clock::now();
  ask_redis(renew_script, held_->token(),
            [=, this, of = held_](const redisReply* reply, std::string_view why) { on_renewed(of, sent, reply, why); });
}

void watchdog::on_renewed(const std::shared_ptr<term>& of, boot_time sent, const redisReply* reply,
                          std::string_view why) {
  if (of != held_) return;  // it has ended meanwhile
  if (const auto refused = refusal(reply, why); !refused.empty()) {
    events_.on_trouble(refused);
    renewal_.restart_after(pauses_.next());
  } else if (reply->integer == 0) {
    lose("redis knows nothing of it");
  } else if (!of->extend(end_of(sent))) {
    lose("the answer came after its end");
  } else {
    pauses_.reset();
    end_.restart_after(of->until() - boot_clock::now());
    renewal_.restart_after(options_.third());  // from the answer on
    events_.on_renewed(*of);
  }
}

void watchdog::lose(std::string_view why) {
  const boot_time until = held_->until();
  if (until == term::ended) return;  // by its owner, and let_go() is on its way
  const std::shared_ptr<term> lost = std::exchange(held_, nullptr);
  lost->end();
  renewal_.cancel();
  end_.cancel();
  events_.on_lost(*lost, until, why);
}

void watchdog::let_go(const std::shared_ptr<term>& ending) {
  if (held_ != ending) return;  // lost already
  held_ = nullptr;
  renewal_.cancel();
  end_.cancel();
  ask_redis(release_script, ending->token(), [](const redisReply*, std::string_view) {});  // else it runs out
}

// Redis answers in order: with this answer everything before it has been done.
void watchdog::finish() {
  wanted_ = false;
  next_ask_.cancel();
  if (held_ != nullptr) {
    held_->end();
    let_go(std::shared_ptr(held_));
  }
  link_.send({"PING"}, options_.third(), [this](const redisReply*, std::string_view) { ending_ = true; });
}

// From a thirtieth of the lease, doubled each time, to a third; and scattered, lest all come back at once.
std::string watchdog::new_token() {
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", entropy_(), entropy_(), entropy_(), entropy_());
}

}  // namespace lease
