// SPDX-License-Identifier: MIT
#include "doctor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host_probes.hpp"
#include "jitter_probes.hpp"
#include "json_object.hpp"
#include "progress.hpp"
#include "units.hpp"

namespace detent::tool {
namespace {

std::string_view word_for(verdict judged) {
  switch (judged) {
    case verdict::fine: return "fine";
    case verdict::act: return "act";
    case verdict::unknown: break;
  }
  return "unknown";
}

// Breaks the advice into lines that begin under each other.
std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t line_width = 100;
  std::string out;
  std::size_t column = line_width;
  for (const std::string_view word : words_of(text)) {
    if (column + 1 + word.size() > line_width) {
      out += (out.empty() ? "" : "\n") + std::string(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

}  // namespace

std::vector<finding> examine(const host_files& host, duration length) {
  progress_line progress;
  std::vector<finding> findings = probe_host(host);
  progress.show(fmt::format("measuring for about {} ...", time_text(static_cast<double>(length.count()))));
  for (finding& each : measure_jitter(length)) findings.push_back(std::move(each));
  return findings;
}

std::string doctor_text(const std::vector<finding>& findings) {
  constexpr std::size_t advice_indent = 11;
  std::size_t width = 0;
  for (const finding& each : findings) width = std::max(width, each.subject.size());
  std::string out;
  for (const finding& each : findings) {
    out += fmt::format("  {:<7}  {:<{}}  {}\n", each.judged == verdict::unknown ? "-" : word_for(each.judged),
                       each.subject, width, each.measured);
    if (!each.advice.empty()) out += wrapped(each.advice, advice_indent);
  }
  const auto to_do =
      std::count_if(findings.begin(), findings.end(), [](const finding& f) { return f.judged == verdict::act; });
  return out + (to_do == 0 ? std::string("\nNothing seen here spoils precision.\n")
                           : fmt::format("\n{} of {} cost precision; what to do is written below each.\n", to_do,
                                         findings.size()));
}

std::string doctor_json(const std::vector<finding>& findings) {
  std::vector<json_object> list;
  for (const finding& each : findings) {
    json_object json;
    json.text("subject", each.subject).text("measured", each.measured).text("verdict", word_for(each.judged));
    json.text("advice", each.advice);
    list.push_back(json);
  }
  json_object all;
  all.list("findings", list);
  return all.str() + "\n";
}

}  // namespace detent::tool
