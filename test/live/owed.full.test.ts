/**
 * A server that is killed at any moment while it writes the notes of a stand-in again: the next server completes them,
 * once.
 */

import { execFile } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { StoredEvent } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { numbersOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { away, SHORT, serviceAway, talk, textsIn } from "./away.ts";
import { allEvents } from "./servers.ts";

type Kind = "ended" | "open";

const START_MS = Date.parse("2026-11-26T10:00:00Z");

/** A store with a session whose notes a stand-in wrote, one of which a person edited. Returns the time at its end. */
async function makeOwed(
  url: string,
  kind: Kind,
): Promise<{ readonly endMs: number; readonly owed: readonly number[] }> {
  let clockMs = (): number => START_MS;
  const store = await openStore(url, { now: () => clockMs() });
  const live = await away({ store, startMs: START_MS });
  clockMs = () => live.clock.now();
  const { service, clock } = live;
  await talk(live);
  await clock.advance(40_000);
  const [first] = await service.notes("k");
  await service.operate("k", first?.noteId ?? "", { operation: "edit", text: "Mine." });
  if (kind === "ended") await service.close("k");
  const { fold } = await service.follow(await service.sessionIdOf("k"));
  const owed = fold.owed.map(({ sequence }) => sequence);
  await service.stop();
  await store.close();
  return { endMs: clock.now(), owed };
}

/** The decisions that this decision makes again. */
function redoneBy({ type, data }: StoredEvent): readonly number[] {
  return type === "decision_made" ? ((data as { readonly redoes?: readonly number[] }).redoes ?? []) : [];
}

test.each<Kind>(["ended", "open"])(
  "after a kill -9 at any moment of the late notes of a session that is %s, the next server completes them, each once",
  async (kind) => {
    const folder = scratchFolder("owed");
    const program = await bundledProgram("test/live/owed-child.ts");
    const before = join(folder, "before");
    mkdirSync(before);
    const { endMs, owed } = await makeOwed(`sqlite:${join(before, "store.db")}`, kind);
    expect(owed.length).toBeGreaterThan(0);
    const run = async (
      name: string,
      killAt: number,
    ): Promise<{ readonly signal?: string; readonly stdout: string }> => {
      cpSync(before, join(folder, name), { recursive: true });
      const args = [`sqlite:${join(folder, name, "store.db")}`, String(endMs + 60_000), kind, String(killAt)];
      return await promisify(execFile)(process.execPath, [program, ...args]).catch(
        (error: { readonly signal: string; readonly stdout: string }) => error,
      );
    };
    const moments = Number((await run("whole", 0)).stdout);
    expect(moments).toBeGreaterThan(5);
    for (const at of numbersOfRun(moments)) {
      const name = `killed-${at + 1}`;
      expect(await run(name, at + 1), name).toMatchObject({ signal: "SIGKILL" });
      await assertCompleted(`sqlite:${join(folder, name, "store.db")}`, {
        kind,
        nowMs: endMs + 1_800_000,
        owed,
      });
    }
  },
  120_000,
);

interface After {
  readonly kind: Kind;
  readonly nowMs: number;
  readonly owed: readonly number[];
}

/** The next server of the store. */
async function assertCompleted(url: string, { kind, nowMs, owed }: After): Promise<void> {
  let clockMs = (): number => nowMs;
  const store = await openStore(url, { now: () => clockMs() });
  const live = await serviceAway({ store, startMs: nowMs });
  clockMs = () => live.clock.now();
  const { service, clock, writer } = live;
  writer.failures = 0;
  const sessionId = await service.sessionIdOf("k");
  if (kind === "ended") await service.late.run();
  else {
    await service.open("k", { videoId: "v" });
    await clock.advance(620_000);
  }
  expect(await textsIn(live)).toEqual(["Mine.", ...SHORT.slice(1)]);
  const events = await allEvents(store, sessionId);
  const redone = events.flatMap(redoneBy);
  expect(redone.toSorted((a, b) => a - b)).toEqual(owed);
  expect(await service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
  expect((await service.verify("k")).ok).toBe(true);
  if (kind === "ended") {
    expect((await store.getLog(sessionId))?.closedAt).toBeDefined();
    expect(await service.late.run(), "nothing is left").toBe(0);
  }
  await service.stop();
  await store.close();
}
