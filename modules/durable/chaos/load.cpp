// SPDX-License-Identifier: MIT
#include "load.hpp"

#include <algorithm>

namespace chaos {

using detent::durable::on_conflict;

namespace {

constexpr double near = 2e6;               // us
constexpr std::int64_t together = 50'000;  // us: changes are asked for in bunches
constexpr double first_instant = 0.35, second_instant = 0.7;
constexpr std::size_t largest = 65536;

const char* handler_of(std::uint64_t fate) noexcept {
  if (fate < 5) return "fails_once";
  if (fate == 5) return "fails_twice";
  if (fate == 6) return "fails";
  return "note";
}

}  // namespace

std::vector<step> planner::plan() {
  for (std::uint64_t i = 0; i != load_.timers; ++i) add_timer(i);
  for (std::uint64_t i = 0; i != load_.recurring; ++i) {
    step its{load_.begin, ops_++, deed::put, "r" + std::to_string(i), "p" + std::to_string(i % 7)};
    its.handler = "recurs";
    its.recurs = true;
    steps_.push_back(its);
  }
  for (std::uint64_t i = 0; i != load_.killers; ++i) {
    step its{load_.begin, ops_++, deed::put, "killer" + std::to_string(i), "p" + std::to_string(i)};
    its.due = load_.begin + part(static_cast<double>(load_.end() - load_.begin));
    its.handler = "kills";
    steps_.push_back(its);
  }
  std::ranges::stable_sort(steps_, {}, &step::at);
  return std::move(steps_);
}

step planner::first_of(std::uint64_t number) {
  const auto length = static_cast<double>(load_.end() - load_.begin);
  const double since = static_cast<double>(number) / static_cast<double>(load_.timers);
  step first{load_.begin, ops_++, deed::put, {}, {}};
  first.due = first.at + part(length);
  if (since >= 0.5) {
    first.at += static_cast<std::int64_t>(length * (since - 0.5) * 2);
    first.due = first.at + static_cast<std::int64_t>(any_(random_) * any_(random_) * near);
  }
  const double passed = static_cast<double>(first.at - load_.begin) / length;
  const bool is_second = passed >= first_instant || (since < 0.5 && any_(random_) < 0.5);
  const bool shares_instant = any_(random_) < 0.4 && passed < second_instant;
  if (shares_instant)
    first.due = load_.begin + static_cast<std::int64_t>(length * (is_second ? second_instant : first_instant));
  const double place = any_(random_);
  const bool is_hot = place < (shares_instant ? 0.5 : 0.15);
  const bool is_apart = is_hot || place > 0.95;  // without a partition
  first.key = "t" + std::to_string(is_apart ? number : number / 97);
  if (is_hot) first.partition = "hot";
  if (!is_apart) first.partition = "p" + std::to_string(number % 97);
  if (part(200) == 0) first.size = largest;
  return first;
}

void planner::add_timer(std::uint64_t number) {
  step first = first_of(number);
  const auto fate = static_cast<std::uint64_t>(part(100));
  first.handler = handler_of(fate);
  steps_.push_back(first);
  add_changes(first, fate);
}

void planner::add(const step& like, std::int64_t at, deed what, std::int64_t due) {
  step its = like;
  its.at = at;
  its.op = ops_++;
  its.what = what;
  its.due = due;
  steps_.push_back(its);
}

void planner::add_changes(const step& first, std::uint64_t fate) {
  const std::int64_t some_time = std::max(first.at, first.due - part(near)) - load_.begin;
  const std::int64_t later = load_.begin + (some_time + together - 1) / together * together;
  if (fate >= 7 && fate < 12) add(first, later, deed::restart, later + part(near));
  if (fate >= 12 && fate < 22) add(first, later, deed::cancel);
  if (fate >= 22 && fate < 30) {
    const bool keeps = fate >= 28;
    add(first, keeps && !load_.keeps_late ? first.at : later, deed::put, later + part(near));
    steps_.back().conflict = fate < 26 ? on_conflict::replace : keeps ? on_conflict::keep : on_conflict::fail;
  }
  if (fate == 30) add_mixed(first);
}

// Puts and cancels by turns, asked for in one go. A put that keeps would keep what the cancel before it has asked the
// owner for.
void planner::add_mixed(const step& first) {
  const int more = part(2) == 0 ? 3 : 4;
  for (int i = 0; i != more; ++i) {
    add(first, first.at, i % 2 == 0 ? deed::cancel : deed::put, first.due);
    if (!load_.keeps_late) steps_.back().conflict = on_conflict::replace;
  }
}

}  // namespace chaos
