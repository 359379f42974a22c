// SPDX-License-Identifier: MIT
#include "statements.hpp"

#include "lookups_sql.hpp"
#include "wire.hpp"

#include <array>

namespace detent::durable::postgres {
namespace {

constexpr Oid of(type its) noexcept { return static_cast<Oid>(its); }

constexpr const char* call_roll_sql = R"sql(
with here as (
  insert into detent.nodes (name, until) values ($1, clock_timestamp() + $2 * interval '1 microsecond')
  on conflict (name) do update set until = excluded.until),
gone as (
  delete from detent.nodes where name in (
    select name from detent.nodes where until <= clock_timestamp() and name <> $1 for update skip locked)),
old as (
  delete from detent.answers where (shard, question) in (
    select shard, question from detent.answers where at < clock_timestamp() - interval '2 minutes'
    limit 1000 for update skip locked)),
forgotten as (
  delete from detent.turns where store in (
    select store from detent.turns where at < clock_timestamp() - interval '1 day' for update skip locked))
select clock_timestamp(), null::bytea
union all select null, name from detent.nodes where until > clock_timestamp() and name <> $1
)sql";

// Runs after lock_shards. Returns a row for each request, and a row with a key for each successor whose timer has gone.
// After a dump and a restore, rows may carry numbers of transactions that are still to come.
constexpr const char* take_sql = R"sql(
with asked as (select * from unnest($1, $2) as a (shard, lease)),
old as (
  select s.shard, s.held, s.until, case when s.node <> $3 then s.fence else 0 end as former
  from detent.shards s where s.shard = any($1)),
taken as (
  update detent.shards s
  set fence = greatest(s.fence + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint), node = $3,
      until = clock_timestamp() + a.lease * interval '1 microsecond', held = true,
      level_due = '-infinity', level_tie = 0, heard = '{}'
  from asked a where s.shard = a.shard and s.until <= clock_timestamp()
  returning s.shard, s.fence),
unheard as (delete from detent.announced n using taken t where n.shard = t.shard),
future as (
  update detent.timers t set xid = pg_current_xact_id() from taken k
  where t.shard = k.shard and t.xid >= pg_snapshot_xmax(pg_current_snapshot()))
select a.shard, t.fence, o.held, 
  case when o.until > clock_timestamp() then (extract(epoch from o.until - clock_timestamp()) * 1000000)::bigint else 0 end,
  null::text, null::text, o.former
from asked a join old o on o.shard = a.shard left join taken t on t.shard = a.shard
union all
select s.shard, null, null, null, s.partition, s.key, null from taken k join detent.successors s on s.shard = k.shard
where not exists (
  select from detent.timers t where t.shard = s.shard and t.partition = s.partition and t.key = s.key)
)sql";

constexpr const char* give_back_sql = R"sql(
update detent.shards s set until = '-infinity', held = false, level_due = '-infinity', level_tie = 0, heard = '{}'
from unnest($1, $2) as g (shard, fence)
where s.shard = g.shard and s.fence = g.fence and s.until > clock_timestamp()
)sql";

// The announcements that the terms were told have arrived. If another object took a term, only the server knows which.
constexpr const char* hear_sql = R"sql(
delete from detent.announced n using (
  select * from unnest($1, $2, $3, $4) as h (shard, partition, key, seq)
  union all
  select o.shard, o.partition, o.key, o.seq
  from detent.shards s join detent.announced o on o.shard = s.shard and o.seq = any(s.heard)
  where s.shard = any($5)) h
where n.shard = h.shard and n.partition = h.partition and n.key = h.key and n.seq = h.seq
)sql";

// Runs after lock_shards. A term whose level has gone back was partly forgotten by a standby that was promoted. Changes
// were judged by that level, so only a new term reads what the owner has not heard of. Each row says to which part it
// belongs: 0, a term that stands, with its new level and this snapshot; 1, a timer between the levels; 2, a timer at or
// below the former level that was put or moved by a transaction which the reading before could not see; 3, an
// announcement, with the timer of its key; 4, a successor that was asked for. Each `offset 0` applies the condition on
// due times only to what the index of transactions has found. Otherwise the planner may go through everything below the
// level, including ended timers that were not vacuumed yet.
constexpr const char* read_on_sql = R"sql(
with asked as materialized (
  select a.shard, a.lease, a.upto, a.most, a.bytes, a.prev::pg_snapshot as prev,
    coalesce(a.level_due, s.level_due) as level_due, coalesce(a.level_tie, s.level_tie) as level_tie,
    a.most > 0 and (a.upto, 9223372036854775807)
      > (coalesce(a.level_due, s.level_due), coalesce(a.level_tie, s.level_tie)) as moves
  from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
      as a (shard, fence, lease, upto, most, bytes, level_due, level_tie, prev)
    join detent.shards s on s.shard = a.shard and s.fence = a.fence and s.until > clock_timestamp()
  where (s.level_due, s.level_tie) >= (coalesce(a.level_due, s.level_due), coalesce(a.level_tie, s.level_tie))),
