// SPDX-License-Identifier: MIT
#include "search/worker_walks/program.hpp"

#include <array>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace detent::worker_walks {
namespace {

constexpr std::array<std::string_view, 20> names = {
    "work", "time", "disturb", "mood",  "stop",      "drain",  "arm",   "cancel", "restart",      "rearm",
    "ask",  "list", "metrics", "close", "hand-back", "let-go", "pause", "resume", "cancel-group", "end-group"};
std::string_view name_of(verb what) { return names[static_cast<std::size_t>(what)]; }

bool is_of_a_group(verb what) { return what >= verb::pause; }
bool is_of_the_engine(verb what) { return what >= verb::list && what < verb::pause; }
bool is_of_a_timer(verb what) { return !is_of_a_group(what) && !is_of_the_engine(what) && what != verb::rearm; }

void write(std::ostream& out, const call& each) {
  out << name_of(each.what);
  if (is_of_a_group(each.what)) {
    out << " group " << each.group;
    return;
  }
  if (is_of_the_engine(each.what)) return;
  if (is_of_a_timer(each.what)) out << " #" << each.timer;
  if (each.count != 1) out << " count " << each.count;
  if (each.what == verb::cancel || each.what == verb::ask) return;
  out << " at " << each.at;
  if (each.what != verb::arm) return;
  if (each.step != 0) out << " step " << each.step;
  if (each.slack != 0) out << " slack " << each.slack;
  if (each.period != 0) out << (each.fixed_delay ? " delay " : " every ") << each.period;
  if (each.missed != 0) out << " missed " << each.missed;
  if (each.runs != 0) out << " runs " << each.runs;
  if (each.late) out << " late " << *each.late << (each.runs_stale ? " stale" : "");
  if (each.throws) out << " throws";
  if (each.tagged) out << " tagged";
  if (each.label != 0) out << " label " << each.label;
  if (each.owns) out << " owns";
  if (each.lane != 0) out << " lane " << each.lane;
  if (each.group != 0) out << " group " << each.group;
  if (each.inside.empty()) return;
  out << " {";
  for (const call& its : each.inside) {
    out << ' ';
    write(out, its);
    out << " ;";
  }
  out << " }";
}

void write(std::ostream& out, const move& each) {
  switch (each.does.what) {
    case verb::work: out << "work " << each.steps << (each.of_the_bell ? " of bell" : ""); break;
    case verb::time: out << "time " << each.does.at; break;
    case verb::disturb: out << "disturb"; break;
    case verb::mood: out << "mood " << each.steps; break;
    case verb::drain: out << "drain " << each.does.at; break;
    case verb::stop: out << "stop" << (each.steps != 0 ? " amid" : ""); break;
    default:
      out << 'p' << each.producer;
      if (each.steps != 0) out << " held " << each.steps;
      out << ' ';
      write(out, each.does);
  }
  out << '\n';
}

// The words of a line.
class words {
 public:
  explicit words(const std::string& line) : in_(line) { next(); }
  bool at_end() const { return at_end_; }
  bool is(std::string_view word) const { return !at_end_ && word_ == word; }
  bool take(std::string_view word) {
    if (!is(word)) return false;
    next();
    return true;
  }
  std::string take() {
    std::string taken = word_;
    next();
    return taken;
  }
  template <class Number>
  void take_number(Number& into) {
    std::string text = take();
    if (text.starts_with('#')) text.erase(0, 1);
    into = static_cast<Number>(std::stoll(text));
  }
  template <class Number>
  bool take_if(std::string_view word, Number& into) {
    if (!take(word)) return false;
    take_number(into);
    return true;
  }

 private:
  void next() {
    at_end_ = !(in_ >> word_);
    if (at_end_) word_.clear();
  }
  std::istringstream in_;
  std::string word_;
  bool at_end_ = false;
};

verb verb_of(const std::string& name) {
  for (std::size_t i = 0; i != names.size(); ++i)
    if (names[i] == name) return static_cast<verb>(i);
  throw std::runtime_error("no such call");
}

bool parse_option(words& in, call& read) {
  if (in.take_if("delay", read.period)) return read.fixed_delay = true;
  if (in.is("late")) return in.take_if("late", read.late.emplace());
  if (in.take("stale")) return read.runs_stale = true;
  if (in.take("throws")) return read.throws = true;
  if (in.take("tagged")) return read.tagged = true;
  if (in.take("owns")) return read.owns = true;
  return in.take_if("count", read.count) || in.take_if("at", read.at) || in.take_if("step", read.step) ||
         in.take_if("slack", read.slack) || in.take_if("every", read.period) || in.take_if("lane", read.lane) ||
         in.take_if("group", read.group) || in.take_if("missed", read.missed) || in.take_if("runs", read.runs) ||
         in.take_if("label", read.label);
}

call parse_call(words& in) {
  call read;
  read.what = verb_of(in.take());
  if (is_of_a_timer(read.what)) in.take_number(read.timer);
  while (parse_option(in, read)) {
  }
  if (!in.take("{")) return read;
  while (!in.take("}")) {
    read.inside.push_back(parse_call(in));
    if (!in.take(";")) throw std::runtime_error("no ; after a call");
  }
  return read;
}

move parse_move(words& in) {
  move read;
  if (in.take("disturb")) {
    read.does.what = verb::disturb;
  } else if (in.take_if("mood", read.steps)) {
    read.does.what = verb::mood;
  } else if (in.take_if("drain", read.does.at)) {
    read.does.what = verb::drain;
  } else if (in.take("stop")) {
    read.does.what = verb::stop;
    read.steps = in.take("amid") ? 1 : 0;
  } else if (in.take_if("work", read.steps)) {
    read.does.what = verb::work;
    read.of_the_bell = in.take("of") && in.take("bell");
  } else if (in.take_if("time", read.does.at)) {
    read.does.what = verb::time;
  } else {
    read.producer = static_cast<unsigned>(std::stoul(in.take().substr(1)));
    if (read.producer == 0 || read.producer > producers) throw std::runtime_error("no such producer");
    in.take_if("held", read.steps);
    read.does = parse_call(in);
  }
  return read;
}

bool parse_options(words& in, program& read) {
  if (!in.take("engine")) return false;
  while (in.take_if("begin", read.begin) || in.take_if("reading", read.reading_takes) ||
         in.take_if("tick", read.tick) || in.take_if("wait", read.wait) || in.take_if("hashed", read.hashed) ||
         in.take_if("budget", read.wake_budget) || in.take_if("capacity", read.capacity) ||
         in.take_if("executor", read.executor) || in.take_if("orders", read.orders)) {
  }
  return true;
}

}  // namespace

std::string text_of(const program& walk) {
  std::ostringstream out;
  out << "engine begin " << walk.begin << " reading " << walk.reading_takes << " tick " << walk.tick << " wait "
      << walk.wait << " hashed " << walk.hashed << " budget " << walk.wake_budget << " capacity " << walk.capacity
      << " executor " << walk.executor << " orders " << walk.orders << '\n';
  for (const move& each : walk.moves) write(out, each);
  return out.str();
}

program parse_program(const std::string& text) {
  program read;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    words in(line);
    if (in.at_end()) continue;
    try {
      if (!parse_options(in, read)) read.moves.push_back(parse_move(in));
    } catch (const std::exception& failure) {
      throw std::runtime_error(line + ": " + failure.what());
    }
    if (!in.at_end()) throw std::runtime_error(line + ": what is " + in.take());
  }
  return read;
}

}  // namespace detent::worker_walks
