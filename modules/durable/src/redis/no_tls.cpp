// SPDX-License-Identifier: MIT
// In place of tls.cpp, where hiredis has no TLS.
#include "tls.hpp"

#include <detent/durable_error.hpp>

#include <hiredis/hiredis.h>

namespace detent::durable::redis {

std::shared_ptr<const tls> tls::of(const redis_tls&) {
  const std::string version =
      std::to_string(HIREDIS_MAJOR) + '.' + std::to_string(HIREDIS_MINOR) + '.' + std::to_string(HIREDIS_PATCH);
  throw error(errc::unsupported, "redis_store: tls: this build has hiredis " + version +
                                     " without TLS: build detent with hiredis 1.0 or newer, its libhiredis_ssl and "
                                     "OpenSSL (Debian 13: libhiredis-dev libssl-dev)");
}

}  // namespace detent::durable::redis
