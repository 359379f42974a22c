// SPDX-License-Identifier: MIT
#include "page/console_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "doctor/doctor_text.hpp"
#include "text/html_text.hpp"
#include "text/units.hpp"

namespace detent::tool {

std::string foreign(std::string_view text) { return "<bdi>" + html_escaped(text) + "</bdi>"; }

std::string url_escaped(std::string_view bytes) {
  std::string out;
  for (const char each : bytes) {
    const bool plain = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9') ||
                       each == '-' || each == '.' || each == '_';
    out += plain ? std::string(1, each) : fmt::format("%{:02X}", static_cast<unsigned char>(each));
  }
  return out;
}

std::string time_html(double ns) {
  if (ns == 0) return "0 <span class=\"unit\"></span>";
  const std::string text = time_text(ns);
  const std::size_t space = text.find(' ');
  return fmt::format("{} <span class=\"unit\">{}</span>", text.substr(0, space), text.substr(space + 1));
}

std::string rate_html(double per_second) {
  if (per_second <= 0) return "0";
  if (per_second < 0.05) return "&lt;0.1";
  if (per_second < 9.95) return fmt::format("{:.1f}", per_second);
  return count_text(rounded_count(per_second));
}

std::uint64_t rounded_count(double count) {
  return static_cast<std::uint64_t>(std::llround(std::clamp(count, 0.0, 9e18)));
}

std::string count_html(std::uint64_t count, severity judged) {
  if (count == 0) return "0";
  return fmt::format("<strong class=\"{}\">{}</strong>", name_of(judged), count_text(count));
}

std::string badge(severity judged) { return fmt::format("<span class=\"judged {0}\">{0}</span>", name_of(judged)); }

std::string span_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole >= 3600 && whole % 3600 == 0) return fmt::format("{} h", whole / 3600);
  return whole % 60 == 0 ? fmt::format("{} min", whole / 60) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string paragraph(std::string_view kind, std::string_view html) {
  return fmt::format("<p class=\"{}\">{}</p>\n", kind, html);
}

std::string heading(std::string_view id, std::string_view html) {
  return fmt::format("<h2 id=\"{}\">{}</h2>\n", id, html);
}

std::string folded(std::string_view id, std::string_view text, std::string_view html) {
  return fmt::format("<details id=\"{0}\"><summary id=\"{0}-line\">{1}</summary>\n{2}</details>\n", id,
                     html_escaped(text), html);
}

html_table::html_table(std::string_view kind, std::string_view caption, std::vector<html_column> columns)
    : kind_(kind), caption_(html_escaped(caption)), columns_(std::move(columns)) {
  for (html_column& each : columns_) {
    each.head = html_escaped(each.head);
    each.hint = html_escaped(each.hint);
  }
}

void html_table::row(std::string_view id, const std::vector<std::string>& cells, std::string_view kind) {
  rows_ += "<tr";
  if (!id.empty()) rows_ += fmt::format(" id=\"{}\"", id);
  if (!kind.empty()) rows_ += fmt::format(" class=\"{}\"", kind);
  rows_ += ">";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const html_column& column = columns_[i];
    rows_ += i == 0 ? fmt::format("<th scope=\"row\" class=\"{}\">{}</th>", column.kind, cells[i])
                    : fmt::format("<td class=\"{}\" data-head=\"{}\">{}</td>", column.kind, column.head, cells[i]);
  }
  rows_ += "</tr>\n";
}

void html_table::wide_row(std::string_view id, std::string_view html) {
  rows_ += fmt::format("<tr id=\"{}\" class=\"inner\"><td colspan=\"{}\">{}</td></tr>\n", id, columns_.size(), html);
}

std::string html_table::str(head_line head) const {
  std::string places, heads;
  for (const html_column& each : columns_) {
    places += fmt::format("<col class=\"{}\">", each.kind);
    heads += fmt::format("<th scope=\"col\" class=\"{}\"", each.kind);
    if (!each.hint.empty()) heads += fmt::format(" title=\"{}\"", each.hint);
    if (*each.sorted != '\0') heads += fmt::format(" aria-sort=\"{}\"", each.sorted);
    heads += each.address.empty()
                 ? ">" + each.head + "</th>"
                 : fmt::format("><a id=\"{}-by-{}\" href=\"{}\">{}</a></th>", kind_,
                               each.head.substr(0, each.head.find_first_of("/ ")), each.address, each.head);
  }
  return fmt::format(
      "<table class=\"{}\"><caption class=\"unseen\">{}</caption><colgroup>{}</colgroup>\n"
      "<thead{}><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table>\n",
      kind_, caption_, places, head == head_line::shown ? "" : " class=\"unseen\"", heads, rows_);
}

}  // namespace detent::tool
