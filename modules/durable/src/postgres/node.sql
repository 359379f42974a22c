
-- Nodes call these functions in their own short transactions. detent.functions() returns their version, and a node that
-- brings a newer one replaces them.

begin;
set local client_min_messages = warning;
select pg_advisory_xact_lock(7233183901789382506);

create or replace function detent.functions() returns int language sql immutable as $$ select 2 $$;

-- share() keeps the levels of these shards in place, and new terms away, until the transaction ends. own() reserves
-- such changes for its own transaction. Advisory locks are granted in the order of the requests. Row locks are not: the
-- shared locks of batch after batch would keep a reading away from its shard.
create or replace function detent.share(shards smallint[]) returns void language sql as $$
  select pg_advisory_xact_lock_shared(723318390, s.shard) from (select unnest(shards)::int as shard order by 1) s
$$;
create or replace function detent.own(shards smallint[]) returns void language sql as $$
  select pg_advisory_xact_lock(723318390, s.shard) from (select unnest(shards)::int as shard order by 1) s
$$;

-- If a timer is named, due times are compared by `is not distinct from`, which uses no index. With `=` the planner may
-- prefer the index of due times to the primary key, and then it goes through all timers of the same instant for each
-- one.

-- Carries out the end of a run. `how` is 0 erase, 1 move, 2 kill, 3 leave, 4 unkeep; the answer is 9 ended, 5 gone, 10
-- fenced.
create or replace function detent.end_one(
  shard smallint, fence bigint, partition text, key text, id bigint, ran timestamptz, how smallint, due timestamptz,
  attempt int, by_rule boolean, payload bytea, why text, question bigint, reply smallint) returns smallint
  language plpgsql as $$
#variable_conflict use_variable
declare
  term record;
  tie bigint;
begin
  select s.level_due, s.level_tie into term from detent.shards s
    where s.shard = shard and s.fence = fence and s.until > clock_timestamp();
  if not found then return 10; end if;
  if question <> 0 then
    insert into detent.answers as a (shard, question, reply) values (shard, question, reply)
      on conflict on constraint answers_pkey do update set reply = excluded.reply, at = excluded.at;
  end if;
  if how = 4 then
    delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key and s.id = id;
    return case when found then 9 else 5 end;
  end if;
  if how = 3 then
    perform from detent.timers t
      where t.shard = shard and t.partition = partition and t.key = key and t.id = id and t.due is not distinct from ran;
    return case when found then 9 else 5 end;
  end if;
  if how = 1 then
    update detent.timers t
      set due = due, attempt = attempt, by_rule = by_rule, payload = coalesce(payload, t.payload)
      where t.shard = shard and t.partition = partition and t.key = key and t.id = id and t.due is not distinct from ran
      returning t.tie into tie;
    if not found then  -- it was sent before
      perform from detent.timers t where t.shard = shard and t.partition = partition and t.key = key and t.id = id
        and t.due is not distinct from due and t.attempt = attempt;
      return case when found then 9 else 5 end;
    end if;
    if attempt = 1 and due <> ran then
      delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key;
    end if;
    if term.level_tie <> 9223372036854775807 and due = term.level_due and tie <= term.level_tie then
      perform detent.announce(shard, partition, key, 0, 0, due);
    end if;
    return 9;
  end if;
  if how = 2 then
    insert into detent.dead (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, why)
      select t.shard, t.partition, t.key, t.id, t.due, t.attempt, t.by_rule, t.handler, t.schedule, t.payload, why
        from detent.timers t
        where t.shard = shard and t.partition = partition and t.key = key and t.id = id and t.due is not distinct from ran
        for update
      on conflict on constraint dead_pkey do update
        set id = excluded.id, due = excluded.due, attempt = excluded.attempt, by_rule = excluded.by_rule,
            handler = excluded.handler, schedule = excluded.schedule, payload = excluded.payload, why = excluded.why,
            died = excluded.died;
    if not found then return 5; end if;
  end if;
  delete from detent.timers t
    where t.shard = shard and t.partition = partition and t.key = key and t.id = id and t.due is not distinct from ran;
  if not found then return 5; end if;
  perform detent.promote(shard, partition, key);
  return 9;
end $$;

-- Carries out one change of kind 0 put, 1 cancel or 2 end.
create or replace function detent.change_one(
  kind smallint, how smallint, shard smallint, partition text, key text, id bigint, due timestamptz, attempt int,
  by_rule boolean, handler text, schedule bytea, payload bytea, fence bigint, ran timestamptz, why text,
  question bigint, reply smallint) returns smallint language plpgsql as $$
