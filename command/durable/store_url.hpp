// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_redis.hpp>

#include <string>

namespace detent::tool {

// A store on Redis, as a URL names it.
struct redis_place {
  std::string address;  // as durable::redis_store() takes it
  std::string prefix = "detent";
  std::string user = {};
  std::string password = {};
  durable::redis_tls tls = {};
  durable::redis_sentinel sentinel = {};
};

// Whether the name is a URL; else it is a file.
bool is_url(const std::string& name) noexcept;
// Whether it is a URL of PostgreSQL, which libpq reads.
bool is_postgres(const std::string& name) noexcept;
// The URL for a message: what may be a password is left out, and so is what follows a question mark.
std::string without_password(const std::string& url);

// redis://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/PREFIX][?password-file=FILE];
// redis-sentinel://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...]/MASTER[/PREFIX][?sentinel-user=USER&...]; both with
// rediss for TLS; or redis+unix://[USER[:PASSWORD]@]/PATH[?prefix=PREFIX&password-file=FILE]. %XX stands for a byte.
// Without passwords in it, those of the environment's DETENT_REDIS_PASSWORD and DETENT_SENTINEL_PASSWORD. Throws
// input_error, without the password.
redis_place place_of(const std::string& url);

}  // namespace detent::tool
