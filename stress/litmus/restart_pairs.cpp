// SPDX-License-Identifier: MIT
// restart_at() against the driver, against itself and against rearm_at().
#include <litmus/arena.hpp>

namespace litmus {
namespace {

constexpr bool allowed = true, forbidden = false;

const char* const twice = "One arming, one run.";
const char* const lost = "It was pending and is lost.";

std::vector<row> rows_of_pending() {
  return {{"true, ran at the left time", allowed, "It was pending all the time."},
          {"true, ran at the old time", forbidden, "`true` promises that it does not fire at the old deadline."},
          {"false, ran at the old time", forbidden, "A pending timer can be restarted."},
          {"true, ran at the old and the left time", forbidden, twice},
          {"true, no run", forbidden, lost}};
}

std::vector<row> rows_against_run() {
  return {{"true, ran at the left time", allowed, "The restart came first."},
          {"false, ran at the old time", allowed, "The run had started."},
          {"true, ran at the old time", forbidden, "`true` promises that it does not fire at the old deadline."},
          {"true, ran at the old and the left time", forbidden, twice},
          {"false, ran at the left time", forbidden, "`false` promises that nothing has changed."},
          {"true, no run", forbidden, lost},
          {"false, no run", forbidden, lost}};
}

std::vector<row> rows_of_two() {
  return {{"true, true, ran at the left time", allowed, "The left one came last."},
          {"true, true, ran at the right time", allowed, "The right one came last."},
          {"true, true, ran at the left and the right time", forbidden, twice},
          {"true, true, ran at the old time", forbidden, "`true` promises that it does not fire at the old deadline."},
          {"true, false, ran at the left time", forbidden, "A pending timer can be restarted."},
          {"false, true, ran at the right time", forbidden, "A pending timer can be restarted."},
          {"true, true, no run", forbidden, lost}};
}

std::vector<row> rows_against_rearm() {
  return {{"true, ran at the left and the next time", allowed, "The restart came before the first run."},
          {"false, ran at the old and the next time", allowed, "It came during the first run: no effect whatever."},
          {"true, ran at the old and the left time", allowed, "It came after the first run and moved the next one."},
          {"true, ran at the old and the next time", forbidden, "`true`, and fired at the deadline it replaced."},
          {"true, ran at the old time", forbidden, "The next arming is lost."},
          {"false, ran at the old time", forbidden, "The next arming is lost."}};
}

std::function<std::string(arena&)> restart(seconds to) {
  return [to](arena& a) { return a.restart(to); };
}
std::string poll(arena& a) { return a.poll(); }
std::string poll_and_run(arena& a) { return a.poll_and_run(); }

pair two_restarts(const char* name, beginning x, seconds left, seconds right) {
  return {.name = name,
          .x = x,
          .executor = x == beginning::dispatched,
          .left = restart(left),
          .right = restart(right),
          .rows = rows_of_two()};
}

}  // namespace

std::vector<pair> restart_pairs() {
  const auto earlier_or_later = {std::pair("restart to earlier | drain", left_earlier),
                                 std::pair("restart to later | drain", left_later)};
  std::vector<pair> all;
  for (auto [name, to] : earlier_or_later)
    all.push_back(
        {.name = name, .x = beginning::queued, .left = restart(to), .right = poll, .rows = rows_of_pending()});
  all.push_back({.name = "restart to earlier | drain, armed",
                 .x = beginning::armed,
                 .left = restart(left_earlier),
                 .right = poll,
                 .rows = rows_of_pending()});
  all.push_back({.name = "restart to later | fire",
                 .x = beginning::due,
                 .left = restart(left_later),
                 .right = poll,
                 .rows = rows_against_run()});
  all.push_back({.name = "restart to later | dispatch and run",
                 .x = beginning::due,
                 .executor = true,
                 .left = restart(left_later),
                 .right = poll_and_run,
                 .rows = rows_against_run()});
  all.push_back({.name = "restart to later | run by an executor",
                 .x = beginning::dispatched,
                 .executor = true,
                 .left = restart(left_later),
                 .right = [](arena& a) { return a.run_handed_over(); },
                 .rows = rows_against_run()});
  all.push_back({.name = "restart to later | rearm on the driver",
                 .x = beginning::due,
                 .kind = callback_kind::rearms_once,
                 .left = restart(left_later),
                 .right = poll,
                 .rows = rows_against_rearm()});
  all.push_back({.name = "restart to later | rearm by an executor",
                 .x = beginning::due,
                 .kind = callback_kind::rearms_once,
                 .executor = true,
                 .left = restart(left_later),
                 .right = poll_and_run,
                 .rows = rows_against_rearm()});
  all.push_back(two_restarts("restart | restart, queued, to earlier", beginning::queued, left_earlier, right_earlier));
  all.push_back(two_restarts("restart | restart, queued, to later", beginning::queued, left_later, right_later));
  all.push_back(two_restarts("restart | restart, armed, to earlier", beginning::armed, left_earlier, right_earlier));
  all.push_back(two_restarts("restart | restart, armed, crosswise", beginning::armed, left_earlier, right_later));
  all.push_back(two_restarts("restart | restart, dispatched", beginning::dispatched, left_later, right_later));
  return all;
}

}  // namespace litmus
