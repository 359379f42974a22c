// SPDX-License-Identifier: MIT
// A store in Redis, 6.2 or newer, that the nodes of many machines share.
#pragma once

#include <detent/durable_store.hpp>
#include <detent/time.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace detent::durable {

// TLS, if this was built with a hiredis that has it (1.0 or newer, with libhiredis_ssl). Files are PEM; only
// redis_store() reads them.
struct redis_tls {
  bool on = false;
  // The authorities that are trusted. Default: empty, the system's.
  std::string ca_file = {};
  // This client's certificate and its key, without a passphrase, for servers that ask for one. Both or none.
  std::string certificate_file = {};
  std::string key_file = {};
  // The name or IP address that a server's certificate must have. Default: empty, the host of its address.
  std::string server_name = {};
};

// Sentinels, which know where the master is. They are reached with the same TLS as the servers.
struct redis_sentinel {
  // The name by which they monitor the master. Default: empty, there are no Sentinels.
  std::string master = {};
  // For AUTH with the Sentinels themselves, as in redis_options.
  std::string user = {};
  std::string password = {};
};

struct redis_options {
  // Every key begins with this, so that several stores may lie in one Redis: 1 to 64 bytes without braces. Default:
  // "detent".
  std::string prefix = "detent";
  // The shards of a new store, 1 to 1,024; an old one keeps its own. No more nodes than this find work. 0: no store is
  // made, and a prefix without one is refused. Default: 64.
  shard_id shards = 64;
  // For AUTH. Without a password none is sent; without a user it is the default one. Default: empty.
  std::string user = {};
  std::string password = {};
  // A call waits this long for the server's answer; 1 ms to 1 min, and less than a quarter of the lease. Default: 500
  // ms.
  duration patience = std::chrono::milliseconds(500);
  // A timer counts as stored once this many replicas have it (WAIT). A failover loses timers that no replica has.
  // Default: 0.
  unsigned replicas = 0;
  // For looking at a store beside nodes that use it: no store is made, and every call that would change it is
  // not_permitted. Default: off.
  bool read_only = false;
  // TLS to the servers. Default: off.
  redis_tls tls = {};
  // If it has a master's name, `address` lists the Sentinels. Default: none.
  redis_sentinel sentinel = {};
};

// `address` is the path of a socket, or HOST:PORT, or several of these separated by commas: a master and its replicas,
// of which the current master is used; or some nodes of a cluster; or Sentinels. The store is for one node of durable
// timers at a time. The server's appendonly and appendfsync decide what survives its crash. Throws detent::error:
// detent::errc::invalid_option; unavailable, also without the store that shards = 0 asks for; not_permitted for a
// password, a user's rights, a certificate, a replica without its master, or a maxmemory-policy that evicts keys
// without a time to live; unsupported with the server's version, and if TLS is wanted and was not built in;
// foreign_format.
std::shared_ptr<store> redis_store(const std::string& address, const redis_options& how = {});

}  // namespace detent::durable
