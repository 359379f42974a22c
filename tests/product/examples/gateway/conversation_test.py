# SPDX-License-Identifier: MIT
"""One client by hand: what the gateway answers to each line.

usage: conversation_test.py GATEWAY
"""
import re
import signal
import socket
import subprocess
import sys
import time

CALM_MS, SHORT_MS = 20_000, 1000


class Conversation:
    """A connection that talks in lines."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.lines = self.socket.makefile("r", encoding="ascii", newline="\n")

    def say(self, *lines):
        self.socket.sendall("".join(line + "\n" for line in lines).encode("latin-1"))

    def hear(self, pattern):
        """The next line that is no heartbeat of the grid; it has to match."""
        while True:
            line = self.lines.readline()
            if "|5002=" not in line:
                break
        assert re.fullmatch(pattern, line.rstrip("\n")), f"'{line.rstrip()}' instead of '{pattern}'"
        return dict(field.split("=", 1) for field in line.rstrip("\n").split("|"))

    def close(self):
        """Returns when the gateway has seen it go."""
        self.socket.shutdown(socket.SHUT_WR)
        while self.lines.readline():
            pass
        self.lines.close()
        self.socket.close()

    def hear_end(self):
        assert self.lines.readline() == "", "the connection is open still"


def logged_on(port, name, more="", interval_ms=CALM_MS):
    one = Conversation(port)
    one.say(f"35=A|49={name}|108={interval_ms}{more}")
    one.hear(f"35=A\\|49={name}\\|108={interval_ms}")
    return one


def check_logon(port):
    one = Conversation(port)
    one.say("35=0", "35=A|108=1000", "35=A|49=X|108=7", "35=A|49=X|108=soon", "35=A|49=X|108=1000|", "35=A|49=X|108=1000")
    one.hear("35=3\\|58=not logged on")
    one.hear("35=3\\|58=49 is missing")
    one.hear("35=3\\|58=108 must be 100 to 60000 milliseconds")
    one.hear("35=3\\|58=108 must be 100 to 60000 milliseconds")
    one.hear("35=A\\|49=X\\|108=1000")
    one.hear("35=3\\|58=logged on already")
    one.say("35=1|112=hello", "35=5")
    one.hear("35=0\\|112=hello")
    one.hear("35=5\\|52=\\d+\\|58=logged out")
    one.hear_end()


def check_bad_lines(port):
    """Each gets one reject, and the good ones between them are not lost."""
    one = logged_on(port, "NOISY")
    far = time.monotonic_ns() + 60_000_000_000
    bad = ["hello", "x" * 5000, "35=D|11=|54=1", "35=D|11=1|54=3|40=2|126=1", "35=Z", "35=8|11=1", "\x80\x07"]
    for number, line in enumerate(bad, 1):
        one.say(line, f"35=D|11={number}|54=1|40=2|126={far}")
    for number in range(1, len(bad) + 1):
        one.hear("35=3\\|58=[ -~]+")
        one.hear(f"35=8\\|49=NOISY\\|11={number}\\|150=0\\|60=\\d+\\|126={far}")
    one.close()


def check_orders(port):
    buyer, seller = logged_on(port, "BUYER"), logged_on(port, "SELLER")
    copy = logged_on(port, "COPY", "|5001=Y")
    soon = time.monotonic_ns() + 2_000_000_000
    far = soon + 60_000_000_000
    buyer.say(f"35=D|11=1|54=1|40=2|126={far}", f"35=D|11=1|54=1|40=2|126={far}", "35=D|11=2|54=1|40=2|126=1")
    buyer.hear("35=8\\|49=BUYER\\|11=1\\|150=0\\|.*")
    buyer.hear("35=8\\|.*150=8.*an order of that id rests already")
    buyer.hear("35=8\\|.*11=2\\|150=8.*its time is up")
    buyer.say(f"35=G|41=1|126={soon}", "35=F|41=99", "35=G|41=1|126=1")
    buyer.hear(f"35=8\\|.*11=1\\|150=5\\|60=\\d+\\|126={soon}")
    buyer.hear("35=9\\|41=99\\|58=too late")
    buyer.hear("35=9\\|41=1\\|58=too late")
    expired = buyer.hear(f"35=8\\|49=BUYER\\|11=1\\|150=C\\|60=\\d+\\|126={soon}\\|5004=\\d+")
    assert int(expired["60"]) >= soon, "it expired early"

    buyer.say(f"35=D|11=3|54=1|40=2|126={far}")
    buyer.hear("35=8\\|.*11=3\\|150=0\\|.*")
    seller.say("35=D|11=7|54=2|40=1", "35=D|11=8|54=2|40=1", "35=0")
    buyer.hear("35=8\\|49=BUYER\\|11=3\\|150=F\\|.*")
    seller.hear("35=8\\|49=SELLER\\|11=7\\|150=F\\|60=\\d+")
    seller.hear("35=8\\|.*11=8\\|150=8.*nobody to trade with")

    buyer.say(f"35=D|11=4|54=1|40=2|126={far}", f"35=D|11=5|54=1|40=2|126={far}", "35=F|41=4")
    for what in ("4|150=0", "5|150=0", "4|150=4"):
        buyer.hear(f"35=8\\|49=BUYER\\|11={re.escape(what)}\\|.*")
    buyer.close()  # cancel on disconnect
    told = [copy.hear("35=8\\|.*") for _ in range(13)]
    assert [(line["11"], line["150"]) for line in told] == [
        ("1", "0"), ("1", "8"), ("2", "8"), ("1", "5"), ("1", "C"), ("3", "0"), ("3", "F"), ("7", "F"), ("8", "8"),
        ("4", "0"), ("5", "0"), ("4", "4"), ("5", "4")], told
    assert told[-1]["58"] == "closed by the peer", told[-1]
    seller.close()
    copy.close()


def check_silence(port):
    """Heartbeats on the grid, a test request that is answered, one that is not, and the end."""
    began = time.monotonic_ns()
    one = logged_on(port, "QUIET", interval_ms=SHORT_MS)
    beats = [dict(field.split("=", 1) for field in one.lines.readline().rstrip("\n").split("|"))]
    assert beats[0]["35"] == "0" and int(beats[0]["5002"]) >= began + SHORT_MS * 1_000_000, beats[0]
    tested = one.hear("35=1\\|112=1\\|52=\\d+")
    assert int(tested["52"]) >= began + SHORT_MS * 1_500_000, "tested early"
    one.say("35=0|112=1")
    tested = one.hear("35=1\\|112=2\\|52=\\d+")
    ended = one.hear("35=5\\|52=\\d+\\|58=silent, and no answer to the test request")
    assert int(ended["52"]) >= int(tested["52"]) + SHORT_MS * 1_000_000, "ended early"
    one.hear_end()


def check_no_room(port, most):
    kept = [logged_on(port, f"C{number}") for number in range(most)]
    Conversation(port).hear(f"35=5\\|52=\\d+\\|58={most} sessions are the most")
    for one in kept:
        one.close()


def main():
    gateway, = sys.argv[1:]
    most = 4
    with subprocess.Popen([gateway, "--sessions", str(most)], stdout=subprocess.PIPE, text=True) as served:
        try:
            port = int(served.stdout.readline().split()[-1])
            for check in (check_logon, check_bad_lines, check_orders, check_silence):
                check(port)
            check_no_room(port, most)
            served.send_signal(signal.SIGTERM)
            account = served.stdout.read()
            assert served.wait(timeout=60) == 0, account
            assert "1 found dead" in account and "1 turned away" in account, account
        finally:
            served.kill()
    print("what was said was answered as it should be")


if __name__ == "__main__":
    main()
