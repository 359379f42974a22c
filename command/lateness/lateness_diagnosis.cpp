// SPDX-License-Identifier: MIT
#include "lateness/lateness_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t wait = 1, worker = 2, dispatch = 3;  // the places of the parts; drain is at 0
constexpr double millisecond = 1e6;

double as_number(std::int64_t ns) { return static_cast<double>(ns); }

class examination {
 public:
  examination(const late_figures& late, const driver_evidence& evidence, std::size_t main)
      : late_(late), evidence_(evidence), part_(late.parts[main]), main_(main) {}

  lateness_diagnosis run() const {
    if (auto found = standstill()) return *found;
    if (auto found = lack_of_cpu()) return *found;
    if (main_ == dispatch) return late_start();
    if (main_ == worker) return late_turn();
    return main_ == wait ? late_return() : late_drain();
  }

 private:
  // Returns whether that much lost time makes up at least half of this part. The time was lost in pieces of the part's
  // typical size. Each piece delays all timers that are due during it, and at least one. A periodic timer is late once
  // in a piece, however short its period is. `together` is the number of timers that are due at one instant, if known.
  bool explains(double lost, double together = 0) const {
    const double pieces = late_.span > 0 ? late_.span / std::max(1.0, part_.typical) : 1;
    const double due = std::min(std::max(late_.fired / pieces, together), late_.pending + late_.scheduled / pieces);
    return lost > 0 && lost * std::max(1.0, due) >= part_.sum / 2;
  }
  // Returns whether a lack of CPU does. A driver that sleeps most of the time gets a CPU once for all timers that are
  // due together. Besides, waits that are about as long on average as timers are late explain them, however many those
  // are.
  bool explains_by_waits(double lost) const {
    const double slices = as_number(evidence_.slices);
    if (slices <= 0) return explains(lost);
    const bool sleeps = as_number(evidence_.ran) < late_.span / 2;
    return explains(lost, sleeps ? late_.fired / slices : 0) || lost / slices >= part_.typical / 2;
  }
  // A timer that is due during a stop waits for half of it on average, and for two thirds if each counts by its length.
  // Far smaller lateness has another cause. Periods that are made up for (missed_ticks::burst) are late more often than
  // once in a stop, but by its length at most.
  bool explains_stop(double lost, double longest) const {
    const bool fits = main_ == wait && part_.typical >= longest / 4 && part_.typical <= longest;
    return part_.typical >= longest / 10 && (explains(lost) || (lost > 0 && fits));
  }

  std::optional<lateness_diagnosis> standstill() const {
    const driver_evidence& e = evidence_;
    if (explains_stop(as_number(e.halted), as_number(e.longest_halt)))
      return lateness_diagnosis{late_scenario::machine_halted, "for " + time_text(as_number(e.halted))};
    // A callback that blocks keeps the process quiet as well, and so does a caller's thread that blocks. How long the
    // callbacks that an executor refuses keep the worker is not known.
    const bool blocked = !late_.wait || late_.hands_over || late_.longest_callback >= part_.typical / 4;
    const double quiet = blocked ? 0 : as_number(e.quiet);
    const double stopped = std::max(as_number(e.stopped), quiet);
    const double longest = std::max(as_number(e.longest_stop), blocked ? 0 : as_number(e.longest_quiet));
    if (explains_stop(stopped, longest))
      return lateness_diagnosis{late_scenario::process_stopped, "for about " + time_text(stopped)};
    return std::nullopt;
  }

  std::string ready_but_waiting() const {
    return fmt::format("{} of {} ready to run but waiting", time_text(as_number(evidence_.waited)),
                       time_text(late_.span));
  }

  // Every thread waits a little each time that it gets a CPU. This makes no timer late by a millisecond; but if few
  // timers are late, it adds up to more than their lateness, so it is left out.
  double waited_beyond_wakeups() const {
    constexpr double usual = 0.01 * millisecond;
    const double waited = as_number(evidence_.waited);
    return part_.typical >= millisecond ? waited : waited - usual * as_number(evidence_.slices);
  }

  std::optional<lateness_diagnosis> lack_of_cpu() const {
    const driver_evidence& e = evidence_;
    const double waited = waited_beyond_wakeups(), throttled = as_number(e.throttled);
    // Work is slow for lack of CPU only if the driver waited for about as long as it ran.
    const double work = late_.callbacks > 0 ? late_.callbacks : main_ == worker ? as_number(e.ran) : 0;
    const auto slows = [&](double lost) { return explains_by_waits(lost) && (main_ == wait || lost >= work / 2); };
    if (e.throttles > 0 && throttled >= waited / 4 && slows(std::max(waited, throttled))) {
      return lateness_diagnosis{late_scenario::quota_used_up,
                                fmt::format("{}; {} {}", ready_but_waiting(), count_text(e.throttles),
                                            e.throttles == 1 ? "period ended early" : "periods ended early")};
    }
    if (main_ == dispatch) return std::nullopt;  // nothing else is known of the executor's threads
    // A thread also waits for a CPU while the hypervisor keeps that CPU from all threads.
    const auto stolen = as_number(e.stolen);
    const bool was_stolen = explains(stolen) && (main_ == wait || stolen >= work / 2);
    if (slows(waited) && !(was_stolen && stolen >= waited)) {
      return lateness_diagnosis{late_.wait ? late_scenario::worker_starved : late_scenario::loop_starved,
                                ready_but_waiting() + (e.rival.empty() ? "" : "; " + e.rival)};
    }
    if (was_stolen)
      return lateness_diagnosis{late_scenario::cpu_stolen,
                                fmt::format("{} of {}", time_text(stolen), time_text(late_.span))};
    return std::nullopt;
  }