begin
  if kind = 0 then
    return detent.put_one(shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, how, false);
  elsif kind = 1 then
    return detent.cancel_one(shard, partition, key, question);
  end if;
  return detent.end_one(shard, fence, partition, key, id, ran, how, due, attempt, by_rule, payload, why, question, reply);
end $$;

-- Puts the new timers beyond the levels among the places low to high of a batch, and returns which of them were stored;
-- nothing of them is announced. `levels` has those of the shards, from shard 0 at 1. The timers get no xid, because
-- readings of these shards wait for the commit; that spares an entry in the index of xids. As long as all keys are
-- free, `on conflict` is spared too: it looks for each key first and writes each row's log twice. After a key that was
-- not free, it is used for a second.
create or replace function detent.put_far(
  low int, high int, levels timestamptz[], kind smallint[], how smallint[], shard smallint[], partition text[],
  key text[], id bigint[], due timestamptz[], attempt int[], by_rule boolean[], handler text[], schedule bytea[],
  payload bytea[]) returns int[] language plpgsql as $$
#variable_conflict use_variable
declare
  stored int[];
  count int;
  are_taken timestamptz := coalesce(nullif(current_setting('detent.keys_are_taken', true), ''), '-infinity');
begin
  if are_taken < clock_timestamp() then
    begin
      insert into detent.timers (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, xid)
        select p.shard, p.partition, p.key, p.id, p.due, p.attempt, p.by_rule, p.handler, p.schedule, p.payload, null
        from unnest(kind, how, shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload) with
            ordinality as p (kind, how, shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, n)
        where p.n between low and high and p.kind = 0 and p.how < 3 and p.due > levels[p.shard + 1];
      get diagnostics count = row_count;
    exception when unique_violation then
      perform set_config('detent.keys_are_taken', (clock_timestamp() + interval '1 second')::text, false);
    end;
  end if;
  if count is null then
    insert into detent.timers (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, xid)
      select p.shard, p.partition, p.key, p.id, p.due, p.attempt, p.by_rule, p.handler, p.schedule, p.payload, null
      from unnest(kind, how, shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload) with
          ordinality as p (kind, how, shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, n)
      where p.n between low and high and p.kind = 0 and p.how < 3 and p.due > levels[p.shard + 1]
      on conflict do nothing;
    get diagnostics count = row_count;
  end if;
  if count > high - low then  -- all of them
    stored := array(select generate_series(low, high));
  else
    stored := array(
      select p.n::int from unnest(kind, how, shard, due) with ordinality as p (kind, how, shard, due, n)
      where p.n between low and high and p.kind = 0 and p.how < 3 and p.due > levels[p.shard + 1]);
  end if;
  if count <> cardinality(stored) then  -- some keys were not free, or it was sent before
    stored := array(
      select p.n from unnest(stored) as p (n) join detent.timers t
        on t.shard = shard[p.n] and t.partition = partition[p.n] and t.key = key[p.n] and t.id = id[p.n]);
  end if;
  if exists (select from detent.dead) then
    delete from detent.dead d using unnest(stored) as p (n)
      where d.shard = shard[p.n] and d.partition = partition[p.n] and d.key = key[p.n];
  end if;
  return stored;
end $$;

-- Carries out the plain ends, of timers without successors, among the places low to high of a batch, and returns which
-- of the timers were there. `fences` has those of the shards, from shard 0 at 1, and is null where no term stands.
create or replace function detent.erase_many(
  low int, high int, fences bigint[], kind smallint[], how smallint[], shard smallint[], partition text[], key text[],
  id bigint[], ran timestamptz[], fence bigint[], question bigint[]) returns int[] language plpgsql as $$
#variable_conflict use_variable
declare
  erased int[];
  any_kept boolean := exists (select from detent.successors);
begin
  with gone as (
    delete from detent.timers t
    using unnest(kind, how, shard, partition, key, id, ran, fence, question)
      with ordinality as e (kind, how, shard, partition, key, id, ran, fence, question, n)
    where e.n between low and high and e.kind = 2 and e.how = 0 and e.question = 0 and e.fence = fences[e.shard + 1]
      and t.shard = e.shard and t.partition = e.partition and t.key = e.key and t.id = e.id and t.due is not distinct from e.ran
      and not (any_kept and exists (
        select from detent.successors s where s.shard = e.shard and s.partition = e.partition and s.key = e.key))
    returning e.n)
  select array_agg(g.n::int) into erased from gone g;
  return coalesce(erased, '{}');
end $$;

-- Returns the statuses with `status` at these places, all of which are among low to high.
create or replace function detent.set_all(statuses smallint[], low int, high int, places int[], status smallint)
  returns smallint[] language plpgsql immutable as $$
