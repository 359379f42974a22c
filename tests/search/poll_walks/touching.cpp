// SPDX-License-Identifier: MIT
// A world touches timers and groups, asks, and drives.
#include "search/poll_walks/moody.hpp"
#include "search/poll_walks/world.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/platform/readable.hpp"

namespace detent::poll_walks {

timer_id world::named(std::uint32_t name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? 0 : found->second;
}

nanoseconds_t world::time_of(const moment& when) {
  if (when.from == moment::base::zero) return when.by;
  if (when.from == moment::base::now) return spec::plus(now(), when.by);
  const timer_id id = named(when.name);
  return spec::plus(id == 0 ? now() : spec_.deadline(id).value_or(now()), when.by);
}

bool world::may_arm(timer_id id) const {
  return made_with_.executors == 0 || !accounts_[id - 1].of_bulk || spec_.at(id).armer == me_;
}

void world::on_timers(const operation& step) {
  nanoseconds_t when = step.what == action::restart ? time_of(step.when) : 0;
  std::vector<timer_id> ids;
  std::vector<timer> handles;
  for (std::uint32_t i = 0; i < step.count && !broken(); ++i) {
    const timer_id id = named(step.name + i);
    if (id == 0) continue;
    timer& handle = account_of(id).handle;
    switch (step.what) {
      case action::cancel: {
        const cancel_result expected = spec_.cancel(id), came = handle.cancel();
        spec_.broke.require(came == expected, "cancel()", [&] {
          constexpr std::array<const char*, 3> words{"cancelled", "running", "gone"};
          return std::string(words[std::size_t(came)]) + ", and it should be " + words[std::size_t(expected)];
        });
        break;
      }
      case action::restart: {
        if (!may_arm(id)) break;
        const bool expected = handle && spec_.restart(id, when, me_), came = handle.restart_at(detail::to_time(when));
        spec_.broke.require(came == expected, came ? "restart() is true" : "restart() is false");
        when = spec::plus(when, step.step);
        break;
      }
      case action::ask: ask(id); break;
      default: ids.push_back(id); handles.push_back(handle);
    }
  }
  if (!ids.empty()) {
    const std::size_t expected = spec_.cancel_bulk(ids), came = engine_->cancel_bulk(handles);
    spec_.broke.require(came == expected, "how many cancel_bulk() cancels",
                        [&] { return std::to_string(came) + ", and it should be " + std::to_string(expected); });
  }
}

void world::ask(timer_id id) {
  const auto words = [](const std::optional<nanoseconds_t>& of) { return of ? std::to_string(*of) : "none"; };
  const auto told = [&](const std::optional<nanoseconds_t>& came, const std::optional<nanoseconds_t>& expected) {
    return [&, came, expected] { return words(came) + ", and it should be " + words(expected); };
  };
  const timer& handle = account_of(id).handle;
  if (!handle) return;
  const bool pending = handle.pending();
  spec_.broke.require(pending == spec_.pending(id), pending ? "pending() is true" : "pending() is false");
  std::optional<nanoseconds_t> due, left;
  if (const auto answer = handle.deadline()) due = detail::to_ns(*answer);
  if (const auto answer = handle.remaining()) left = answer->count();
  spec_.broke.require(due == spec_.deadline(id), "deadline()", told(due, spec_.deadline(id)));
  spec_.broke.require(left == spec_.remaining(id), "remaining()", told(left, spec_.remaining(id)));
}

bool world::is_run_elsewhere(spec::group_id group) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&](const running& each) { return each.on != me_ && spec_.at(each.id).asked.group == group; });
}

void world::on_group(const operation& step) {
  group_pair& of = groups_[(step.name - 1) % groups_.size()];
  switch (step.what) {
    case action::pause: spec_.pause(of.id); return of.group->pause();
    case action::resume: spec_.resume(of.id); return of.group->resume();
    case action::cancel_all: spec_.cancel_all(of.id); return of.group->cancel_all();
    default:
      if (is_run_elsewhere(of.id)) return;  // it would wait for that run, which waits for this
      spec_.end_group(of.id);
      of.group.reset();
      of = {std::make_unique<timer_group>(*engine_), spec_.make_group()};
  }
}

// --- Driving

void world::poll(std::size_t most) {
  if (polling_) {
    try {
      engine_->poll(most);
      spec_.broke.require(false, "poll() inside a callback is refused");
    } catch (const error& problem) {
      const errc expected = me_ == poller_ ? errc::called_from_callback : errc::not_permitted;
      spec_.broke.require(problem.code() == expected, "why poll() is refused inside a callback");
    }
    return;
  }
  polling_ = true;
  poller_ = me_;
  if (!over_) spec_.begin_pass({.how = spec::drive::poll, .by = me_, .now = now(), .most = most});
  const std::size_t ran = engine_->poll(most);
  polling_ = false;
  if (broken()) return;
  if (over_) {
    spec_.broke.require(ran == 0, "poll() fires nothing once stopped");
  } else {
    spec_.end_pass(ran);
    check_fd();
  }
}

