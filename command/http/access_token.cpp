// SPDX-License-Identifier: MIT
#include "http/access_token.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <optional>

#include "text/base64.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t shortest = 16, longest = 1024;

bool fits(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

// Says why the file may not hold a secret, or returns an empty text.
std::string weakness(int descriptor, const std::string& path) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  if (status.st_uid != ::geteuid())
    return fmt::format("it belongs to user {}, not to user {}, as which this runs; chown {} {}", status.st_uid,
                       ::geteuid(), ::geteuid(), in_quotes(path));
  if ((status.st_mode & 077) != 0)
    return fmt::format("its mode {:04o} lets others use it; chmod 600 {}", status.st_mode & 07777, in_quotes(path));
  return "";
}

// Returns the credentials in the field if they are of that scheme. The case of its name does not matter.
std::optional<std::string_view> after_scheme(std::string_view field, std::string_view scheme) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == std::tolower(b); };
  if (field.size() < scheme.size() ||
      !std::equal(scheme.begin(), scheme.end(), field.begin(), [&](char a, char b) { return same(b, a); }))
    return std::nullopt;
  return field.substr(scheme.size());
}

}  // namespace

access_token::access_token(std::string_view option, const std::string& path) {
  const auto refuse = [&](const std::string& trouble) {
    throw input_error(fmt::format("{} {}: {}", option, in_quotes(path), trouble));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) refuse(std::strerror(errno));
  const std::string trouble = weakness(descriptor, path);
  char text[longest + 2];
  const ssize_t got = trouble.empty() ? ::read(descriptor, text, sizeof text) : 0;
  ::close(descriptor);
  if (!trouble.empty()) refuse(trouble);
  token_.assign(text, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (token_.ends_with('\n')) token_.pop_back();
  if (token_.size() < shortest || token_.size() > longest || !std::all_of(token_.begin(), token_.end(), fits))
    refuse(fmt::format("a token is one line of {} to {} letters, digits and -._~+/=; openssl rand -hex 32 prints one",
                       shortest, longest));
}

bool access_token::admits(std::string_view authorization) const {
  if (const auto token = after_scheme(authorization, "Bearer ")) return is(*token);
  const auto credentials = after_scheme(authorization, "Basic ");
  const auto name_and_password = credentials ? bytes_of_base64(*credentials) : std::nullopt;
  if (!name_and_password) return false;
  const std::size_t colon = name_and_password->find(':');  // a name has no colon
  return colon != std::string::npos && is(std::string_view(*name_and_password).substr(colon + 1));
}

bool access_token::is(std::string_view text) const {
  // volatile, so that no compiler ends the loop at the first difference.
  volatile unsigned char different = text.size() == token_.size() ? 0 : 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto bits = static_cast<unsigned char>(text[i] ^ token_[i % token_.size()]);
    different = static_cast<unsigned char>(different | bits);
  }
  return different == 0;
}

}  // namespace detent::tool