declare
  place int;
begin
  if cardinality(places) = high - low + 1 then
    statuses[low:high] := array_fill(status, array[high - low + 1]);
  else
    foreach place in array places loop
      statuses[place] := status;
    end loop;
  end if;
  return statuses;
end $$;

-- Carries out a batch of changes and returns their statuses in the same order. `cuts` has the last place of each piece;
-- no key comes twice in a piece. In each piece, new timers beyond the level and plain ends are carried out together,
-- and then the other changes one by one. With `apart`, each change is a step of its own. If another transaction holds a
-- row that it needs, that change and later ones of its key are answered with 12: nothing was done.
create or replace function detent.apply(
  store bigint, turn bigint, apart boolean, shards smallint[], cuts int[],
  kind smallint[], how smallint[], shard smallint[], partition text[], key text[], id bigint[], due timestamptz[],
  attempt int[], by_rule boolean[], handler text[], schedule bytea[], payload bytea[], fence bigint[],
  ran timestamptz[], why text[], question bigint[], reply smallint[]) returns smallint[] language plpgsql as $$
#variable_conflict use_variable
declare
  statuses smallint[] := array_fill(null::smallint, array[cardinality(kind)]);
  levels timestamptz[];
  fences bigint[];
  its record;
  low int := 1;
  high int;
  place int;
  places int[];
  name text;
  busy text[] := '{}';
begin
  perform detent.share(shards);
  for its in
    select s.shard, s.level_due, s.fence, s.until > clock_timestamp() as stands from detent.shards s
    where s.shard = any(shards)
  loop
    levels[its.shard + 1] := its.level_due;
    fences[its.shard + 1] := case when its.stands then its.fence end;
  end loop;
  if apart then perform set_config('lock_timeout', '5ms', true); end if;
  foreach high in array cuts loop
    if not apart and cardinality(cuts) <= 16 then  -- each piece looks through the whole batch
      if 0 = any(kind) then
        places := detent.put_far(low, high, levels, kind, how, shard, partition, key, id, due, attempt, by_rule, handler,
                                 schedule, payload);
        statuses := detent.set_all(statuses, low, high, places, 0::smallint);
      end if;
      if 2 = any(kind) then
        places := detent.erase_many(low, high, fences, kind, how, shard, partition, key, id, ran, fence, question);
        statuses := detent.set_all(statuses, low, high, places, 9::smallint);
      end if;
    end if;
    for place in low .. case when array_position(statuses[low:high], null) is null then 0 else high end loop
      continue when statuses[place] is not null;
      name := case when apart then concat_ws('/', shard[place], octet_length(partition[place]), partition[place], key[place]) end;
      if name = any(busy) then
        statuses[place] := 12;
      elsif not apart then
        statuses[place] := detent.change_one(
          kind[place], how[place], shard[place], partition[place], key[place], id[place], due[place], attempt[place],
          by_rule[place], handler[place], schedule[place], payload[place], fence[place], ran[place], why[place],
          question[place], reply[place]);
      else
        begin
          statuses[place] := detent.change_one(
            kind[place], how[place], shard[place], partition[place], key[place], id[place], due[place], attempt[place],
            by_rule[place], handler[place], schedule[place], payload[place], fence[place], ran[place], why[place],
            question[place], reply[place]);
        exception when lock_not_available or deadlock_detected then
          statuses[place] := 12;
          busy := busy || name;
        end;
      end if;
    end loop;
    low := high + 1;
  end loop;
  insert into detent.turns as t (store, turn, statuses, at) values (store, turn, statuses, clock_timestamp())
    on conflict on constraint turns_pkey do update
      set turn = excluded.turn, statuses = excluded.statuses, at = excluded.at;
  return statuses;
end $$;

-- Settles a successor of which its owner has heard. If it is `needless`, because its timer had not started when it was
-- asked for, it is dropped. Otherwise it takes the place of its timer if that has gone.
create or replace function detent.settle_successor(shard smallint, partition text, key text, kept bigint, needless boolean)
  returns void language plpgsql as $$
#variable_conflict use_variable
begin
  perform set_config('lock_timeout', '10ms', true);  -- a reading waits for it
  perform detent.share(array[shard]);
  if needless then
    delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key and s.id = kept;
  elsif not exists (
      select from detent.timers t where t.shard = shard and t.partition = partition and t.key = key) then
    perform detent.promote(shard, partition, key);
  end if;
end $$;

revoke all on all functions in schema detent from public;
revoke all on all tables in schema detent from public;

commit;
