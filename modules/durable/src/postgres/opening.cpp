// SPDX-License-Identifier: MIT
#include "opening.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>

namespace detent::durable::postgres {
namespace {

constexpr int oldest_version = 130000;
constexpr int own_functions = 2;  // the version of detent.functions()

struct free_options {
  void operator()(PQconninfoOption* done) const noexcept { PQconninfoFree(done); }
};

int number_in(std::string_view text) noexcept {
  int out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// Reads how many shards the existing store has.
trouble read_store(connection& on, shard_id& shards) {
  rows found;
  if (trouble failed = on.run_script("select format, shards from detent.store", found)) return failed;
  if (found.count() != 1) return {refusal::unexpected, "detent.store has no row: the schema is damaged"};
  const auto format = static_cast<std::uint32_t>(number_in(found.text(0, 0)));
  if (format != store_format) {
    return {refusal::foreign, "the schema detent has format " + std::to_string(format) + ", and this version knows " +
                                  std::to_string(store_format) +
                                  (format > store_format ? ": use a newer detent" : ": use the detent that made it")};
  }
  shards = static_cast<shard_id>(std::clamp(number_in(found.text(0, 1)), 1, int{most_shards}));
  return {};
}

// Reads the version of the functions that are there, or 0 if there are none.
trouble read_functions(connection& on, int& version) {
  rows found;
  version = 0;
  if (trouble failed = on.run_script("select to_regprocedure('detent.functions()') is not null", found)) return failed;
  if (found.text(0, 0) != "t") return {};
  if (trouble failed = on.run_script("select detent.functions()", found)) return failed;
  version = number_in(found.text(0, 0));
  return {};
}

// Finds the first right that the role lacks, and its cure. A session that only reads needs fewer.
constexpr const char* rights_sql = R"sql(
select current_user, l.what, format('grant %s to %I', l.cure, current_user)
from (
  select 1 as place, 'USAGE on the schema detent' as what, 'usage on schema detent' as cure
  where not has_schema_privilege('detent', 'usage')
  union all
  select 2, upper(r.word) || ' on the table detent.' || c.relname,
    case when m.writes then 'select, insert, update, delete' else 'select' end || ' on all tables in schema detent'
  from (select current_setting('transaction_read_only') = 'off' as writes) m
    cross join pg_class c cross join unnest(array['select', 'insert', 'update', 'delete']) as r (word)
  where c.relnamespace = 'detent'::regnamespace and c.relkind = 'r' and (m.writes or r.word = 'select')
    and not has_table_privilege(c.oid, r.word)
  union all
  select 3, 'EXECUTE on the function detent.' || p.proname, 'execute on all functions in schema detent'
  from pg_proc p
  where current_setting('transaction_read_only') = 'off' and p.pronamespace = 'detent'::regnamespace
    and p.proname in ('functions', 'apply', 'set_all', 'change_one', 'put_one') and not has_function_privilege(p.oid, 'execute')) l
order by l.place, l.what limit 1
)sql";

trouble check_rights(connection& on) {
  rows found;
  trouble failed = on.run_script(rights_sql, found);
  if (failed || found.count() == 0) return failed;
  return {refusal::not_permitted, "the role " + std::string(found.text(0, 0)) + " has no right to " +
                                      std::string(found.text(0, 1)) + ": " + std::string(found.text(0, 2))};
}

trouble make_schema(connection& on, shard_id shards) {
  rows found;
  if (trouble failed = on.run_script("select current_database(), current_user,"
                                     " has_database_privilege(current_database(), 'create')"
                                     " or to_regnamespace('detent') is not null,"
                                     " (select pg_has_role(c.relowner, 'usage') from pg_class c"
                                     " where c.oid = to_regclass('detent.store'))",
                                     found))
    return failed;
  if (!found.is_null(0, 3) && found.text(0, 3) != "t") {
    return {refusal::not_permitted, "the schema detent is older than this version, and the role " +
                                        std::string(found.text(0, 1)) +
                                        " does not own it: let its owner run the script that detent durable migrate "
                                        "--print prints"};
  }
  if (found.text(0, 2) != "t") {
    return {refusal::not_permitted,
            "the role " + std::string(found.text(0, 1)) + " may not CREATE the schema detent in the database " +
                std::string(found.text(0, 0)) + ": let its owner run the script that detent durable migrate prints"};
  }
  if (trouble failed = on.run_script("set detent.shards = " + std::to_string(shards))) return failed;
  return on.run_script(std::string(postgres_schema()));
}

}  // namespace

// A message of libpq may quote the text that it could not read, and with it a password. So only messages that cannot
// are shown.
void check_url(const std::string& url) {
  char* text = nullptr;
  const std::unique_ptr<PQconninfoOption, free_options> parsed(PQconninfoParse(url.c_str(), &text));
  const std::unique_ptr<char, decltype(&PQfreemem)> owned(text, &PQfreemem);
  if (parsed != nullptr) return;
  std::string_view why = text != nullptr ? text : "no memory";
  while (why.ends_with('\n')) why.remove_suffix(1);
  if (!why.starts_with("invalid URI query parameter") && !why.starts_with("invalid connection option"))
    why = "it is neither postgresql://USER@HOST:PORT/DATABASE nor words of the form KEY=VALUE";
  throw error(detent::errc::invalid_option, "postgres_store: url: " + std::string(why));
}

std::string place_of(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, free_options> parsed(PQconninfoParse(url.c_str(), nullptr));
  std::string host = "its default host", port, database;
  for (const PQconninfoOption* its = parsed.get(); its != nullptr && its->keyword != nullptr; ++its) {
    if (its->val == nullptr || *its->val == 0) continue;
    const std::string_view word = its->keyword;
    if (word == "host" || (word == "hostaddr" && host == "its default host")) host = its->val;
    if (word == "port") port = its->val;
    if (word == "dbname") database = its->val;
  }
  return "PostgreSQL at " + host + (port.empty() ? "" : ":" + port) +
         (database.empty() ? "" : ", database " + database);
}

std::string settings_of(bool read_only, std::int64_t own_number) {
  // Plans are made once, perhaps while a table is still small, so they must be those for large tables.
  std::string out =
      "set search_path = pg_catalog, pg_temp; set default_transaction_isolation = 'read committed';"
      " set lock_timeout = '200ms'; set plan_cache_mode = force_generic_plan; set jit = off; set enable_seqscan = off;"
      " set enable_hashjoin = off; set enable_mergejoin = off;";
  if (read_only) out += " set default_transaction_read_only = on;";
  if (own_number == 0) return out;
  char text[512];
  std::snprintf(text, sizeof text,
                " select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1"
                " and classid = %u and objid = %u and pid <> pg_backend_pid() and database ="
                " (select oid from pg_database where datname = current_database());"
                " select pg_advisory_lock(%lld);",
                static_cast<unsigned>(own_number >> 32), static_cast<unsigned>(own_number & 0xffffffff),
                static_cast<long long>(own_number));
  return out + text;
}

trouble check_version(int number) {
  if (number >= oldest_version) return {};
  return {refusal::unsupported,
          "is PostgreSQL " + std::to_string(number / 10000) + ": durable timers need 13 or newer"};
}

trouble open_store(connection& on, const postgres_options& how, shard_id& shards) {
  if (trouble failed = on.open()) return failed;
  if (trouble failed = check_version(on.server_version())) return failed;
  rows found;
  if (trouble failed =
          on.run_script("select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                        " where n.nspname = 'detent' and c.relname = 'store'), pg_is_in_recovery(),"
                        " current_setting('transaction_read_only')",
                        found))
    return failed;
  const bool is_there = found.text(0, 0) == "t";
  if (!how.read_only && found.text(0, 1) == "t")
    return {refusal::not_permitted, "is a standby, which takes no writes: give its primary"};
  if (!how.read_only && found.text(0, 2) == "on")
    return {refusal::not_permitted, "the database is read-only: alter it to default_transaction_read_only = off"};
  const bool may_make = how.make_schema && !how.read_only;
  if (!is_there && !may_make)
    return {refusal::busy, "the database has no schema detent: detent durable migrate makes it"};
  if (is_there) {
    if (trouble failed = check_rights(on)) return failed;
    if (trouble failed = read_store(on, shards)) return failed;
    if (how.read_only) return {};
  }
  int functions = 0;
  if (trouble failed = read_functions(on, functions)) return failed;
  if (functions >= own_functions) return {};
  if (!may_make)
    return {refusal::busy, "the schema detent is older than this version: detent durable migrate makes it newer"};
  if (trouble failed = make_schema(on, how.shards)) return failed;
  return read_store(on, shards);
}

}  // namespace detent::durable::postgres
