// SPDX-License-Identifier: MIT
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace chaos {

// A statement has failed. `is_lost`: so has the connection, and whether a commit was carried out is not known.
struct failure : std::runtime_error {
  failure(const std::string& what, bool lost) : std::runtime_error(what), is_lost(lost) {}
  bool is_lost;
};

// The statement is wrong: no fault of the surroundings.
struct mistake : std::logic_error {
  using std::logic_error::logic_error;
};

// A program's own connection, with which it may do what any program may. One thread.
class session {
 public:
  explicit session(std::string url) : url_(std::move(url)) {}

  // Connects if it has to; false: not now.
  bool open() {
    if (its_ != nullptr && PQstatus(its_.get()) == CONNECTION_OK) return true;
    its_.reset(PQconnectdb((url_ + "&connect_timeout=5").c_str()));
    PQsetNoticeProcessor(
        its_.get(), [](void*, const char*) {}, nullptr);
    return PQstatus(its_.get()) == CONNECTION_OK;
  }
  void insist() {
    while (!open()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  PGconn* get() const noexcept { return its_.get(); }

  // The first column of the first row, or an empty text. Throws failure.
  std::string ask(const std::string& sql, std::initializer_list<std::string> with = {}) {
    std::vector<const char*> values;
    for (const std::string& one : with) values.push_back(one.c_str());
    const std::unique_ptr<PGresult, void (*)(PGresult*)> answer(
        PQexecParams(its_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr, nullptr,
                     0),
        PQclear);
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) refuse(answer.get());
    const bool has_value = PQntuples(answer.get()) != 0 && PQnfields(answer.get()) != 0;
    return has_value ? PQgetvalue(answer.get(), 0, 0) : std::string();
  }

  void roll_back() noexcept {
    if (PQtransactionStatus(its_.get()) == PQTRANS_IDLE) return;
    PQclear(PQexec(its_.get(), "rollback"));
  }

 private:
  [[noreturn]] void refuse(const PGresult* answer) const {
    const char* const state = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    const std::string_view code = state != nullptr ? state : "";
    if (code.starts_with("DT") || (code.starts_with("42") && code != "42501"))
      throw mistake(PQerrorMessage(its_.get()));
    throw failure(PQerrorMessage(its_.get()), PQstatus(its_.get()) != CONNECTION_OK);
  }

  struct finish {
    void operator()(PGconn* done) const noexcept { PQfinish(done); }
  };
  std::string url_;
  std::unique_ptr<PGconn, finish> its_;
};

}  // namespace chaos
