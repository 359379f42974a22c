// SPDX-License-Identifier: MIT
#include "load.hpp"

#include <detent/schedule.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace chaos {

using namespace std::chrono_literals;
namespace durable = detent::durable;

namespace {

std::int64_t to_us(detent::wall_time when) noexcept {
  return std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
}

detent::wall_time from_us(std::int64_t us) noexcept {
  return detent::wall_time(std::chrono::duration_cast<detent::wall_time::duration>(std::chrono::microseconds(us)));
}

std::string key_of(std::uint64_t number) { return "t" + std::to_string(number); }
std::string partition_of(std::uint64_t number) { return "p" + std::to_string(number % 97); }

char letter_of(durable::cancel_result result) noexcept {
  switch (result) {
    case durable::cancel_result::cancelled: return 'c';
    case durable::cancel_result::running: return 'r';
    case durable::cancel_result::gone: return 'g';
    case durable::cancel_result::unknown: break;
  }
  return 'u';
}

// Again while the outbox is full.
template <class Call>
void insist(const Call& call) {
  for (;;) {
    try {
      call();
      return;
    } catch (const detent::error& full) {
      if (full.code() != durable::errc::outbox_full) throw;
      std::this_thread::sleep_for(1ms);
    }
  }
}

}  // namespace

fate fate_of(std::uint64_t number) noexcept {
  if (number >= first_recurring) return fate::recurs;
  switch (number % 20) {
    case 0: return fate::fails_first;
    case 1: return fate::restarted;
    case 2:
    case 3: return fate::cancelled;
    default: return fate::runs;
  }
}

void handle(durable::timers& timers, const load& of, const journal& book, const std::string& node) {
  timers.declare("each second", detent::schedule::quartz("* * * * * ?"));
  timers.handle("note", [&book, node, end = of.end()](durable::job& job) {
    const std::string partition(reinterpret_cast<const char*>(job.payload().data()), job.payload().size());
    const std::string number(job.key().substr(1));
    book.write('X', number, to_us(job.due()), machine_us(), job.fence(), partition, node, job.attempt());
    switch (fate_of(std::stoull(number))) {
      case fate::fails_first:
        if (job.attempt() == 1) return durable::outcome::retry_after(50ms, "the first time");
        break;
      case fate::recurs:
        if (to_us(job.due()) >= end) return durable::outcome::dead("it is over");
        break;
      default: break;
    }
    return durable::outcome::done();
  });
}

putter::putter(durable::timers& to, const load& of, const journal& book, const std::string& journal_path)
    : timers_(to), load_(of), book_(book) {
  std::ifstream lines(journal_path);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    char what = 0;
    std::uint64_t number = 0;
    if (!(words >> what >> number)) continue;
    if (what == 'P' || what == 'R') stored_.insert(number);
    if (what == 'K' || what == 'V') asked_.insert(number);
  }
}

std::vector<putter::step> putter::plan() const {
  std::mt19937_64 random(load_.seed);
  std::uniform_real_distribution<double> any(0, 1);
  const auto length = static_cast<double>(load_.end() - load_.begin);
  const auto part = [&](double of) { return static_cast<std::int64_t>(any(random) * of); };
  std::vector<step> steps;
  const std::size_t half = load_.timers / 2;
  for (std::uint64_t i = 0; i != load_.timers; ++i) {
    step first{load_.begin, deed::put, i, load_.begin + part(length)};
    if (i >= half) {
      first.at +=
          static_cast<std::int64_t>(length * static_cast<double>(i - half) / static_cast<double>(load_.timers - half));
      first.due = first.at + static_cast<std::int64_t>(any(random) * any(random) * 2e6);
    }
    steps.push_back(first);
    const std::int64_t later = std::max(first.at, first.due - part(2e6));
    if (fate_of(i) == fate::cancelled) steps.push_back({later, deed::cancel, i, first.due});
    if (fate_of(i) == fate::restarted) steps.push_back({later, deed::restart, i, later + part(2e6)});
  }
  for (std::uint64_t i = 0; i != load_.recurring; ++i)
    steps.push_back({load_.begin, deed::put, first_recurring + i, 0});
  std::ranges::stable_sort(steps, {}, &step::at);
  return steps;
}

void putter::put_all() {
  for (const step& one : plan()) {
    while (machine_us() < one.at && one.at != load_.begin) std::this_thread::sleep_for(500us);
    insist([&] { carry_out(one); });
  }
  if (!timers_.flush(5min)) std::fprintf(stderr, "not everything was stored within five minutes\n");
}

void putter::carry_out(const step& one) {
  switch (one.what) {
    case deed::put: return put(one);
    case deed::cancel: return cancel(one);
    case deed::restart: return restart(one);
  }
}

void putter::put(const step& one) {
  if (stored_.contains(one.number)) return;
  const std::string key = key_of(one.number);
  const std::string partition = partition_of(one.number);
  const auto payload = std::as_bytes(std::span(partition));
  durable::timer_options named;
  named.key = key;
  named.partition = partition;
  if (one.number >= first_recurring) {
    named.on_stored = [this, number = one.number](std::error_code failed) {
      book_.write(failed ? 'F' : 'R', number, machine_us());
    };
    timers_.schedule_on("each second", "note", payload, named);
    return;
  }
  named.on_stored = [this, one, asked = machine_us()](std::error_code failed) {
    book_.write(failed ? 'F' : 'P', one.number, one.due, asked, machine_us());
  };
  timers_.schedule_at(from_us(one.due), "note", payload, named);
}

void putter::cancel(const step& one) {
  if (asked_.contains(one.number)) return;
  const std::string key = key_of(one.number);
  const std::string partition = partition_of(one.number);
  book_.write('K', one.number);
  timers_.cancel({key, partition}, [this, number = one.number](durable::cancel_result result) {
    book_.write('C', number, machine_us(), letter_of(result));
  });
}

void putter::restart(const step& one) {
  if (asked_.contains(one.number)) return;
  const std::string key = key_of(one.number);
  const std::string partition = partition_of(one.number);
  book_.write('V', one.number);
  timers_.restart_at({key, partition}, from_us(one.due), [this, one](std::error_code failed) {
    if (!failed || failed == durable::errc::gone) book_.write(failed ? 'G' : 'W', one.number, one.due, machine_us());
  });
}

}  // namespace chaos
