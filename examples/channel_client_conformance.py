#!/usr/bin/env python3
"""channel_client.py in the conformance program for clients of channels; docs/clients.md describes commands and reports.

    npx -p continuo continuo-conformance -- python3 channel_client_conformance.py
"""

import json
import sys
import threading
from functools import partial

from channel_client import Channel, Failure


def conform():
    """Commands of the conformance program on standard input, reports on standard output: one line of JSON each."""
    gate, channel, lock = threading.Event(), None, threading.Lock()
    gate.set()

    def report(kind, **fields):
        with lock:
            print(json.dumps({"report": kind, **fields}), flush=True)

    def hand_over():
        threading.Thread(target=say_ready, daemon=True).start()
        code = None
        try:
            for event in channel.events():
                gate.wait()
                if event["type"] == "message_sent" and event["data"]:
                    report("message", sequence=event["sequence"], content=event["data"]["content"])
        except Failure as failure:
            code = failure.code
        report("ended", code=code)

    def say_ready():
        channel.ready.wait()
        report("ready", omitted=channel.omitted)

    def sent(name, request):
        if request.failure:
            report("failed", name=name, code=request.failure.code)
        else:
            report("confirmed", name=name)

    for line in sys.stdin:
        command = json.loads(line)
        if command["command"] == "connect":
            names = ("serverUrl", "channel", "handle", "token")
            channel = Channel(*(command[name] for name in names), after=0, replay=command["replay"])
            threading.Thread(target=hand_over, daemon=True).start()
        elif command["command"] == "send":
            channel.send(command["content"], on_done=partial(sent, command["name"]))
        elif command["command"] == "stop_reading":
            gate.clear()
        elif command["command"] == "read":
            gate.set()
        elif command["command"] == "close":
            channel.close()


if __name__ == "__main__":
    conform()
