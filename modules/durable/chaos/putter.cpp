// SPDX-License-Identifier: MIT
#include "putter.hpp"

#include <detent/schedule.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace chaos {

using namespace std::chrono_literals;
namespace durable = detent::durable;

namespace {

// As long as the store may be away. A node that dies takes the questions with it that it was asked, so they are asked
// again.
constexpr auto patience = 3s;
constexpr int most_questions = 4;

std::int64_t to_us(detent::wall_time when) noexcept {
  return std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
}

detent::wall_time from_us(std::int64_t us) noexcept {
  return detent::wall_time(std::chrono::duration_cast<detent::wall_time::duration>(std::chrono::microseconds(us)));
}

const char* word_of(durable::cancel_result result) noexcept {
  switch (result) {
    case durable::cancel_result::cancelled: return "cancelled";
    case durable::cancel_result::running: return "running";
    case durable::cancel_result::gone: return "gone";
    case durable::cancel_result::unknown: break;
  }
  return "unknown";
}

const char* word_of(std::error_code problem) noexcept {
  if (!problem) return "ok";
  if (problem == durable::errc::exists) return "exists";
  if (problem == durable::errc::gone) return "gone";
  return "failed";
}

std::string_view shown(std::string_view partition) noexcept { return partition.empty() ? "-" : partition; }

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

struct verdict {
  const char* word;
  durable::outcome is;
};

verdict done() { return {"done", durable::outcome::done()}; }
verdict fails() { return {"retry", durable::outcome::retry("not yet")}; }

template <class Deed>
void handle_one(durable::timers& timers, const journal& book, const char* name, const durable::handler_options& how,
                Deed deed) {
  const auto us = [](auto time) { return std::chrono::duration_cast<std::chrono::microseconds>(time).count(); };
  book.write("handler", name, how.max_attempts, us(how.first_retry), us(how.longest_retry));
  timers.handle(
      name,
      [&book, deed](durable::job& job) {
        const std::string_view partition = shown(job.partition());
        book.write("begin", job.key(), partition, to_us(job.due()), job.attempt(), job.fence(), job.payload().size(),
                   hash_of(job.payload()));
        verdict its = deed(job);
        book.write("end", job.key(), partition, to_us(job.due()), job.fence(), its.word);
        return its.is;
      },
      how);
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept {
  std::uint64_t out = 14'695'981'039'346'656'037U;
  for (const std::byte one : bytes) out = (out ^ static_cast<std::uint64_t>(one)) * 1'099'511'628'211U;
  return out;
}

void handle(durable::timers& timers, const load& of, const journal& book) {
  timers.declare("each second", detent::schedule::quartz("* * * * * ?"));
  const durable::handler_options quick{.first_retry = 100ms};
  handle_one(timers, book, "note", {}, [](durable::job&) { return done(); });
  handle_one(timers, book, "fails_once", {}, [](durable::job& job) {
    return job.attempt() == 1 ? verdict{"retry:50000", durable::outcome::retry_after(50ms, "the first time")} : done();
  });
  handle_one(timers, book, "fails_twice", quick,
             [](durable::job& job) { return job.attempt() < 3 ? fails() : done(); });
  handle_one(timers, book, "fails", {.max_attempts = 3, .first_retry = 50ms}, [](durable::job&) { return fails(); });
  handle_one(timers, book, "recurs", {}, [end = of.end()](durable::job& job) {
    return to_us(job.due()) < end ? done() : verdict{"dead", durable::outcome::dead("it is over")};
  });
  handle_one(timers, book, "kills", {.max_attempts = 3}, [](durable::job&) {
    ::kill(::getpid(), SIGKILL);
    return done();
  });
}

putter::putter(durable::timers& to, const load& of, const journal& book) : timers_(to), load_(of), book_(book) {
  std::ifstream lines(book.path());
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with(" .")) continue;
    std::istringstream words(line);
    std::string what;
    std::int64_t boot = 0, wall = 0;
    std::uint64_t op = 0;
    if (words >> what >> boot >> wall >> op; what == "stored" || what == "cancelled" || what == "restarted")
      answered_.insert(op);
  }
}

void putter::put_all() {
  for (const step& one : planner(load_).plan()) {
    while (machine_us() < one.at && one.at != load_.begin) std::this_thread::sleep_for(500us);
    if (!answered_.contains(one.op)) insist([&] { carry_out(one); });
  }
  if (!timers_.flush(5min)) std::fprintf(stderr, "not everything was stored within five minutes\n");
  while (open_ != 0) std::this_thread::sleep_for(1ms);
}

void putter::carry_out(const step& one) {
  const durable::timer_name which(one.key, one.partition);
  switch (one.what) {
    case deed::put: return put(one);
    case deed::cancel:
      book_.write("cancel", one.op, one.key, shown(one.partition), std::chrono::microseconds(patience).count());
      cancel(one, most_questions - 1);
      ++open_;  // perhaps after the answer
      return;
    case deed::restart:
      book_.write("restart", one.op, one.key, shown(one.partition), one.due);
      return timers_.restart_at(which, from_us(one.due), [this, op = one.op](std::error_code problem) {
        book_.write("restarted", op, word_of(problem));
      });
  }
}

void putter::cancel(const step& one, int more) {
  timers_.cancel(
      {one.key, one.partition},
      [this, one, more](durable::cancel_result result) {
        if (result == durable::cancel_result::unknown && more != 0 && cancel_again(one, more - 1)) return;
        book_.write("cancelled", one.op, word_of(result));
        --open_;
      },
      patience);
}

bool putter::cancel_again(const step& one, int more) {
  book_.write("again", one.op);
  try {
    cancel(one, more);
    return true;
  } catch (const detent::error&) {  // the outbox is full
    return false;
  }
}

void putter::put(const step& one) {
  std::string payload = std::to_string(one.op) + ' ';
  payload.resize(one.size, 'x');
  const auto bytes = std::as_bytes(std::span(payload));
  constexpr const char* modes[] = {"keep", "replace", "fail"};
  book_.write("put", one.op, one.key, shown(one.partition), one.due, modes[static_cast<std::size_t>(one.conflict)],
              one.handler, one.recurs ? "each_second" : "-", payload.size(), hash_of(bytes));
  durable::timer_options how;
  how.key = one.key;
  how.partition = one.partition;
  how.conflict = one.conflict;
  how.on_stored = [this, op = one.op](std::error_code problem) { book_.write("stored", op, word_of(problem)); };
  if (one.recurs)
    timers_.schedule_on("each second", one.handler, bytes, how);
  else
    timers_.schedule_at(from_us(one.due), one.handler, bytes, how);
}

}  // namespace chaos
