# SPDX-License-Identifier: MIT
"""A server of PostgreSQL and its standby, with a database for all."""
import os
import shutil

from postgres import DATABASE, Server
from redis import free_ports
from stage import boot_us, until


def place_in(log):
    """Of a log, as a number."""
    high, low = log.split("/")
    return int(high, 16) << 32 | int(low, 16)


class Pair:
    """A master, and a standby, which has all that the master has answered if it is synchronous. The role `owner` has the
    schema; `nodes`, `users` and `handlers` have what the script says that they need."""

    def __init__(self, directory, schema, on_disks_of_their_own, is_synchronous=True):
        self.directory, self.is_synchronous = f"{directory}/pg", is_synchronous
        os.mkdir(self.directory)
        if os.getuid() == 0:
            os.chmod(directory, 0o711)
            shutil.chown(self.directory, "postgres", "postgres")
        ports = free_ports(2)
        self.master, self.standby = (Server(self.directory, name, port, on_disks_of_their_own)
                                     for name, port in zip(("one", "two"), ports))
        try:
            self._make(schema)
        except BaseException:
            self.end()
            raise

    def _make(self, schema):
        self.master.make()
        self.master.start()
        until(lambda: self.master.ask(f"create database {DATABASE}", "postgres") is not None, "a database")
        self.master.run_script("create role owner login; create role nodes login; create role users login; create role handlers login; "
                               f"grant create on database {DATABASE} to owner; grant create on schema public to owner")
        self.master.run_script(schema, "owner")
        self.grant()
        self.bring_standby()

    def grant(self):
        self.master.run_script("""
            grant usage on schema detent to nodes, users, handlers;
            grant select, insert, update, delete on all tables in schema detent to nodes;
            grant execute on all functions in schema detent to nodes;
            grant execute on function detent.schedule_at, detent.cancel, detent.restart_at, detent.get to users;
            grant execute on function detent.finish to handlers;""", "owner")

    def revoke(self):
        self.master.run_script("""
            revoke select, insert, update, delete on all tables in schema detent from nodes;
            revoke execute on all functions in schema detent from nodes;""", "owner")

    def url(self, role):
        ports = sorted((self.master.port, self.standby.port))
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        return f"postgresql://{role}@{hosts}/{DATABASE}?target_session_attrs=read-write"

    def set_for(self, role, setting, value):
        """For sessions of that role; those of now are cut, so that the next ones have it. None: as before."""
        how = f"set {setting} = '{value}'" if value is not None else f"reset {setting}"
        self.master.run_script(f"alter role {role} {how}")
        self.cut(role)

    def cut(self, role):
        self.master.ask(f"select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = '{role}'")

    def cut_one(self):
        """Ends one connection at random."""
        self.master.ask("select pg_terminate_backend(pid) from pg_stat_activity where usename in ('nodes', 'users', 'handlers') "
                        "order by random() limit 1")

    def _wait_for(self, standby):
        self.master.run_script(f"alter system set synchronous_standby_names = '{standby}'")
        self.master.run_script("select pg_reload_conf()")

    def bring_standby(self):
        self._wait_for("")
        self.standby.kill()
        self.standby.copy(self.master)
        self.standby.start()
        self._wait_until("state = 'streaming'")
        if self.is_synchronous:
            self._wait_for("*")
        self.wait_for_standby()

    def wait_for_standby(self):
        """Until it has all that was answered before, and from then on all that is answered, if it is synchronous."""
        if self.is_synchronous:
            self._wait_until("sync_state = 'sync'")
        else:
            now = until(lambda: self.master.ask("select pg_current_wal_flush_lsn()"), "the server's place in its log")
            self._wait_until(f"flush_lsn >= '{now}'")

    def _wait_until(self, condition):
        until(lambda: self.master.ask(f"select count(*) from pg_stat_replication where {condition}") == "1", "a standby that has all")

    def cut_off_standby(self):
        """It hears no more. Returns since when, at the earliest."""
        places = []  # times, and what was in the server's log then

        def is_cut_off():
            at = boot_us()
            if place := self.master.ask("select pg_current_wal_flush_lsn()"):
                places.append((at, place_in(place)))
            return self.standby.ask("select count(*) from pg_stat_wal_receiver") == "0"

        self.standby.run_script("alter system set primary_conninfo = ''")
        is_cut_off()
        self.standby.run_script("select pg_reload_conf()")
        until(is_cut_off, "the standby to be cut off")
        heard = place_in(until(lambda: self.standby.ask("select pg_last_wal_receive_lsn()"), "the standby's place in the log"))
        return max(at for at, place in places if place <= heard)

    def promote(self):
        """The master is killed, and a synchronous standby has what it has answered."""
        self.master.kill()
        until(lambda: self.standby.ask("select pg_promote(true, 60)") == "t", "the promotion")
        self.master, self.standby = self.standby, self.master

    def end(self):
        for one in (self.master, self.standby):
            one.end()
