// SPDX-License-Identifier: MIT
// A connection to the database where orders are.
#pragma once

#include <libpq-fe.h>

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace orders {

// One thread.
class database {
 public:
  // The connection is gone: a commit may have been carried out.
  struct lost : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  explicit database(std::string url) : url_(std::move(url)) {}

  // Connects if it has to; false: there is no server now. What an error left begun is rolled back.
  bool open() {
    if (its_ == nullptr || PQstatus(its_.get()) != CONNECTION_OK) its_.reset(PQconnectdb(url_.c_str()));
    if (PQstatus(its_.get()) != CONNECTION_OK) return false;
    if (PQtransactionStatus(its_.get()) != PQTRANS_IDLE) PQclear(PQexec(its_.get(), "rollback"));
    return PQstatus(its_.get()) == CONNECTION_OK;
  }
  PGconn* get() const noexcept { return its_.get(); }

  // The first column of the first row, or nothing. Throws lost, and runtime_error with the database's message.
  std::string ask(const char* sql, std::initializer_list<std::string> with = {}) {
    std::vector<const char*> values;
    for (const std::string& one : with) values.push_back(one.c_str());
    const std::unique_ptr<PGresult, decltype(&PQclear)> answer(
        PQexecParams(its_.get(), sql, static_cast<int>(values.size()), nullptr, values.data(), nullptr, nullptr, 0),
        &PQclear);
    if (PQstatus(its_.get()) != CONNECTION_OK) throw lost(PQerrorMessage(its_.get()));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) throw std::runtime_error(PQerrorMessage(its_.get()));
    return PQntuples(answer.get()) != 0 ? PQgetvalue(answer.get(), 0, 0) : std::string();
  }

 private:
  struct finish {
    void operator()(PGconn* done) const noexcept { PQfinish(done); }
  };
  std::string url_;
  std::unique_ptr<PGconn, finish> its_;
};

}  // namespace orders
