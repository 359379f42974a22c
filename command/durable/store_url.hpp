// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_redis.hpp>

#include <string>

namespace detent::tool {

// A store on Redis that a URL names.
struct redis_place {
  std::string address;  // in the form that durable::redis_store() takes
  std::string prefix = "detent";
  std::string user = {};
  std::string password = {};
  durable::redis_tls tls = {};
  durable::redis_sentinel sentinel = {};
};

// Returns whether the name is a URL; otherwise it is a file.
bool is_url(const std::string& name) noexcept;
// Returns whether it is a URL of PostgreSQL, which libpq reads.
bool is_postgres(const std::string& name) noexcept;
// Returns the URL for a message, without anything that may be a password and without what follows a question mark.
std::string without_password(const std::string& url);

// Reads one of these: redis://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/PREFIX][?password-file=FILE];
// redis-sentinel://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...]/MASTER[/PREFIX][?sentinel-user=USER&...]; both with
// rediss for TLS; or redis+unix://[USER[:PASSWORD]@]/PATH[?prefix=PREFIX&password-file=FILE]. %XX stands for a byte.
// Passwords that are not in the URL come from the environment's DETENT_REDIS_PASSWORD and DETENT_SENTINEL_PASSWORD.
// Throws input_error, whose text never has a password.
redis_place place_of(const std::string& url);

}  // namespace detent::tool
