// SPDX-License-Identifier: MIT
// cancel() and cancel_and_wait() against everything else.
#include <litmus/arena.hpp>

namespace litmus {
namespace {

std::string cancel(arena& a) { return a.cancel(); }
std::string poll(arena& a) { return a.poll(); }

constexpr bool allowed = true, forbidden = false;

const char* const nobody = "One of the two calls found it pending, so one of them ends it.";
const char* const both = "A timer is ended once.";
const char* const lost_run = "It has neither run nor been cancelled: lost.";
const char* const ran_after_all = "`cancelled` promises that the callback will never start.";

std::vector<row> rows_against_run() {
  return {{"cancelled, no run", allowed, "The cancel came first."},
          {"running, ran at the old time", allowed, "It came while the callback ran."},
          {"gone, ran at the old time", allowed, "It came after the run."},
          {"cancelled, ran at the old time", forbidden, ran_after_all},
          {"running, no run", forbidden, "Whoever is told `running` may wait for a run: there must be one."},
          {"gone, no run", forbidden, lost_run}};
}

std::vector<row> rows_against_next_arming() {
  return {{"cancelled, no run", allowed, "The cancel came before the first run."},
          {"running, ran at the old time", allowed, "It came during the first run, which is then the last."},
          {"cancelled, ran at the old time", allowed, "It came after the first run and ended the next arming."},
          {"running, ran at the old and the next time", forbidden, "`running` promises that this was the last run."},
          {"cancelled, ran at the old and the next time", forbidden, ran_after_all},
          {"gone, ran at the old and the next time", forbidden, "It was pending or running all the time."},
          {"gone, ran at the old time", forbidden, "The next arming is lost."}};
}

std::vector<row> rows_of_two_cancels() {
  return {{"cancelled, gone, no run", allowed, "The left one came first."},
          {"gone, cancelled, no run", allowed, "The right one came first."},
          {"cancelled, cancelled, no run", forbidden, both},
          {"gone, gone, no run", forbidden, nobody}};
}

std::vector<row> rows_with_restart() {
  return {{"cancelled, true, no run", allowed, "The restart came first, and the cancel ended the new arming."},
          {"cancelled, false, no run", allowed, "The cancel came first."},
          {"gone, true, ran at the right time", forbidden, nobody},
          {"cancelled, true, ran at the right time", forbidden, ran_after_all},
          {"gone, false, no run", forbidden, lost_run}};
}

pair two_cancels(const char* name, beginning x) {
  return {.name = name,
          .x = x,
          .executor = x == beginning::dispatched,
          .left = cancel,
          .right = cancel,
          .rows = rows_of_two_cancels()};
}

pair cancel_and_restart(const char* name, beginning x) {
  return {.name = name,
          .x = x,
          .executor = x == beginning::dispatched,
          .left = cancel,
          .right = [](arena& a) { return a.restart(right_later); },
          .rows = rows_with_restart()};
}

std::vector<pair> against_the_driver() {
  return {{.name = "cancel | drain",
           .x = beginning::queued,
           .left = cancel,
           .right = poll,
           .rows = {{"cancelled, no run", allowed, "It was pending all the time, first queued, then armed."},
                    {"gone, no run", forbidden, lost_run},
                    {"gone, ran at the old time", forbidden, "A pending timer is not gone."},
                    {"cancelled, ran at the old time", forbidden, ran_after_all}}},
          {.name = "cancel | fire", .x = beginning::due, .left = cancel, .right = poll, .rows = rows_against_run()},
          {.name = "cancel | dispatch and run",
           .x = beginning::due,
           .executor = true,
           .left = cancel,
           .right = [](arena& a) { return a.poll_and_run(); },
           .rows = rows_against_run()},
          {.name = "cancel | run by an executor",
           .x = beginning::dispatched,
           .executor = true,
           .left = cancel,
           .right = [](arena& a) { return a.run_handed_over(); },
           .rows = rows_against_run()},
          {.name = "cancel | drop by an executor",
           .x = beginning::dispatched,
           .executor = true,
           .left = cancel,
           .right = [](arena& a) { return a.drop_handed_over(); },
           .rows = {{"cancelled, no run", allowed, "The cancel came first."},
                    {"gone, no run", allowed, "The drop came first, and is counted as the end."},
                    {"running, no run", forbidden, "Nothing runs here."}}}};
}

}  // namespace

std::vector<pair> cancel_pairs() {
  std::vector<pair> all = against_the_driver();
  all.push_back(two_cancels("cancel | cancel, queued", beginning::queued));
  all.push_back(two_cancels("cancel | cancel, armed", beginning::armed));
  all.push_back(two_cancels("cancel | cancel, dispatched", beginning::dispatched));
  all.push_back(cancel_and_restart("cancel | restart, queued", beginning::queued));
  all.push_back(cancel_and_restart("cancel | restart, armed", beginning::armed));
  all.push_back(cancel_and_restart("cancel | restart, dispatched", beginning::dispatched));
  all.push_back({.name = "cancel | rearm on the driver",
                 .x = beginning::due,
                 .kind = callback_kind::rearms_once,
                 .left = cancel,
                 .right = poll,
                 .rows = rows_against_next_arming()});
  all.push_back({.name = "cancel | rearm by an executor",
                 .x = beginning::due,
                 .kind = callback_kind::rearms_once,
                 .executor = true,
                 .left = cancel,
                 .right = [](arena& a) { return a.poll_and_run(); },
                 .rows = rows_against_next_arming()});
  all.push_back({.name = "cancel_and_wait | periodic run",
                 .x = beginning::due,
                 .kind = callback_kind::periodic,
                 .left = [](arena& a) { return a.cancel_and_wait(); },
                 .right = poll,
                 .rows = rows_against_next_arming()});
  return all;
}

}  // namespace litmus
