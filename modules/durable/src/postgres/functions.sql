-- SPDX-License-Identifier: MIT
-- The last part of schema.sql's script: the functions of users, and the end of the transaction.

-- Raises an error that says what is wrong with an argument.
create or replace function detent.refuse_wrong(
  handler text, due timestamptz, payload bytea, key text, partition text, if_exists text) returns void
  language plpgsql as $$
declare
  code text;
  words text;
  most int;
  size int;
begin
  select bad.code, bad.words, bad.most, bad.size into code, words, most, size from (values
    (handler is null, 'DT001', 'the handler is null', 0, 0),
    (due is null, 'DT001', 'the due time is null', 0, 0),
    (key is null, 'DT001', 'the key is null', 0, 0),
    (handler = '', 'DT002', 'the handler''s name is empty', 0, 0),
    (key = '', 'DT002', 'the key is empty', 0, 0),
    (octet_length(handler) > 64, 'DT003', 'a handler''s name', 64, octet_length(handler)),
    (octet_length(key) > 128, 'DT003', 'a key', 128, octet_length(key)),
    (octet_length(partition) > 128, 'DT003', 'a partition', 128, octet_length(partition)),
    (octet_length(payload) > 65536, 'DT003', 'a payload', 65536, octet_length(payload)),
    (not isfinite(due), 'DT004', format('the due time is %s, and has to be a finite one', due), 0, 0),
    (if_exists is null or if_exists not in ('keep', 'replace', 'fail'), 'DT005',
     format('if_exists is %L, and may be keep, replace or fail', if_exists), 0, 0)
  ) as bad (is_so, code, words, most, size) where bad.is_so limit 1;
  if not found then return; end if;
  if most <> 0 then words := format('%s has %s bytes, and may have %s', words, size, most); end if;
  raise exception using errcode = code, message = 'detent: ' || words;
end $$;

-- Puts a timer that runs once, when this transaction commits, and returns its key; if the key is null, it makes one. If
-- the key names a timer, `if_exists` says what happens: keep leaves that timer as it is, replace puts the new one in
-- its place, and fail raises an error.
create or replace function detent.schedule_at(
  handler text, due timestamptz, payload bytea default '', key text default null, partition text default '',
  if_exists text default 'keep') returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  shard smallint;
begin
  -- Nearly all are right, and so far ahead that no owner has read so far. An expression costs more than it looks, once
  -- in each transaction: so these are few.
  if (due > clock_timestamp() + interval '1 minute' and due <= '2200-01-01 00:00:00+00'
      and octet_length(handler) between 1 and 64 and octet_length(payload) <= 65536 and octet_length(partition) <= 128
      and (key is null or octet_length(key) between 1 and 128) and if_exists in ('keep', 'replace', 'fail')) is true then
    if key is null then
      key := detent.new_key(detent.new_id());
      insert into detent.timers (shard, partition, key, id, due, handler, payload)
        values (detent.shard_of(key, partition), partition, key, detent.new_id(), due, handler, payload);
      return key;
    end if;
    shard := detent.shard_of(key, partition);
    insert into detent.timers (shard, partition, key, id, due, handler, payload)
      values (shard, partition, key, detent.new_id(), due, handler, payload) on conflict do nothing;
    if found then
      delete from detent.dead d where d.shard = shard and d.partition = partition and d.key = key;
      return key;
    end if;
  else
    payload := coalesce(payload, '');
    partition := coalesce(partition, '');
    key := coalesce(key, detent.new_key(detent.new_id()));
    perform detent.refuse_wrong(handler, due, payload, key, partition, if_exists);
    shard := detent.shard_of(key, partition);
  end if;
  if detent.put_one(shard, partition, key, detent.new_id(), detent.stored(due), 1, false, handler, '', payload,
                    case if_exists when 'keep' then 0 when 'replace' then 1 else 2 end::smallint, true) = 3 then
    raise exception using errcode = 'DT006', message = format('detent: the key %L names a timer already', key);
  end if;
  return key;
end $$;

-- Takes away a timer and its successor, or a dead timer. Returns true if it was there.
create or replace function detent.cancel(key text, partition text default '') returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  shard smallint;
  its record;
  was_there boolean;
begin
  partition := coalesce(partition, '');
  if (octet_length(key) between 1 and 128 and octet_length(partition) <= 128) is not true then
    perform detent.refuse_wrong('any', 'epoch', '', key, partition, 'keep');
  end if;
  shard := detent.shard_of(key, partition);
  delete from detent.timers t where t.shard = shard and t.partition = partition and t.key = key
    returning t.due, t.tie into its;
  was_there := found;
  if was_there and detent.may_be_read(shard, its.due, its.tie, true) then
    perform detent.announce(shard, partition, key, 0, 0, its.due, true);
  end if;
  delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key;
  was_there := was_there or found;
  delete from detent.dead d where d.shard = shard and d.partition = partition and d.key = key;
  return was_there or found;
