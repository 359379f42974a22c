// SPDX-License-Identifier: MIT
// The text of a page of HTML, for its snapshot.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace detent::test {

// Returns how often the text contains the words.
inline std::size_t times(std::string_view text, std::string_view words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

// Returns the text between the first `from` and the next `to` after it.
inline std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find(to, begin + from.size()) - begin);
}

// Returns the page's text without the drawings: a line for each paragraph, heading, item and row, whose cells are
// divided by bars.
inline std::string words_of(std::string_view html) {
  std::string text;
  const auto end_line = [&text] {
    while (text.ends_with(' ') || text.ends_with('|')) text.pop_back();
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
  };
  for (std::size_t at = html.find("<body"); at < html.size();) {
    if (html.substr(at).starts_with("<svg")) at = html.find("</svg>", at);
    const std::string_view tag = html.substr(at, html.find_first_of(" >", at) - at);
    for (const std::string_view cell : {"</td", "</th"})
      if (tag == cell) text += " | ";
    if (tag == "</dt") text += ": ";
    if (tag == "</dd") text += "; ";
    for (const std::string_view block : {"</tr", "</p", "</h1", "</h2", "</h3", "</li", "</caption", "</figcaption",
                                         "</summary", "</pre", "</footer", "<p", "<h2", "<h3", "<table", "<ul"})
      if (tag == block) end_line();
    const std::size_t begin = html.find('>', at) + 1;
    at = html.find('<', begin);
    for (const char c : html.substr(begin, at - begin))
      if (c != '\n') text += c;
  }
  end_line();
  return text;
}

}  // namespace detent::test
