// SPDX-License-Identifier: MIT
#include "http/http_pages.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <exception>

#include "text/gzip_text.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t least_packed = 1024;  // bytes, which fit into one packet without compression

http_answer refusal(int status, std::string_view why) { return {.status = status, .text = fmt::format("{}\n", why)}; }

const char* phrase_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "";  // clients ignore it (RFC 9112, 4)
  }
}

// Returns a field that an answer with this status must have.
const char* field_of(int status) {
  switch (status) {
    case 401:
      return "WWW-Authenticate: Bearer realm=\"detent\"\r\n"
             "WWW-Authenticate: Basic realm=\"detent: any name, and the token as the password\"\r\n";
    case 405: return "Allow: GET, HEAD\r\n";
    default: return "";
  }
}

}  // namespace

http_pages::http_pages(const http_options& options) : options_(options) {
  if (!options.token_file.empty()) token_.emplace("--token-file", options.token_file);
}

std::string http_pages::answer_to(std::string_view head) const {
  if (!head.ends_with("\r\n\r\n")) return text_of(refusal(431, "the head of the request is too long"), nullptr);
  const std::optional<http_request> request = read_request(head);
  if (!request) return text_of(refusal(400, "the request cannot be understood"), nullptr);
  return text_of(answer(*request), &*request);
}

http_answer http_pages::answer(const http_request& request) const {
  if (request.hosts.size() != 1 || request.hosts[0].empty()) return refusal(400, "one Host field is needed");
  if (!is_own_host(request.hosts[0], options_.at, options_.names))
    return refusal(421, "this server has another name; --host NAME adds one");
  if (token_ && (request.authorizations.size() != 1 || !token_->admits(request.authorizations[0])))
    return refusal(401,
                   "the token of --token-file is needed: Authorization: Bearer TOKEN, or as the password of any user");
  if (request.method != "GET" && request.method != "HEAD") return refusal(405, "only GET and HEAD are allowed");
  if (request.has_body) return refusal(413, "a request has no body here");
  return page_at(request.path, request.query);
}

http_answer http_pages::page_at(const std::string& path, const http_query& query) const {
  const auto found = pages_.find(path);
  if (found == pages_.end()) return refusal(404, "no such page");
  try {
    return found->second(query);
  } catch (const std::exception& trouble) {
    return refusal(500, trouble.what());
  }
}

// `request` is null if it could not be read.
std::string http_pages::text_of(const http_answer& answer, const http_request* request) const {
  const bool packed = request && request->takes_gzip && answer.text.size() >= least_packed;
  const std::string body = packed ? gzip_of(answer.text) : std::string();
  const std::string& sent = packed ? body : answer.text;
  const bool with_body = !request || request->method != "HEAD";
  return fmt::format(
      "HTTP/1.1 {} {}\r\n"
      "Accept-Ranges: none\r\n"
      "Cache-Control: no-store\r\n"
      "Connection: close\r\n"
      "{}"
      "Content-Length: {}\r\n"
      "Content-Security-Policy: {}\r\n"
      "Content-Type: {}\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Vary: Accept-Encoding\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "{}\r\n{}",
      answer.status, phrase_of(answer.status), packed ? "Content-Encoding: gzip\r\n" : "", sent.size(), policy_,
      answer.type, field_of(answer.status), with_body ? std::string_view(sent) : std::string_view());
}

}  // namespace detent::tool
