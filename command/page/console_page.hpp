// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// Returns one HTML page. It needs only /console.css and /console.js of the same server, so it works under the policy
// "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:". The script
// fetches the page again from the same address and takes over the changes. The long samples in the lookup must be those
// of shown_id().
std::string page_of(const console_view& view, const console_query& query = {}, const console_lookup& lookup = {});

// Returns the id of the engine that the page shows in full: the one asked for, even if it is gone, or the worst of
// those that the query chooses. Empty if there is none at all.
std::string shown_id(const console_view& view, const console_query& query);

}  // namespace detent::tool
