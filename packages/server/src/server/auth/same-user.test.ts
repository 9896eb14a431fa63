import type { SocketUser } from "@continuo/files";
import { expect, test, vi } from "vitest";
import { assertSameUser } from "./same-user.ts";

const CONNECTION = { remoteAddress: "127.0.0.1", remotePort: 5000, localPort: 4748 };
const PEER = { address: "127.0.0.1", isLoopback: true, connection: CONNECTION };

async function check(user: SocketUser, reach: "machine" | "network" = "machine"): Promise<string> {
  const report = vi.fn();
  try {
    await assertSameUser(PEER, { reach, report }, { own: 1000, userOf: async () => user });
    return "allowed";
  } catch (error) {
    expect(report).toHaveBeenCalledOnce();
    return (error as { readonly code: string }).code;
  }
}

test("programs of this user and of root open pages, and a program of another user does not", async () => {
  expect([await check(1000), await check(0), await check(1001)]).toEqual(["allowed", "allowed", "forbidden"]);
});

test("a program that has closed its end of the connection opens no page", async () => {
  expect(await check("gone")).toBe("forbidden");
});

test("the code is enough if the system does not know the user of a connection, and on servers for a network", async () => {
  expect(await check("not told")).toBe("allowed");
  expect(await check(1001, "network")).toBe("allowed");
});
