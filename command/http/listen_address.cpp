// SPDX-License-Identifier: MIT
#include "http/listen_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>

#include "text/input_error.hpp"
#include "text/option_values.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t most_port = 65'535;

enum class address_kind : std::uint8_t { none, foreign, loopback };

address_kind kind_of(const std::string& host) {
  in_addr v4 = {};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1)
    return ntohl(v4.s_addr) >> 24 == 127 ? address_kind::loopback : address_kind::foreign;
  in6_addr v6 = {};
  if (::inet_pton(AF_INET6, host.c_str(), &v6) == 1)
    return std::memcmp(&v6, &in6addr_loopback, sizeof v6) == 0 ? address_kind::loopback : address_kind::foreign;
  return address_kind::none;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

struct host_and_port {
  std::string host, port;  // the port may be empty
};

// Returns nullopt unless the text is HOST, HOST:PORT, [HOST] or [HOST]:PORT.
std::optional<host_and_port> split(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos) return std::nullopt;
  const std::string_view host = bracketed ? text.substr(1, end - 1) : text.substr(0, end);
  // Brackets are needed for the colons of IPv6, and only for those.
  if (bracketed != (host.find(':') != std::string_view::npos)) return std::nullopt;
  std::string_view rest = text.substr(std::min(text.size(), end + (bracketed ? 1 : 0)));
  if (end == std::string_view::npos) rest = {};
  if (rest.empty()) return host_and_port{std::string(host), ""};
  rest.remove_prefix(1);
  if (text[text.size() - rest.size() - 1] != ':' || !all_digits(rest)) return std::nullopt;
  return host_and_port{std::string(host), std::string(rest)};
}

}  // namespace

bool listen_address::loopback() const { return kind_of(host) == address_kind::loopback; }

std::string listen_address::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

listen_address listen_address_of(std::string_view option, std::string_view text) {
  const auto found = all_digits(text) ? host_and_port{"", std::string(text)} : split(text).value_or(host_and_port());
  const std::string host = found.host.empty() || same_name(found.host, "localhost") ? "127.0.0.1" : found.host;
  if (found.port.empty() || kind_of(host) == address_kind::none)
    throw usage_error(fmt::format("{}: {} is not an address and a port, such as 127.0.0.1:9464, [::1]:9464 or 9464",
                                  option, in_quotes(text)));
  return {.host = host, .port = static_cast<int>(whole_number(option, found.port, 0, most_port))};
}

std::string host_name_of(std::string_view option, std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
  };
  if (text.empty() || !std::all_of(text.begin(), text.end(), fits))
    throw usage_error(fmt::format("{}: {} is not the name of a host, without a port", option, in_quotes(text)));
  return std::string(text);
}

bool is_own_host(std::string_view field, const listen_address& at, const std::vector<std::string>& names) {
  const auto asked = split(field);
  if (!asked || asked->host.empty()) return false;
  switch (kind_of(asked->host)) {
    case address_kind::loopback: return true;
    case address_kind::foreign: return !at.loopback();
    case address_kind::none: break;
  }
  const auto is_asked = [&asked](const std::string& name) { return same_name(name, asked->host); };
  return is_asked("localhost") || std::any_of(names.begin(), names.end(), is_asked);
}

}  // namespace detent::tool
