// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "page/console_view.hpp"

namespace detent::tool {

// The query of the page's address, /?engine=ID&reload=1, or /?find=TEXT, or /?key=KEY&partition=NAME. The values are as
// they came, and not checked.
struct console_query {
  std::string engine = {};  // the id of the one to show at length; empty, or of none that there is: the worst
  bool reload = false;      // for browsers without scripts: the page asks for itself again, every few seconds
  std::optional<std::string> find = {};  // a search, as it was typed
  std::optional<std::string> key = {};   // of the timer to open
  std::string partition = {};            // its partition
};

// One HTML page. It needs /console.css and /console.js of the same server, and nothing else: it fits the policy
// "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:". The script asks
// for the page again, with the same address, and takes over what has changed in it.
std::string page_of(const console_view& view, const console_query& query = {}, const console_lookup& lookup = {});

}  // namespace detent::tool
