// SPDX-License-Identifier: MIT
#include "durable/change_run.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>
#include <variant>

#include "durable/timer_query.hpp"

namespace detent::tool {

using namespace durable;

namespace {

using std::chrono::steady_clock;

constexpr auto patience = std::chrono::seconds(5);
constexpr auto between_looks = std::chrono::milliseconds(5);
constexpr std::size_t piece = 1000;  // changes; nodes that share the store wait for at most this many

}  // namespace

std::uint64_t change_run::new_question() {
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) >> 1 | 1;
}

std::uint64_t change_run::new_id() {
  static const std::uint64_t own = new_question() & 1023;
  static std::uint64_t last = 0;
  last = std::max(last + 1, static_cast<std::uint64_t>(time_now().time_since_epoch().count()));
  return last << 10 | own;
}

void change_run::add(change what) {
  waiting_.push_back(std::move(what));
  if (waiting_.size() >= piece) send();
}

void change_run::send() {
  std::vector<change> now = std::exchange(waiting_, {});
  const auto until = steady_clock::now() + patience;
  while (!now.empty()) {
    std::vector<change_status> status(now.size());
    check(in_.apply(now, status), in_);
    std::vector<change> again;
    for (std::size_t i = 0; i != now.size(); ++i) {
      if (status[i] == change_status::unanswered) {
        again.push_back(std::move(now[i]));
      } else {
        note(now[i], status[i]);
      }
    }
    now = std::move(again);
    if (now.empty()) break;
    if (steady_clock::now() >= until) {
      unknown_ += now.size();
      break;
    }
    std::this_thread::sleep_for(between_looks);
  }
  take_answers();
}

void change_run::note(const change& what, change_status status) {
  switch (status) {
    case change_status::asked:
    case change_status::withdrawn: {
      const auto& cancelled = std::get<cancel_request>(what);
      asked_.push_back({{cancelled.shard, cancelled.question}, status == change_status::withdrawn});
      break;
    }
    case change_status::cancelled:
    case change_status::moved:
    case change_status::stored: ++done_; break;
    default: ++gone_;
  }
}

void change_run::take_answers() {
  if (asked_.empty()) return;
  std::vector<question_ref> questions;
  for (const asked& each : asked_) questions.push_back(each.which);
  std::vector<answer> answers(questions.size());
  check(in_.read_answers(questions, answers), in_);
  std::vector<asked> open;
  for (std::size_t i = 0; i != answers.size(); ++i) {
    switch (answers[i]) {
      case answer::none: open.push_back(asked_[i]); break;
      case answer::cancelled: ++done_; break;
      case answer::running: ++running_; break;
      case answer::gone: ++(asked_[i].is_withdrawn ? done_ : gone_);
    }
  }
  asked_ = std::move(open);
}

void change_run::finish() {
  send();
  for (const auto until = steady_clock::now() + patience; !asked_.empty() && steady_clock::now() < until;) {
    std::this_thread::sleep_for(between_looks);
    take_answers();
  }
  unknown_ += asked_.size();
  asked_.clear();
}

}  // namespace detent::tool
