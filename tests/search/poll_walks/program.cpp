// SPDX-License-Identifier: MIT
#include "search/poll_walks/program.hpp"

#include <sstream>

#include "search/poll_walks/words.hpp"

namespace detent::poll_walks {
namespace {

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
  if (of.what == action::rate || of.what == action::delay || of.what == action::ticks)
    out << " period=" << asked.period;
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
  const auto number_of = [&out](const char* key, unsigned given) {
    if (given != 0) out << ' ' << key << '=' << given;
  };
  number_of("on", of.on);
  number_of("token", of.token);
  number_of("among", of.among);
  if (of.all) out << " all";
  if (of.after) out << " after";
  if (of.wait) out << " wait";
  number_of("thread", of.thread);
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
  value("engines", of.engines, none.engines);
  if (of.set) out << " set";
  if (of.own_executor) out << " own";
  if (of.keeps_order) out << " keeps-order";
  if (of.origin) out << " origin";
  if (of.fd) out << " fd";
  if (of.refusal != none.refusal) out << " refusal=" << policies[static_cast<std::size_t>(of.refusal)];
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

std::size_t size(const std::vector<operation>& steps) {
  std::size_t count = steps.size();
  for (const operation& each : steps) count += size(each.inside);
  return count;
}

}  // namespace detent::poll_walks