  lateness_diagnosis late_start() const {
    const double waited = as_number(evidence_.other_waited);
    if (explains(waited) && waited >= as_number(evidence_.other_ran)) {
      return {late_scenario::executor_starved,
              fmt::format("one was ready to run but waiting for {} of {}", time_text(waited), time_text(late_.span))};
    }
    return {late_scenario::executor_full};
  }

  lateness_diagnosis behind_callbacks() const {
    if (late_.callbacks <= 0) return {late_scenario::behind_callbacks};
    return {late_scenario::behind_callbacks,
            fmt::format("they took {} of {}, the longest {}", time_text(late_.callbacks), time_text(late_.span),
                        time_text(late_.longest_callback))};
  }

  lateness_diagnosis late_turn() const {
    if (!late_.hands_over && !explains(late_.callbacks) && !evidence_.visible) return {late_scenario::not_visible};
    return behind_callbacks();
  }

  lateness_diagnosis late_return() const {
    const bool long_away = part_.typical >= 1 * millisecond;
    if (long_away && !evidence_.visible) return {late_scenario::not_visible};
    if (!late_.wait) return {late_scenario::polled_late};
    if (long_away) return {late_scenario::worker_away, "for up to " + time_text(part_.most)};
    if (*late_.wait == wait_options::kind::busy) return {late_scenario::spin_interrupted};
    if (*late_.wait == wait_options::kind::sleep) return {late_scenario::slept};
    return {late_.tick >= 1 * millisecond ? late_scenario::spin_cut_short : late_scenario::slept_too_long};
  }

  // Returns the longest time for which poll() can have been left uncalled.
  double longest_gap() const {
    double gap = std::max(late_.parts[wait].most, as_number(evidence_.overdue));
    // If there are no rings, because there is no wake_fd(), and each drain finds several timers, then each poll drains.
    if (late_.rings == 0 && late_.drained >= 2 * late_.drains && late_.drains > 0)
      gap = std::max(gap, late_.span / late_.drains);
    return gap;
  }

  lateness_diagnosis late_drain() const {
    // A timer that is submitted during a callback waits for two thirds of it on average, and never for longer than all
    // of it.
    const double longest = std::max(late_.longest_callback, late_.parts[worker].typical);
    if (explains(late_.callbacks) && longest >= part_.typical * 3 / 4) return behind_callbacks();
    if (part_.typical >= 1 * millisecond && !evidence_.visible) return {late_scenario::not_visible};
    if (!late_.wait && part_.typical <= 2 * longest_gap()) return {late_scenario::polled_late};
    return {late_scenario::scheduled_late};
  }

  const late_figures& late_;
  const driver_evidence& evidence_;
  const late_part& part_;
  const std::size_t main_;
};

}  // namespace

std::optional<std::size_t> main_part(const std::array<double, 4>& sums) {
  const auto most = std::max_element(sums.begin(), sums.end());
  if (*most <= 0) return std::nullopt;
  return static_cast<std::size_t>(most - sums.begin());
}

lateness_diagnosis diagnose(const late_figures& late, const driver_evidence& evidence) {
  std::array<double, 4> sums = {};
  std::transform(late.parts.begin(), late.parts.end(), sums.begin(), [](const late_part& each) { return each.sum; });
  const auto main = main_part(sums);
  return main ? examination(late, evidence, *main).run() : lateness_diagnosis();
}

lateness_diagnosis diagnose_overdue(bool has_worker, const driver_evidence& evidence) {
  if (evidence.is_stopped) return {late_scenario::process_stopped};
  if (evidence.waiting < 0.5) return {};
  if (evidence.is_throttled) return {late_scenario::quota_used_up};
  return {has_worker ? late_scenario::worker_starved : late_scenario::loop_starved, evidence.rival};
}

std::string overdue_text(double overdue, const lateness_diagnosis& why) {
  const std::string reason = text_of(why);
  return fmt::format("its next timer was due {} ago, and it runs none{}{}", time_text(overdue),
                     reason.empty() ? "" : "; ", reason);
}

std::string overdue_cure(const lateness_diagnosis& why) {
  return why.is ? cure_of(why) : "see what its thread does: a callback that does not return, or no thread drives it";
}

std::string text_of(const lateness_diagnosis& diagnosis) {
  if (!diagnosis.is) return "";
  const std::string name(words_for(*diagnosis.is).name);
  return diagnosis.seen.empty() ? name : name + ": " + diagnosis.seen;
}

std::string cure_of(const lateness_diagnosis& diagnosis) {
  return diagnosis.is ? std::string(words_for(*diagnosis.is).cure) : "";
}

}  // namespace detent::tool
