import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { userOfPeer, usersListening } from "./socket-users.ts";

const HEAD =
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const row = (local: string, remote: string, state: string, uid: number): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${uid}        0 5713 1 0000000000000000 100 0 0 10 0\n`;
const table =
  (tcp: string | null, tcp6 = "") =>
  async (path: string): Promise<string | null> =>
    path.endsWith("6") ? HEAD + tcp6 : tcp === null ? null : HEAD + tcp;

const PEER = { remoteAddress: "127.0.0.1", remotePort: 0xabcd, localPort: 4748 };
const OURS = row("0100007F:128C", "0100007F:ABCD", "01", 1000);

test("the user of a peer is the one of the socket at the other end", async () => {
  const theirs = row("0100007F:ABCD", "0100007F:128C", "01", 1001);
  expect(await userOfPeer(PEER, table(OURS + theirs))).toBe(1001);
});

test("a peer with an IPv6 socket that speaks IPv4 is found in the other table", async () => {
  const mapped = "0000000000000000FFFF00000100007F";
  const theirs = row(`${mapped}:ABCD`, `${mapped}:128C`, "01", 1002);
  expect(await userOfPeer(PEER, table(OURS, theirs))).toBe(1002);
});

test("the same port at another address of loopback is another peer", async () => {
  const other = row("0500007F:ABCD", "0100007F:128C", "01", 1000);
  expect(await userOfPeer(PEER, table(OURS + other))).toBe("gone");
});

test("a socket that its process closed counts as gone, since the kernel shows it as root's", async () => {
  const closed = row("0100007F:ABCD", "0100007F:128C", "05", 0);
  expect(await userOfPeer(PEER, table(OURS + closed))).toBe("gone");
});

test("a system that does not list sockets gives no users", async () => {
  expect(await userOfPeer(PEER, table(null))).toBe("not told");
  expect(await userOfPeer(PEER, table(""))).toBe("not told");
  expect(await usersListening(4748, table(null))).toBeNull();
});

test("users who listen at loopback or at every address are found, and those at other addresses are not", async () => {
  const listening = [
    row("0100007F:128C", "00000000:0000", "0A", 1),
    row("00000000:128C", "00000000:0000", "0A", 2),
    row("0501A8C0:128C", "00000000:0000", "0A", 3),
    row("0100007F:128D", "00000000:0000", "0A", 4),
    OURS,
  ].join("");
  const everywhere = row(`${"0".repeat(32)}:128C`, `${"0".repeat(32)}:0000`, "0A", 5);
  expect(await usersListening(4748, table(listening, everywhere))).toEqual([1, 2, 5]);
});

test.runIf(process.platform === "linux")(
  "a real connection and a real listener are this user's",
  async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = connect(port, "127.0.0.1");
    const [accepted] = (await once(server, "connection")) as [Socket];
    const { remoteAddress = "", remotePort = 0 } = accepted;
    const own = process.getuid?.();
    expect([own, "not told"]).toContain(await userOfPeer({ remoteAddress, remotePort, localPort: port }));
    expect([[own], []]).toContainEqual(await usersListening(port));
    client.destroy();
    server.close();
  },
);
