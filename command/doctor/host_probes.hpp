// SPDX-License-Identifier: MIT
// Settings of the host that cost any worker precision.
#pragma once
#include "doctor/finding.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

finding frequency_governor(const host_files& host);
finding transparent_huge_pages(const host_files& host);
finding huge_page_defrag(const host_files& host);  // may a page fault stop to make room for a huge page?
finding locked_memory_limit(const host_files& host);

}  // namespace detent::tool