// Readable where something is due that this poll has left over.
void world::check_fd() {
  const auto next = spec_.next_deadline();
  if (wake_fd_ < 0 || broken() || !next || *next > now()) return;
  spec_.broke.require(test::is_readable(wake_fd_), "wake_fd() is readable while something is due");
}

void world::move() {
  if (!polling_ && running_.empty()) engine_ = std::make_unique<engine>(std::move(*engine_));
}

void world::ask_next() {
  if (polling_) return;
  std::optional<nanoseconds_t> answer;
  if (const auto next = engine_->next_deadline()) answer = detail::to_ns(*next);
  spec_.answered_next_deadline(answer);
}

void world::list() {
  std::map<timer, timer_id> by_handle;
  for (timer_id id = 1; id <= accounts_.size(); ++id) {
    if (account_of(id).handle) by_handle[account_of(id).handle] = id;
  }
  std::map<timer_id, spec::listed_timer> came;
  for (const pending_timer& each : engine_->list_pending()) {
    const auto label = std::find(labels_.begin(), labels_.end(), each.label);
    const auto number = label == labels_.end() ? 0u : static_cast<std::uint32_t>(label - labels_.begin() + 1);
    const std::string state = each.state == std::string("queued") ? "armed" : each.state;
    came[by_handle[each.handle]] = {detail::to_ns(each.deadline), each.tag, number, state};
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
  const auto compare = [this](const engine_metrics& came, spec::counts expected, bool of_label) {
    const auto same = [&](std::uint64_t a, std::uint64_t b, const char* what) {
      spec_.broke.require(a == b, what, [&] { return std::to_string(a) + ", and it should be " + std::to_string(b); });
    };
    same(came.scheduled, expected.scheduled, "metrics().scheduled");
    same(came.expired, expected.expired, "metrics().expired");
    same(came.cancelled, expected.cancelled, "metrics().cancelled");
    same(came.returned, expected.returned, "metrics().returned");
    same(came.dropped, expected.dropped, "metrics().dropped");
    same(came.pending, expected.pending, "metrics().pending");
    same(came.fired, expected.fired, "metrics().fired");
    same(came.restarted, expected.restarted, "metrics().restarted");
    same(came.failed, expected.failed, "metrics().failed");
    same(came.missed, expected.missed, "metrics().missed");
    if (!of_label) same(came.refused, expected.refused, "metrics().refused");
    same(came.lateness.count(), expected.fired, "metrics().lateness has each run");
    same(came.callback.count(), expected.fired, "metrics().callback has each run");
    const auto sum_of = [](const histogram& of) { return double(of.mean().count()) * double(of.count()); };
    double sum = 0;
    for (const histogram* part : {&came.late_drain, &came.late_wait, &came.late_worker, &came.late_dispatch}) {
      same(part->count(), expected.fired, "each cause of lateness has each run");
      sum += sum_of(*part);
    }
    const double whole = sum_of(came.lateness);
    // Means are cut to whole nanoseconds, and sums near the end of 64 bits are estimated by their buckets.
    const double error = 5.0 * double(expected.fired) + whole * (whole < 8e18 ? 1e-12 : 0.01);
    spec_.broke.require(std::abs(sum - whole) <= error, "the causes of lateness add up to it",
                        [&] { return std::to_string(sum) + ", and it should be " + std::to_string(whole); });
  };
  if (!running_.empty()) return;  // exact at rest
  compare(engine_->metrics(), spec_.metrics(), false);
  for (std::uint32_t i = 0; i < labels_.size(); ++i) compare(engine_->metrics(labels_[i]), spec_.metrics(i + 1), true);
}

// --- Executors

bool world::execute(unsigned executor, fired_timer&& work) {
  if (broken()) return true;
  spec_.move_to(now());
  const timer_id id = spec_.next_offer(executor, work.tag());
  spec_.broke.require(id != 0, "an executor is offered what does not wait");
  if (broken()) return true;
  spec_.offered(id, executor);
  const unsigned mode = held_mode_ == 3 ? ++offers_ % 3 : held_mode_;
  if (mode == 2) {
    spec_.refused(id);
    return false;
  }
  spec_.taken(id);
  const std::uint64_t ticket = spec_.ticket(id);
  if (mode == 1) {
    held_.push_back({std::move(work), id, ticket});
  } else {
    fired_timer now(std::move(work));
    run_ticket(now, id, ticket);
  }
  return true;
}

void world::run_ticket(fired_timer& work, timer_id id, std::uint64_t ticket) {
  const bool runs = !over_ && spec_.called(id, ticket);
  const std::uint64_t before = account_of(id).runs;
  work();
  spec_.broke.require((account_of(id).runs != before) == runs,
                      runs ? "a handed-over timer runs when it is called" : "a ticket that is not valid runs nothing");
}

void world::hand_back(bool runs) {
  for (std::deque<held_work> all = std::exchange(held_, {}); !all.empty() && !broken(); all.pop_front()) {
    held_work& first = all.front();
    if (runs) {
      run_ticket(first.work, first.id, first.ticket);
    } else {
      spec_.let_go(first.id, first.ticket, me_);
      fired_timer dropped(std::move(first.work));
    }
  }
}

}  // namespace detent::poll_walks
