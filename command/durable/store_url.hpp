// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace detent::tool {

// A store on Redis, as a URL names it.
struct redis_place {
  std::string address;  // as durable::redis_store() takes it
  std::string prefix = "detent";
  std::string user = {};
  std::string password = {};
};

// Whether the name is a URL; else it is a file.
bool is_url(const std::string& name) noexcept;

// redis://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/PREFIX][?password-file=FILE], or
// redis+unix://[USER[:PASSWORD]@]/PATH[?prefix=PREFIX&password-file=FILE]. %XX stands for a byte. Without a password in
// it, that of the environment's DETENT_REDIS_PASSWORD. Throws input_error, without the password.
redis_place place_of(const std::string& url);

}  // namespace detent::tool
