# SPDX-License-Identifier: MIT
"""usage: protocol_test.py SENSOR_HUB

What the hub makes of having no descriptor left, and of a pause.
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


def input_before_timers(program):
    """A hub that was stopped past every deadline: sensors that have sent a line meanwhile are not idle, however many."""
    hub = Hub(program, idle=8000, settle=1, report=3600000)
    sensors = [hub.sensor() for _ in range(600)]
    hub.process.send_signal(signal.SIGSTOP)
    for sensor in sensors:
        sensor.sendall(b"1\n")
    time.sleep(8.2)
    hub.process.send_signal(signal.SIGCONT)
    for sensor in sensors:
        assert sensor.recv(100) == b"settled 1 after 1 changes\n"
        sensor.close()
    ended, _ = hub.end()
    assert "600 sensors = 0 idle" in ended, ended


def main(program):
    try:
        for test in (input_before_timers, no_descriptor_left):
            test(program)
    finally:
        for process in Hub.started:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main(sys.argv[1])
