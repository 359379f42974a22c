// SPDX-License-Identifier: MIT
// stop() against everything else. Each round has an engine of its own.
#include <litmus/arena.hpp>

namespace litmus {
namespace {

constexpr bool allowed = true, forbidden = false;

const char* const lost = "It has neither run nor been returned: lost.";
const char* const twice = "A timer ends once: by its run or by being returned.";

std::string stop(arena& a) { return a.stop(); }

std::vector<row> rows_against_run() {
  return {{"returned, no run", allowed, "The stop came first."},
          {"nothing, ran at the old time", allowed, "The run had started, and stop() waited for it."},
          {"returned, ran at the old time", forbidden, twice},
          {"nothing, no run", forbidden, lost}};
}

pair against(const char* name, beginning x, std::function<std::string(arena&)> right, std::vector<row> rows,
             bool executor = false) {
  return {.name = name,
          .x = x,
          .executor = executor,
          .ends_engine = true,
          .left = stop,
          .right = std::move(right),
          .rows = std::move(rows)};
}

std::vector<pair> against_the_driver() {
  auto poll = [](arena& a) { return a.poll(); };
  auto poll_and_run = [](arena& a) { return a.poll_and_run(); };
  std::vector<pair> all;
  all.push_back(
      against("stop | drain", beginning::queued, poll,
              {{"returned, no run", allowed, "It was pending all the time."}, {"nothing, no run", forbidden, lost}}));
  all.push_back(against("stop | fire", beginning::due, poll, rows_against_run()));
  all.push_back(against("stop | dispatch and run", beginning::due, poll_and_run, rows_against_run(), true));
  all.push_back(against(
      "stop | run by an executor", beginning::dispatched, [](arena& a) { return a.run_handed_over(); },
      rows_against_run(), true));
  all.push_back(against(
      "stop | drop by an executor", beginning::dispatched, [](arena& a) { return a.drop_handed_over(); },
      {{"returned, no run", allowed, "The stop came first."},
       {"nothing, no run", allowed, "The drop came first, and is counted as the end."}},
      true));
  return all;
}

// The timer re-arms itself in its first run.
std::vector<pair> against_rearm() {
  const std::vector<row> rows = {
      {"returned, no run", allowed, "The stop came before the run."},
      {"returned, ran at the old time", allowed, "It waited for the run, and returns what the run re-armed."},
      {"nothing, ran at the old time", forbidden, "The next arming is lost."},
      {"nothing, no run", forbidden, lost}};
  pair inline_run = against(
      "stop | rearm on the driver", beginning::due, [](arena& a) { return a.poll(); }, rows);
  pair by_executor = against(
      "stop | rearm by an executor", beginning::dispatched, [](arena& a) { return a.run_handed_over(); }, rows, true);
  inline_run.kind = by_executor.kind = callback_kind::rearms_once;
  return {inline_run, by_executor};
}

}  // namespace

std::vector<pair> stop_pairs() {
  std::vector<pair> all = against_the_driver();
  for (pair& each : against_rearm()) all.push_back(std::move(each));
  all.push_back(
      against("stop | schedule", beginning::none, [](arena& a) { return a.schedule(); },
              {{"returned, a handle, no run", allowed, "The schedule call came first."},
               {"nothing, refused, no run", allowed, "The stop came first."},
               {"nothing, a handle, no run", forbidden, "Who has a handle has a timer that fires or is returned."},
               {"returned, refused, no run", forbidden, "A refused schedule call leaves nothing behind."}}));
  for (auto [name, x] :
       {std::pair("stop | cancel, queued", beginning::queued), std::pair("stop | cancel, armed", beginning::armed)}) {
    all.push_back(against(name, x, [](arena& a) { return a.cancel(); },
                          {{"returned, gone, no run", allowed, "The stop came first."},
                           {"nothing, cancelled, no run", allowed, "The cancel came first."},
                           {"returned, cancelled, no run", forbidden, "A timer ends once: cancelled or returned."},
                           {"nothing, gone, no run", forbidden, lost}}));
  }
  all.push_back(against("stop | restart, armed", beginning::armed, [](arena& a) { return a.restart(right_later); },
                        {{"returned, true, no run", allowed, "The restart came first."},
                         {"returned, false, no run", allowed, "The stop came first."},
                         {"nothing, true, no run", forbidden, lost},
                         {"nothing, false, no run", forbidden, lost}}));
  all.push_back(against("stop | stop", beginning::armed, stop,
                        {{"returned, nothing, no run", allowed, "The left one came first."},
                         {"nothing, returned, no run", allowed, "The right one came first."},
                         {"returned, returned, no run", forbidden, "Each timer is returned once."},
                         {"nothing, nothing, no run", forbidden, lost}}));
  return all;
}

}  // namespace litmus
