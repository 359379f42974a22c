// SPDX-License-Identifier: MIT
#include "top/top_terminal.hpp"

#define NCURSES_NOMACROS 1
#include <ncurses.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "text/input_error.hpp"
#include "top/terminal_type.hpp"
#include "top/top_key.hpp"

namespace detent::tool {
namespace {

enum colour_pair : short { alarm_pair = 1, bar_pair, curve_pair };

// Uses only colours that are readable on light and dark backgrounds. Everything else stays as the terminal's user has
// chosen.
attr_t attributes_of(text_style style) {
  const bool colours = ::has_colors();
  const auto coloured = [colours](short pair) -> attr_t { return colours ? static_cast<attr_t>(COLOR_PAIR(pair)) : 0; };
  switch (style) {
    case text_style::plain: return A_NORMAL;
    case text_style::strong: return A_BOLD;
    case text_style::quiet: return A_DIM;
    case text_style::heading: return A_BOLD | A_UNDERLINE;
    case text_style::sorted: return A_BOLD | A_REVERSE;
    case text_style::selected: return A_REVERSE;
    case text_style::alarm: return A_BOLD | coloured(alarm_pair);
    case text_style::bar: return coloured(bar_pair);
    case text_style::curve: return coloured(curve_pair);
  }
  return A_NORMAL;
}

char32_t key_of(int code) {
  switch (code) {
    case KEY_UP: return key_up;
    case KEY_DOWN: return key_down;
    case KEY_LEFT: return key_left;
    case KEY_RIGHT: return key_right;
    case KEY_PPAGE: return key_page_up;
    case KEY_NPAGE: return key_page_down;
    case KEY_HOME: return key_home;
    case KEY_END: return key_end;
    case KEY_ENTER:
    case '\r':
    case '\n': return key_enter;
    case KEY_BACKSPACE:
    case '\b': return key_backspace;
    default: return code >= 0 && code < KEY_MIN ? static_cast<char32_t>(code) : char32_t{0};
  }
}

SCREEN* take_terminal() {
  const char* const name = std::getenv("TERM");
  const std::string quoted = in_quotes(name != nullptr ? name : "");
  const terminal_type type = ask_terminal_type();
  if (type == terminal_type::unknown)
    throw input_error(fmt::format("the terminal's type, TERM={}, is not known", quoted));
  SCREEN* const taken = type == terminal_type::full_screen ? ::newterm(nullptr, stdout, stdin) : nullptr;
  if (taken == nullptr) throw input_error(fmt::format("a terminal of the type TERM={} cannot be drawn on", quoted));
  return taken;
}

}  // namespace

// Blocks the signals and reads them from a descriptor, so that none can come between a check and the wait, or during
// drawing.
class top_terminal::taken_signals {
 public:
  taken_signals() {
    ::sigset_t all;
    ::sigemptyset(&all);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) ::sigaddset(&all, each);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    descriptor_ = ::signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
    if (descriptor_ >= 0) return;
    const int reason = errno;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw input_error(fmt::format("signals cannot be waited for: {}", std::strerror(reason)));
  }
  taken_signals(const taken_signals&) = delete;
  taken_signals& operator=(const taken_signals&) = delete;
  ~taken_signals() {
    ::close(descriptor_);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  int descriptor() const { return descriptor_; }
  void take(event& seen) const {
    signalfd_siginfo signal = {};
    while (::read(descriptor_, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
      if (signal.ssi_signo == SIGWINCH) {
        seen.resized = true;
      } else {
        seen.ending_signal = static_cast<int>(signal.ssi_signo);
      }
    }
  }

 private:
  ::sigset_t before_;
  int descriptor_;
};

class top_terminal::curses_screen {
 public:
  curses_screen() : screen_(take_terminal()) {
    ::cbreak();
    ::noecho();
    ::nonl();
    ::keypad(stdscr, TRUE);
    // Arrow keys send these sequences while the keypad is not in the mode that the terminal's description assumes.
    for (const auto& [sent, code] :
         {std::pair{"\033[A", KEY_UP}, {"\033[B", KEY_DOWN}, {"\033[C", KEY_RIGHT}, {"\033[D", KEY_LEFT}}) {
      ::define_key(sent, code);
    }
    ::nodelay(stdscr, TRUE);
    ::curs_set(0);
    ::set_escdelay(25);
    if (!::has_colors()) return;
    ::start_color();
    ::use_default_colors();
    ::init_pair(alarm_pair, COLOR_RED, -1);
    ::init_pair(bar_pair, COLOR_CYAN, -1);
    ::init_pair(curve_pair, COLOR_GREEN, -1);
  }
  curses_screen(const curses_screen&) = delete;
  curses_screen& operator=(const curses_screen&) = delete;
  ~curses_screen() {
    ::endwin();
    ::delscreen(screen_);
  }

 private:
  SCREEN* screen_;
};

void top_terminal::require_terminal() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    throw input_error("top: standard input and output are not a terminal; `detent top --batch` prints plain text");
  }
}

top_terminal::top_terminal()
    : signals_(std::make_unique<taken_signals>()), screen_(std::make_unique<curses_screen>()) {}

top_terminal::~top_terminal() {
  screen_.reset();
  signals_.reset();
}

std::size_t top_terminal::width() const { return static_cast<std::size_t>(::getmaxx(stdscr)); }
std::size_t top_terminal::height() const { return static_cast<std::size_t>(::getmaxy(stdscr)); }

void top_terminal::show(const screen_grid& grid) {
  ::werase(stdscr);
  for (std::size_t row = 0; row < grid.height(); ++row) {
    for (std::size_t column = 0; column < grid.width();) {
      const text_style style = grid.at(row, column).style;
      const std::size_t from = column;
      std::wstring run;
      for (; column < grid.width() && grid.at(row, column).style == style; ++column) {
        if (const char32_t glyph = grid.at(row, column).glyph; glyph != 0) run += static_cast<wchar_t>(glyph);
      }
      ::wattrset(stdscr, static_cast<int>(attributes_of(style)));
      ::mvwaddnwstr(stdscr, static_cast<int>(row), static_cast<int>(from), run.data(), static_cast<int>(run.size()));
    }
  }
  ::wattrset(stdscr, A_NORMAL);
  ::wrefresh(stdscr);
}

top_terminal::event top_terminal::wait(std::int64_t nanoseconds) {
  event seen;
  ::pollfd watched[] = {{STDIN_FILENO, POLLIN, 0}, {signals_->descriptor(), POLLIN, 0}};
  const std::int64_t least = nanoseconds > 0 ? nanoseconds : 0;
  const timespec most = {least / 1'000'000'000, least % 1'000'000'000};
  if (::ppoll(watched, std::size(watched), &most, nullptr) < 0) {
    // After a stop and a continue, the screen shows something else.
    seen.resized = true;
    return seen;
  }
  signals_->take(seen);
  for (int code = ::wgetch(stdscr); code != ERR; code = ::wgetch(stdscr)) seen.keys.push_back(key_of(code));
  const bool gone = (watched[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 ||
                    ((watched[0].revents & POLLIN) != 0 && seen.keys.empty() && !seen.resized);
  if (gone && seen.ending_signal == 0) seen.ending_signal = SIGHUP;
  winsize size = {};
  if (seen.resized && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0 && size.ws_col != 0) {
    ::resizeterm(size.ws_row, size.ws_col);
    ::wclear(stdscr);
  }
  return seen;
}

}  // namespace detent::tool
