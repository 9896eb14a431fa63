/**
 * The server for phones. It listens on loopback, and the person's tunnel leads to it. It accepts no token of the
 * viewer, and serves only the routes that a phone may use.
 */

import { ContinuoError, type Principal, type Store } from "@continuo/core/model";
import type { MachineService, PairAnswer, PhoneRights, PhoneService } from "@continuo/core/wire/machine";
import { createAuthenticate, createPhones, createServer, listen, PHONE_PARTS } from "@continuo/server";
import { type OpenedStore, openStore } from "@continuo/store";
import { viewerFolder } from "../serve/index.ts";
import { HOST } from "./address.ts";
import { PHONE_PORT, type ViewFlags } from "./flags.ts";
import { takePort } from "./port.ts";

export interface PhoneDoor extends AsyncDisposable {
  readonly phones: PhoneService;
  /** The address on this machine to which the tunnel leads. */
  readonly address: string;
}

interface DoorOptions {
  readonly url: string;
  readonly logs: (workspaceId: string, by?: Principal) => Store;
  /** The service is closed together with this server. */
  readonly machine: () => Promise<MachineService>;
  readonly report: (line: string) => void;
  readonly port: number;
  /** This field and the next one are for tests. */
  readonly tokens?: OpenedStore;
  readonly pageFolder?: string;
}

/** Errors: `unavailable` if another program has the port. */
export async function openPhoneDoor({
  url,
  logs,
  machine,
  report,
  port,
  tokens: given,
  pageFolder = viewerFolder(),
}: DoorOptions): Promise<PhoneDoor> {
  const tokens = given ?? (await openStore("memory:"));
  const server = createServer(
    {
      store: logs,
      tokens: (workspaceId, by) => tokens.forWorkspace(workspaceId, by),
      authenticate: createAuthenticate(tokens),
      reach: "network",
      pagesOf: "phone",
      publicUrl: url,
      // Only the name of the tunnel is accepted, so that a page of another name cannot reach the server by DNS
      // rebinding.
      hosts: [],
      machine,
      pageFolder,
      report,
    },
    PHONE_PARTS,
  );
  const listening = await takePort(
    { port, isDefault: false },
    { listen: (wanted) => listen(server, { host: HOST, port: wanted, process: "own" }), warn: report },
  );
  return {
    phones: createPhones(tokens, url),
    address: listening.url,
    [Symbol.asyncDispose]: async () => {
      await listening.close();
      await tokens.close();
    },
  };
}

/** Errors: `usage`. */
export function tunnelPort({ tunnelPort: text }: ViewFlags): number {
  if (text === undefined) return PHONE_PORT;
  if (/^\d{1,5}$/u.test(text) && Number(text) > 0 && Number(text) <= 65_535) return Number(text);
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not a port`, {
    hint: "Write a number from 1 to 65535.",
  });
}

/**
 * Returns the address of the tunnel, without a slash at the end. An address without TLS must be a loopback address: the
 * tunnel then ends on the phone itself. Errors: `usage`.
 */
export function tunnelOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url?.protocol === "http:" && /^(?:127\.0\.0\.1|localhost)$/u.test(url.hostname) && url.port !== "";
  if (url !== null && (url.protocol === "https:" || isPlain) && url.href === `${url.origin}/`)
    return url.origin;
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not the address of a tunnel`, {
    hint: "Write an https address without a path, such as https://laptop.tail1234.ts.net.",
  });
}

/** The rights that `--pair` names; `null` without the flag. Errors: `usage`. */
export function pairRights({ pair, readOnly }: ViewFlags): PhoneRights | null {
  if (pair === undefined) return null;
  const rights = pair === true ? "read" : pair;
  if (rights === "read" || (rights === "answer" && !readOnly)) return rights;
  throw new ContinuoError("usage", `${JSON.stringify(rights)} is not what a phone may do`, {
    hint: readOnly ? "Leave --read-only out, or write --pair read." : "Write --pair read or --pair answer.",
  });
}

/** Pairs a phone under a fixed name, because the command does not ask for one. */
export async function pairFromTerminal(phones: PhoneService, rights: PhoneRights): Promise<PairAnswer> {
  return await phones.pair({ name: "Phone", rights });
}

/** Draws two rows of the code in each line, always dark on light, with any colours of the terminal. */
export function qrLines(rows: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < rows.length; at += 2) {
    const [upper = "", lower = ""] = [rows[at], rows[at + 1]];
    const cells = [...upper].map((dark, column) => CELLS[`${dark}${lower[column] ?? "0"}`] ?? " ");
    lines.push(`\u001b[30;47m${cells.join("")}\u001b[0m`);
  }
  return lines;
}

const CELLS: Readonly<Record<string, string>> = { "00": " ", "10": "▀", "01": "▄", "11": "█" };
