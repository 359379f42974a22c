// SPDX-License-Identifier: MIT
#include "search/poll_walks/program.hpp"

#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace detent::poll_walks {
namespace {

constexpr std::array<std::string_view, 25> words{
    "schedule", "rate",       "delay",    "bulk",     "cancel",    "cancel-bulk", "restart", "ask",  "pause",
    "resume",   "cancel-all", "end",      "advance",  "reach",     "poll",        "next",    "list", "metrics",
    "move",     "close",      "executor", "run-held", "drop-held", "rearm",       "throw"};
constexpr std::array<std::string_view, 3> policies{"inline", "retry", "drop"};
constexpr std::array<std::string_view, 3> misses{"skip", "burst", "delay"};

template <class List>
std::size_t place_of(const List& list, std::string_view word) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == word) return i;
  }
  throw std::invalid_argument("\"" + std::string(word) + "\" is no word of a walk");
}

bool makes(action what) { return what <= action::bulk; }
bool names_timers(action what) { return what <= action::ask; }
bool has_moment(action what) {
  return makes(what) || what == action::restart || what == action::rearm || what == action::reach;
}
bool names_one(action what) { return (what >= action::pause && what <= action::end) || what == action::executor; }

// --- Out

std::string text(const moment& of) {
  std::string found;
  if (of.from == moment::base::zero) {
    found = "@";
  } else if (of.from == moment::base::timer) {
    found = "=" + std::to_string(of.name);
  }
  if (of.from != moment::base::zero && of.by >= 0) found += '+';
  return found + std::to_string(of.by);
}

void write_options(std::ostream& out, const operation& of) {
  const spec::plan& asked = of.asked;
  const spec::plan none;
  const auto value = [&out](const char* key, auto given, auto otherwise) {
    if (given != otherwise) out << ' ' << key << '=' << +given;
  };
  if (of.what == action::rate || of.what == action::delay) out << " period=" << asked.period;
  value("runs", asked.runs, none.runs);
  if (asked.missed != none.missed) out << " missed=" << misses[static_cast<std::size_t>(asked.missed)];
  value("lane", asked.lane, none.lane);
  value("slack", asked.slack, none.slack);
  value("late", asked.max_lateness, none.max_lateness);
  if (asked.stale == stale_policy::run) out << " stale";
  value("label", asked.label, none.label);
  value("tag", asked.tag, none.tag);
  value("executor", asked.executor, none.executor);
  value("group", asked.group, none.group);
  if (of.plain) out << " plain";
}

void write(std::ostream& out, const operation& of) {
  out << words[static_cast<std::size_t>(of.what)];
  if (names_timers(of.what)) {
    out << ' ' << of.name;
    if (of.count != 1) out << '*' << of.count;
  }
  if (names_one(of.what)) out << ' ' << of.name;
  if (has_moment(of.what)) out << ' ' << text(of.when);
  if (of.step != 0) out << " step=" << of.step;
  if (of.what == action::advance || of.what == action::executor) out << ' ' << of.number;
  if (of.what == action::poll && of.number != spec::end_of_time) out << ' ' << of.number;
  if (makes(of.what)) write_options(out, of);
  if (of.thread != 0) out << " thread=" << of.thread;
  if (of.inside.empty()) return;
  out << " {";
  for (const operation& each : of.inside) {
    out << (&each == &of.inside.front() ? " " : "; ");
    write(out, each);
  }
  out << " }";
}

void write(std::ostream& out, const setting& of) {
  const setting none;
  const auto value = [&out](const char* key, auto given, auto otherwise) {
    if (given != otherwise) out << ' ' << key << '=' << given;
  };
  out << "engine";
  if (of.wheel == wheel_kind::hashed) out << " hashed=" << of.slots;
  value("tick", of.tick, none.tick);
  value("start", of.start, none.start);
  value("capacity", of.capacity, none.capacity);
  value("reserve", of.reserve, none.reserve);
  value("executors", of.executors, none.executors);
  value("labels", of.labels, none.labels);
  if (of.own_executor) out << " own";
  if (of.keeps_order) out << " keeps-order";
  if (of.origin) out << " origin";
  if (of.fd) out << " fd";
  if (of.refusal != none.refusal) out << " refusal=" << policies[static_cast<std::size_t>(of.refusal)];
}

// --- In

