// SPDX-License-Identifier: MIT
// One table says what each action is called and what it takes.
#include "match/input.hpp"

#include "match/rules.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <sstream>

namespace game {
namespace {

struct action_form {
  std::string_view name;
  int arguments;
  int least, most;  // of each argument
};

constexpr std::array<action_form, 9> forms{{{"move", 2, -1, 1},
                                            {"strike", 1, 0, most_players - 1},
                                            {"shield", 0, 0, 0},
                                            {"pause", 0, 0, 0},
                                            {"resume", 0, 0, 0},
                                            {"join", 0, 0, 0},
                                            {"away", 0, 0, 0},
                                            {"back", 0, 0, 0},
                                            {"leave", 0, 0, 0}}};

const action_form& form_of(action what) noexcept { return forms[static_cast<std::size_t>(what)]; }

bool fits(const action_form& form, int place, int value) noexcept {
  return place < form.arguments ? value >= form.least && value <= form.most : value == 0;
}

}  // namespace

bool is_possible(const input& of) noexcept {
  if (static_cast<std::size_t>(of.what) >= forms.size()) return false;
  const action_form& form = form_of(of.what);
  return of.player >= 0 && of.player < most_players && fits(form, 0, of.first) && fits(form, 1, of.second);
}

bool is_of_a_client(action what) noexcept { return what < action::join; }

std::string to_text(const input& of) {
  const action_form& form = form_of(of.what);
  std::string text = fmt::format("{} {}", of.player, form.name);
  if (form.arguments > 0) text += fmt::format(" {}", of.first);
  if (form.arguments > 1) text += fmt::format(" {}", of.second);
  return text;
}

std::optional<input> input_from(std::string_view text) {
  std::istringstream words{std::string(text)};
  input read;
  std::string name;
  if (!(words >> read.player >> name)) return std::nullopt;
  std::size_t which = 0;
  while (which < forms.size() && forms[which].name != name) ++which;
  if (which == forms.size()) return std::nullopt;
  read.what = static_cast<action>(which);
  if (forms[which].arguments > 0 && !(words >> read.first)) return std::nullopt;
  if (forms[which].arguments > 1 && !(words >> read.second)) return std::nullopt;
  std::string more;
  if (words >> more || !is_possible(read)) return std::nullopt;
  return read;
}

}  // namespace game
