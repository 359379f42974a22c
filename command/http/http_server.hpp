// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "http/listen_address.hpp"

namespace detent::tool {

struct http_answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string text;
};

using http_query = std::map<std::string, std::string>;  // what stands after the ? of an address, decoded

struct http_options {
  listen_address at;
  std::string socket = {};              // the file of a Unix socket instead; empty: none
  std::vector<std::string> names = {};  // of this host, beside localhost; a request for another one is refused (421)
  std::string token_file = {};          // a request has to bear the token in it, or is refused (401); empty: none
};

// Pages over HTTP/1.1, for GET and HEAD. Any other method is refused (405), and any body (413). One thread serves all
// connections, each for one request and for no longer than 10 s. Clients that do not ask cost a descriptor each, up to
// 256 of them, and hold nobody up.
class http_server {
 public:
  // Reads the token, binds, and holds back SIGINT and SIGTERM in this thread. Throws input_error that names the option
  // and the value, also where the command was built without an HTTP library.
  explicit http_server(http_options options);
  ~http_server();
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  // `make` is called for each request, by the thread in serve(). What it throws is answered with 500.
  void add(const std::string& path, std::function<http_answer(const http_query&)> make);
  // Pages may load styles, scripts and data from this server, and pictures that they bring along. Else an answer may
  // load nothing at all.
  void allow_own_content();
  const listen_address& at() const { return options_.at; }  // with the port that it has got
  // Until SIGINT or SIGTERM comes. Throws input_error where the socket fails before.
  void serve();

 private:
  class parts;

  http_options options_;
  [[maybe_unused]] sigset_t earlier_ = {};  // of this thread; a build without the library has no use for it
  std::unique_ptr<parts> parts_;
};

}  // namespace detent::tool
