import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { networkOf } from "./addresses.ts";
import { createPeers } from "./peers.ts";
import { Pipelines } from "./pipelines.ts";
import { trustedProxies } from "./proxies.ts";
import { Strangers } from "./strangers.ts";

const NOBODY = trustedProxies([]);

function socketFrom(remoteAddress: string): Socket {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    destroyed: false,
    destroy: () => {
      socket.destroyed = true;
      socket.emit("close");
    },
  });
  return socket as unknown as Socket;
}

function peerOf(remoteAddress: string, headers: object, proxies: readonly string[] = []): unknown {
  const trusted = trustedProxies(proxies);
  const peers = createPeers(trusted, new Strangers(trusted));
  const { onToken, connection, ...peer } = peers({
    socket: socketFrom(remoteAddress),
    headers,
  } as IncomingMessage);
  return peer;
}

test("a client has the address of its socket, and its headers can only show that it is not this machine", () => {
  expect(peerOf("127.0.0.1", {})).toEqual({ address: "127.0.0.1", isLoopback: true });
  expect(peerOf("::ffff:127.0.0.9", {})).toEqual({ address: "127.0.0.9", isLoopback: true });
  expect(peerOf("::1", {})).toEqual({ address: "::1", isLoopback: true });
  expect(peerOf("203.0.113.7", {})).toEqual({ address: "203.0.113.7", isLoopback: false });
  for (const headers of [{ "x-forwarded-for": "198.51.100.1" }, { forwarded: "for=198.51.100.1" }]) {
    expect(peerOf("127.0.0.1", headers)).toEqual({ address: "127.0.0.1", isLoopback: false });
  }
});

test("a trusted proxy names the client, and the client's own claims are not believed", () => {
  const proxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"];
  const addressBehind = (headers: object, proxy = "127.0.0.1"): unknown => peerOf(proxy, headers, proxies);
  const from = (address: string) => ({ address, isLoopback: false });
  expect(addressBehind({ "x-forwarded-for": "198.51.100.1" })).toEqual(from("198.51.100.1"));
  expect(addressBehind({ "x-forwarded-for": "1.2.3.4, 198.51.100.1" })).toEqual(from("198.51.100.1"));
  expect(addressBehind({ "x-forwarded-for": "1.2.3.4, 198.51.100.1, 10.1.2.3" })).toEqual(
    from("198.51.100.1"),
  );
  expect(addressBehind({ "x-forwarded-for": "198.51.100.1:4711" })).toEqual(from("198.51.100.1"));
  expect(addressBehind({ "x-forwarded-for": "::ffff:198.51.100.1" })).toEqual(from("198.51.100.1"));
  expect(addressBehind({ "x-forwarded-for": "127.0.0.1" })).toEqual(from("127.0.0.1"));
  expect(addressBehind({})).toEqual(from("127.0.0.1"));
  expect(addressBehind({ "x-forwarded-for": "1.2.3.4, unknown" })).toEqual(from("127.0.0.1"));
  expect(addressBehind({ "x-forwarded-for": "198.51.100.1" }, "::ffff:10.9.9.9")).toEqual(
    from("198.51.100.1"),
  );
  expect(addressBehind({ "x-forwarded-for": "2001:db9::1" }, "2001:db8::7")).toEqual(from("2001:db9::1"));
  const forwarded = 'for=1.2.3.4;proto=https, For="[2001:db9::5]:4711";by=10.0.0.1';
  expect(addressBehind({ forwarded })).toEqual(from("2001:db9::5"));
  expect(addressBehind({ forwarded: "for=_hidden" })).toEqual(from("127.0.0.1"));
});

test("a proxy that is not an address is a usage error", () => {
  for (const text of ["", "localhost", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/", "::1/129", "10.0.0/8"]) {
    expect(() => trustedProxies([text])).toThrow(expect.objectContaining({ code: "usage" }));
  }
});

test("IPv6 addresses that one client can choose count as one network", () => {
  expect(networkOf("2001:db8:1:2::5")).toBe("2001:db8:1:2::/64");
  expect(networkOf("2001:0db8:0001:0002:ffff:1:2:3")).toBe("2001:db8:1:2::/64");
  expect(networkOf("2001:db8::5")).toBe("2001:db8:0:0::/64");
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
  expect(networkOf("64:ff9b::192.0.2.1")).toBe("64:ff9b:0:0::/64");
  expect(networkOf("203.0.113.7")).toBe("203.0.113.7");
});

const LIMITS = { strangers: 4, strangersOfNetwork: 2, strangerGraceMs: 1_000 };

test("the oldest stranger of a network is closed for a newer one, but not during a flood, and not after it showed a token", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const crowd: string[] = [];
  const strangers = new Strangers(NOBODY, LIMITS, (address) => void crowd.push(address));
  const meet = (address = "203.0.113.7"): Socket => {
    const socket = socketFrom(address);
    strangers.meet(socket);
    return socket;
  };
  const [known, first] = [meet(), meet()];
  strangers.know(known);
  const third = meet();
  const flood = meet();
  expect([known, first, third, flood].map(({ destroyed }) => destroyed)).toEqual([false, false, false, true]);
  expect(crowd).toEqual(["203.0.113.7"]);
  vi.advanceTimersByTime(1_000);
  const newcomer = meet();
  expect([first, third, newcomer].map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  expect(strangers.count).toBe(2);
  newcomer.emit("close");
  third.emit("close");
  expect(strangers.count).toBe(0);
  vi.useRealTimers();
});

test("strangers of all networks share a limit, and connections from a trusted proxy have only that limit", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const strangers = new Strangers(trustedProxies(["10.0.0.1"]), LIMITS);
  const sockets = ["10.0.0.1", "10.0.0.1", "10.0.0.1", "198.51.100.1", "198.51.100.2"].map(socketFrom);
  for (const socket of sockets) strangers.meet(socket);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false, true]);
  vi.advanceTimersByTime(1_000);
  const newcomer = socketFrom("198.51.100.3");
  strangers.meet(newcomer);
  expect([sockets[0]?.destroyed, newcomer.destroyed, strangers.count]).toEqual([true, false, 4]);
  vi.useRealTimers();
});

test("a request counts until its answer was sent or broke off, and one that is too many closes its connection", () => {
  const pipelines = new Pipelines(2);
  const socket = socketFrom("203.0.113.7");
  const responses = Array.from({ length: 4 }, () => new EventEmitter());
  const take = (n: number): boolean => pipelines.take(socket, responses[n] as unknown as ServerResponse);
  expect([take(0), take(1)]).toEqual([true, true]);
  // The client left before the answer was complete, so there is no `finish`.
  responses[0]?.emit("close");
  expect([take(2), socket.destroyed]).toEqual([true, false]);
  expect([take(3), socket.destroyed]).toEqual([false, true]);
  responses[1]?.emit("close");
  expect(take(1)).toBe(false);
});
