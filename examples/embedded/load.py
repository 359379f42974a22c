# SPDX-License-Identifier: MIT
"""The load: sensors that send, bounce, leave and fall silent, and know exactly what the hub may answer when."""
import random
import selectors
import socket
import time

now = time.monotonic_ns  # the hub's clock as well


class Broken(Exception):
    """The hub did what its README says it does not do."""


def demand(holds, text):
    if not holds:
        raise Broken(text)


class Sensor:
    """Counts its readings up, so that each answer says which of them it is about."""

    def __init__(self, load):
        self.load = load
        # Of each reading, before it was sent: never later than the hub had it. Number 0 is the connection.
        self.sent_at = [now()]
        self.settled = 0  # the last reading that the hub called settled
        self.socket = socket.create_connection(("127.0.0.1", load.port))
        self.socket.setblocking(False)
        self.received = b""
        self.cut_off = self.hung_up = self.told_idle = False
        self.leaving = load.random.random() < 0.3
        self.falls_silent = now() + int(load.random.uniform(0.1, 1.5) * load.idle_ns)
        self.next_send = now()

    def lively(self):
        return self.next_send is not None

    def send(self):
        """A beat, or a burst of readings that differ: a contact that bounces."""
        silent_after = now() >= self.falls_silent
        beat, changes = 1, 0
        if len(self.sent_at) == 1 or self.load.random.random() < 0.3 or silent_after:
            beat, changes = 0, self.load.random.randint(1, 8)
        self.sent_at += [now()] * changes
        last = len(self.sent_at) - 1
        readings = range(last - changes + 1, last + 1) if changes else [last]
        try:
            self.socket.sendall(b"".join(b"%d\n" % reading for reading in readings))
        except (ConnectionError, BlockingIOError):
            self.cut_off = True
        self.load.lines += beat + changes
        self.next_send = now() + int(self.load.random.uniform(0, 0.25) * self.load.idle_ns)
        if silent_after:
            self.next_send = None

    def receive(self):
        """False: this sensor is done."""
        try:
            data = self.socket.recv(4096)
        except ConnectionResetError:  # it was sending when the hub hung up
            data = b""
        arrived = now()
        *lines, self.received = (self.received + data).split(b"\n")
        for line in lines:
            if line == b"idle":
                self.told_idle = True
            else:
                self.take_settled(line.split(), arrived)
        if data:
            self.perhaps_leave()
            return True
        # Not all it sent was taken: it came too late with it, as a sensor on a busy machine may.
        self.cut_off |= self.lively() or self.settled != len(self.sent_at) - 1
        self.load.cut_off += self.cut_off
        if self.hung_up and not self.told_idle:
            self.load.left += 1
            return False
        self.load.idle += 1
        waited = arrived - self.sent_at[self.settled]
        demand(waited >= self.load.idle_ns, f"disconnected {self.load.idle_ns - waited} ns too early")
        if not self.cut_off:
            self.load.idle_late.append(waited - self.load.idle_ns)
        return False

    def perhaps_leave(self):
        """Once all it sent has settled. The hub hangs up in turn, and so says that it has seen it."""
        if self.leaving and not self.lively() and not self.hung_up and self.settled == len(self.sent_at) - 1:
            self.hung_up = True
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the hub was quicker: it has said "idle"

    def take_settled(self, words, arrived):
        demand(len(words) == 5 and words[0] == b"settled", f"an answer that nobody knows: {words}")
        reading, changes = int(words[1]), int(words[3])
        demand(self.settled + changes == reading < len(self.sent_at),
               f"reading {reading} after {changes} changes, and {self.settled} was the last to settle")
        waited = arrived - self.sent_at[reading]
        demand(waited >= self.load.settle_ns, f"settled {self.load.settle_ns - waited} ns too early")
        self.load.settle_late.append(waited - self.load.settle_ns)
        self.settled = reading


class Load:
    def __init__(self, port, sensors, idle_ms, settle_ms, seed):
        self.port, self.count, self.random = port, sensors, random.Random(seed)
        self.idle_ns, self.settle_ns = idle_ms * 1_000_000, settle_ms * 1_000_000
        self.came = self.lines = self.idle = self.left = self.cut_off = 0
        self.idle_late, self.settle_late = [], []

    def run(self, seconds):
        """Keeps the hub at its number of sensors for so long, then waits until the last has been disconnected."""
        selector, sensors = selectors.DefaultSelector(), set()
        end = now() + int(seconds * 1e9)
        while sensors or now() < end:
            while len(sensors) < self.count and now() < end:
                sensor = Sensor(self)
                selector.register(sensor.socket, selectors.EVENT_READ, sensor)
                sensors.add(sensor)
                self.came += 1
            for sensor in sensors:
                if sensor.lively() and now() >= sensor.next_send:
                    sensor.send()
            for key, _ in selector.select(0.002):
                if not key.data.receive():
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
                    sensors.remove(key.data)
