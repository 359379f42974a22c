// SPDX-License-Identifier: MIT
// The only place that holds the version; the build reads it from here.
#pragma once

#include <string_view>

#define DETENT_VERSION_MAJOR 0
#define DETENT_VERSION_MINOR 9
#define DETENT_VERSION_PATCH 0

#define DETENT_DETAIL_TEXT_OF(x) #x
#define DETENT_DETAIL_DOTTED(a, b, c) DETENT_DETAIL_TEXT_OF(a) "." DETENT_DETAIL_TEXT_OF(b) "." DETENT_DETAIL_TEXT_OF(c)

namespace detent {

inline constexpr std::string_view version =
    DETENT_DETAIL_DOTTED(DETENT_VERSION_MAJOR, DETENT_VERSION_MINOR, DETENT_VERSION_PATCH);

}  // namespace detent

#undef DETENT_DETAIL_DOTTED
#undef DETENT_DETAIL_TEXT_OF
