// SPDX-License-Identifier: MIT
// libpq sends with MSG_NOSIGNAL, so a server that has hung up costs the process no SIGPIPE.
#include "connection.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace detent::durable::postgres {
namespace {

constexpr std::chrono::microseconds first_pause{20'000};

int milliseconds_until(std::chrono::steady_clock::time_point until) noexcept {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

bool is_error(const rows& its) noexcept {
  const ExecStatusType status = PQresultStatus(its.get());
  return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

}  // namespace

connection::connection(std::string url, std::string settings, std::chrono::microseconds patience)
    : url_(std::move(url)), settings_(std::move(settings)), patience_(patience) {}

trouble connection::open() {
  if (is_open()) return {};
  if (clock::now() < not_before_) return {why_kind_, why_};
  const clock::time_point until = clock::now() + patience_;
  trouble failed = connect(until);
  if (!failed) failed = begin_session(until);
  if (failed) {
    close();
    why_ = failed.text;
    why_kind_ = failed.kind;
    pause_ = std::clamp(2 * pause_, first_pause, std::max(first_pause, patience_ / 2));
    not_before_ = clock::now() + pause_;
  } else {
    pause_ = {};
  }
  return failed;
}

trouble connection::connect(clock::time_point until) {
  // The last value of a name counts, so the caller's URL overrides these defaults.
  const char* const names[] = {"client_encoding", "application_name", "dbname", nullptr};
  const char* const values[] = {"UTF8", "detent", url_.c_str(), nullptr};
  its_.reset(PQconnectStartParams(names, values, 1));
  if (its_ == nullptr) return {refusal::lost, "no memory"};
  PQsetNoticeProcessor(
      its_.get(), [](void*, const char*) {}, nullptr);
  PQsetErrorVerbosity(its_.get(), PQERRORS_VERBOSE);
  if (PQstatus(its_.get()) == CONNECTION_BAD) return trouble_of(its_.get());
  for (PostgresPollingStatusType state = PGRES_POLLING_WRITING; state != PGRES_POLLING_OK;) {
    if (state == PGRES_POLLING_FAILED) return trouble_of(its_.get());
    if (!wait(state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until))
      return {refusal::lost, where() + " does not answer"};
    state = PQconnectPoll(its_.get());
  }
  PQsetErrorVerbosity(its_.get(), PQERRORS_DEFAULT);
  return {};
}

trouble connection::begin_session(clock::time_point until) {
  if (PQsetnonblocking(its_.get(), 1) != 0) return trouble_of(its_.get());
  if (PQsendQuery(its_.get(), settings_.c_str()) == 0) return trouble_of(its_.get());
  if (trouble failed = flush(until)) return failed;
  trouble first;
  for (trouble failed;;) {
    const std::optional<rows> its = next(until, failed);
    if (!its) return failed;
    if (its->get() == nullptr) break;
    if (is_error(*its) && !first) first = trouble_of(its->get());
  }
  if (first) return first;
  prepared_.reset();
  if (PQenterPipelineMode(its_.get()) == 0) return trouble_of(its_.get());
  return {};
}

bool connection::wait(short events, clock::time_point until) const {
  pollfd one{PQsocket(its_.get()), events, 0};
  for (;;) {
    const int ready = ::poll(&one, 1, milliseconds_until(until));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

trouble connection::lose(std::string why) {
  close();
  return {refusal::lost, std::move(why)};
}

trouble connection::flush(clock::time_point until) {
  for (;;) {
    const int left = PQflush(its_.get());
    if (left == 0) return {};
    if (left < 0) return lose(std::string(PQerrorMessage(its_.get())));
    // The server may take no more before its answers have been read.
    if (!wait(POLLIN | POLLOUT, until)) return lose("no answer");
    if (PQconsumeInput(its_.get()) == 0) return lose(std::string(PQerrorMessage(its_.get())));
  }
}

std::optional<rows> connection::next(clock::time_point until, trouble& failed) {
  while (PQisBusy(its_.get()) != 0) {
    if (!wait(POLLIN, until)) {
      failed = lose("no answer");
      return std::nullopt;
    }
    if (PQconsumeInput(its_.get()) == 0) {
      failed = lose(std::string(PQerrorMessage(its_.get())));
      return std::nullopt;
    }
  }
  rows its(PQgetResult(its_.get()));
  if (its.get() == nullptr && PQstatus(its_.get()) == CONNECTION_BAD) {
    failed = lose("the connection is lost");
    return std::nullopt;
  }
  return its;
}

trouble connection::send(std::span<const query> what) {
  static const parameters nothing;
  expected_.clear();
  std::bitset<statements> prepared = prepared_;
  bool ok = true;
  for (const query& one : what) {
    const statement_text& text = text_of(one.what);
    const parameters& with = one.with != nullptr ? *one.with : nothing;
    const auto number = static_cast<std::size_t>(one.what);
    if (!prepared[number]) {
      ok = ok &&
           PQsendPrepare(its_.get(), text.name, text.sql, static_cast<int>(text.types.size()), text.types.data()) != 0;
      prepared.set(number);
      expected_.emplace_back(one.what);
    }
    ok = ok && PQsendQueryPrepared(its_.get(), text.name, with.count(), with.values(), with.lengths(), with.formats(),
                                   1) != 0;
    expected_.emplace_back();
  }
  ok = ok && PQpipelineSync(its_.get()) != 0;
  return ok ? trouble{} : lose(std::string(PQerrorMessage(its_.get())));
}

// If the connection is lost, everything that was sent may have been carried out, even if an error came first.
trouble connection::receive(clock::time_point until, std::vector<rows>& out) {
  trouble first, failed;
  const auto lost = [&] { return trouble{refusal::lost, first ? first.text : failed.text}; };
  out.clear();
  for (const std::optional<statement>& preparation : expected_) {
    for (;;) {
      std::optional<rows> its = next(until, failed);
      if (!its) return lost();
      if (its->get() == nullptr) break;
      if (is_error(*its) && !first) first = trouble_of(its->get());
      if (!preparation)
        out.push_back(std::move(*its));
      else if (PQresultStatus(its->get()) == PGRES_COMMAND_OK)
        prepared_.set(static_cast<std::size_t>(*preparation));
    }
  }
  for (;;) {  // to the end of the pipeline; if the commit fails, its error comes before that
    const std::optional<rows> its = next(until, failed);
    if (!its) return lost();
    if (its->get() == nullptr) continue;
    if (PQresultStatus(its->get()) == PGRES_PIPELINE_SYNC) return first;
    if (is_error(*its) && !first) first = trouble_of(its->get());
  }
}

trouble connection::run(std::span<const query> what, std::vector<rows>& out) {
  if (trouble failed = open()) return failed.kind == refusal::lost ? trouble{refusal::busy, failed.text} : failed;
  const clock::time_point until = clock::now() + patience_;
  trouble failed = send(what);
  if (!failed) failed = flush(until);
  if (!failed) failed = receive(until, out);
  if (!failed || !is_open() || PQtransactionStatus(its_.get()) == PQTRANS_IDLE) return failed;
  // A transaction that one of the statements has begun must be ended.
  const query back{statement::rollback};
  std::vector<rows> nothing;
  if (send({&back, 1}) || flush(until) || receive(until, nothing)) close();
  return failed;
}

trouble connection::run(const query& what, rows& out) {
  std::vector<rows> all;
  trouble failed = run({&what, 1}, all);
  if (!failed) out = std::move(all.front());
  return failed;
}

trouble connection::run_script(const std::string& text, rows* out) {
  if (trouble failed = open()) return failed;
  if (PQexitPipelineMode(its_.get()) == 0) return lose(std::string(PQerrorMessage(its_.get())));
  const clock::time_point until =
      clock::now() + std::max<std::chrono::microseconds>(patience_, std::chrono::minutes(1));
  if (PQsendQuery(its_.get(), text.c_str()) == 0) return lose(std::string(PQerrorMessage(its_.get())));
  trouble first;
  if (trouble failed = flush(until)) return failed;
  for (trouble failed;;) {
    std::optional<rows> its = next(until, failed);
    if (!its) return failed;
    if (its->get() == nullptr) break;
    if (is_error(*its) && !first) first = trouble_of(its->get());
    if (out != nullptr) *out = std::move(*its);
  }
  if (PQenterPipelineMode(its_.get()) == 0) return lose(std::string(PQerrorMessage(its_.get())));
  return first;
}

bool connection::take_notices(const std::function<void(std::string_view)>& each) {
  if (PQconsumeInput(its_.get()) == 0) return false;
  while (PGnotify* const its = PQnotifies(its_.get())) {
    each(its->extra);
    PQfreemem(its);
  }
  return true;
}

std::string connection::where() const {
  const auto of = [](const char* its) { return std::string(its != nullptr ? its : ""); };
  const std::string host = of(PQhost(its_.get()));
  const std::string port = of(PQport(its_.get()));
  return "PostgreSQL at " + host + (port.empty() ? "" : ":" + port) + ", database " + of(PQdb(its_.get()));
}

}  // namespace detent::durable::postgres
