// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/access_token.hpp"
#include "http/http_request.hpp"
#include "http/listen_address.hpp"

namespace detent::tool {

struct http_answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string text;
};

struct http_options {
  listen_address at;
  std::string socket = {};              // the file of a Unix socket instead; empty: none
  std::vector<std::string> names = {};  // of this host, beside localhost; a request for another one is refused (421)
  std::string token_file = {};          // a request must bear the token in it, or is refused (401); empty: none
};

// The pages of a server: decides who gets them, and writes each answer as text, compressed for those who take gzip.
class http_pages {
 public:
  using page = std::function<http_answer(const http_query&)>;

  // Keeps the reference. Throws input_error where the token file cannot be used.
  explicit http_pages(const http_options& options);

  void add(const std::string& path, page make) { pages_[path] = std::move(make); }
  void set_policy(std::string content_policy) { policy_ = std::move(content_policy); }
  // Answers the head of a request, \r\n\r\n included. A head without it was too long. An exception of a page becomes
  // an answer with status 500.
  std::string answer_to(std::string_view head) const;

 private:
  http_answer answer(const http_request& request) const;
  http_answer page_at(const std::string& path, const http_query& query) const;
  std::string text_of(const http_answer& answer, const http_request* request) const;

  const http_options& options_;
  std::optional<access_token> token_;
  std::map<std::string, page> pages_;
  std::string policy_ = "default-src 'none'; frame-ancestors 'none'";
};

}  // namespace detent::tool
