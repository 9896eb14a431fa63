/** A `continuo acp` of its own, and requests of JSON-RPC over lines. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { splitLines } from "@continuo/files";

const ROOT = join(import.meta.dirname, "../..");
const MAX_ANSWER_CHARS = 64 * 1024 * 1024;
/** Linux counts the time of a process in ticks of ten milliseconds. */
const TICK_MS = 10;

export type Ask = (method: string, params: object) => Promise<object>;

export interface GatewayProcess {
  readonly ask: Ask;
  /** Milliseconds that the process has used of all processors. */
  cpuMs(): number;
  /** Called with the method of each notification. */
  onNotification: (method: string) => void;
}

export async function withGateway<T>(home: string, use: (gateway: GatewayProcess) => Promise<T>): Promise<T> {
  const argv = [join(ROOT, "bin/continuo.js"), "acp"];
  const env = { HOME: home, CONTINUO_HOME: join(home, ".continuo"), CI: "1", PATH: process.env.PATH ?? "" };
  const child = spawn(process.execPath, argv, { env, stdio: ["pipe", "pipe", "inherit"] });
  const closed = new Promise((resolve) => child.once("close", resolve));
  const gateway: GatewayProcess = {
    ask: asker(
      (line) => child.stdin.write(`${line}\n`),
      (hear) => void hearLines(child.stdout, hear),
      (method) => gateway.onNotification(method),
    ),
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    onNotification: () => undefined,
  };
  await gateway.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  try {
    return await use(gateway);
  } finally {
    child.stdin.end();
    await closed;
  }
}

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function hearLines(stream: AsyncIterable<Uint8Array>, hear: (line: string) => void): Promise<void> {
  for await (const line of splitLines(stream, { maxChars: MAX_ANSWER_CHARS })) hear(line ?? "");
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: object;
  readonly error?: object;
}

export function asker(
  send: (line: string) => void,
  listen: (hear: (line: string) => void) => void,
  onNotification: (method: string) => void = () => undefined,
): Ask {
  const waiting = new Map<number, { resolve: (result: object) => void; reject: (error: Error) => void }>();
  listen((line) => {
    const { id = -1, method, result, error } = JSON.parse(line) as Message;
    if (method !== undefined) onNotification(method);
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result ?? {});
    else asked?.reject(new Error(JSON.stringify(error)));
  });
  let ids = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      ids += 1;
      waiting.set(ids, { resolve, reject });
      send(JSON.stringify({ jsonrpc: "2.0", id: ids, method, params }));
    });
}
