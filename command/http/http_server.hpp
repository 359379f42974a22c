// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>
#include <string>
#include <utility>

#include "http/http_pages.hpp"
#include "http/listen_address.hpp"
#include "http/listening_socket.hpp"

namespace detent::tool {

// Serves pages over HTTP/1.1, for GET and HEAD. Other methods are refused (405), and so are bodies (413). One thread
// serves all connections, each for one request and for at most 10 s. Clients that do not ask cost a descriptor each, up
// to 256, and do not delay the others.
class http_server {
 public:
  // Reads the token, binds, and blocks SIGINT and SIGTERM in this thread. Throws input_error that names the option and
  // the value.
  explicit http_server(http_options options);
  ~http_server();
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  // The thread in serve() calls `make` for each request. If it throws, the answer has status 500.
  void add(const std::string& path, http_pages::page make) { pages_.add(path, std::move(make)); }
  // Lets pages load styles, scripts and data from this server, and images that they contain. Otherwise an answer may
  // load nothing.
  void allow_own_content();
  const listen_address& at() const { return options_.at; }  // with the port that it was given
  // Serves until SIGINT or SIGTERM. Throws input_error if the socket fails before that.
  void serve();

 private:
  http_options options_;
  http_pages pages_;
  listening_socket socket_;
  sigset_t earlier_ = {};  // signals that this thread had blocked before
};

}  // namespace detent::tool
