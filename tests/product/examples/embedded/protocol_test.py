# SPDX-License-Identifier: MIT
"""usage: protocol_test.py SENSOR_HUB

What the hub makes of sensors that do not behave, of having no descriptor left, and of its end.
"""
import resource
import signal
import socket
import subprocess
import sys
import time

PATIENCE = 60  # a limit against hanging, and no measure


class Hub:
    started = []

    def __init__(self, program, descriptors=None, **times):
        options = [text for name, value in times.items() for text in (f"--{name}", str(value))]
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))) if descriptors else None
        self.process = subprocess.Popen([program, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=limit)
        self.started.append(self.process)
        self.port = int(self.process.stdout.readline().split()[1])

    def sensor(self):
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.settimeout(PATIENCE)
        return connection

    def end(self):
        """(the line of counts, stderr)"""
        self.process.terminate()
        out, err = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, (self.process.returncode, err)
        return next(line for line in out.splitlines() if line.startswith("end: ")), err


def all_of(connection):
    received = b""
    try:
        while data := connection.recv(4096):
            received += data
    except ConnectionResetError:
        pass
    return received


def lines_in_pieces(program):
    hub = Hub(program, idle=3600000, settle=10)
    sensor = hub.sensor()
    for piece in (b"op", b"en\nshut\nop", b"en\n"):
        sensor.sendall(piece)
    while b"settled open" not in sensor.recv(100):
        pass  # "shut", if the last piece came late
    ended, _ = hub.end()
    assert "1 sensors = 0 idle + 0 left + 1 dropped; 3 lines" in ended, ended


def too_long_a_line(program):
    hub = Hub(program, idle=3600000)
    sensor = hub.sensor()
    sensor.sendall(b"y" * 63 + b"\n")
    sensor.sendall(b"x" * 64)
    assert all_of(sensor) in (b"", b"settled " + b"y" * 63 + b" after 1 changes\n")
    ended, err = hub.end()
    assert "1 dropped" in ended and " 1 lines" in ended and "more than 63 bytes" in err, (ended, err)


def no_descriptor_left(program):
    """It says so, serves those it has, and goes on when there are descriptors again."""
    hub = Hub(program, descriptors=12, idle=3600000, settle=1)
    sensors = [hub.sensor() for _ in range(10)]
    for number, sensor in enumerate(sensors):
        sensor.sendall(b"%d\n" % number)
    assert sensors[0].recv(100) == b"settled 0 after 1 changes\n"
    for sensor in sensors[:6]:
        sensor.close()
    assert sensors[9].recv(100) == b"settled 9 after 1 changes\n"
    ended, err = hub.end()
    assert "10 sensors = " in ended and "Too many open files" in err, (ended, err)


def connected_at_the_end(program):
    hub = Hub(program, idle=3600000)
    sensors = [hub.sensor() for _ in range(3)]
    for sensor in sensors:
        sensor.sendall(b"1\n")
        assert sensor.recv(100) == b"settled 1 after 1 changes\n"
    ended, err = hub.end()
    assert "3 sensors = 0 idle + 0 left + 3 dropped" in ended and err == "", (ended, err)
    assert all(all_of(sensor) == b"" for sensor in sensors)


def input_before_timers(program):
    """A hub that was stopped past every deadline: a sensor that has sent a line meanwhile is not idle, however many there are."""
    hub = Hub(program, idle=3000, settle=1, report=3600000)
    sensors = [hub.sensor() for _ in range(600)]
    hub.process.send_signal(signal.SIGSTOP)
    for sensor in sensors:
        sensor.sendall(b"1\n")
    time.sleep(3.2)
    hub.process.send_signal(signal.SIGCONT)
    for sensor in sensors:
        assert sensor.recv(100) == b"settled 1 after 1 changes\n"
        sensor.close()
    ended, _ = hub.end()
    assert "600 sensors = 0 idle" in ended, ended


def main(program):
    try:
        for test in (input_before_timers, lines_in_pieces, too_long_a_line, no_descriptor_left, connected_at_the_end):
            test(program)
    finally:
        for process in Hub.started:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main(sys.argv[1])
