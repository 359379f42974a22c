// SPDX-License-Identifier: MIT
// The statements of look-ups. Those of lists have the same parameters: the shard; a place, which is a time and the tie
// of a timer or the name of a dead one; the time before which it lies; the handler, the partition and the beginning of
// keys that are wanted; how many rows are looked at, and one; how many are wanted; whether those alone that have a
// schedule.
#pragma once

namespace detent::durable::postgres {

// The last row of a piece that was cut says that more follow. That row is there even if it is not wanted, because the
// next piece begins after it.
#define DETENT_PIECE(table, place, after, time, filter)                                                               \
  "with looked as materialized ("                                                                                     \
  " select *, ($7 = '' or handler = $7) and ($8 is null or partition = $8) and starts_with(key, $9)"                  \
  " and (not $12 or schedule <> '') as wanted"                                                                        \
  " from detent." table " where shard = $1 and (" place ") > (" after ") and " time " < $6" filter " order by " place \
  " limit $10),"                                                                                                      \
  " counted as ("                                                                                                     \
  " select *, row_number() over so_far as n, count(*) filter (where wanted) over so_far as found,"                    \
  " sum(octet_length(payload)) filter (where wanted) over so_far as size, lead(true, 1, false) over so_far as more"   \
  " from looked window so_far as (order by " place                                                                    \
  " rows between unbounded preceding and current row)),"                                                              \
  " kept as materialized ("                                                                                           \
  " select *, lead(false, 1, true) over (order by " place                                                             \
  ") as last from counted"                                                                                            \
  " where n < $10 and found <= $11 and (found <= 1 or size <= 1048576))"
#define DETENT_LIST(more)                                                                                             \
  " select partition, key, id, due, attempt, by_rule, handler, schedule, case when wanted then payload end, wanted, " \
  "more, " more " from kept where wanted or last order by "
#define DETENT_LIST_TIMERS(filter) \
  DETENT_PIECE("timers", "due, tie", "$2, $3", "due", filter) DETENT_LIST("tie") "due, tie"

inline constexpr const char* list_sql = DETENT_LIST_TIMERS("");
inline constexpr const char* list_recurring_sql = DETENT_LIST_TIMERS(" and schedule <> ''");

#define DETENT_PIECE_OF_DEAD DETENT_PIECE("dead", "died, partition, key", "$2, $4, $5", "died", "")
inline constexpr const char* list_dead_sql = DETENT_PIECE_OF_DEAD DETENT_LIST("why, died") "died, partition, key";

// A dead timer that a transaction is reviving or erasing is left to that transaction.
inline constexpr const char* purge_sql = DETENT_PIECE_OF_DEAD
    ", gone as ("
    " delete from detent.dead where (shard, partition, key) in ("
    " select d.shard, d.partition, d.key from kept k join detent.dead d"
    " on d.shard = k.shard and d.partition = k.partition and d.key = k.key and d.died = k.died"
    " where k.wanted for update of d skip locked) returning 1)"
    " select (select count(*) from gone), partition, key, died, more from kept where last";
#undef DETENT_PIECE_OF_DEAD
#undef DETENT_LIST_TIMERS
#undef DETENT_LIST
#undef DETENT_PIECE

inline constexpr const char* find_sql = R"sql(
select partition, key, id, due, attempt, by_rule, handler, schedule, payload, why, died
from (
  select t.partition, t.key, t.id, t.due, t.attempt, t.by_rule, t.handler, t.schedule, t.payload,
    null::text as why, null::timestamptz as died
  from detent.timers t where t.shard = $1 and t.partition = $2 and t.key = $3
  union all
  select d.partition, d.key, d.id, d.due, d.attempt, d.by_rule, d.handler, d.schedule, d.payload, d.why, d.died
  from detent.dead d where d.shard = $1 and d.partition = $2 and d.key = $3) f
order by died is not null limit 1
)sql";

// Finds the timers with a key in any partition; the columns are those of find_sql. A name that lives has no dead timer,
// so none is looked for.
#define DETENT_BY_KEY(table, dead)                                                                                     \
  "select partition, key, id, due, attempt, by_rule, handler, schedule, payload, " dead ", shard from detent." table   \
  " where shard = $1 and partition = '' and key = $2"                                                                  \
  " union all"                                                                                                         \
  " (select partition, key, id, due, attempt, by_rule, handler, schedule, payload, " dead ", shard from detent." table \
  " where partition <> '' and key = $2 limit $3)"
inline constexpr const char* find_by_key_sql = DETENT_BY_KEY("timers", "null::text, null::timestamptz");
inline constexpr const char* find_dead_by_key_sql = DETENT_BY_KEY("dead", "why, died");
#undef DETENT_BY_KEY

// PostgreSQL has no count of a table's rows, so an index must be read through. If a shard has $2 timers or more, they
// are not counted: the number is the estimate of the last vacuum or analyze, divided evenly among the shards. If $2 is
// null, all are counted. Dead timers are always counted, because their limits need the exact number.
inline constexpr const char* look_sql = R"sql(
select s.shard, s.fence, case when s.until > clock_timestamp() then s.node else '' end, s.level_due,
  case when $2 is null or c.counted < $2 then c.counted
    else greatest(c.counted, (
      select k.reltuples::bigint / (select o.shards from detent.store o)
      from pg_class k where k.oid = 'detent.timers'::regclass)) end,
  (select count(*) from detent.dead d where d.shard = s.shard)
from detent.shards s cross join lateral (
  select count(*) as counted from (select from detent.timers t where t.shard = s.shard limit $2) t) c
where s.shard < $1 order by s.shard
)sql";

inline constexpr const char* count_due_sql = R"sql(
select s.shard, (select count(*) from detent.timers t where t.shard = s.shard and t.due <= $2)
from detent.shards s where s.shard < $1
)sql";

inline constexpr const char* deaths_sql = R"sql(
select s.shard, (
  select d.died from detent.dead d where d.shard = s.shard order by d.died, d.partition, d.key offset $2 limit 1)
from detent.shards s where s.shard < $1
)sql";

inline constexpr const char* look_at_roll_sql = R"sql(
select clock_timestamp(), null::bytea
union all select n.until, n.name from detent.nodes n where n.until > clock_timestamp()
)sql";

}  // namespace detent::durable::postgres
