/** Servers with continuous sessions as separate processes, which a test can kill. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Store, StoredEvent } from "@continuo/core/model";
import { bundledProgram } from "../sizes/shared-programs.ts";

export interface LiveServer extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface StartOptions {
  readonly storeUrl: string;
  readonly name: string;
  readonly log: string;
  readonly port?: number;
}

export async function startServer({ storeUrl, name, log, port = 0 }: StartOptions): Promise<LiveServer> {
  const args = [await bundledProgram("test/live/server-child.ts"), storeUrl, String(port), name, log];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await firstLine(child);
  const kill = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return { url, name, kill, [Symbol.asyncDispose]: () => kill() };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error("the child has no output"));
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

/** The name of the server that owns the session. */
export async function ownerOf(store: Store, sessionId: string): Promise<string | undefined> {
  return (await store.getLease(`live/session/${sessionId}`))?.owner.split(".")[0];
}

export async function allEvents(store: Store, logId: string): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(logId, { after });
    events.push(...page.events);
    after = page.nextAfter;
  }
  return events;
}

/** The sequences that decisions name, in the order of the log. */
export function decidedSequences(events: readonly StoredEvent[]): readonly number[] {
  return events.flatMap(({ type, data }) =>
    type === "decision_made" ? [...(data as { readonly sequences: readonly number[] }).sequences] : [],
  );
}

export function sequencesOf(events: readonly StoredEvent[], type: string): readonly number[] {
  return events.filter((event) => event.type === type).map(({ sequence }) => sequence);
}