end $$;

-- Gives a timer another due time; its attempts begin anew. Returns false if the key names no timer.
create or replace function detent.restart_at(key text, due timestamptz, partition text default '') returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
begin
  partition := coalesce(partition, '');
  perform detent.refuse_wrong('any', due, '', key, partition, 'keep');
  return detent.put_one(detent.shard_of(key, partition), partition, key, detent.new_id(), detent.stored(due), 1, false,
                        '', '', '', 3::smallint, true) = 4;
end $$;

-- Returns the timer of this name, live or dead, or no row if there is none. `attempt` is that of its next run, or of a
-- dead timer's last run.
create or replace function detent.get(key text, partition text default '')
  returns table (handler text, due timestamptz, payload bytea, attempt int, dead boolean)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  shard smallint;
begin
  partition := coalesce(partition, '');
  if (octet_length(key) between 1 and 128 and octet_length(partition) <= 128) is not true then
    perform detent.refuse_wrong('any', 'epoch', '', key, partition, 'keep');
  end if;
  shard := detent.shard_of(key, partition);
  return query
    select t.handler, t.due, t.payload, (t.attempt & 65535) + (t.attempt >> 16 & 255), false from detent.timers t
      where t.shard = shard and t.partition = partition and t.key = key;
  if found then return; end if;
  return query
    select s.handler, s.due, s.payload, (s.attempt & 65535) + (s.attempt >> 16 & 255), false from detent.successors s
      where s.shard = shard and s.partition = partition and s.key = key;
  if found then return; end if;
  return query
    select d.handler, d.due, d.payload, (d.attempt & 65535) + greatest((d.attempt >> 16 & 255) - 1, 0), true
      from detent.dead d where d.shard = shard and d.partition = partition and d.key = key;
end $$;

-- Ends a timer, or moves a recurring one to its next time, in the transaction of its handler. `token` is job::token(),
-- of the form 1.PARTITION.KEY.ID.DUE.NEXT: the names are in hexadecimal digits of their bytes, the times in
-- microseconds since 1970, and NEXT may be empty. Returns false if the timer was ended, moved or cancelled before; the
-- caller then rolls back.
create or replace function detent.finish(token text) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  part text[] := string_to_array(token, '.');
  partition text;
  key text;
  shard smallint;
  id bigint;
  due timestamptz;
  next timestamptz;
  tie bigint;
begin
  if token is null then raise exception using errcode = 'DT001', message = 'detent: the token is null'; end if;
  if token !~ '^1\.([0-9a-f]{2})*\.([0-9a-f]{2})+\.[0-9]+\.[0-9]+\.[0-9]*$' or octet_length(part[2]) > 256
     or octet_length(part[3]) > 256 or greatest(octet_length(part[5]), octet_length(part[6])) > 16
     or octet_length(part[4]) > 19 or part[4]::numeric > 9223372036854775807 then
    raise exception using errcode = 'DT007', message = format('detent: %L is no token of a job', left(token, 64));
  end if;
  partition := convert_from(decode(part[2], 'hex'), 'UTF8');
  key := convert_from(decode(part[3], 'hex'), 'UTF8');
  id := part[4]::bigint;
  due := timestamptz '1970-01-01 00:00:00+00' + part[5]::bigint * interval '1 microsecond';
  next := timestamptz '1970-01-01 00:00:00+00' + nullif(part[6], '')::bigint * interval '1 microsecond';
  shard := detent.shard_of(key, partition);
  -- `is not distinct from` uses no index: that of due times has all timers of the same instant.
  if next is null then
    delete from detent.timers t
      where t.shard = shard and t.partition = partition and t.key = key and t.id = id and t.due is not distinct from due;
    if not found then return false; end if;
    perform detent.promote(shard, partition, key, true);
    return true;
  end if;
  update detent.timers t set due = next, attempt = 1, by_rule = true, xid = pg_current_xact_id()
    where t.shard = shard and t.partition = partition and t.key = key and t.id = id and t.due is not distinct from due
    returning t.tie into tie;
  if not found then return false; end if;
  delete from detent.successors s where s.shard = shard and s.partition = partition and s.key = key;
  if detent.is_read(shard, next, tie) then
    perform detent.announce(shard, partition, key, 0, 0, next, true);
  end if;
  return true;
end $$;

revoke all on all functions in schema detent from public;
revoke all on all tables in schema detent from public;

commit;
