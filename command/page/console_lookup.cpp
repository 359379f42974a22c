// SPDX-License-Identifier: MIT
#include "page/console_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "page/console_html.hpp"
#include "page/console_timers.hpp"
#include "text/html_text.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t text_shown = 2048, bytes_shown = 512, bytes_a_line = 16;

std::string fact(const char* name, const std::string& html) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
}

// Leaves line feeds and backslashes as they are, because the bytes are shown beside the text.
std::string payload_text(std::string_view bytes) {
  std::string out = printable(bytes.substr(0, text_shown));
  for (const auto& [printed, meant] : {std::pair<std::string_view, std::string_view>("\\x0a", "\n"), {"\\x5c", "\\"}}) {
    for (std::size_t at = out.find(printed); at != std::string::npos; at = out.find(printed, at + meant.size()))
      out.replace(at, printed.size(), meant);
  }
  return out;
}

std::string hex_lines(std::string_view bytes) {
  std::string out;
  const std::string_view shown = bytes.substr(0, bytes_shown);
  for (std::size_t at = 0; at < shown.size(); at += bytes_a_line) {
    std::string digits, text;
    for (const char each : shown.substr(at, bytes_a_line)) {
      digits += fmt::format("{:02x} ", static_cast<unsigned char>(each));
      text += each >= 0x20 && each < 0x7f ? each : '.';
    }
    out += fmt::format("{:04x}  {:<48} {}\n", at, digits, text);
  }
  return out;
}

std::string payload_html(const console_opening& opening) {
  if (opening.payload_size == 0) return "";
  const auto cut = [&](std::size_t shown) {
    return opening.payload_size > shown
               ? fmt::format(", the first {} of {}", bytes_text(shown), bytes_text(opening.payload_size))
               : "";
  };
  return fmt::format("<h4>As text{}</h4>\n<pre id=\"payload-text\"><bdi>{}</bdi></pre>\n", cut(text_shown),
                     html_escaped(payload_text(opening.payload))) +
         folded("payload-bytes", "As bytes" + cut(bytes_shown),
                fmt::format("<pre>{}</pre>\n", html_escaped(hex_lines(opening.payload))));
}

std::string for_shell(std::string_view bytes) {
  std::string out = "'";
  for (const char each : printable(bytes)) out += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return out + "'";
}

// Returns the commands that act on the timer, if there are any. The page itself changes nothing.
std::string commands_html(const console_opening& opening) {
  const std::string name =
      fmt::format("{} --partition {} --store STORE", for_shell(opening.key), for_shell(opening.partition));
  std::string all;
  for (const char* each : {"revive", "purge", "move", "cancel"}) {
    const std::string_view verb = each;
    if ((verb == "revive" || verb == "purge") != opening.timer->died.has_value()) continue;
    all += fmt::format("detent durable {} {}{}\n", verb, name, verb == "move" ? " --to now" : "");
  }
  return folded("timer-commands", "To change it, in a shell",
                fmt::format("<pre><bdi>{}</bdi></pre>\n", html_escaped(all)));
}

std::string timer_html(const console_opening& opening, console_time now) {
  const console_timer& its = *opening.timer;
  std::string facts = fact("state", its.died ? "<strong class=\"warning\">dead</strong>" : "waits for its time");
  if (its.died) facts += fact("why", bytes_html(its.why)) + fact("died", when_html(*its.died, now));
  facts += fact(its.died ? "was due" : its.due < now ? "due, and not ended" : "next run", when_html(its.due, now));
  facts += fact("handler", bytes_html(its.handler));
  facts += fact(its.died ? "attempts" : "attempt", count_text(its.attempt));
  if (!its.schedule.empty()) facts += fact("repeats on", bytes_html(its.schedule));
  facts += fact("partition", bytes_html(its.partition)) + fact("shard", std::to_string(its.shard));
  facts += fact("payload", opening.payload_size == 0 ? "none" : bytes_text(opening.payload_size));
  return "<dl class=\"facts\">\n" + facts + "</dl>\n" + payload_html(opening) + commands_html(opening);
}

}  // namespace

std::string search_html(const console_lookup& lookup, console_query query, console_time now) {
  query.key.reset();  // the next search closes an opened timer
  const std::string text = lookup.search ? html_escaped(lookup.search->text) : "";
  std::string out = fmt::format(
      "<form id=\"find\" action=\"#find\" method=\"get\" role=\"search\">\n<label for=\"find-text\">Find timers by "
      "handler, or by how their key begins</label>\n<input id=\"find-text\" name=\"find\" type=\"search\" "
      "maxlength=\"520\" autocomplete=\"off\" spellcheck=\"false\" value=\"{}\">\n{}<button id=\"find-go\" "
      "type=\"submit\">Find</button>\n</form>\n",
      text, fields_of(query, "find"));
  if (!lookup.search) return out;
  const console_search& its = *lookup.search;
  if (!its.trouble.empty()) return out + paragraph("alert", "The search failed: " + foreign(printable(its.trouble)));
  const std::string quoted = foreign(its.text);
  if (its.found.empty())
    return out + paragraph("soft", its.is_done ? "No timer is found for " + quoted + ". <a href=\"?#find\">Close</a>"
                                               : "Searching for " + quoted + ".");
  const std::string count =
      fmt::format("{} timer{} found for {}{}. <a href=\"?#find\">Close</a>", its.found.size(),
                  its.found.size() == 1 ? "" : "s", quoted,
                  !its.is_done             ? "; searching on"
                  : its.found.size() == 50 ? ", the most that are shown: detent durable list has all"
                                           : "");
  return out + paragraph("soft", count) + found_table(its.found, now);
}

std::string opening_html(const console_lookup& lookup, console_time now) {
  if (!lookup.opening) return "";
  const console_opening& its = *lookup.opening;
  std::string name = bytes_html(its.key);
  if (!its.partition.empty()) name += " in partition " + bytes_html(its.partition);
  const std::string head =
      fmt::format("<h3 id=\"timer\">Timer {} <a class=\"close\" href=\"?#durable\">close</a></h3>\n", name);
  if (!its.trouble.empty()) return head + paragraph("alert", "It cannot be read: " + foreign(printable(its.trouble)));
  if (!its.is_read) return head + paragraph("soft", "Being read.");
  if (!its.timer) return head + paragraph("soft", "There is no such timer: it has ended, or was cancelled.");
  return head + timer_html(its, now);
}

}  // namespace detent::tool
