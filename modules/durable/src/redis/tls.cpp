// SPDX-License-Identifier: MIT
#include "tls.hpp"

#include <detent/durable_error.hpp>

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>

namespace detent::durable::redis {

namespace {

std::string last_reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* const text = code == 0 ? nullptr : ERR_reason_error_string(code);
  return text == nullptr ? std::string() : text;
}

// OpenSSL asks the terminal for the passphrase of a key unless it is told that there is none.
int no_passphrase(char*, int, int, void*) { return 0; }

bool is_number(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> any{};
  return ::inet_pton(AF_INET, host.c_str(), any.data()) == 1 || ::inet_pton(AF_INET6, host.c_str(), any.data()) == 1;
}

// Does what SSL_set_tlsext_host_name() does, which is a macro with a C-style cast.
bool ask_for(SSL& session, std::string name) {
  return SSL_ctrl(&session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1;
}

class openssl final : public tls {
 public:
  explicit openssl(const redis_tls& how);
  trouble secure(redisContext& connection, const std::string& host) const override;
  std::string reason() const override { return last_reason(); }

 private:
  const std::string server_name_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
};

[[noreturn]] void refuse(const char* option, const std::string& file) {
  const std::string why = last_reason();
  throw error(detent::errc::invalid_option, "redis_store: tls." + std::string(option) + " '" + file +
                                                "': " + (why.empty() ? "it cannot be read" : why) +
                                                ": give a readable file in PEM");
}

openssl::openssl(const redis_tls& how)
    : server_name_(how.server_name), context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free) {
  SSL_CTX* const to = context_.get();
  if (to == nullptr || SSL_CTX_set_min_proto_version(to, TLS1_2_VERSION) != 1)
    throw error(errc::unsupported, "redis_store: tls: OpenSSL has no TLS 1.2: " + last_reason());
  SSL_CTX_set_verify(to, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_default_passwd_cb(to, &no_passphrase);
  ERR_clear_error();
  if (how.ca_file.empty())
    SSL_CTX_set_default_verify_paths(to);
  else if (SSL_CTX_load_verify_locations(to, how.ca_file.c_str(), nullptr) != 1)
    refuse("ca_file", how.ca_file);
  if (how.certificate_file.empty()) return;
  if (SSL_CTX_use_certificate_chain_file(to, how.certificate_file.c_str()) != 1)
    refuse("certificate_file", how.certificate_file);
  // The key must belong to that certificate.
  if (SSL_CTX_use_PrivateKey_file(to, how.key_file.c_str(), SSL_FILETYPE_PEM) != 1) refuse("key_file", how.key_file);
}

trouble openssl::secure(redisContext& connection, const std::string& host) const {
  std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(context_.get()), &SSL_free);
  if (session == nullptr) return {refusal::lost, "no memory for TLS"};
  const std::string& name = server_name_.empty() ? host : server_name_;
  // Without this, hiredis would take any certificate that the authority has signed, even that of another host.
  const bool is_named = is_number(name)
                            ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session.get()), name.c_str()) == 1
                            : SSL_set1_host(session.get(), name.c_str()) == 1 && ask_for(*session, name);
  if (!is_named) return {refusal::lost, "'" + name + "' is no name for a certificate"};
  if (redisInitiateSSL(&connection, session.get()) == REDIS_OK) {
    static_cast<void>(session.release());  // the connection frees it
    return {};
  }
  const bool is_late = errno == EAGAIN;
  const long verified = SSL_get_verify_result(session.get());
  if (verified != X509_V_OK)
    return {refusal::not_permitted, "its certificate is not accepted for '" + name +
                                        "': " + X509_verify_cert_error_string(verified) +
                                        ": see tls.ca_file and tls.server_name"};
  const std::string why = last_reason();
  return {refusal::lost, "no TLS: " + (!why.empty() ? why : is_late ? "no answer in time" : connection.errstr)};
}

}  // namespace

std::shared_ptr<const tls> tls::of(const redis_tls& how) { return std::make_shared<const openssl>(how); }

}  // namespace detent::durable::redis
