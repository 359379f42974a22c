# SPDX-License-Identifier: MIT
"""What the tests of the command's servers share: to start one, and to ask it."""
import gzip
import http.client
import os
import re
import time

from command_support import DETENT, WithDirectory


class WithServer(WithDirectory):
    def serve(self, *command):
        """Returns the server and its port."""
        server = self.spawn(*command)
        return server, int(re.fullmatch(r"serving http://.*:(\d+)/\w*\n", server.stdout.readline())[1])

    def ask(self, port, path="/", method="GET", host="localhost", fields=(), body=b"", connection=None):
        connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.addCleanup(connection.close)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in [("Host", host), *fields]:
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        body = answer.read()
        if answer.getheader("Content-Encoding") == "gzip" and method != "HEAD":
            body = gzip.decompress(body)
        return answer, body.decode()

    def status(self, *arguments, **named):
        return self.ask(*arguments, **named)[0].status


class WithConsole(WithServer):
    def setUp(self):
        super().setUp()
        self.counters = self.path("counters")
        os.mkdir(self.counters)

    def beat(self):
        """Starts an engine; returns its file."""
        file = os.path.join(self.counters, "detent.1.0")
        self.engine(file, "heartbeat")
        return file

    def start(self, *arguments, listen="127.0.0.1:0"):
        """Returns the console and its port."""
        return self.serve(DETENT, "console", "--counters", self.counters, "--listen", listen, *arguments)

    def wait_for(self, port, what, path="/"):
        """Asks until the answer has it; a test's own time-out ends the rest."""
        while what not in (text := self.ask(port, path)[1]):
            time.sleep(0.1)
        return text
