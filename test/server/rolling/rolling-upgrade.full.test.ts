/**
 * Three servers on one Postgres are replaced one after the other, from the last version to this one, with a rollback in
 * the middle, while clients of both versions write and read and never stop.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { connect } from "@continuo/core/client";
import { openStore, verifyStore } from "@continuo/store";
import { afterAll, expect, test } from "vitest";
import { type Reader, violationsOf } from "../../channels/chaos-checker.ts";
import { freePorts } from "../../free-ports.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { newPostgresDatabase } from "../../sizes/shared-programs.ts";
import { installVersion, lastVersion } from "./last-version.ts";

const CHANNEL = "team";
const LOG = `channels/${CHANNEL}`;

const folder = scratchFolder("rolling");
const stopped = new AbortController();
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

interface Version {
  readonly name: "last" | "this";
  readonly installed: string;
  readonly connect: typeof connect;
}

async function versionOf(name: Version["name"], source: string | null): Promise<Version> {
  const installed = installVersion(source, join(folder, name));
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const client = pathToFileURL(join(installed, exports["./client"].default)).href;
  return { name, installed, connect: ((await import(client)) as { connect: typeof connect }).connect };
}

const environment = { PATH: process.env.PATH ?? "", HOME: folder };

function command({ installed }: Version, ...args: readonly string[]): string {
  const file = join(installed, "bin/continuo.js");
  return execFileSync(process.execPath, [file, ...args], { env: environment, encoding: "utf8" });
}

/** A server that keeps its address while its version changes. */
class Seat {
  readonly url: string;
  readonly #port: number;
  readonly #store: string;
  #child: ChildProcess | null = null;

  constructor(port: number, store: string) {
    this.#port = port;
    this.#store = store;
    this.url = `http://127.0.0.1:${port}`;
  }

  async start({ installed }: Version): Promise<void> {
    const listen = `127.0.0.1:${this.#port}`;
    const args = ["serve", "--no-auth", "--json", "--listen", listen, "--store", this.#store];
    const child = spawn(process.execPath, [join(installed, "bin/continuo.js"), ...args], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    this.#child = child;
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
    });
    const lines = createInterface({ input: child.stdout });
    const ready = new Promise<void>((resolve) =>
      lines.on("line", (line) => line.startsWith("{") && resolve()),
    );
    const exited = once(child, "exit").then(() => Promise.reject(new Error(`the server ended: ${said}`)));
    await Promise.race([ready, exited]);
    exited.catch(() => undefined);
  }

  async replace(version: Version): Promise<void> {
    const child = this.#child;
    if (child !== null && child.exitCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    }
    await this.start(version);
  }
}

interface Participant extends Reader {
  readonly given: { readonly sequence: number; readonly text: string | null }[];
  readonly acknowledged: Set<string>;
  readonly errors: string[];
  readonly close: () => Promise<void>;
  readonly writing: Promise<void>;
}

async function joinChannel(version: Version, serverUrl: string, handle: string): Promise<Participant> {
  const client = await version.connect({
    serverUrl,
    channel: CHANNEL,
    handle,
    workspaceId: "default",
    replayMode: "stream",
    onWarning: () => undefined,
  });
  const given: Participant["given"] = [];
  const acknowledged = new Set<string>();
  const errors: string[] = [];
  const failed = (error: unknown): void => void errors.push(`${handle}: ${String(error)}`);
  const read = async (): Promise<void> => {
    for await (const event of client.events()) {
      if (event.sequence === undefined) continue;
      const isWhole = event.type === "message" && event.state === "complete";
      given.push({ sequence: event.sequence, text: isWhole ? event.content : null });
    }
    if (!stopped.signal.aborted) failed("its events ended");
  };
  const write = async (): Promise<void> => {
    for (let n = 0; !stopped.signal.aborted; n++) {
      acknowledged.add((await client.send(`${handle} ${n}`)).messageId);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  void read().catch(failed);
  return { handle, given, acknowledged, errors, writing: write().catch(failed), close: () => client.close() };
}

/** Every client has made progress: none waits for a server that is not running. */
async function progress(participants: readonly Participant[], messages: number): Promise<void> {
  const before = participants.map(({ acknowledged }) => acknowledged.size);
  await expect
    .poll(
      () => participants.every(({ acknowledged }, n) => acknowledged.size >= (before[n] ?? 0) + messages),
      { timeout: 120_000 },
    )
    .toBe(true);
}

test("no client loses a message while servers are replaced one after the other and one is rolled back", async () => {
  const [old, current] = [await versionOf("last", lastVersion()), await versionOf("this", null)];
  const store = await newPostgresDatabase();
  command(old, "store", "migrate", "--store", store);
  const seats = (await freePorts(3)).map((port) => new Seat(port, store));
  for (const seat of seats) await seat.start(old);
  const participants = await Promise.all(
    seats.flatMap(({ url }, n) => [
      joinChannel(old, url, `last-${n}`),
      joinChannel(current, url, `this-${n}`),
    ]),
  );
  await progress(participants, 20);
  command(current, "store", "migrate", "--store", store);
  await progress(participants, 20);
  const [first, second, third] = seats as [Seat, Seat, Seat];
  for (const [seat, version] of [
    [first, current],
    [second, current],
    [second, old],
    [first, old],
    [first, current],
    [second, current],
    [third, current],
  ] as const) {
    await seat.replace(version);
    await progress(participants, 20);
  }
  stopped.abort();
  await Promise.all(participants.map(({ writing }) => writing));
  await using opened = await openStore(store);
  const latest = await opened.latestSequence(LOG);
  const isRead = ({ given }: Participant): boolean => (given.at(-1)?.sequence ?? 0) >= latest;
  await expect.poll(() => participants.every(isRead), { timeout: 60_000 }).toBe(true);
  expect(participants.flatMap(({ errors }) => errors)).toEqual([]);
  await Promise.all(participants.map(({ close }) => close()));
  const { events } = await opened.read(LOG, { limit: 10_000 });
  const acknowledged = participants.flatMap((one) => [...one.acknowledged]);
  expect(violationsOf({ channel: CHANNEL, events, readers: participants, acknowledged, bots: [] })).toEqual(
    [],
  );
  expect(acknowledged.length).toBeGreaterThanOrEqual(6 * 9 * 20);
  for await (const { ok } of verifyStore(opened)) expect(ok).toBe(true);
}, 900_000);