found as materialized (
  select r.shard, r.lease, r.upto, r.level_due, r.level_tie, r.moves, t.*
  from asked r cross join lateral (
    select f.*, row_number() over place as n, sum(octet_length(f.payload)) over place as size,
      lead(true, 1, false) over place as more
    from (
      select t.partition, t.key, t.id, t.due, t.tie, t.attempt, t.by_rule, t.handler, t.schedule, t.payload
      from detent.timers t
      where t.shard = r.shard and (t.due, t.tie) > (r.level_due, r.level_tie) and t.due <= r.upto
      order by t.due, t.tie limit case when r.most > 0 then r.most + 1 else 0 end) f
    window place as (order by f.due, f.tie rows between unbounded preceding and current row)) t
  where t.n <= r.most and (t.n = 1 or t.size <= r.bytes)),
level as materialized (
  select distinct on (l.shard) l.shard, l.lease,
    case when l.more then l.due when l.moves then l.upto else l.level_due end as due,
    case when l.more then l.tie when l.moves then 9223372036854775807 else l.level_tie end as tie
  from (
    select f.shard, f.lease, f.upto, f.level_due, f.level_tie, f.moves, f.due, f.tie, f.more, f.n from found f
    union all
    select r.shard, r.lease, r.upto, r.level_due, r.level_tie, r.moves, null, null, false, 0 from asked r) l
  order by l.shard, l.n desc),
late as materialized (
  select r.shard, t.*
  from asked r cross join lateral (
    select t.partition, t.key, t.id, t.due, t.tie, t.attempt, t.by_rule, t.handler, t.schedule, t.payload
    from detent.timers t
    where t.shard = r.shard and t.xid >= pg_snapshot_xmax(r.prev) and t.xid < pg_snapshot_xmax(pg_current_snapshot())
    offset 0) t
  where (t.due, t.tie) <= (r.level_due, r.level_tie)
  union all
  select r.shard, t.*
  from asked r cross join lateral pg_snapshot_xip(r.prev) as x (xid) cross join lateral (
    select t.partition, t.key, t.id, t.due, t.tie, t.attempt, t.by_rule, t.handler, t.schedule, t.payload
    from detent.timers t where t.shard = r.shard and t.xid = x.xid offset 0) t
  where (t.due, t.tie) <= (r.level_due, r.level_tie)),
told as materialized (
  select n.shard, n.seq, n.partition, n.key, n.question, n.kept, n.near
  from asked r cross join lateral (
    select n.* from detent.announced n where r.prev is null and n.shard = r.shard
    union all
    select n.* from detent.announced n
    where n.shard = r.shard and n.xid >= pg_snapshot_xmax(r.prev) and n.xid < pg_snapshot_xmax(pg_current_snapshot())
    union all
    select n.* from pg_snapshot_xip(r.prev) as x (xid) cross join lateral (
      select n.* from detent.announced n where n.shard = r.shard and n.xid = x.xid offset 0) n) n),
moved as (
  update detent.shards s
  set level_due = case when (l.due, l.tie) > (s.level_due, s.level_tie) then l.due else s.level_due end,
      level_tie = case when (l.due, l.tie) > (s.level_due, s.level_tie) then l.tie else s.level_tie end,
      until = case when s.until between clock_timestamp() + l.lease * interval '0.75 microsecond'
                                    and clock_timestamp() + l.lease * interval '1 microsecond'
                then s.until else clock_timestamp() + l.lease * interval '1 microsecond' end,
      heard = array(select t.seq from told t where t.shard = s.shard)
  from level l
  where s.shard = l.shard
    and ((l.due, l.tie) > (s.level_due, s.level_tie)
         or s.until not between clock_timestamp() + l.lease * interval '0.75 microsecond'
                            and clock_timestamp() + l.lease * interval '1 microsecond'
         or s.heard <> array(select t.seq from told t where t.shard = s.shard)))
select 0::smallint, l.shard, 0::bigint, null::text, null::text, 0::bigint, l.due, l.tie, 0, false,
  pg_current_snapshot()::text, null::bytea, null::bytea, 0::bigint, 0::bigint, false
from level l
union all
select 1::smallint, f.shard, 0, f.partition, f.key, f.id, f.due, f.tie, f.attempt, f.by_rule, f.handler, f.schedule,
  f.payload, 0, 0, false
from found f
union all
select 2::smallint, t.shard, 0, t.partition, t.key, t.id, t.due, t.tie, t.attempt, t.by_rule, t.handler, t.schedule,
  t.payload, 0, 0, false
from late t
union all
select 3::smallint, n.shard, n.seq, n.partition, n.key, t.id, t.due, t.tie, t.attempt, t.by_rule, t.handler, t.schedule,
  case when n.kept = 0 then t.payload end, n.question, n.kept, n.near is not null
from told n
  left join detent.timers t
    on t.shard = n.shard and t.partition = n.partition and t.key = n.key and n.question = 0
