-- SPDX-License-Identifier: MIT
-- The second part of schema.sql's script: the shard of a timer, and changes as nodes and users' transactions make them.

-- Returns the shard for a timer's partition, or for its key if it has no partition: FNV-1a of 64 bits, in two halves of
-- 32, modulo `shards`.
create or replace function detent.shard_of(key text, partition text, shards int) returns smallint
  language plpgsql immutable strict parallel safe as $$
declare
  bytes bytea := convert_to(case when partition = '' then key else partition end, 'UTF8');
  high bigint := 3421674724;
  low bigint := 2216829733;
  mixed bigint;
begin
  for place in 0 .. octet_length(bytes) - 1 loop
    low := low # get_byte(bytes, place);
    mixed := low * 435;
    high := (high * 435 + (mixed >> 32) + (low << 8)) & 4294967295;
    low := mixed & 4294967295;
  end loop;
  return ((high % shards) * (4294967296 % shards) + low % shards) % shards;
end $$;

-- Does the same for this store. Its number of shards never changes, so it is written into the function. If it is a
-- power of two, the low bits of the hash suffice. They do not depend on the higher bits, so computing only them is less
-- than half the work.
do $make$
declare
  count int := (select shards from detent.store);
  general text := 'begin return detent.shard_of(key, partition, %s); end';
  of_low_bits text := $$
declare
  bytes bytea := convert_to(case when partition = '' then key else partition end, 'UTF8');
  low int := 805;
