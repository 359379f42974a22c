// SPDX-License-Identifier: MIT
#include "cron/cron_check.hpp"

#include <fmt/format.h>
#include <detent/calendar_error.hpp>

#include <fstream>
#include <sstream>

#include "cron/cron_case.hpp"
#include "cron/csv_reader.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

// The comparison of a case with its schedule: whether they agree, and what the schedule really does.
struct answer {
  bool agrees = false;
  std::string text;
};

answer refusal(const cron_case& of, const error& trouble) {
  const auto* const by_schedule = dynamic_cast<const schedule_error*>(&trouble);
  const bool never = by_schedule != nullptr && by_schedule->never_due();
  return {.agrees = of.refused || (never && of.ends && of.expected.empty()),
          .text = fmt::format("{}: {}", never ? "none" : "error", trouble.what())};
}

answer ask(const cron_case& of) {
  try {
    const schedule when = schedule_of(of.words);
    answer all = {.agrees = !of.refused, .text = {}};
    std::optional<wall_time> at = of.from;
    const std::size_t wanted = of.expected.size() + (of.ends || of.refused ? 1 : 0);
    for (std::size_t i = 0; i < wanted && at; ++i) {
      at = when.next(*at);
      all.text += (i == 0 ? "" : " ") + (at ? utc_text(*at) : "none");
      const bool should = i < of.expected.size();
      all.agrees = all.agrees && at.has_value() == should && (!at || of.expected[i].is(*at, when.options().zone));
    }
    return all;
  } catch (const error& trouble) {
    return refusal(of, trouble);
  }
}

std::string difference(const std::string& name, std::size_t line, const cron_case& of, const answer& given) {
  const auto or_default = [](const std::string& word, const char* meant) {
    return word.empty() ? meant : word.c_str();
  };
  std::string text = fmt::format("{}:{}: {} {} {} gap={} overlap={} from {}: expected {}, and is {}", name, line,
                                 in_quotes(of.words.expression), or_default(of.words.dialect, "quartz"),
                                 or_default(of.words.zone, "UTC"), or_default(of.words.gap, "after"),
                                 or_default(of.words.overlap, "once"), utc_text(of.from), of.expected_text, given.text);
  if (!of.source.empty()) text += fmt::format(" [{}]", of.source);
  for (char& c : text) {
    // The text is the file's, and must not move a cursor.
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text + "\n";
}

}  // namespace

cron_result check_cases(const std::string& name, std::string_view text) {
  cron_result all;
  case_columns columns;
  csv_reader rows(text);
  std::size_t count = 0, differ = 0;
  bool first = true;
  while (const auto row = rows.next()) {
    try {
      if (first && columns.take_header(*row)) {
        first = false;
        continue;
      }
      first = false;
      ++count;
      const cron_case each = columns.read(*row);
      if (const answer given = ask(each); !given.agrees) {
        ++differ;
        all.text += difference(name, row->line, each, given);
      }
    } catch (const input_error& trouble) {
      if (count == 0) throw input_error(fmt::format("{}:{}: {}", name, row->line, trouble.what()));
      all.complaints.push_back(fmt::format("{}:{}: {}", name, row->line, trouble.what()));
    }
  }
  if (count == 0) throw input_error(fmt::format("{}: there is no case in it", name));
  const std::size_t unread = all.complaints.size();
  all.text += fmt::format("{}: {} cases: {} agree, {} differ", name, count, count - differ - unread, differ);
  all.text += unread == 0 ? "\n" : fmt::format(", {} cannot be read\n", unread);
  all.failed = differ + unread != 0;
  return all;
}

cron_result check_cases(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad()) throw input_error(fmt::format("{}: cannot be read", in_quotes(path)));
  return check_cases(path, text.str());
}

}  // namespace detent::tool
