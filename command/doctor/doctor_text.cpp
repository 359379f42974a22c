// SPDX-License-Identifier: MIT
#include "doctor/doctor_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/host_files.hpp"
#include "text/json_object.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t line_width = 96;

// Returns "SOMETHING  text", in which further lines of the text begin below its first.
std::string paragraph(std::string_view head, std::string_view text, std::size_t indent) {
  std::string out = fmt::format("{:<{}}", head, indent);
  std::size_t column = indent;
  for (const std::string_view word : words_of(text)) {
    if (column != indent && column + 1 + word.size() > line_width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column != indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

bool at_length(const finding& each) { return each.judged < severity::unknown; }

std::size_t how_many(const std::vector<finding>& findings, severity judged) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [=](const finding& each) { return each.judged == judged; }));
}

}  // namespace

std::string_view name_of(severity judged) {
  switch (judged) {
    case severity::bad: return "bad";
    case severity::warning: return "warning";
    case severity::note: return "note";
    case severity::fine: return "fine";
    case severity::unknown: break;
  }
  return "unknown";
}

std::string summary_of(const std::vector<finding>& findings) {
  const std::size_t bad = how_many(findings, severity::bad), warnings = how_many(findings, severity::warning),
                    notes = how_many(findings, severity::note);
  return fmt::format("{} bad, {} warning{}, {} note{}; {} fine, {} unknown", bad, warnings, warnings == 1 ? "" : "s",
                     notes, notes == 1 ? "" : "s", how_many(findings, severity::fine),
                     how_many(findings, severity::unknown));
}

std::string doctor_text(const std::vector<finding>& findings) {
  constexpr std::size_t indent = 9, inner = 16;
  std::size_t width = 0;
  for (const finding& each : findings) {
    if (!at_length(each)) width = std::max(width, each.subject.size());
  }
  std::string out;
  bool list_begun = false;
  for (const finding& each : findings) {
    const std::string head = fmt::format("{:<{}}", name_of(each.judged), indent);
    if (at_length(each)) {
      out += paragraph(head, each.subject, indent);
      out += paragraph(std::string(indent, ' ') + "seen", each.seen, inner);
      if (!each.where.empty()) out += paragraph(std::string(indent, ' ') + "in", each.where, inner);
      out += paragraph(std::string(indent, ' ') + "means", each.meaning, inner);
      out += paragraph(std::string(indent, ' ') + "do", each.cure, inner) + "\n";
      continue;
    }
    list_begun = true;
    const bool unseen = each.judged == severity::unknown && !each.where.empty();
    out += paragraph(fmt::format("{}{:<{}}", head, each.subject, width + 2),
                     unseen ? fmt::format("{} ({})", each.seen, each.where) : each.seen, indent + width + 2);
  }
  return out + (list_begun ? "\n" : "") + summary_of(findings) + "\n";
}

std::string doctor_json(const std::vector<finding>& findings) {
  std::vector<json_object> list;
  for (const finding& each : findings) {
    json_object json;
    json.text("subject", each.subject).text("severity", name_of(each.judged)).text("seen", each.seen);
    json.text("where", each.where).text("means", each.meaning).text("cure", each.cure);
    list.push_back(json);
  }
  json_object all;
  all.count("bad", how_many(findings, severity::bad)).count("warnings", how_many(findings, severity::warning));
  all.list("findings", list);
  return all.str() + "\n";
}

}  // namespace detent::tool
