// SPDX-License-Identifier: MIT
// A program that uses the database beside the nodes: one connection.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace detent::test {

class postgres_client {
 public:
  explicit postgres_client(const std::string& url) : its_(PQconnectdb(url.c_str()), &PQfinish) {
    if (PQstatus(its_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(its_.get()));
    PQsetNoticeProcessor(
        its_.get(), [](void*, const char*) {}, nullptr);
  }

  PGconn* get() const noexcept { return its_.get(); }

  // The first value of the last row, as text. Throws runtime_error.
  std::string ask(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> its(PQexec(its_.get(), sql.c_str()), &PQclear);
    const ExecStatusType status = PQresultStatus(its.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      throw std::runtime_error(sql + ": " + PQresultErrorMessage(its.get()));
    const int rows = PQntuples(its.get());
    return rows == 0 || PQnfields(its.get()) == 0 ? "" : PQgetvalue(its.get(), rows - 1, 0);
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> its_;
};

}  // namespace detent::test
