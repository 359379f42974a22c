# SPDX-License-Identifier: MIT
"""What the tests of the command's servers share: to start one, and to ask it."""
import http.client
import re

from command_support import WithDirectory


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
        return answer, answer.read().decode()

    def status(self, *arguments, **named):
        return self.ask(*arguments, **named)[0].status
