// SPDX-License-Identifier: MIT
// Makes a random program. What it likes to do, and how far apart its times are, is drawn first.
#include "search/worker_walks/program.hpp"

#include <algorithm>
#include <array>

namespace detent::worker_walks {
namespace {

// splitmix64
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed * 0xd1342543de82ef95u + 1) {}
  std::uint64_t draw() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
  }
  std::uint64_t below(std::uint64_t end) { return draw() % end; }
  ns up_to(ns most) { return static_cast<ns>(below(static_cast<std::uint64_t>(most) + 1)); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class T, std::size_t N>
  T of(const std::array<T, N>& all) {
    return all[below(N)];
  }

 private:
  std::uint64_t state_;
};

class maker {
 public:
  explicit maker(std::uint64_t seed) : dice_(seed) {}
  program make();

 private:
  void choose_options();
  move make_move();
  move ask_executor();
  call make_call(bool inside);
  void crowd();
  void arm(call& made, bool inside);
  void choose_ending(call& made);
  ns time_in_crowd();
  ns some_time();
  std::uint32_t some_timer();

  dice dice_;
  program made_;
  bool crowded_ = false;
  ns now_ = 0, spread_ = 0, crowd_ = 0;
  std::uint32_t timers_ = 0, most_at_once_ = 1;
  std::uint64_t lanes_ = 0, slacks_ = 0, members_ = 0, periods_ = 0, equals_ = 0, inside_ = 0, held_ = 0, working_ = 0,
                bell_ = 0, stales_ = 0, throws_ = 0, tags_ = 0, labels_ = 0, ends_ = 0, questions_ = 0, moods_ = 1;
  std::vector<ns> times_;
};

