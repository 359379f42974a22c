// SPDX-License-Identifier: MIT
#include "top/top_command.hpp"

#include <langinfo.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>

#include "text/input_error.hpp"
#include "top/engine_witness.hpp"
#include "top/top_session.hpp"
#include "top/top_source.hpp"
#include "top/top_terminal.hpp"

namespace detent::tool {
namespace {

using std::chrono::steady_clock;

// The second reading comes early, because only then is there something to compare with.
constexpr double first_delay = 0.3;

steady_clock::duration seconds(double count) {
  return std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(count));
}

std::string time_of_day() { return fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr))); }

// Says whether the locale's characters are UTF-8.
bool use_locale() {
  return std::setlocale(LC_CTYPE, "") != nullptr && std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw input_error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

// Reads the engines together with the kernel's figures for their drivers. `since_last` is the time that should have
// passed since the last reading, in seconds.
class witnessed_source {
 public:
  explicit witnessed_source(const top_source& source) : source_(source) {}

  host_reading read(double since_last) {
    host_reading reading = source_.read();
    witness_.look(reading, std::chrono::nanoseconds(seconds(since_last)).count());
    return reading;
  }

 private:
  const top_source& source_;
  engine_witness witness_;
};

void print_readings(witnessed_source source, top_session& session, const top_options& options, bool unicode) {
  steady_clock::time_point next = steady_clock::now() + seconds(options.delay);
  session.take(source.read(0), time_of_day());
  for (std::uint64_t reading = 1; options.readings == 0 || reading <= options.readings; ++reading) {
    std::this_thread::sleep_until(next);
    session.take(source.read(options.delay), time_of_day());
    print((reading == 1 ? "" : "\n") + session.text(unicode));
    next += seconds(options.delay);
    // After a pause, missed intervals are skipped, because they would be empty.
    if (const auto now = steady_clock::now(); next < now) next = now + seconds(options.delay);
  }
}

// Returns the signal that ended it, or 0.
int show_readings(witnessed_source source, top_session& session, const top_options& options, bool unicode) {
  top_terminal terminal;
  session.take(source.read(0), time_of_day());
  steady_clock::time_point next = steady_clock::now() + seconds(std::min(options.delay, first_delay));
  for (std::uint64_t readings = 0;;) {
    const top_terminal::event seen = terminal.wait((next - steady_clock::now()).count());
    if (seen.ending_signal != 0) return seen.ending_signal;
    const double delay = session.delay();
    bool due = steady_clock::now() >= next;
    for (const char32_t key : seen.keys) {
      const auto wish = session.press(key, terminal.width(), terminal.height());
      if (wish == top_session::wish::quit) return 0;
      due = due || wish == top_session::wish::look;
    }
    if (due) {
      session.take(source.read(delay), time_of_day());
      if (++readings == options.readings) return 0;
      if (readings == 1) session.model().select_first();
    }
    if (due || session.delay() != delay) next = steady_clock::now() + seconds(session.delay());
    if (readings != 0) terminal.show(session.screen(terminal.width(), terminal.height(), unicode));
  }
}

}  // namespace

void run_top(const top_options& options) {
  const bool unicode = use_locale();
  const top_source source(options.targets);
  top_session session(options.delay, source.where());
  if (options.whole_life) session.model().set_span(top_span::whole_life);
  int ended_by = 0;
  if (options.batch) {
    source.require_targets();
    print_readings(witnessed_source(source), session, options, unicode);
  } else {
    top_terminal::require_terminal();
    source.require_targets();
    ended_by = show_readings(witnessed_source(source), session, options, unicode);
  }
  if (ended_by == 0) return;
  // The terminal is restored. Now the signal acts as on any other program, because ncurses' handler is replaced.
  std::signal(ended_by, SIG_DFL);
  std::raise(ended_by);
}

}  // namespace detent::tool
