/**
 * Participants of two real servers. One server stands still for longer than a lease lasts, while the time of day of
 * both jumps. No participant ends, and all can write afterwards.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgenticClient, connect } from "@continuo/core/client";
import { openStore } from "@continuo/store";
import { describe, expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram, newPostgresDatabase } from "../sizes/shared-programs.ts";

const PARTICIPANTS = 20;
/** A lease lasts 10 s, and after the same time a client looks for another server. */
const STANDSTILLS_MS = [9_500, 12_000, 15_000];
const PROGRAM = await bundledProgram("test/channels/chaos-server.ts");

const ENGINES: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  sqlite: async (folder) => `sqlite:${join(folder, "store.db")}`,
  postgres: () => newPostgresDatabase(),
};

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
}

/** The library of Debian's package `faketime`. */
function fakeTime(): string {
  const [found] = globSync("/usr/lib/*/faketime/libfaketime.so.1");
  if (found === undefined) throw new Error("libfaketime is missing: install the package faketime");
  return found;
}

async function startServer(storeUrl: string, offsetFile: string): Promise<Running> {
  const child = spawn(process.execPath, [PROGRAM, storeUrl, "default", "none"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...process.env,
      LD_PRELOAD: fakeTime(),
      FAKETIME_TIMESTAMP_FILE: offsetFile,
      FAKETIME_NO_CACHE: "1",
      DONT_FAKE_MONOTONIC: "1",
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout })) return { url: line, child };
  throw new Error("the server did not start");
}

interface Watched {
  readonly client: AgenticClient;
  /** Returns the way in which `events()` ended. */
  readonly end: () => unknown;
}

async function join20(servers: readonly Running[]): Promise<readonly Watched[]> {
  return await Promise.all(
    Array.from({ length: PARTICIPANTS }, async (_, n) => {
      const client = await connect({
        serverUrl: servers[n % servers.length]?.url ?? "",
        channel: "team",
        handle: `bot${n}`,
        type: "agent",
        workspaceId: "default",
      });
      onTestFinished(() => client.close());
      let end: unknown = "open";
      const read = async (): Promise<void> => {
        for await (const _ of client.events());
      };
      read().catch((error: unknown) => {
        end = error;
      });
      return { client, end: () => end };
    }),
  );
}

async function allWrite(watched: readonly Watched[], words: string): Promise<void> {
  await Promise.all(watched.map(({ client }) => client.send(words)));
  expect(watched.map(({ end }) => end())).toEqual(watched.map(() => "open"));
}

describe.each(Object.entries(ENGINES))("on %s", (_engine, newUrl) => {
  test("of 20 participants none ends when a server stands still for up to 15 s and clocks jump by a day", async () => {
    const folder = scratchFolder("standstill");
    const storeUrl = await newUrl(folder);
    await (await openStore(storeUrl, { migrate: true })).close();
    const offsetFile = join(folder, "offset");
    const setClock = (offset: string): void => writeFileSync(offsetFile, `${offset}\n`);
    setClock("+0");
    const servers = await Promise.all([startServer(storeUrl, offsetFile), startServer(storeUrl, offsetFile)]);
    const watched = await join20(servers);
    await allWrite(watched, "begin");
    for (const offset of ["+1h", "+25h", "-2h", "+0"]) {
      setClock(offset);
      await sleep(5_000);
      await allWrite(watched, `after ${offset}`);
    }
    for (const [n, standstillMs] of STANDSTILLS_MS.entries()) {
      const { child } = servers[n % servers.length] as Running;
      child.kill("SIGSTOP");
      await sleep(standstillMs);
      child.kill("SIGCONT");
      await allWrite(watched, "after a standstill");
    }
    await using store = await openStore(storeUrl);
    expect(await store.latestSequence("channels/team")).toBe(PARTICIPANTS * (5 + STANDSTILLS_MS.length));
  }, 600_000);
});