class reader {
 public:
  explicit reader(const std::string& text) {
    std::string spaced;
    for (const char c : text) {
      if (c == '{' || c == '}' || c == ';') {
        spaced += ' ';
        spaced += c;
        spaced += ' ';
      } else {
        spaced += c == '\n' ? std::string(" ; ") : std::string(1, c);
      }
    }
    std::istringstream in(spaced);
    for (std::string word; in >> word;) words_.push_back(word);
  }
  bool ended() const { return at_ == words_.size(); }
  const std::string& next() {
    if (ended()) throw std::invalid_argument("a walk ends in the middle of an operation");
    return words_[at_++];
  }
  bool take(std::string_view word) {
    if (ended() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  bool ends_operation() const { return ended() || words_[at_] == ";" || words_[at_] == "{" || words_[at_] == "}"; }

 private:
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

nanoseconds_t number(std::string_view word) {
  nanoseconds_t read = 0;
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), read);
  if (problem != std::errc{} || end != word.data() + word.size())
    throw std::invalid_argument("\"" + std::string(word) + "\" is no number");
  return read;
}

moment moment_of(std::string_view word) {
  if (word.front() == '@') return {moment::base::zero, 0, number(word.substr(1))};
  if (word.front() != '=') return {moment::base::now, 0, number(word)};
  const std::size_t sign = word.find_first_of("+-", 1);
  if (sign == word.npos) throw std::invalid_argument("\"" + std::string(word) + "\" is no time");
  return {moment::base::timer, static_cast<std::uint32_t>(number(word.substr(1, sign - 1))), number(word.substr(sign))};
}

void read_option(operation& into, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  const std::string_view value = equals == word.npos ? std::string_view() : word.substr(equals + 1);
  spec::plan& asked = into.asked;
  if (key == "plain")
    into.plain = true;
  else if (key == "stale")
    asked.stale = stale_policy::run;
  else if (key == "missed")
    asked.missed = static_cast<missed_ticks>(place_of(misses, value));
  else if (key == "thread")
    into.thread = static_cast<unsigned>(number(value));
  else if (key == "step")
    into.step = number(value);
  else if (key == "period")
    asked.period = number(value);
  else if (key == "runs")
    asked.runs = static_cast<std::uint64_t>(number(value));
  else if (key == "lane")
    asked.lane = static_cast<std::uint8_t>(number(value));
  else if (key == "slack")
    asked.slack = number(value);
  else if (key == "late")
    asked.max_lateness = number(value);
  else if (key == "label")
    asked.label = static_cast<std::uint32_t>(number(value));
  else if (key == "tag")
    asked.tag = static_cast<std::uint64_t>(number(value));
  else if (key == "executor")
    asked.executor = static_cast<unsigned>(number(value));
  else if (key == "group")
    asked.group = static_cast<spec::group_id>(number(value));
  else
    throw std::invalid_argument("\"" + std::string(word) + "\" is no option of an operation");
}

void read_option(setting& into, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  const std::string_view value = equals == word.npos ? std::string_view() : word.substr(equals + 1);
  if (key == "own")
    into.own_executor = true;
  else if (key == "keeps-order")
    into.keeps_order = true;
  else if (key == "origin")
    into.origin = true;
  else if (key == "fd")
    into.fd = true;
  else if (key == "refusal")
    into.refusal = static_cast<refusal_policy>(place_of(policies, value));
  else if (key == "labels")
    into.labels = static_cast<unsigned>(number(value));
  else if (key == "tick")
    into.tick = number(value);
  else if (key == "start")
    into.start = number(value);
  else if (key == "capacity")
    into.capacity = static_cast<std::size_t>(number(value));
  else if (key == "reserve")
    into.reserve = static_cast<std::size_t>(number(value));
  else if (key == "executors")
    into.executors = static_cast<unsigned>(number(value));
  else if (key == "hashed") {
    into.wheel = wheel_kind::hashed;
    into.slots = static_cast<std::size_t>(number(value));
  } else
    throw std::invalid_argument("\"" + std::string(word) + "\" is no option of an engine");
}

std::vector<operation> read_list(reader& in);

operation read_operation(reader& in) {
  operation read;
  read.what = static_cast<action>(place_of(words, in.next()));
  if (names_timers(read.what)) {
    const std::string& name = in.next();
    const std::size_t star = name.find('*');
    read.name = static_cast<std::uint32_t>(number(std::string_view(name).substr(0, star)));
    if (star != name.npos) read.count = static_cast<std::uint32_t>(number(std::string_view(name).substr(star + 1)));
  }
  if (names_one(read.what)) read.name = static_cast<std::uint32_t>(number(in.next()));
  if (has_moment(read.what)) read.when = moment_of(in.next());
  if (read.what == action::advance || read.what == action::executor) read.number = number(in.next());
  if (read.what == action::poll) read.number = in.ends_operation() ? spec::end_of_time : number(in.next());
  if (read.what == action::rate) read.asked.repeats = spec::repetition::fixed_rate;
  if (read.what == action::delay) read.asked.repeats = spec::repetition::fixed_delay;
  while (!in.ends_operation()) read_option(read, in.next());
  if (in.take("{")) {
    read.inside = read_list(in);
    if (!in.take("}")) throw std::invalid_argument("a callback of the walk has no end");
  }
  return read;
}

std::vector<operation> read_list(reader& in) {
  std::vector<operation> read;
  for (;;) {
    while (in.take(";")) {
    }
    if (in.ends_operation()) return read;
    read.push_back(read_operation(in));
  }
}

}  // namespace

std::string text(const program& of) {
  std::ostringstream out;
  write(out, of.made_with);
  for (const operation& each : of.steps) {
    out << '\n';
    write(out, each);
  }
  return out.str();
}

program parse(const std::string& text) {
  reader in(text);
  program read;
  while (in.take(";")) {
  }
  if (in.take("engine")) {
    while (!in.ends_operation()) read_option(read.made_with, in.next());
  }
  read.steps = read_list(in);
  if (!in.ended()) throw std::invalid_argument("\"" + in.next() + "\" stands alone");
  return read;
}

std::size_t size(const std::vector<operation>& steps) {
  std::size_t count = steps.size();
  for (const operation& each : steps) count += size(each.inside);
  return count;
}

}  // namespace detent::poll_walks
