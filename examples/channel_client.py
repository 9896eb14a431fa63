#!/usr/bin/env python3
"""A client of Continuo's channels in Python, with the standard library only, written from PROTOCOL.md.

    python3 channel_client.py http://127.0.0.1:4670 team --as echo --token-file PATH

joins the channel as an agent that answers what is addressed to it. `Channel` is the part to copy:

    channel = Channel("http://127.0.0.1:4670", "team", "echo", token="continuo_…")
    for event in channel.events():
        ...

channel_client_conformance.py runs it in the conformance program.
"""

import argparse
import base64
import hashlib
import json
import os
import queue
import random
import select
import socket
import ssl
import struct
import sys
import threading
import time
import uuid
from urllib.parse import quote, urlsplit

# protocol/constants.json has these values.
PROTOCOL, SUBPROTOCOL = 1, "continuo.channel.1"
FINAL = {"unauthorized", "forbidden", "invalid", "not_found", "gone", "handle_taken", "too_large",
         "unsupported", "usage", "log_closed", "out_of_range"}
HEARTBEAT_S, SILENCE_S = 3, 10
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 30
# Messages that agents send after the last one of a person; the server counts them, as `turns`.
MAX_TURNS = 20


class Failure(Exception):
    """What a server answered, or `unavailable`."""

    def __init__(self, code, message=""):
        super().__init__(f"{code}: {message}")
        self.code = code


