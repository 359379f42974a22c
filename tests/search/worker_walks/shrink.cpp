// SPDX-License-Identifier: MIT
#include "search/worker_walks/shrink.hpp"

#include "search/worker_walks/walk.hpp"

#include <unistd.h>
#include <csignal>

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace detent::worker_walks {
namespace {

constexpr int broken = 1;
constexpr std::uint64_t enough_runs = 100'000;
constexpr unsigned seconds_of_a_walk = 60;  // on a busy machine

// Belongs to the child that plays.
test::walk_report* reported_to = nullptr;

void play_all(std::span<const program> walks) {
  std::uint64_t runs = 0, passes = 0;
  for (const program& each : walks) {
    ::alarm(seconds_of_a_walk);
    walk plays(each);
    plays.play();
    runs += plays.seen().runs();
    passes += plays.seen().passes();
    if (runs > enough_runs && passes == 0) fault("no pass was seen: group_store::is_asked() has another name");
    ++reported_to->clean;
  }
}

// Drops calls inside runs, and simplifies, one thing at a time.
std::vector<program> simpler(const program& from, std::size_t at) {
  std::vector<program> tries;
  const auto add = [&](auto&& change) {
    program next = from;
    if (change(next.moves[at])) tries.push_back(std::move(next));
  };
  const auto cleared = [&](auto value_of) {
    add([&](move& each) {
      auto& value = value_of(each);
      const bool is_set = value != 0;
      value = 0;
      return is_set;
    });
  };
  for (std::size_t i = 0; i != from.moves[at].does.inside.size(); ++i) {
    add([i](move& each) {
      each.does.inside.erase(each.does.inside.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    });
  }
  add([](move& each) {
    each.does.count /= 2;
    return each.does.count != 0;
  });
  add([](move& each) { return each.does.count-- > 1; });
  cleared([](move & each) -> auto& { return each.does.step; });
  cleared([](move & each) -> auto& { return each.does.slack; });
  cleared([](move & each) -> auto& { return each.does.period; });
  cleared([](move & each) -> auto& { return each.does.missed; });
  cleared([](move & each) -> auto& { return each.does.runs; });
  cleared([](move & each) -> auto& { return each.does.fixed_delay; });
  cleared([](move & each) -> auto& { return each.does.throws; });
  cleared([](move & each) -> auto& { return each.does.tagged; });
  cleared([](move & each) -> auto& { return each.does.label; });
  cleared([](move & each) -> auto& { return each.does.owns; });
  add([](move& each) { return std::exchange(each.does.late, std::nullopt).has_value(); });
  if (from.moves[at].does.what == verb::arm) cleared([](move & each) -> auto& { return each.does.group; });
  if (from.moves[at].does.what != verb::work) cleared([](move & each) -> auto& { return each.steps; });
  return tries;
}

// Returns a report without its numbers.
std::string kind_of(std::string why) {
  std::erase_if(why, [](char each) { return (each >= '0' && each <= '9') || each == '-'; });
  return why;
}

bool fails(const program& walk, const std::string& kind) { return kind_of(trial({walk}).why) == kind; }

bool drop_some(program& failing, const std::string& kind) {
  bool any = false;
  for (std::size_t piece = failing.moves.size(); piece != 0; piece /= 2) {
    for (std::size_t at = failing.moves.size(); at != 0;) {
      const std::size_t begin = at > piece ? at - piece : 0;
      program shorter = failing;
      shorter.moves.erase(shorter.moves.begin() + static_cast<std::ptrdiff_t>(begin),
                          shorter.moves.begin() + static_cast<std::ptrdiff_t>(at));
      at = begin;
      if (!fails(shorter, kind)) continue;
      failing = std::move(shorter);
      any = true;
    }
  }
  return any;
}

bool simplify_some(program& failing, const std::string& kind) {
  bool any = false;
  for (std::size_t at = 0; at != failing.moves.size(); ++at) {
    for (bool better = true; better;) {
      better = false;
      for (program& each : simpler(failing, at)) {
        if (!fails(each, kind)) continue;
        failing = std::move(each);
        any = better = true;
        break;
      }
    }
  }
  return any;
}

}  // namespace

void fault(const char* text, ...) {
  std::va_list list;
  va_start(list, text);
  std::vsnprintf(reported_to->why, sizeof reported_to->why, text, list);
  va_end(list);
  ::_exit(broken);
}

test::walk_outcome trial(std::span<const program> walks) {
  return test::walk_in_child(SIGALRM, [walks](test::walk_report& report) {
    reported_to = &report;
    play_all(walks);
  });
}

program shrink(program failing, const std::string& why) {
  const std::string kind = kind_of(why);
  while (drop_some(failing, kind) || simplify_some(failing, kind)) {
  }
  return failing;
}

}  // namespace detent::worker_walks
