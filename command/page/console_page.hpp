// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// One HTML page. It needs /console.css and /console.js of the same server, and nothing else: it fits the policy
// "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:". The script asks
// for the page again, with the same address, and takes over what has changed in it.
// The long samples of the lookup are those of shown_id().
std::string page_of(const console_view& view, const console_query& query = {}, const console_lookup& lookup = {});

// The id of the engine that the page shows at length: the one that is asked for, also where it is gone, or the worst of
// those that the query chooses. Empty: there is none at all.
std::string shown_id(const console_view& view, const console_query& query);

}  // namespace detent::tool