begin
  for place in 0 .. octet_length(bytes) - 1 loop
    low := (low # get_byte(bytes, place)) * 435 & 1023;
  end loop;
  return low & %s - 1;
end $$;
begin
  execute 'create or replace function detent.shard_of(key text, partition text) returns smallint '
          || 'language plpgsql immutable strict parallel safe as '
          || quote_literal(format(case when count & count - 1 = 0 then of_low_bits else general end, count));
end $make$;

-- Returns a time as stores have it, in the years 1970 to 2200.
create or replace function detent.stored(due timestamptz) returns timestamptz language sql immutable as
  $$ select greatest(timestamptz '1970-01-01 00:00:00+00', least(timestamptz '2200-01-01 00:00:00+00', due)) $$;

-- Returns the id of a put. No other put of its key has the same id, and ids grow with time.
create or replace function detent.new_id() returns bigint language sql volatile as
  $$ select (date_part('epoch', clock_timestamp()) * 1e6)::bigint << 10 | (random() * 1023)::bigint $$;

-- Returns the key for such an id: 15 characters that grow with time, 54 bits of it in microseconds and 36 random bits.
create or replace function detent.new_key(id bigint) returns text language sql volatile as $$
  select translate(left(encode(int8send(id) || int4send((random() * 4294967294 - 2147483647)::int), 'base64'), 15),
                   'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
                   '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz')
$$;

-- Tells the owner of a shard. If both numbers are 0, the key was put, moved or taken away. If `due` is near, the owner
-- is woken: in a user's transaction by the trigger below, and in a node's own by this function.
create or replace function detent.announce(
  shard smallint, partition text, key text, question bigint, kept bigint, due timestamptz default '-infinity',
  careful boolean default false) returns void language plpgsql as $$
#variable_conflict use_variable
begin
  insert into detent.announced (shard, partition, key, question, kept, near)
    values (shard, partition, key, question, kept, case when careful then due end);
  if not careful and due < clock_timestamp() + interval '100 ms' then
    perform pg_notify('detent', shard::text);
  end if;
end $$;

-- Runs when a user's transaction commits. A transaction that has notified cannot be prepared, so the announcements of a
-- prepared one are found by the owner's next look, within 100 ms.
create or replace function detent.wake() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if new.near < clock_timestamp() + interval '100 ms' and coalesce(current_query(), '') !~* 'prepare\s+transaction' then
    perform pg_notify('detent', new.shard::text);
  end if;
  return null;
end $$;
do $$
begin
  if not exists (select from pg_trigger where tgrelid = 'detent.announced'::regclass and tgname = 'wake') then
    create constraint trigger wake after insert on detent.announced deferrable initially deferred
      for each row when (new.near is not null) execute function detent.wake();
  end if;
end $$;

-- Returns whether the owner has read timers as far as (due, tie). A node that asks under its lock on the shard gets an
-- exact answer. For a new timer, a user's transaction may ask too: if it commits after the owner has read so far, the
-- timer is found by its xid.
create or replace function detent.is_read(shard smallint, due timestamptz, tie bigint) returns boolean
  language plpgsql as $$
#variable_conflict use_variable
begin
  return (select (due, tie) <= (s.level_due, s.level_tie)
          from detent.shards s where s.shard = shard);
end $$;

-- Returns whether the owner has read it or, for a user's transaction, which takes no lock, may do so before that
-- commits.
create or replace function detent.may_be_read(shard smallint, due timestamptz, tie bigint, careful boolean)
  returns boolean language plpgsql as $$
#variable_conflict use_variable
begin
  return careful and (due < clock_timestamp() + interval '1 minute'
                      or current_setting('transaction_isolation') <> 'read committed')
         or detent.is_read(shard, due, tie);
end $$;

-- If a timer has gone and has a successor, the successor takes its place. Returns false if there is none.
create or replace function detent.promote(shard smallint, partition text, key text, careful boolean default false)
  returns boolean language plpgsql as $$
#variable_conflict use_variable
declare
  its record;
begin
  insert into detent.timers as t (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload)
    select * from detent.successors s where s.shard = shard and s.partition = partition and s.key = key for update
    on conflict do nothing
    returning t.due, t.tie into its;
  if not found then return false; end if;
  delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key;
  delete from detent.dead d where d.shard = shard and d.partition = partition and d.key = key;
  if detent.is_read(shard, its.due, its.tie) then
    perform detent.announce(shard, partition, key, 0, 0, its.due, careful);
  end if;
  return true;
end $$;

-- Carries out a put, in the terms of put_mode and change_status in <detent/durable_store.hpp>. `mode` is 0 keep, 1
-- replace, 2 fail, 3 move, 4 revive; the answer is 0 stored, 1 replaced, 2 kept, 3 exists, 4 moved, 5 gone. A node has
-- a lock on the shard; a user's transaction is careful instead.
create or replace function detent.put_one(
  shard smallint, partition text, key text, id bigint, due timestamptz, attempt int, by_rule boolean, handler text,
  schedule bytea, payload bytea, mode smallint, careful boolean) returns smallint language plpgsql as $$
#variable_conflict use_variable
declare
  old record;
  tie bigint;
begin
  loop
    if mode = 4 then
      select t.id into old from detent.timers t where t.shard = shard and t.partition = partition and t.key = key;
      if found then return case when old.id = id then 0 else 5 end; end if;
      delete from detent.dead d where d.shard = shard and d.partition = partition and d.key = key
        returning d.handler, d.schedule, d.payload into handler, schedule, payload;
      if not found then return 5; end if;
      attempt := 1;
      by_rule := false;
    end if;
    if mode <> 3 then
      insert into detent.timers as t (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload)
        values (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload)
        on conflict do nothing returning t.tie into tie;
      if found then
        delete from detent.dead d where d.shard = shard and d.partition = partition and d.key = key;
        if detent.is_read(shard, due, tie) then
          perform detent.announce(shard, partition, key, 0, 0, due, careful);
        end if;
        return 0;
      end if;
    end if;
    if mode in (1, 3) then
      select t.id, t.due, t.tie, t.by_rule into old from detent.timers t
        where t.shard = shard and t.partition = partition and t.key = key for no key update;
    else  -- no lock: it would hold up the owner
      select t.id, t.due, t.tie, t.by_rule into old from detent.timers t
        where t.shard = shard and t.partition = partition and t.key = key;
    end if;
    exit when found;
    if mode = 3 and not detent.promote(shard, partition, key, careful) then return 5; end if;
  end loop;
  if old.id = id then return case when mode = 3 then 4 else 0 end; end if;
  if mode = 2 then return 3; end if;
  if mode = 0 then
    -- It may have begun to run, or begin before this transaction commits: the owner drops a successor without need.
    if detent.may_be_read(shard, old.due, old.tie, careful) then
      insert into detent.successors (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload)
        values (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload) on conflict do nothing;
      if found then perform detent.announce(shard, partition, key, 0, id, old.due, careful); end if;
    end if;
    return 2;
  end if;
  if mode = 1 and by_rule and old.by_rule then due := least(due, old.due); end if;
  if mode = 3 then
    update detent.timers t set id = id, due = due, attempt = 1, by_rule = by_rule, xid = pg_current_xact_id()
      where t.shard = shard and t.partition = partition and t.key = key;
  else
    update detent.timers t
      set id = id, due = due, attempt = attempt, by_rule = by_rule, handler = handler, schedule = schedule,
          payload = payload, xid = pg_current_xact_id()
      where t.shard = shard and t.partition = partition and t.key = key;
  end if;
  delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key;
  if detent.may_be_read(shard, least(due, old.due), old.tie, careful) then
    perform detent.announce(shard, partition, key, 0, 0, least(due, old.due), careful);
  end if;
  return case when mode = 3 then 4 else 1 end;
end $$;

-- Carries out a cancel of a node, under its lock on the shard. The answer is 6 cancelled, 7 asked, 8 withdrawn, 5 gone.
create or replace function detent.cancel_one(shard smallint, partition text, key text, question bigint) returns smallint
  language plpgsql as $$
#variable_conflict use_variable
declare
  its record;
  level record;
  had boolean;
begin
  select s.level_due, s.level_tie, s.until > clock_timestamp() as stands into level
    from detent.shards s where s.shard = shard;
  select t.due, t.tie into its from detent.timers t
    where t.shard = shard and t.partition = partition and t.key = key for update;
  if not found then
    delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key;
    had := found;
    delete from detent.dead d where d.shard = shard and d.partition = partition and d.key = key;
    return case when found or had then 6 else 5 end;
  end if;
  delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key;
  if (its.due, its.tie) <= (level.level_due, level.level_tie) then
    perform detent.announce(shard, partition, key, question, 0);
    return 7;
  end if;
  delete from detent.timers t where t.shard = shard and t.partition = partition and t.key = key;
  if not level.stands or not exists (
      select from detent.announced a
      where a.shard = shard and a.partition = partition and a.key = key and a.question = 0 and a.kept = 0) then
    return 6;
  end if;
  perform detent.announce(shard, partition, key, question, 0);
  return 8;
end $$;
