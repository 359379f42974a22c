// SPDX-License-Identifier: MIT
// TLS of connections to servers. In tls.cpp, where hiredis has it; else no_tls.cpp refuses it.
#pragma once

#include "refusal.hpp"

#include <detent/durable_redis.hpp>

#include <memory>
#include <string>

struct redisContext;

namespace detent::durable::redis {

class tls {
 public:
  // Reads the files. Throws detent::error, which names the option and the file.
  static std::shared_ptr<const tls> of(const redis_tls& how);

  tls() = default;
  tls(const tls&) = delete;
  tls& operator=(const tls&) = delete;
  virtual ~tls() = default;

  // Secures a connection that has just been made to that host. The certificate must be the host's.
  virtual trouble secure(redisContext& connection, const std::string& host) const = 0;
  // Says why this thread's last call on such a connection failed, or nothing if TLS is not the reason.
  virtual std::string reason() const = 0;
};

}  // namespace detent::durable::redis