class WebSocket:
    """RFC 6455, as far as a client of JSON needs it: text messages, whole or in fragments, and control frames."""

    def __init__(self, url, subprotocol, timeout=10):
        parts = urlsplit(url)
        secure = parts.scheme in ("https", "wss")
        host, port = parts.hostname, parts.port or (443 if secure else 80)
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if secure:
            self.socket = ssl.create_default_context().wrap_socket(self.socket, server_hostname=host)
        self.socket.settimeout(timeout)
        self.buffer, self.parts, self.closed = b"", b"", False
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: {subprotocol}\r\n\r\n"
        ).encode())
        while b"\r\n\r\n" not in self.buffer:
            self._read()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self._check(head.decode("latin-1"), key)

    def _check(self, head, key):
        status, *lines = head.split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if status.split(" ")[1] != "101":
            # A server that refuses says why in a body, with the codes of an `error` frame.
            while len(self.buffer) < int(headers.get("content-length", 0)):
                self._read()
            try:
                error = json.loads(self.buffer)["error"]
            except (ValueError, KeyError, TypeError):
                error = {"code": "unavailable", "message": status}
            raise Failure(error["code"], error["message"])
        accept = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        if headers.get("sec-websocket-accept") != base64.b64encode(accept).decode():
            raise Failure("unavailable", "this is not a WebSocket")

    def _read(self):
        chunk = self.socket.recv(262144)
        if not chunk:
            raise ConnectionError("the connection was lost")
        self.buffer += chunk
        while isinstance(self.socket, ssl.SSLSocket) and self.socket.pending():
            self.buffer += self.socket.recv(262144)

    def receive(self):
        """Reads what is there, and returns the texts that are complete."""
        self._read()
        texts, at = [], 0
        while (frame := self._frame(at)) is not None:
            final, opcode, payload, at = frame
            if opcode in (0, 1):
                self.parts += payload
                if final:
                    texts.append(self.parts.decode())
                    self.parts = b""
            elif opcode == 9:
                self._send(10, payload)
            elif opcode == 8:
                self.closed = True
        self.buffer = self.buffer[at:]
        return texts

    def _frame(self, at):
        data = self.buffer
        if len(data) < at + 2:
            return None
        size, begin = data[at + 1] & 127, at + 2
        if size >= 126:
            begin = at + (4 if size == 126 else 10)
            if len(data) < begin:
                return None
            (size,) = struct.unpack("!H" if size == 126 else "!Q", data[at + 2:begin])
        if len(data) < begin + size:
            return None
        return data[at] & 128, data[at] & 15, data[begin:begin + size], begin + size

    def _send(self, opcode, payload):
        size, mask = len(payload), os.urandom(4)
        if size < 126:
            head = struct.pack("!BB", 128 | opcode, 128 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 128 | opcode, 128 | 126, size)
        else:
            head = struct.pack("!BBQ", 128 | opcode, 128 | 127, size)
        masks = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(masks, "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + masked)

    def send(self, value):
        self._send(1, json.dumps(value, ensure_ascii=False).encode())

    def close(self, code=1000):
        try:
            self._send(8, struct.pack("!H", code))
        except OSError:
            pass
        self.socket.close()


class Request:
    """A frame that waits for its answer. It is sent again over each connection until it comes."""

    def __init__(self, frame):
        self.frame, self.done, self.value, self.failure, self.on_done = frame, threading.Event(), None, None, None

    def settle(self, value=None, failure=None):
        self.value, self.failure = value, failure
        self.done.set()
        if self.on_done:
            self.on_done(self)

    def result(self, timeout=None):
        if not self.done.wait(timeout):
            raise TimeoutError("the server has not answered")
        if self.failure:
            raise self.failure
        return self.value


class Channel:
    """One participant of a channel, over any number of connections. Each event of the log comes once, in order."""

    def __init__(self, server, channel, handle, token=None, workspace=None, after="processed", replay="stream"):
        self.url = f"{server.rstrip('/')}/v1/channels/{quote(channel, safe='')}/ws"
        self.hello = {"type": "hello", "protocol": PROTOCOL, "instance": str(uuid.uuid4()), "handle": handle,
                      "participantType": "agent"}
        self.hello |= {"token": token} if token else {}
        self.hello |= {"workspaceId": workspace} if workspace else {}
        self.after, self.replay = after, replay
        self.handle, self.position, self.session, self.omitted, self.roster = handle, None, None, 0, {}
        # A bounded queue is the flow control: while it is full the socket is not read, and the server waits.
        self.queue = queue.Queue(1000)
        self.held, self.ready = [], threading.Event()
        self.requests, self.numbers, self.leaving, self.ended, self.failure = {}, 0, False, threading.Event(), None
        self.lock, (self.wake_end, self.wake) = threading.Lock(), socket.socketpair()
        threading.Thread(target=self._run, daemon=True).start()

    # A program uses these methods.

    def events(self):
        """The events of the log, until the channel is closed. Errors: why the client does not come again."""
        while (event := self.queue.get()) is not None:
            yield event
        if self.failure:
            raise self.failure

    def request(self, type, on_done=None, **fields):
        """`request("send", id=…, content=…)`; `.result()` waits for the answer."""
        with self.lock:
            self.numbers += 1
            request = Request({"type": type, "request": self.numbers, **fields})
            request.on_done = on_done
            if not self.ended.is_set():
                self.requests[self.numbers] = request
        if self.ended.is_set():
            request.settle(failure=self.failure or Failure("unavailable", "the channel is closed"))
        self._poke(b"r")
        return request

    def send(self, content, **fields):
        """A whole message, or with `state="open"` the beginning of one. Returns its request; the id is in its frame."""
        return self.request("send", id=str(uuid.uuid4()), content=content, **fields)

    def part(self, type, message, **fields):
        """`append`, `replace` or `complete` of a message in progress."""
        return self.request(type, id=str(uuid.uuid4()), messageId=message, **fields)

    def close(self):
        self.leaving = True
        self._poke(b"c")

    def is_addressed(self, event):
        data = event["data"] if isinstance(event["data"], dict) else {}
        if event["actor"].get("id") == self.handle or event["type"] not in ("message_sent", "message_completed"):
            return False
        named = self.handle in data.get("to", []) or data.get("replyToHandle") == self.handle
        return named or f"@{self.handle}" in str(data.get("content", "")).replace(",", " ").replace(".", " ").split()

    # The connection, in a thread of its own.

    def _poke(self, byte):
        self.wake.send(byte)

    def _run(self):
        tries, failure = 0, None
        while failure is None and not self._has_left():
            self.wait_s, self.refusal, self.ready_here = 0, None, False
            try:
                self._talk(WebSocket(self.url, SUBPROTOCOL))
            except Failure as error:
                self.refusal = error
            except OSError:
                pass
            tries = 0 if self.ready_here else tries
            if self.refusal and self.refusal.code in FINAL:
                failure = self.refusal
            elif not self._has_left():
                pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** tries)
                time.sleep(self.wait_s + pause * random.uniform(0.5, 1))
                tries += 1
        with self.lock:
            self.failure = failure
            self.ended.set()
            waiting, self.requests = list(self.requests.values()), {}
        for request in waiting:
            request.settle(failure=failure or Failure("unavailable", "the channel is closed"))
        self.queue.put(None)

    def _has_left(self):
        return self.leaving and not self.requests

    def _talk(self, web):
        """One connection, until it ends."""
        hello = {**self.hello, "after": self.after, "replay": self.replay}
        if self.position is not None:
            hello = {**self.hello, "after": self.position}
        self.greeted, self.asked, self.said_close, self.sent = False, False, False, set()
        heard = beat = time.monotonic()
        try:
            web.send(hello)
            while not web.closed and time.monotonic() - heard < SILENCE_S:
                # Frames that did not fit into the queue go first; until then nothing is read, and the server waits.
                while self.held and not self.queue.full():
                    self.queue.put(self.held.pop(0))
                sources, patience = ([self.wake_end], 0.05) if self.held else ([web.socket, self.wake_end], 1)
                readable, _, _ = select.select(sources, [], [], patience)
                if self.wake_end in readable:
                    self.wake_end.recv(4096)
                if self.held or web.socket in readable:
                    heard = time.monotonic()
                if web.socket in readable:
                    for text in web.receive():
                        self._take(web, json.loads(text))
                if self.greeted and time.monotonic() - beat >= HEARTBEAT_S:
                    beat = time.monotonic()
                    web.send({"type": "heartbeat"})
                self._write(web)
        except (ValueError, TypeError, KeyError, AttributeError):
            # This is not a frame of this protocol.
            web.close(4002)
        finally:
            web.close()

    def _write(self, web):
        if not self.greeted:
            return
        with self.lock:
            fresh = [request for number, request in self.requests.items() if number not in self.sent]
        for request in fresh:
            self.sent.add(request.frame["request"])
            web.send(request.frame)
        if self._has_left() and not self.said_close:
            self.said_close = True
            web.send({"type": "close"})

    def _take(self, web, frame):
        kind = frame["type"]
        if kind == "hello":
            if self.position is None:
                self.position = frame["after"]
                self.omitted = frame.get("omitted", {}).get("messages", 0)
            self.session, self.greeted = frame["session"], True
        elif kind == "event":
            self._event(web, frame["after"], frame["event"])
        elif kind == "ready":
            self.roster = {one["handle"]: one for one in frame["roster"]}
            self.ready_here = True
            self.ready.set()
        elif kind == "presence":
            one = frame["participant"]
            self.roster.pop(one["handle"], None)
            if frame["change"] == "joined":
                self.roster[one["handle"]] = one
        elif kind == "session":
            self.session = frame["session"]
        elif kind in ("ok", "error") and "request" in frame:
            with self.lock:
                request = self.requests.pop(frame["request"], None)
            if request and kind == "ok":
                request.settle(frame["result"])
            elif request:
                request.settle(failure=Failure(frame["error"]["code"], frame["error"]["message"]))
        elif kind == "error":
            self.refusal = Failure(frame["error"]["code"], frame["error"]["message"])
        elif kind == "bye":
            self.wait_s = frame["retryMs"] / 1000

    def _event(self, web, after, event):
        if event["sequence"] <= self.position:
            return
        if after != self.position:
            if not self.asked:
                self.asked = True
                web.send({"type": "resume", "after": self.position})
            return
        self.asked, self.position = False, event["sequence"]
        if self.held or self.queue.full():
            self.held.append(event)
        else:
            self.queue.put(event)