union all
select 4::smallint, s.shard, 0, s.partition, s.key, t.id, t.due, t.tie, 0, false, null, null, null, 0, s.id, false
from unnest($10, $11, $12) as k (shard, partition, key)
  join detent.successors s on s.shard = k.shard and s.partition = k.partition and s.key = k.key
  left join detent.timers t on t.shard = k.shard and t.partition = k.partition and t.key = k.key
)sql";

// For `offset 0`, see read_on_sql.
constexpr const char* late_shards_sql = R"sql(
select a.shard, null::text
from unnest($1, $2, $3, $4) as a (shard, base, due, tie)
where exists (
    select from detent.announced n
    where n.shard = a.shard and n.xid >= pg_snapshot_xmax(a.base::pg_snapshot)
      and n.xid < pg_snapshot_xmax(pg_current_snapshot()))
  or exists (
    select from pg_snapshot_xip(a.base::pg_snapshot) as x (xid) cross join lateral (
      select from detent.announced n where n.shard = a.shard and n.xid = x.xid offset 0) n)
  or exists (
    select from (
      select t.due, t.tie from detent.timers t
      where t.shard = a.shard and t.xid >= pg_snapshot_xmax(a.base::pg_snapshot)
        and t.xid < pg_snapshot_xmax(pg_current_snapshot()) offset 0) t
    where (t.due, t.tie) <= (a.due, a.tie))
  or exists (
    select from pg_snapshot_xip(a.base::pg_snapshot) as x (xid) cross join lateral (
      select t.due, t.tie from detent.timers t where t.shard = a.shard and t.xid = x.xid offset 0) t
    where (t.due, t.tie) <= (a.due, a.tie))
union all select null, pg_current_snapshot()::text
)sql";

std::array<statement_text, statements> make() {
  const Oid shards = array_of(type::int2), numbers = array_of(type::int8), texts = array_of(type::text),
            times = array_of(type::time), byteas = array_of(type::bytes), flags = array_of(type::boolean),
            ints = array_of(type::int4);
  // For the lists, see lookups_sql.hpp.
  const std::vector<Oid> list_types = {of(type::int4), of(type::time), of(type::int8), of(type::text),
                                       of(type::text), of(type::time), of(type::text), of(type::text),
                                       of(type::text), of(type::int8), of(type::int8), of(type::boolean)};
  return {{
      {"begin", "begin", {}},
      {"commit", "commit", {}},
      {"rollback", "rollback", {}},
      {"call_roll", call_roll_sql, {of(type::bytes), of(type::int8)}},
      {"take", take_sql, {shards, numbers, of(type::text)}},
      {"give_back", give_back_sql, {shards, numbers}},
      {"lock_shards", "select detent.own($1)", {shards}},
      {"hear", hear_sql, {shards, texts, texts, numbers, shards}},
      {"read_on",
       read_on_sql,
       {shards, numbers, numbers, times, numbers, numbers, times, numbers, texts, shards, texts, texts}},
      {"settle_successors",
       "select detent.settle_successor(s.shard, s.partition, s.key, s.kept, s.needless)"
       " from unnest($1, $2, $3, $4, $5) as s (shard, partition, key, kept, needless)",
       {shards, texts, texts, numbers, flags}},
      {"apply",
       "select detent.apply($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,"
       " $21, $22)",
       {of(type::int8), of(type::int8), of(type::boolean),
        shards,         ints,           shards,
        shards,         shards,         texts,
        texts,          numbers,        times,
        ints,           flags,          texts,
        byteas,         byteas,         numbers,
        times,          texts,          numbers,
        shards}},
      {"last_turn", "select turn, statuses from detent.turns where store = $1", {of(type::int8)}},
      {"read_answers",
       "select q.place, a.reply from unnest($1, $2) with ordinality as q (shard, question, place)"
       " join detent.answers a on a.shard = q.shard and a.question = q.question",
       {shards, numbers}},
      {"look", look_sql, {of(type::int4), of(type::int8)}},
      {"late_shards", late_shards_sql, {shards, texts, times, numbers}},
      {"find", find_sql, {of(type::int4), of(type::text), of(type::text)}},
      {"find_by_key", find_by_key_sql, {of(type::int4), of(type::text), of(type::int8)}},
      {"find_dead_by_key", find_dead_by_key_sql, {of(type::int4), of(type::text), of(type::int8)}},
      {"list", list_sql, list_types},
      {"list_recurring", list_recurring_sql, list_types},
      {"list_dead", list_dead_sql, list_types},
      {"purge", purge_sql, list_types},
      {"count_due", count_due_sql, {of(type::int4), of(type::time)}},
      {"deaths", deaths_sql, {of(type::int4), of(type::int8)}},
      {"look_at_roll", look_at_roll_sql, {}},
  }};
}

}  // namespace

const statement_text& text_of(statement which) noexcept {
  static const std::array<statement_text, statements> all = make();
  return all[static_cast<std::size_t>(which)];
}

}  // namespace detent::durable::postgres
