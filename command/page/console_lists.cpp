// SPDX-License-Identifier: MIT
#include "page/console_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/doctor_text.hpp"
#include "page/console_figures.hpp"
#include "page/console_html.hpp"
#include "text/html_text.hpp"
#include "top/row_text.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t alerts_at_once = 8, alerts_at_most = 100;

std::string item(const console_alert& alert) {
  std::string subject = foreign(alert.subject);
  if (!alert.which.empty()) subject += ", " + foreign(alert.which);
  if (!alert.link.empty()) subject = fmt::format("<a href=\"{}\">{}</a>", html_escaped(alert.link), subject);
  const std::string cure =
      alert.cure.empty() ? "" : fmt::format(" <span class=\"do\">Do: {}</span>", html_escaped(alert.cure));
  const std::string since =
      alert.since.empty() ? "" : fmt::format(" <span class=\"soft\">In trouble {}.</span>", html_escaped(alert.since));
  return fmt::format("<li>{} {}: {}.{}{}</li>\n", badge(alert.judged), subject, foreign(alert.seen), since, cure);
}

template <class Items>
std::string list(Items first, Items last) {
  std::string out;
  for (; first != last; ++first) out += item(*first);
  return "<ul class=\"findings\">\n" + out + "</ul>\n";
}

}  // namespace

std::string alert_section(const console_view& view) {
  const std::vector<console_alert> alerts = alerts_of(view);
  std::string out = heading("attention", "Needs attention");
  if (alerts.empty()) {
    out += paragraph("fine", "Nothing.");
  } else {
    const auto cut = alerts.begin() + static_cast<std::ptrdiff_t>(std::min(alerts.size(), alerts_at_once));
    out += list(alerts.begin(), cut);
    const auto end = alerts.begin() + static_cast<std::ptrdiff_t>(std::min(alerts.size(), alerts_at_most));
    const auto left = alerts.end() - end;
    if (cut != alerts.end())
      out += folded("more-alerts", fmt::format("{} more, none of them worse", alerts.end() - cut),
                    list(cut, end) + (left == 0 ? "" : paragraph("soft", fmt::format("and {} more", left))));
  }
  return "<section aria-labelledby=\"attention\">\n" + out + "</section>\n";
}

std::string doctor_section(const console_view& view) {
  std::string out = heading("doctor", "The doctor on this host");
  if (!view.examined_at) {
    out += paragraph("soft", "Examining.");
  } else {
    std::string items;
    html_table rest("texts", "what else was checked", {{"judged", "few-left"}, {"subject", "text"}, {"seen", "text"}});
    for (const finding& each : view.findings) {
      if (each.judged < severity::unknown) {
        items += fmt::format("<li>{} <strong>{}</strong>: {}; {}.<br><span class=\"do\">Do: {}</span></li>\n",
                             badge(each.judged), html_escaped(each.subject), html_escaped(each.seen),
                             html_escaped(each.meaning), html_escaped(each.cure));
      } else {
        rest.row("", {badge(each.judged), html_escaped(each.subject), html_escaped(each.seen)});
      }
    }
    out += items.empty() ? paragraph("fine", "Nothing here makes timers late.")
                         : "<ul class=\"findings\">\n" + items + "</ul>\n";
    const double ago = std::chrono::duration<double, std::nano>(view.now - *view.examined_at).count();
    out += folded("checked", fmt::format("What else was checked, {} ago: {}", age_text(ago), summary_of(view.findings)),
                  rest.str());
  }
  return "<section aria-labelledby=\"doctor\">\n" + out + "</section>\n";
}

}  // namespace detent::tool
