// SPDX-License-Identifier: MIT
#include "top/top_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "text/compact_units.hpp"
#include "text/option_values.hpp"
#include "top/top_table.hpp"

namespace detent::tool {
namespace {

constexpr double message_seconds = 5;

struct sort_key {
  char32_t key;
  top_column column;
};
constexpr sort_key sort_keys[] = {
    {U'N', top_column::process}, {U'E', top_column::engine},  {U'S', top_column::scheduled},
    {U'F', top_column::fired},   {U'T', top_column::pending}, {U'L', top_column::p99},
    {U'M', top_column::most},    {U'P', top_column::cpu},     {U'B', top_column::backlog}};

}  // namespace

double delay_of(std::string_view option, std::string_view text) {
  using namespace std::chrono_literals;
  const duration delay = time_span(option, text, "s");
  if (delay < 100ms || delay > 24h) {
    throw usage_error(fmt::format("{}: '{}' is not between 0.1 s and a day", option, text));
  }
  return std::chrono::duration<double>(delay).count();
}

top_session::top_session(double delay, std::string where) {
  view_.delay = delay;
  view_.where = std::move(where);
}

screen_grid top_session::screen(std::size_t width, std::size_t height, bool unicode) const {
  return draw_top(model_, view_, width, height, unicode);
}

std::string top_session::text(bool unicode) const { return top_text(model_, view_, unicode); }

void top_session::say(std::string message) {
  view_.message = std::move(message);
  readings_with_message_ = static_cast<int>(std::ceil(message_seconds / view_.delay));
}

void top_session::take(host_reading reading, std::string time) {
  model_.take(std::move(reading));
  view_.time = std::move(time);
  if (!model_.message().empty()) {
    say(model_.message());
  } else if (--readings_with_message_ < 0) {
    view_.message.clear();
  }
}

void top_session::ask_for_delay() {
  asking_ = true;
  view_.prompt = fmt::format("Delay between readings, now {} (Esc: as it is): {}_", delay_text(view_.delay), typed_);
}

void top_session::press_in_prompt(char32_t key) {
  constexpr std::size_t most_typed = 12;
  const auto leave = [this] {
    asking_ = false;
    typed_.clear();
    view_.prompt.clear();
  };
  if (key == key_escape) return leave();
  if (key == key_enter) {
    try {
      if (!typed_.empty()) view_.delay = delay_of("delay", typed_);
    } catch (const usage_error& trouble) {
      say(trouble.what());
    }
    return leave();
  }
  if (key == key_backspace && !typed_.empty()) typed_.pop_back();
  if (key > U' ' && key < U'\x7f' && typed_.size() < most_typed) typed_ += static_cast<char>(key);
  ask_for_delay();
}

void top_session::sort_by(top_column column, std::size_t width) {
  model_.sort_by(column);
  view_.scrolled = scrolled_to(column, model_.rows(), width, view_.scrolled);
}

bool top_session::press_to_sort(char32_t key, std::size_t width) {
  if (key == U'>' && model_.unfold()) return true;
  if (key == U'<' && model_.fold()) return true;
  const auto now = static_cast<int>(model_.sorted_by());
  constexpr int columns = static_cast<int>(top_column::count_);
  const auto found =
      std::find_if(std::begin(sort_keys), std::end(sort_keys), [key](auto& each) { return each.key == key; });
  if (found != std::end(sort_keys)) {
    sort_by(found->column, width);
  } else if (key == U'<' || key == U'>') {
    sort_by(static_cast<top_column>(std::clamp(now + (key == U'<' ? -1 : 1), 0, columns - 1)), width);
  } else if (key == U'R') {
    model_.reverse();
  } else {
    return false;
  }
  return true;
}

bool top_session::press_to_move(char32_t key, std::size_t height) {
  constexpr auto far = std::numeric_limits<std::ptrdiff_t>::max() / 2;
  const auto page = static_cast<std::ptrdiff_t>(height / 2);
  constexpr std::size_t scrollable = static_cast<std::size_t>(top_column::count_) - 3;
  switch (key) {
    case key_up:
    case U'k': model_.move_selection(-1); break;
    case key_down:
    case U'j': model_.move_selection(1); break;
    case key_page_up: model_.move_selection(-page); break;
    case key_page_down: model_.move_selection(page); break;
    case key_home: model_.move_selection(-far); break;
    case key_end: model_.move_selection(far); break;
    case key_left: view_.scrolled -= std::min<std::size_t>(view_.scrolled, 1); break;
    case key_right: view_.scrolled = std::min(view_.scrolled + 1, scrollable); break;
    default: return false;
  }
  return true;
}

top_session::wish top_session::press(char32_t key, std::size_t width, std::size_t height) {
  if (asking_) {
    press_in_prompt(key);
    return wish::none;
  }
  if (view_.help) {
    view_.help = false;
    return wish::none;
  }
  if (press_to_sort(key, width) || press_to_move(key, height)) return wish::none;
  switch (key) {
    case U'q': return wish::quit;
    case U' ': return wish::look;
    case U'd':
    case U's': ask_for_delay(); break;
    case U'h':
    case U'?': view_.help = true; break;
    case U'w': model_.set_span(model_.span() == top_span::recent ? top_span::whole_life : top_span::recent); break;
    case key_enter: view_.detail = !view_.detail; break;
    default: break;
  }
  return wish::none;
}

}  // namespace detent::tool
