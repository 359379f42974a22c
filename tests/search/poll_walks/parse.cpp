// SPDX-License-Identifier: MIT
// Reads a walk.
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "search/poll_walks/program.hpp"
#include "search/poll_walks/words.hpp"

namespace detent::poll_walks {
namespace {

template <class List>
std::size_t place_of(const List& list, std::string_view word) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == word) return i;
  }
  throw std::invalid_argument("\"" + std::string(word) + "\" is no word of a walk");
}

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
  bool has_number() const {
    return !ends_operation() && words_[at_].find_first_not_of("0123456789") == std::string::npos;
  }

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
  else if (key == "all")
    into.all = true;
  else if (key == "after")
    into.after = true;
  else if (key == "wait")
    into.wait = true;
  else if (key == "on")
    into.on = static_cast<unsigned>(number(value));
  else if (key == "token")
    into.token = static_cast<unsigned>(number(value));
  else if (key == "among")
    into.among = static_cast<unsigned>(number(value));
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
  else if (key == "set")
    into.set = true;
  else if (key == "engines")
    into.engines = static_cast<unsigned>(number(value));
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
  if (read.what == action::poll) read.number = in.has_number() ? number(in.next()) : spec::end_of_time;
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

}  // namespace detent::poll_walks
