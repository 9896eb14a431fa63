/**
 * The owners of this machine's sockets. Linux lists them for everybody in `/proc/net/tcp` and `tcp6`. Other systems and
 * some sandboxes do not list them.
 */

import { readFile } from "node:fs/promises";

/** A connection of loopback, from the view of the side that accepted it. */
export interface AcceptedConnection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
}

/** The number of a user; `gone` if no process has that end of the connection; `not told` if the system hides it. */
export type SocketUser = number | "gone" | "not told";

interface SocketRow {
  /** Address and port, in the kernel's hexadecimal form. */
  readonly local: string;
  readonly remote: string;
  readonly state: string;
  readonly user: number;
}

const ESTABLISHED = "01";
const LISTENING = "0A";

/** The user of the process at the other end of a connection. */
export async function userOfPeer(
  connection: AcceptedConnection,
  read: ReadText = readText,
): Promise<SocketUser> {
  const { remoteAddress, remotePort, localPort } = connection;
  const peers = formsOf(remoteAddress).map((form) => `${form}:${hexOf(remotePort)}`);
  const port = `:${hexOf(localPort)}`;
  const rows = (await readRows(read)) ?? [];
  // The owner is unknown if the system does not list our own end of the connection.
  if (!rows.some(({ local, remote }) => local.endsWith(port) && peers.includes(remote))) return "not told";
  const found = rows.find(
    ({ local, remote, state }) => peers.includes(local) && remote.endsWith(port) && state === ESTABLISHED,
  );
  return found?.user ?? "gone";
}

/**
 * The users whose processes listen on a port of loopback or of all addresses; `null` if the system does not report
 * them.
 */
export async function usersListening(
  port: number,
  read: ReadText = readText,
): Promise<readonly number[] | null> {
  const places = [...formsOf("127.0.0.1"), ...formsOf("0.0.0.0"), ...formsOf("::1"), ...formsOf("::")];
  const locals = places.map((form) => `${form}:${hexOf(port)}`);
  const rows = await readRows(read);
  if (rows === null) return null;
  const found = rows.filter(({ local, state }) => state === LISTENING && locals.includes(local));
  return [...new Set(found.map(({ user }) => user))];
}

type ReadText = (path: string) => Promise<string | null>;

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, "latin1");
  } catch {
    return null;
  }
}

async function readRows(read: ReadText): Promise<readonly SocketRow[] | null> {
  const texts = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map(read));
  return texts[0] === null ? null : texts.flatMap((text) => rowsOf(text ?? ""));
}

function rowsOf(text: string): readonly SocketRow[] {
  return text
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      // `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid …`
      const [, local = "", remote = "", state = "", , , , user = ""] = line.trim().split(/\s+/u);
      return user === "" ? [] : [{ local, remote, state, user: Number(user) }];
    });
}

function hexOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

/** The kernel's forms of an address, for IPv4 and IPv6 sockets: words of 32 bits, each with its lowest byte first. */
function formsOf(address: string): readonly string[] {
  const v4 = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.(\d+)$/u.exec(address)?.slice(1);
  if (v4 !== undefined) {
    const word = v4.map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, "0"));
    const form = word.reverse().join("");
    return [form, `0000000000000000FFFF0000${form}`];
  }
  if (address === "::1") return ["00000000000000000000000001000000"];
  return address === "::" ? ["0".repeat(32)] : [];
}
