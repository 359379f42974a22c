// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>
#include <string>
#include <utility>

#include "http/http_pages.hpp"
#include "http/listen_address.hpp"
#include "http/listening_socket.hpp"

namespace detent::tool {

// Pages over HTTP/1.1, for GET and HEAD. Any other method is refused (405), and any body (413). One thread serves all
// connections, each for one request and for no longer than 10 s. Clients that do not ask cost a descriptor each, up to
// 256 of them, and do not delay the others.
class http_server {
 public:
  // Reads the token, binds, and holds back SIGINT and SIGTERM in this thread. Throws input_error that names the option
  // and the value.
  explicit http_server(http_options options);
  ~http_server();
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  // `make` is called for each request, by the thread in serve(). What it throws is answered with 500.
  void add(const std::string& path, http_pages::page make) { pages_.add(path, std::move(make)); }
  // Pages may load styles, scripts and data from this server, and pictures that they bring along. Else an answer may
  // load nothing at all.
  void allow_own_content();
  const listen_address& at() const { return options_.at; }  // with the port that it has got
  // Until SIGINT or SIGTERM comes. Throws input_error where the socket fails before.
  void serve();

 private:
  http_options options_;
  http_pages pages_;
  listening_socket socket_;
  sigset_t earlier_ = {};  // the signals that this thread held back before
};

}  // namespace detent::tool
