// SPDX-License-Identifier: MIT
#include "faults.hpp"

#include <algorithm>
#include <csignal>

namespace load {

using namespace std::chrono_literals;

namespace {

constexpr auto freeze_time = 2s;

}  // namespace

faults::faults(crowd& victims, detent::engine& engine) : victims_(victims), engine_(engine), timers_(engine) {
  begin(victims.chosen().faults);
}

faults::~faults() {
  if (frozen()) thaw();
}

void faults::begin(const fault_choice& chosen) {
  // Each second, 2 of a thousand sessions fall silent and 4 break; at least one.
  const options& run = victims_.chosen();
  const std::size_t silent = std::max<std::size_t>(1, run.sessions * 2 / 1000);
  const std::size_t broken = std::max<std::size_t>(1, run.sessions * 4 / 1000);
  if (chosen.silent) each(300ms, 1s, silent, [](client_session& one) { one.fall_silent(); });
  if (chosen.drop) each(600ms, 1s, broken, [this](client_session& one) { one.drop(toss_(victims_.chance())); });
  if (chosen.flood) each(900ms, 5s, 1, [](client_session& one) { one.flood(); });
  if (chosen.garbage) each(450ms, 500ms, 1, [](client_session& one) { one.talk_nonsense(); });
  if (chosen.freeze)
    timers_.schedule_at_fixed_rate(std::min<detent::duration>(run.time / 2, 30s), 60s, [this] { freeze(); });
}

template <class Harm>
void faults::each(detent::duration first, detent::duration period, std::size_t count, Harm harm) {
  timers_.schedule_at_fixed_rate(first, period, [this, count, harm] {
    for (std::size_t i = 0; i < count; ++i) {
      if (client_session* const one = victims_.any()) harm(*one);
    }
  });
}

void faults::freeze() {
  if (kill(victims_.chosen().gateway, SIGSTOP) != 0) return victims_.found().broken("the gateway cannot be stopped");
  ++freezes_;
  victims_.measured().freeze(engine_.now());
  thaw_ = engine_.schedule_after(freeze_time, [this] { thaw(); });  // not in the group: it has to come
}

void faults::thaw() {
  thaw_.cancel();
  kill(victims_.chosen().gateway, SIGCONT);
  victims_.measured().thaw(engine_.now());
}

}  // namespace load