def answer(channel):
    """Answers each message that is addressed to us, word for word and in parts; what was done is committed."""
    for event in channel.events():
        if not channel.is_addressed(event) or event["data"].get("state") == "open":
            continue
        if event.get("turns", 0) >= MAX_TURNS:
            # Agents that answer each other would never end: a person has to say something.
            if channel.session:
                channel.request("commit", sequence=event["sequence"]).result()
            continue
        said, author = event["data"]["content"], event["actor"].get("id")
        if channel.session:
            channel.request("received", sequence=event["sequence"])
        message = channel.send("", state="open", to=[author], replyTo=event["data"].get("messageId", event["id"]))
        message.result()
        text = f"You said: {said}"
        for word in text.split(" "):
            channel.part("append", message.frame["id"], delta=f"{word} ")
        channel.part("complete", message.frame["id"], content=text).result()
        if channel.session:
            channel.request("commit", sequence=event["sequence"]).result()


def main():
    parser = argparse.ArgumentParser(description="An agent in a channel that says again what it is told.")
    parser.add_argument("server")
    parser.add_argument("channel")
    parser.add_argument("--as", dest="handle", default="echo")
    parser.add_argument("--token-file")
    parser.add_argument("--workspace", default="default")
    given = parser.parse_args()
    token = open(given.token_file).read().strip() if given.token_file else None
    channel = Channel(given.server, given.channel, given.handle, token, given.workspace)
    threading.Thread(target=lambda: channel.ready.wait() and print("joined", flush=True), daemon=True).start()
    try:
        answer(channel)
    except Failure as failure:
        sys.exit(f"cannot stay in the channel: {failure}")
    except KeyboardInterrupt:
        channel.close()
        channel.ended.wait(5)


if __name__ == "__main__":
    main()
