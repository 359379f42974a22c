// SPDX-License-Identifier: MIT
// Litmus tests as they are written in papers: "x = 1; a = y.acquire | y.release = 1; fence; b = x => a b".
//
//   x, y, z; p     shared atomics, which begin with 0; shared plain memory
//   a, b, c, d     what a thread has read
//   x.ORDER        the order of the operation; relaxed where there is none
//   x += 1         a read-modify-write; x <-> 1 is an exchange, x 1 -> 2 an exchange of 1 alone
//   a = x += 1     and a is what was there before
//   a == 1         an execution in which that does not hold has no outcome
//   fence          a sequentially consistent fence; fence.ORDER another one; light and heavy are a pair
//   => a x         what makes the outcome; without it that is all that has been read, by name
#include "litmus.hpp"

#include <array>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace model {
namespace {

enum class action : std::uint8_t { load, store, add, exchange, exchange_if, require_value, fence, light, heavy };

struct step {
  action what;
  char into = 0, place = 0;
  order how = relaxed;
  int value = 0, desired = 0;
};

struct parsed_program {
  std::vector<std::vector<step>> threads;
  std::string shown;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

// Returns the memory order in a word such as x.acquire.
order order_in(const std::string& word) {
  const std::size_t point = word.find('.');
  if (point == std::string::npos) return word == "fence" ? seq_cst : relaxed;
  for (const order each : {relaxed, acquire, release, acq_rel, seq_cst}) {
    if (word.substr(point + 1) == name_of(each)) return each;
  }
  throw std::invalid_argument(word + ": no such order");
}

step parse_step(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  const std::string first = words.at(0);
  if (first == "light") return {action::light};
  if (first == "heavy") return {action::heavy};
  if (first.starts_with("fence")) return {action::fence, 0, 0, order_in(first)};
  step made{};
  if (first[0] < 'p') {
    made.into = first[0];
    if (words.at(1) == "==") return {action::require_value, first[0], 0, relaxed, std::stoi(words.at(2))};
    words.erase(words.begin(), words.begin() + 2);
  }
  made.place = words.at(0)[0];
  made.how = order_in(words[0]);
  if (words.size() == 1) return made;
  if (words.at(2) == "->") {
    made.what = action::exchange_if;
    made.value = std::stoi(words[1]);
    made.desired = std::stoi(words.at(3));
    return made;
  }
  made.what = words[1] == "=" ? action::store : words[1] == "+=" ? action::add : action::exchange;
  made.value = std::stoi(words[2]);
  return made;
}

parsed_program parse(const std::string& notation) {
  parsed_program made;
  const std::size_t arrow = notation.find("=>");
  std::set<char> read;
  for (const std::string& thread : split(notation.substr(0, arrow), '|')) {
    made.threads.emplace_back();
    for (const std::string& each : split(thread, ';')) {
      made.threads.back().push_back(parse_step(each));
      if (const char into = made.threads.back().back().into; into != 0) read.insert(into);
    }
  }
  const std::string shown =
      arrow == std::string::npos ? std::string(read.begin(), read.end()) : notation.substr(arrow + 2);
  for (const char each : shown) {
    if (each != ' ') made.shown += each;
  }
  return made;
}

struct shared_memory {
  std::array<atomic<int>, 3> cells;
  int plain = 0;
};

class interpreter {
 public:
  explicit interpreter(shared_memory& shared) : shared_(shared) {}

  void run(const std::vector<step>& thread) {
    for (const step& each : thread) {
      if (!holds_after(each)) return;
    }
  }
  // None where a condition did not hold.
  void show(const std::string& names, outcomes& seen) {
    if (!holds_) return;
    std::string text;
    for (const char name : names)
      text += (text.empty() ? "" : " ") + std::to_string(name < 'p' ? read_[name - 'a'] : cell(name).load(relaxed));
    seen.insert(text);
  }

 private:
  atomic<int>& cell(char name) { return shared_.cells[static_cast<std::size_t>(name - 'x')]; }

  bool holds_after(const step& next) {
    int before = next.value;
    switch (next.what) {
      case action::load: before = next.place == 'p' ? shared_.plain : cell(next.place).load(next.how); break;
      case action::store:
        next.place == 'p' ? void(shared_.plain = next.value) : cell(next.place).store(next.value, next.how);
        break;
      case action::add: before = cell(next.place).fetch_add(next.value, next.how); break;
      case action::exchange: before = cell(next.place).exchange(next.value, next.how); break;
      case action::exchange_if:
        cell(next.place).compare_exchange_strong(before, next.desired, next.how, relaxed);
        break;
      case action::require_value: holds_ &= read_[next.into - 'a'] == next.value; return holds_;
      case action::fence: machine::instance().fence(next.how, site::here()); break;
      case action::light: detent::base::light_fence(); break;
      case action::heavy: require(detent::base::heavy_fence(), "refused"); break;
    }
    if (next.into != 0) read_[next.into - 'a'] = before;
    return true;
  }

  shared_memory& shared_;
  int read_[4] = {-1, -1, -1, -1};
  bool holds_ = true;
};

}  // namespace

litmus_program::litmus_program(const char* notation)
    : code_([program = parse(notation)](execution& run, outcomes& seen) {
        interpreter of(run.make<shared_memory>("memory"));
        for (const std::vector<step>& each : program.threads) run.thread("thread", [&] { of.run(each); });
        run.join();
        of.show(program.shown, seen);
      }) {}

}  // namespace model