void maker::choose_options() {
  constexpr ns year = 31'000'000'000'000'000;
  made_.begin = dice_.one_in(2) ? year + dice_.up_to(year) : ns{1} << (34 + dice_.below(20));
  made_.reading_takes = dice_.of(std::array<ns, 4>{0, 1, 20, 300});
  made_.tick = dice_.of(std::array<ns, 5>{1, 1, 1, 100, 5'000});
  made_.wait = static_cast<unsigned>(dice_.below(3));
  made_.hashed = dice_.one_in(4);
  made_.wake_budget = dice_.one_in(5) ? 1 + dice_.up_to(1'000) : 0;
  spread_ = dice_.of(std::array<ns, 7>{20, 200, 2'000, 50'000, 400'000, 4'000'000, 1'000'000'000});
  most_at_once_ = static_cast<std::uint32_t>(dice_.of(std::array<unsigned, 5>{1, 3, 8, 40, 150}));
  const std::array<std::uint64_t, 4> rarely = {0, 2, 3, 6};  // one in so many, or never
  lanes_ = dice_.of(rarely);
  slacks_ = dice_.of(std::array<std::uint64_t, 4>{0, 0, 3, 8});
  members_ = dice_.of(std::array<std::uint64_t, 4>{0, 0, 2, 4});
  periods_ = dice_.of(std::array<std::uint64_t, 4>{0, 0, 3, 8});
  equals_ = dice_.of(std::array<std::uint64_t, 3>{1, 2, 4});
  inside_ = dice_.of(rarely);
  bell_ = dice_.of(std::array<std::uint64_t, 3>{0, 1, 3});
  held_ = dice_.of(std::array<std::uint64_t, 4>{0, 0, 4, 12});
  working_ = dice_.of(std::array<std::uint64_t, 5>{4, 20, 100, 400, 2'000});
  stales_ = dice_.of(std::array<std::uint64_t, 4>{0, 0, 2, 5});
  tags_ = dice_.of(std::array<std::uint64_t, 3>{0, 3, 1});
  labels_ = dice_.of(std::array<std::uint64_t, 4>{0, 0, 2, 4});
  questions_ = dice_.of(std::array<std::uint64_t, 3>{0, 0, 12});
  if (dice_.one_in(5)) made_.capacity = 2 + dice_.below(40);
  ends_ = dice_.one_in(4) ? 40 : 0;
  throws_ = dice_.of(std::array<std::uint64_t, 4>{0, 0, 0, 4});
  if (dice_.one_in(3)) made_.executor = 1 + static_cast<unsigned>(dice_.below(3));
  made_.orders = dice_.one_in(3);
  moods_ = dice_.of(std::array<std::uint64_t, 3>{3, 6, 15});
  if (!dice_.one_in(3)) return;
  crowded_ = true;
  made_.reading_takes = dice_.of(std::array<ns, 3>{20, 300, 2'000});
  lanes_ = dice_.of(std::array<std::uint64_t, 2>{2, 4});
  inside_ = dice_.of(std::array<std::uint64_t, 3>{1, 2, 3});
}

// In a crowd, most timers are due at one instant, or while the worker fires those.
ns maker::time_in_crowd() {
  if (crowd_ <= now_) crowd_ = now_ + 1 + dice_.up_to(spread_);
  switch (dice_.below(8)) {
    case 0:
    case 1:
    case 2: return crowd_;
    case 3: return crowd_ - dice_.up_to(spread_ / 8);
    default: return crowd_ + dice_.up_to(60 * made_.reading_takes);
  }
}

ns maker::some_time() {
  if (crowded_ && !dice_.one_in(8)) return time_in_crowd();
  if (!times_.empty() && dice_.one_in(equals_ + 1))
    return times_[times_.size() - 1 - dice_.below(std::min<std::size_t>(times_.size(), 6))];
  ns at = now_ + dice_.up_to(spread_);
  if (dice_.one_in(12)) at = now_ - dice_.up_to(spread_);
  if (dice_.one_in(12)) at = now_ + dice_.up_to(spread_ * 50);
  times_.push_back(at);
  return at;
}

std::uint32_t maker::some_timer() {
  const std::uint32_t recent = std::min<std::uint32_t>(timers_, dice_.one_in(4) ? 200 : 8);
  return timers_ - 1 - static_cast<std::uint32_t>(dice_.below(recent));
}

void maker::arm(call& made, bool inside) {
  made.timer = timers_;
  made.at = some_time();
  if (!inside && dice_.one_in(4)) {
    made.count = 1 + static_cast<std::uint32_t>(dice_.below(most_at_once_));
    if (dice_.one_in(2)) made.step = dice_.up_to(spread_ / made.count + 1) * (dice_.one_in(3) ? -1 : 1);
  }
  timers_ += made.count;
  if (slacks_ != 0 && dice_.one_in(slacks_)) made.slack = dice_.up_to(spread_);
  if (lanes_ != 0 && dice_.one_in(lanes_)) made.lane = static_cast<unsigned>(dice_.below(4));
  if (members_ != 0 && made.count == 1 && dice_.one_in(members_))
    made.group = 1 + static_cast<unsigned>(dice_.below(groups));
  if (periods_ != 0 && made.count == 1 && made.group == 0 && dice_.one_in(periods_))
    made.period = 1 + dice_.up_to(spread_ / 8);
  choose_ending(made);
  if (inside || inside_ == 0 || !dice_.one_in(inside_)) return;
  for (std::uint64_t i = dice_.below(3); i != 0; --i) made.inside.push_back(make_call(true));
}

// Draws how often the timer runs, and how it may end.
void maker::choose_ending(call& made) {
  if (made.period != 0) {
    made.fixed_delay = dice_.one_in(3);
    if (!made.fixed_delay && dice_.one_in(2)) made.missed = 1 + static_cast<unsigned>(dice_.below(2));
    if (dice_.one_in(3)) made.runs = 1 + static_cast<std::uint32_t>(dice_.below(3));
  } else if (made.count == 1 && stales_ != 0 && dice_.one_in(stales_)) {
    made.late = dice_.up_to(dice_.one_in(2) ? spread_ / 8 : 20 * made_.reading_takes) - (dice_.one_in(8) ? 1 : 0);
    made.runs_stale = dice_.one_in(2);
  }
  made.owns = made.count == 1 && dice_.one_in(4);
  if (labels_ != 0 && dice_.one_in(labels_)) made.label = 1 + static_cast<unsigned>(dice_.below(labels));
  made.tagged = tags_ != 0 && dice_.one_in(tags_);
  made.throws = throws_ != 0 && dice_.one_in(throws_);
}

call maker::make_call(bool inside) {
  call made;
  const std::uint64_t drawn = timers_ == 0 ? 0 : dice_.below(100);
  if (ends_ != 0 && dice_.one_in(ends_)) {
    made.what = members_ == 0 || dice_.one_in(4) ? verb::close : verb::end_group;
    if (made.what == verb::end_group) made.group = 1 + static_cast<unsigned>(dice_.below(groups));
  } else if (timers_ != 0 && questions_ != 0 && dice_.one_in(questions_)) {
    made.what = dice_.of(std::array{verb::ask, verb::ask, verb::list, verb::list, verb::metrics});
    if (made.what == verb::ask) made.timer = some_timer();
  } else if (drawn < 45) {
    arm(made, inside);
  } else if (drawn < 58) {
    made.what = verb::cancel;
    made.timer = some_timer();
    if (!inside && dice_.one_in(6)) made.count = 1 + static_cast<std::uint32_t>(dice_.below(timers_ - made.timer));
  } else if (drawn < 88 || members_ == 0) {
    made.what = inside && dice_.one_in(3) ? verb::rearm : verb::restart;
    made.timer = some_timer();
    made.at = some_time();
  } else {
    made.what = dice_.of(std::array{verb::pause, verb::resume, verb::resume, verb::cancel_group});
    made.group = 1 + static_cast<unsigned>(dice_.below(groups));
  }
  return made;
}

move maker::ask_executor() {
  move made;
  if (dice_.one_in(2)) {
    made.does.what = verb::mood;
    made.steps = dice_.below(moods);
  } else {
    made.producer = 1 + static_cast<unsigned>(dice_.below(producers));
    made.does.what = dice_.one_in(3) ? verb::let_go : verb::hand_back;
    if (dice_.one_in(2)) made.steps = 1 + dice_.below(60);
  }
  return made;
}

move maker::make_move() {
  move made;
  const std::uint64_t drawn = dice_.below(100);
  if (made_.executor != 0 && dice_.one_in(moods_)) {
    made = ask_executor();
  } else if (drawn < 35) {
    made.does.what = verb::work;
    made.of_the_bell = bell_ != 0 && dice_.one_in(bell_);
    made.steps = 1 + dice_.below(made.of_the_bell ? 12 : working_);
  } else if (drawn < 50) {
    now_ += dice_.up_to(dice_.one_in(3) ? spread_ : spread_ / 8);
    if (crowded_ && dice_.one_in(2)) now_ = std::max(now_, crowd_);
    if (!times_.empty() && dice_.one_in(3)) now_ = std::max(now_, times_[dice_.below(times_.size())] - dice_.up_to(2));
    made.does.what = verb::time;
    made.does.at = now_;
  } else if (drawn == 50) {
    made.does.what = verb::disturb;
  } else {
    made.producer = 1 + static_cast<unsigned>(dice_.one_in(3) ? dice_.below(producers) : 0);
    made.does = make_call(false);
    if (held_ != 0 && dice_.one_in(held_)) made.steps = 1 + dice_.below(60);
  }
  return made;
}

// Makes a crowd: many timers of one deadline, others near it, and critical ones that come due while the worker fires
// those, and whose runs restart some of them.
void maker::crowd() {
  const auto add = [this](ns at, std::uint32_t most, ns step) -> call& {
    move made;
    made.producer = 1;
    made.does.timer = timers_;
    made.does.at = at;
    made.does.count = 1 + static_cast<std::uint32_t>(dice_.below(most));
    made.does.step = step;
    timers_ += made.does.count;
    return made_.moves.emplace_back(std::move(made)).does;
  };
  const std::size_t before = made_.moves.size();
  if (crowd_ <= now_) crowd_ = now_ + 1 + dice_.up_to(spread_);
  add(crowd_, 12, 0);
  add(crowd_ + 1, 60, dice_.up_to(3));
  const std::uint32_t first = timers_;
  for (std::uint64_t i = 1 + dice_.below(4); i != 0; --i) {
    call& critical = add(crowd_ + dice_.up_to(80 * made_.reading_takes), 6, 0);
    critical.lane = 1 + static_cast<unsigned>(dice_.below(3));
    for (std::uint64_t calls = dice_.below(3); calls != 0; --calls) {
      call made{.what = verb::restart, .at = time_in_crowd()};
      made.timer = first + static_cast<std::uint32_t>(dice_.below(timers_ - first));
      critical.inside.push_back(made);
    }
  }
  // Their runs arm timers that meet again at a later time.
  const ns later = crowd_ + spread_;
  for (std::size_t i = made_.moves.size(); i != before; --i) {
    for (std::uint64_t calls = dice_.below(3); calls != 0; --calls) {
      call made;
      made.timer = timers_++;
      made.at = later;
      made_.moves[i - 1].does.inside.push_back(made);
    }
  }
  now_ = std::max(now_, crowd_ + 1 + dice_.up_to(made_.reading_takes));
  made_.moves.push_back({.does = {.what = verb::time, .at = now_}});
}

program maker::make() {
  choose_options();
  const std::uint64_t length = 5 + dice_.below(dice_.one_in(4) ? 400 : 80);
  for (std::uint64_t i = 0; i != length; ++i) {
    if (crowded_ && dice_.one_in(30)) crowd();
    made_.moves.push_back(make_move());
  }
  if (dice_.one_in(4)) made_.moves.push_back({.does = {.what = verb::stop}, .steps = dice_.below(2)});
  if (made_.moves.back().does.what != verb::stop && dice_.one_in(4)) {
    const auto at = static_cast<std::ptrdiff_t>(dice_.below(made_.moves.size()));
    made_.moves.insert(made_.moves.begin() + at, {.does = {.what = verb::drain, .at = dice_.up_to(20'000'000)}});
  }
  return std::move(made_);
}

}  // namespace

program make_program(std::uint64_t seed) { return maker(seed).make(); }

}  // namespace detent::worker_walks
