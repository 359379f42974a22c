// SPDX-License-Identifier: MIT
// Interprets the keys of `detent top`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "top/top_key.hpp"
#include "top/top_model.hpp"
#include "top/top_screen.hpp"

namespace detent::tool {

class top_session {
 public:
  enum class wish : std::uint8_t { none, look, quit };

  // `delay` is the time between two readings, in seconds.
  top_session(double delay, std::string where);

  // `width` and `height` are the columns and lines of the screen.
  wish press(char32_t key, std::size_t width, std::size_t height);
  // Takes over a reading that was made at that time of day.
  void take(host_reading reading, std::string time);

  top_model& model() { return model_; }
  double delay() const { return view_.delay; }
  screen_grid screen(std::size_t width, std::size_t height, bool unicode) const;
  std::string text(bool unicode) const;

 private:
  void press_in_prompt(char32_t key);
  void sort_by(top_column column, std::size_t width);
  bool press_to_sort(char32_t key, std::size_t width);
  bool press_to_move(char32_t key, std::size_t height);
  void ask_for_delay();
  void say(std::string message);

  top_model model_;
  top_view view_;
  bool asking_ = false;
  std::string typed_;
  int readings_with_message_ = 0;
};

// Throws usage_error unless it is a number of seconds, or a number with a unit, between 0.1 s and a day.
double delay_of(std::string_view option, std::string_view text);

}  // namespace detent::tool
