// SPDX-License-Identifier: MIT
// A world touches timers, asks, and drives.
#include "search/poll_walks/counting.hpp"
#include "search/poll_walks/walk.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "support/platform/readable.hpp"

namespace detent::poll_walks {

bool world::may_arm(timer_id id) const {
  return walk_.made_with.executors == 0 || !accounts_[id - 1].of_bulk || timer_of(id).armer == walk_.me;
}

void world::on_timer(const operation& step, timer_id id, nanoseconds_t when) {
  timer& handle = account_of(id).handle;
  if (step.what == action::ask) return ask(id);
  if (step.what == action::destroy) return destroy(id);
  if (step.what == action::cancel) {
    const bool waits = step.wait && !runs_elsewhere();  // it would wait for that run, which waits for this
    const cancel_result expected = spec_.cancel(id), came = waits ? handle.cancel_and_wait() : handle.cancel();
    spec_.broke.require(came == expected, "cancel()", [&] {
      constexpr std::array<const char*, 3> words{"cancelled", "running", "gone"};
      return std::string(words[std::size_t(came)]) + ", and it should be " + words[std::size_t(expected)];
    });
    return;
  }
  if (!may_arm(id)) return;
  const nanoseconds_t delay = spec::minus(when, walk_.now());
  if (step.after) when = spec::after(walk_.now(), delay);
  const bool expected = handle && spec_.restart(id, when, walk_.me);
  const bool came = step.after ? handle.restart_after(duration(delay)) : handle.restart_at(detail::to_time(when));
  spec_.broke.require(came == expected, came ? "restart() is true" : "restart() is false");
}

void world::ask(timer_id id) {
  const auto words = [](const std::optional<nanoseconds_t>& of) { return of ? std::to_string(*of) : "none"; };
  const auto differ = [&](const std::optional<nanoseconds_t>& came, const std::optional<nanoseconds_t>& expected) {
    return [&, came, expected] { return words(came) + ", and it should be " + words(expected); };
  };
  const timer& handle = account_of(id).handle;
  if (!handle) return;
  const bool pending = handle.pending();
  spec_.broke.require(pending == spec_.pending(id), pending ? "pending() is true" : "pending() is false");
  std::optional<nanoseconds_t> due, left;
  if (const auto answer = handle.deadline()) due = detail::to_ns(*answer);
  if (const auto answer = handle.remaining()) left = answer->count();
  spec_.broke.require(due == spec_.deadline(id), "deadline()", differ(due, spec_.deadline(id)));
  spec_.broke.require(left == spec_.remaining(id), "remaining()", differ(left, spec_.remaining(id)));
}

// --- Driving

void world::poll(std::size_t most) {
  if (is_polled()) {
    try {
      engine_->poll(most);
      spec_.broke.require(false, "poll() inside a callback is refused");
    } catch (const error& problem) {
      const errc expected = walk_.me == poller() ? errc::called_from_callback : errc::not_permitted;
      spec_.broke.require(problem.code() == expected, "why poll() is refused inside a callback");
    }
    return;
  }
  polling_ = true;
  poller_ = walk_.me;
  if (spec_.is_stopped()) {
    spec_.broke.require(engine_->poll(most) == 0, "poll() fires nothing once stopped");
    polling_ = false;
    return;
  }
  spec_.begin_pass({.how = spec::drive::poll, .by = walk_.me, .now = walk_.now(), .most = most});
  const std::size_t ran = engine_->poll(most);
  polling_ = false;
  if (walk_.broken()) return;
  spec_.end_pass(ran);
  check_fd();
}

// Readable where something is due that this poll has left over.
void world::check_fd() {
  const auto next = spec_.next_deadline();
  if (wake_fd_ < 0 || walk_.broken() || !next || *next > walk_.now()) return;
  spec_.broke.require(test::is_readable(wake_fd_), "wake_fd() is readable while something is due");
}

void world::move() {
  if (polling_ || !walk_.running.empty()) return;
  own_ = std::make_unique<engine>(std::move(*engine_));
  engine_ = own_.get();
}

void world::ask_next() {
  if (is_polled()) return;
  std::optional<nanoseconds_t> answer;
  if (const auto next = engine_->next_deadline()) answer = detail::to_ns(*next);
  spec_.answered_next_deadline(answer);
}

std::map<timer, timer_id> world::by_handle() {
  find_tickers();
  std::map<timer, timer_id> found;
  for (timer_id id = 1; id <= accounts_.size(); ++id) {
    if (account_of(id).handle) found[account_of(id).handle] = id;
  }
  return found;
}

void world::list() {
  const std::vector<pending_timer> listed = engine_->list_pending();
  compare_list(listed);
  spec_.broke.require(listed.size() == spec_.list_pending().size(), "how many timers list_pending() lists");
}

// There may be timers of other engines.
void world::compare_list(std::span<const pending_timer> listed) {
  const std::map<timer, timer_id> mine = by_handle();
  std::map<timer_id, spec::listed_timer> came;
  for (const pending_timer& each : listed) {
    const auto known = mine.find(each.handle);
    if (known == mine.end()) continue;
    const auto label = std::find(labels_.begin(), labels_.end(), each.label);
    const auto number = label == labels_.end() ? 0u : static_cast<std::uint32_t>(label - labels_.begin() + 1);
    const std::string state = each.state == std::string("queued") ? "armed" : each.state;
    came[known->second] = {detail::to_ns(each.deadline), each.tag, number, state};
  }
  const auto expected = spec_.list_pending();
  spec_.broke.require(came == expected, "list_pending()", [&] {
    for (const auto& [id, each] : expected) {
      if (!came.contains(id)) return "timer " + std::to_string(id) + " is missing";
      if (came[id] != each)
        return "timer " + std::to_string(id) + " " + came[id].state + " " + std::to_string(came[id].deadline) +
               ", and it should be " + each.state + " " + std::to_string(each.deadline);
    }
    return std::string("there are others");
  });
}

void world::compare_metrics() {
  if (!walk_.running.empty()) return;  // exact at rest
  compare(engine_->metrics(), spec_.metrics(), false, spec_.broke);
  for (std::uint32_t i = 0; i < labels_.size(); ++i)
    compare(engine_->metrics(labels_[i]), spec_.metrics(i + 1), true, spec_.broke);
}

}  // namespace detent::poll_walks
