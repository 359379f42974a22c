// SPDX-License-Identifier: MIT
// Tests what only the store in PostgreSQL has: its options, roles, text, and transactions of users beside it.
#include "client.hpp"
#include "opening.hpp"
#include "postgres_server.hpp"

#include <detent/durable_postgres.hpp>
#include <detent/durable_tokens.hpp>

#include "../conformance.hpp"

#include <atomic>
#include <memory>
#include <string>

namespace durable_test {
namespace {

using detent::test::postgres_client;
using detent::test::postgres_server;

class DurablePostgresStore : public testing::Test {
 protected:
  void SetUp() override {
    DETENT_NEED_POSTGRES();
    server = &detent::test::shared_postgres();
    database = server->make_database();
    url = server->url(database);
  }
  std::shared_ptr<store> open() const { return postgres_store(url, {.shards = 1}); }
  std::string ask(const std::string& sql) const { return server->ask(sql, database); }

  postgres_server* server = nullptr;
  std::string database, url;
};

struct refusal_of {
  std::error_code code;
  std::string text;
};
refusal_of refused(const std::string& url, const postgres_options& how = {}) {
  try {
    postgres_store(url, how);
  } catch (const detent::error& why) {
    const std::string text = why.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_TRUE(text.starts_with("postgres_store: ")) << text;
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    return {why.code(), text};
  }
  return {};
}
bool has(const refusal_of& its, const std::string& words) { return its.text.find(words) != std::string::npos; }

record named(const std::string& key, std::uint64_t id, stored_time due) { return timer(stored_key(key), id, due); }

TEST_F(DurablePostgresStore, EachBadOptionIsRefusedByItsName) {
  for (const auto& [bad, word] : {std::pair(postgres_options{.shards = 0}, "shards = 0"),
                                  {postgres_options{.shards = 1025}, "shards = 1025"},
                                  {postgres_options{.patience = milliseconds(0)}, "patience = 0"},
                                  {postgres_options{.patience = std::chrono::hours(1)}, "patience"}}) {
    const refusal_of its = refused(url, bad);
    EXPECT_EQ(its.code, detent::errc::invalid_option);
    EXPECT_TRUE(has(its, word)) << its.text;
  }
  for (const char* const bad : {"postgresql://u:secret@h/d?sharks=3", "nonsense", "host=h password=secret secret",
                                "postgresql://u:secret@[::1/d", "host=h hots=secret1"})
    EXPECT_EQ(refused(bad).code, detent::errc::invalid_option) << bad;
  EXPECT_TRUE(has(refused("postgresql://h/d?sharks=3"), "\"sharks\"")) << "an unknown word by its name";
}

TEST_F(DurablePostgresStore, EachUnfitServerIsRefusedByItsReason) {
  EXPECT_EQ(refused("postgresql://u:secret@/d?host=/nonexistent").code, errc::unavailable);
  const refusal_of none = refused(server->url("no_such_database"));
  EXPECT_EQ(none.code, errc::unavailable);
  EXPECT_TRUE(has(none, "\"no_such_database\" does not exist")) << none.text;
  EXPECT_TRUE(has(refused(url, {.make_schema = false}), "no schema detent"));
  EXPECT_TRUE(has(refused(url, {.read_only = true}), "no schema detent"));
  ask("alter database " + database + " set default_transaction_read_only = on");
  const refusal_of read_only = refused(url);
  EXPECT_EQ(read_only.code, errc::not_permitted);
  EXPECT_TRUE(has(read_only, "read-only")) << read_only.text;
  EXPECT_EQ(ask("select to_regnamespace('detent') is null"), "t") << "and nothing was done";
}

// Uses the number, as libpq gives it, because no such server is here.
TEST(DurablePostgresVersion, BeforeThirteenIsRefusedByIt) {
  using detent::durable::postgres::check_version;
  EXPECT_FALSE(check_version(130000));
  EXPECT_FALSE(check_version(150020));
  const auto old = check_version(120022);
  EXPECT_EQ(code_of(old.kind), errc::unsupported);
  EXPECT_EQ(old.text, "is PostgreSQL 12: durable timers need 13 or newer");
  EXPECT_EQ(check_version(90624).text, "is PostgreSQL 9: durable timers need 13 or newer");
}

TEST_F(DurablePostgresStore, ANewerFormatIsRefusedAndLeftAlone) {
  open();
  ask("update detent.store set format = 3");
  const refusal_of newer = refused(url);
  EXPECT_EQ(newer.code, errc::foreign_format);
  EXPECT_TRUE(has(newer, "format 3, and this version knows 2: use a newer detent")) << newer.text;
}

TEST_F(DurablePostgresStore, ARoleIsToldWhichRightItLacks) {
  const std::string role = "node_of_" + database;
  const std::string as_role = "postgresql://" + role + ":secret@/" + database + url.substr(url.find('?'));
  ask("create role " + role + " login");
  const refusal_of may_not_make = refused(as_role);
  EXPECT_EQ(may_not_make.code, errc::not_permitted);
  EXPECT_TRUE(has(may_not_make, "the role " + role + " may not CREATE the schema detent")) << may_not_make.text;
  open();
  EXPECT_TRUE(has(refused(as_role), "no right to USAGE on the schema detent: grant usage on schema detent to " + role));
  ask("grant usage on schema detent to " + role + "; grant select on all tables in schema detent to " + role);
  EXPECT_EQ(refused(as_role, {.read_only = true}).code, std::error_code()) << refused(as_role).text;
  ask("grant execute on all functions in schema detent to " + role +
      "; grant insert, update, delete on all tables in schema detent to " + role +
      "; revoke delete on detent.timers from " + role);
  const refusal_of may_not_delete = refused(as_role);
  EXPECT_EQ(may_not_delete.code, errc::not_permitted);
  EXPECT_TRUE(has(may_not_delete, "DELETE on the table detent.timers: grant ")) << may_not_delete.text;
  ask("grant delete on detent.timers to " + role);
  EXPECT_EQ(refused(as_role).code, std::error_code()) << refused(as_role).text;
  const auto as = postgres_store(as_role);
  EXPECT_EQ(as->name().find("secret"), std::string_view::npos);
  EXPECT_EQ(asker{*as}.put(named("k", 1, at(1))), change_status::stored);
}

// In version 1 of the functions, every timer had an xid, and none was found by its key alone.
TEST_F(DurablePostgresStore, ASchemaOfAnEarlierVersionIsBroughtUpToDate) {
  asker{*open()}.put(named("old", 1, at(1)));
  ask("delete from detent.timers where xid is null; alter table detent.timers alter column xid set not null;"
      " drop index detent.timers_xid; create index timers_xid on detent.timers (shard, xid);"
      " drop index detent.timers_of_partitions; drop index detent.dead_of_partitions;"
      " create or replace function detent.functions() returns int language sql immutable as 'select 1';"
      " insert into detent.timers (shard, partition, key, id, due, handler) values (0, 'p', 'k', 7, now(), 'bill')");
  EXPECT_TRUE(
      has(refused(url, {.make_schema = false}), "older than this version: detent durable migrate makes it newer"));
  const std::string role = "node_of_" + database;
  ask("create role " + role + " login; grant usage on schema detent to " + role +
      "; grant all on all tables in schema detent to " + role +
      "; grant execute on all functions in schema detent to " + role);
  const refusal_of of_no_owner = refused("postgresql://" + role + "@/" + database + url.substr(url.find('?')));
  EXPECT_EQ(of_no_owner.code, errc::not_permitted);
  EXPECT_TRUE(has(of_no_owner, "the role " + role + " does not own it: let its owner run the script"))
      << of_no_owner.text;
  for (int i = 0; i < 2; ++i) {  // the second time there is nothing to do
    const auto its = open();
    asker{*its}.put(named("new", 2, at(1'000'000'000)));
    EXPECT_EQ(ask("select count(*) from detent.timers where key = 'new' and xid is null"), "1");
    EXPECT_EQ(ask("select count(*) from pg_indexes where indexname in ('timers_of_partitions', 'dead_of_partitions')"
                  " or (indexname = 'timers_xid' and indexdef like '%xid IS NOT NULL%')"),
              "3");
    EXPECT_EQ(ask("select detent.functions()"), "2");
    std::vector<listed_record> found;
    EXPECT_EQ(its->find_by_key({{0, stored_key("k")}}, found), errc{});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].what.id, 7u);
    EXPECT_EQ(refused(url, {.make_schema = false}).code, std::error_code());
    ask(std::string(postgres_schema()));
  }
}

TEST_F(DurablePostgresStore, NamesThatAreNoTextAreRefusedAndNothingIsDone) {
  const auto timers = open();
  record strange = named("k", 1, at(1));
  for (const std::string& bad : {std::string("\xff"), std::string("a\0b", 3), std::string("\xc0\x80"),
                                 std::string("\xed\xa0\x80"), std::string("caf\xc3")}) {
    for (const bool in_handler : {false, true}) {
      strange.key = stored_key(in_handler ? "k" : bad);
      strange.handler = in_handler ? bad : "h";
      const std::vector<change> batch = {put_request{named("other", 2, at(1))}, put_request{strange}};
      std::vector<change_status> results(2);
      EXPECT_EQ(timers->apply(batch, results), errc::unsupported);
    }
  }
  EXPECT_TRUE(asker{*timers}.list({.shard = 0}).empty());
  EXPECT_EQ(asker{*timers}.put(named("caf\xc3\xa9 \xf0\x9f\x95\x90", 3, at(1))), change_status::stored);
}

TEST_F(DurablePostgresStore, ReasonsOfDeathMayBeAnyBytes) {
  const auto timers = open();
  asker on{*timers};
  on.put(named("k", 1, at(1)));
  const term_ref term{0, on.take(0).fence};
  end_request kill = end_of(term, on.read(term, at(10)).due.at(0), end_kind::kill);
  kill.why = "odd \xff\xc3";
  EXPECT_EQ(on.end(kill), change_status::ended);
  EXPECT_EQ(on.list({.shard = 0, .dead = true}).at(0).why, "odd ??");
}

TEST_F(DurablePostgresStore, AReaderChangesNothing) {
  const auto timers = open();
  asker{*timers}.put(named("k", 1, at(1)));
  const auto reader = postgres_store(url, {.read_only = true});
  EXPECT_EQ(asker{*reader}.list({.shard = 0}).size(), 1u);
  const change put = put_request{named("l", 2, at(1))};
  change_status result{};
  EXPECT_EQ(reader->apply({&put, 1}, {&result, 1}), errc::not_permitted);
  EXPECT_EQ(asker{*timers}.list({.shard = 0}).size(), 1u);
}

TEST_F(DurablePostgresStore, ATimerThatATransactionHoldsIsBusyAndOthersGoOn) {
  const auto timers = open();
  asker on{*timers};
  for (const char* const key : {"a", "b", "c"}) on.put(named(key, 1, at(1)));
  const term_ref term{0, on.take(0).fence};
  const std::vector<record> due = on.read(term, at(10)).due;
  ASSERT_EQ(due.size(), 3u);
  postgres_client user(url);
  user.ask("begin");
  EXPECT_EQ(user.ask("select detent.cancel('b')"), "t");
  std::vector<change> batch;
  for (const record& its : due) batch.push_back(end_of(term, its));
  batch.push_back(put_request{named("b", 2, at(20))});
  batch.push_back(put_request{named("a", 3, at(20))});
  using enum change_status;
  EXPECT_EQ(on.apply(batch), (std::vector{ended, busy, ended, busy, stored}));
  EXPECT_EQ(on.apply({batch[1], batch[3], put_request{named("d", 4, at(20))}}), (std::vector{busy, busy, stored}));
  EXPECT_TRUE(on.read(term, at(11)).stands);
  user.ask("rollback");
  EXPECT_EQ(on.apply({batch[1], batch[3]}), (std::vector{ended, stored}));
}

TEST_F(DurablePostgresStore, ARunEndsInItsHandlersTransaction) {
  const auto timers = open();
  asker on{*timers};
  on.put(named("k", 1, at(1)));
  record weekly = timer(stored_key("w\xc3\xa9", "p"), 2, at(2));
  on.put(weekly);
  const term_ref term{0, on.take(0).fence};
  const std::vector<record> due = on.read(term, at(10)).due;
  ASSERT_EQ(due.size(), 2u);
  run_tokens& tokens = *timers->tokens();
  const std::string once = tokens.token(due[0], {}), again = tokens.token(due[1], at(50));
  postgres_client handler(url);
  bool finished = false;
  std::string why;
  handler.ask("begin");
  EXPECT_EQ(tokens.finish_in(handler.get(), once, finished, why), errc{}) << why;
  EXPECT_TRUE(finished);
  handler.ask("rollback");
  EXPECT_EQ(on.list({.shard = 0}).size(), 2u);
  handler.ask("begin");
  EXPECT_EQ(tokens.finish_in(handler.get(), once, finished, why), errc{});
  EXPECT_EQ(tokens.finish_in(handler.get(), again, finished, why), errc{});
  EXPECT_TRUE(finished);
  handler.ask("commit");
  const auto left = on.list({.shard = 0});
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].what.due, at(50));
  EXPECT_TRUE(left[0].what.by_rule);
  for (const std::string& gone : {once, again}) {
    EXPECT_EQ(tokens.finish_in(handler.get(), gone, finished, why), errc{});
    EXPECT_FALSE(finished);
  }
  EXPECT_EQ(on.end(end_of(term, due[0])), change_status::gone);
  EXPECT_EQ(tokens.finish_in(handler.get(), "1.x.y", finished, why), errc::corrupt);
  EXPECT_NE(why.find("token"), std::string::npos) << why;
  EXPECT_EQ(tokens.finish_in(handler.get(), std::string("a\0b", 3), finished, why), errc::corrupt);
  EXPECT_THROW(handler.ask("begin; select 1 / 0"), std::runtime_error);
  EXPECT_EQ(tokens.finish_in(handler.get(), once, finished, why), errc::unavailable);
}

// The user's transaction does not see that the timer ends, and the end does not see the successor.
TEST_F(DurablePostgresStore, ASuccessorWhoseTimerGoesInTheMeantimeTakesItsPlace) {
  const auto timers = open();
  asker on{*timers};
  on.put(named("k", 1, at(1)));
  const term_ref term{0, on.take(0).fence};
  const record ran = on.read(term, at(10)).due.at(0);
  postgres_client user(url);
  user.ask("begin; select detent.schedule_at('next', timestamptz '2001-09-09 01:46:45+00', key => 'k')");
  EXPECT_EQ(on.end(end_of(term, ran)), change_status::ended);
  EXPECT_TRUE(on.list({.shard = 0}).empty());
  user.ask("commit");
  std::vector<record> now;
  for (int i = 0; i < 3 && now.empty(); ++i) now = on.read(term, at(10)).announced_now;
  ASSERT_EQ(now.size(), 1u);
  EXPECT_EQ(now[0].handler, "next");
}

TEST_F(DurablePostgresStore, AListenerIsWokenForWhatCommitsLate) {
  const auto timers = open();
  asker on{*timers};
  const term_ref term{0, on.take(0).fence};
  std::atomic<int> woken{0};
  on.read(term, at(10));
  timers->listen([&](shard_id) { ++woken; });
  postgres_client user(url);
  user.ask(
      "begin isolation level repeatable read; select detent.schedule_at('h', timestamptz '2001-09-09 01:46:55+00')");
  on.read(term, at(20));
  on.read(term, at(20));
  // Nothing is committed: once it has looked, it has no reason to wake a node.
  for (int before = -1; before != woken; std::this_thread::sleep_for(milliseconds(300))) before = woken;
  const int before = woken;
  user.ask("commit");
  for (int i = 0; i < 60'000 && woken == before; ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_NE(woken, before);
  EXPECT_EQ(on.read(term, at(20)).announced_now.size(), 1u);
  timers->listen(nullptr);
}

}  // namespace
}  // namespace durable_test
