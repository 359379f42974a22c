// SPDX-License-Identifier: MIT
// One of several processes that want the same lock: gets it, writes to the journal while it is its own, lets it go, and
// wants it again, until SIGTERM.
#include "journal_client.hpp"
#include "log.hpp"
#include "watchdog.hpp"

#include <CLI/CLI.hpp>
#include <csignal>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <regex>
#include <stop_token>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using lease::boot_clock;

struct options {
  lease::watchdog_options lock;
  std::string journal;
  std::int64_t lease_ms = 1000;
  std::int64_t hold_ms = 3000;
  std::int64_t pause_ms = 100;
  std::int64_t every_us = 2000;
  bool unchecked = false;
};

// Read by the thread that writes, set by the one that takes signals. Relaxed: it carries nothing but itself.
std::atomic<bool> stop_in_the_gap = false;

lease::watchdog_events logging_events() {
  const auto extended = [](std::string_view event) {
    return [event](const lease::term& term) {
      lease::log(event, {{"fence", term.fence()}, at("at", boot_clock::now()), at("until", term.until())});
    };
  };
  return {.on_granted = extended("granted"),
          .on_renewed = extended("renewed"),
          .on_lost =
              [](const lease::term& term, lease::boot_time until, std::string_view why) {
                lease::log("lost", {{"fence", term.fence()}, at("at", boot_clock::now()), at("until", until)}, why);
              },
          .on_trouble = [](std::string_view why) { lease::log("trouble", {at("at", boot_clock::now())}, why); }};
}

// Acts as long as it may, and no longer than it wants to.
void work(const lease::term& term, lease::journal_client& journal, const options& wanted, const std::stop_token& stop) {
  lease::permit last{};
  const auto enough = boot_clock::now() + std::chrono::milliseconds(wanted.hold_ms);
  while (!stop.stop_requested() && boot_clock::now() < enough) {
    std::optional<lease::permit> allowed = term.still_mine();
    if (!allowed && wanted.unchecked) allowed = {last.fence, boot_clock::now(), last.until};
    if (!allowed) {
      lease::log("noticed", {{"fence", term.fence()}, at("at", boot_clock::now())});
      return;
    }
    last = *allowed;
    if (stop_in_the_gap.exchange(false, std::memory_order_relaxed)) {
      lease::log("stopping", {{"fence", term.fence()}, at("at", boot_clock::now())});
      raise(SIGSTOP);  // between the question and the deed: no reading of a clock can help here
    }
    if (!journal.write(*allowed)) {
      lease::log("refused", {{"fence", term.fence()}, at("at", boot_clock::now())});
      if (!wanted.unchecked) return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(wanted.every_us));
  }
}

void contend(const options& wanted, const std::stop_token& stop) {
  lease::journal_client journal(wanted.journal);
  lease::watchdog dog(wanted.lock, logging_events());
  std::minstd_rand random(std::random_device{}());
  while (const std::shared_ptr<lease::term> term = dog.acquire(stop)) {
    work(*term, journal, wanted, stop);
    lease::log("released", {{"fence", term->fence()}, at("at", boot_clock::now())});
    dog.release(term);
    const auto pause = std::uniform_int_distribution<std::int64_t>(0, wanted.pause_ms)(random);
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
}

// SIGUSR1: stop between the next question and its deed.
void take_signals(const sigset_t& signals, std::stop_source stop) {
  int received = 0;
  while (sigwait(&signals, &received) == 0 && received == SIGUSR1) {
    stop_in_the_gap.store(true, std::memory_order_relaxed);
  }
  stop.request_stop();
}

int run(const options& wanted) {
  sigset_t signals;
  sigemptyset(&signals);
  for (int one : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, one);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // every thread's: sigwait() takes them
  std::stop_source stop;
  std::jthread taking(take_signals, std::cref(signals), stop);
  try {
    contend(wanted, stop.get_token());
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "contender: %s\n", problem.what());
    kill(getpid(), SIGTERM);  // so that the other thread ends
    return 1;
  }
  return 0;
}

// What CLI11 asks of a check: empty if the text will do, else why not.
std::string is_address(const std::string& text) {
  static const std::regex path_or_host("[^:]+|.*/.*|.+:[0-9]{1,5}");
  return std::regex_match(text, path_or_host) ? "" : text + " is neither a path nor HOST:PORT";
}

}  // namespace

int main(int argc, char** argv) {
  options wanted;
  wanted.lock.lock = "lock";
  CLI::App app("Contends for a lock in redis, and writes to a journal while it has it.");
  app.add_option("--redis", wanted.lock.redis, "redis's socket: a path, or HOST:PORT")->required()->check(is_address);
  app.add_option("--journal", wanted.journal, "the journal's socket")->required();
  app.add_option("--lock", wanted.lock.lock, "the lock's key")->capture_default_str();
  app.add_option("--lease", wanted.lease_ms, "milliseconds, the same for all")
      ->check(CLI::Range(50, 3600000))
      ->capture_default_str();
  app.add_option("--hold", wanted.hold_ms, "milliseconds until it is released")
      ->check(CLI::Range(0, 3600000))
      ->capture_default_str();
  app.add_option("--pause", wanted.pause_ms, "milliseconds at most, until it is wanted again")
      ->check(CLI::Range(0, 3600000))
      ->capture_default_str();
  app.add_option("--every", wanted.every_us, "microseconds between two entries")
      ->check(CLI::Range(0, 3600000))
      ->capture_default_str();
  app.add_flag("--unchecked", wanted.unchecked, "go on without a permit, to see what that does");
  CLI11_PARSE(app, argc, argv);
  wanted.lock.lease = std::chrono::milliseconds(wanted.lease_ms);
  return run(wanted);
}
