// SPDX-License-Identifier: MIT
#include "explore.hpp"

namespace model {
namespace {

std::function<void()> whole(const body& what) {
  return [&what] {
    execution run;
    what(run);
    run.destroy_made();
  };
}

}  // namespace

void execution::destroy_made() {
  for (; !made_.empty(); made_.pop_back()) made_.back().destroy(made_.back().object);
}

verdict explore(const bounds& limits, const body& what) {
  machine& host = machine::instance();
  const std::function<void()> once = whole(what);
  verdict result;
  host.decisions() = {};
  host.forget_marks();
  do {
    if (result.executions == limits.executions) return result;
    result.complaint = host.run(limits, once, false);
    ++result.executions;
    result.steps += host.steps();
    if (result.complaint.empty()) continue;
    // Once more, with a trace.
    verdict traced = replay(limits, what, host.decisions().text());
    result.schedule = traced.schedule;
    result.trace = std::move(traced.trace);
    if (traced.complaint != result.complaint) result.complaint += " (and not in the same way when repeated)";
    return result;
  } while (host.decisions().next());
  result.complete = true;
  result.marks = host.marks();
  return result;
}

verdict replay(const bounds& limits, const body& what, const std::string& schedule) {
  machine& host = machine::instance();
  verdict result;
  auto way = choices::parse(schedule);
  if (!way) {
    result.complaint = "\"" + schedule + "\" is not a schedule";
    return result;
  }
  host.decisions().follow(*way);
  result.complaint = host.run(limits, whole(what), true);
  result.schedule = schedule;
  result.trace = host.trace();
  result.executions = 1;
  result.steps = host.steps();
  if (host.decisions().strayed()) result.complaint = "the schedule does not fit this program; " + result.complaint;
  return result;
}

std::string report(const verdict& of) {
  std::string size = std::to_string(of.executions) + " executions, " + std::to_string(of.steps) + " steps";
  if (of.complaint.empty()) return size + (of.complete ? ", complete within the bounds" : "");
  std::string text = of.complaint + "\n";
  for (const std::string& line : of.trace) text += "  " + line + "\n";
  return text + size + "\nschedule: " + of.schedule;
}

}  // namespace model
