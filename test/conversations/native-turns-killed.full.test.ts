/**
 * A process that imports the turns of an agent's own program is killed at some of the system calls by which it changes
 * the store, spread over all of them. After the next attempt, the log has each of these turns once, in the order of the
 * agent's file.
 */

import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { takeNativeTurns } from "@continuo/agents/conversations";
import { type Message, textOf } from "@continuo/core/model";
import { fromStore } from "@continuo/core/transcript/builder";
import { findNativeSessions, openNativeSession } from "@continuo/native";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { importNative } from "../../packages/agents/src/conversations/native-import.ts";
import type { Home } from "../cli/home.ts";
import { AGENTS, addTurn, begin } from "../gateway/native-writer.ts";
import { killAt, killPointsOf } from "../hand-off/kill-syscalls.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { momentsOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

/** These turns have more events than one append. */
const TURNS = 70;
/** The number of kills for each agent. */
const POINTS = 16;

const linesOf = (messages: readonly Message[]): readonly string[] =>
  messages
    .filter(({ origin }) => origin !== "injected" && origin !== "notification")
    .map(({ role, content }) => `${role}: ${textOf(content)} ${content.map(({ type }) => type).join()}`);

test.each(AGENTS)(
  `each turn of the own program of %s is in the log once and in order after its import was killed at some of ${POINTS} writes`,
  async (agent) => {
    const root = scratchFolder("native-turns-killed");
    const path = join(root, "user");
    const store = join(path, ".continuo/continuo.db");
    const places = { home: path, cwd: path, env: { HOME: path, PATH: process.env.PATH }, now: new Date() };
    mkdirSync(join(path, "project"), { recursive: true });
    mkdirSync(join(path, ".continuo"), { recursive: true });
    const home = { path } as Home;
    await begin(home, agent);
    const [found] = await Array.fromAsync(findNativeSessions({ places, agents: [agent] }));
    if (found === undefined) throw new Error(`${agent} has no session`);
    let sessionId: string;
    {
      await using own = await openStore(`sqlite:${store}`);
      const { session } = await importNative(found, { store: own, places, cwd: path });
      ({ sessionId } = await own.updateSession(session.sessionId, { agent }));
    }
    for (let at = 0; at < TURNS; at += 1) await addTurn(home, agent, `number-${at}`);
    const [grown] = await Array.fromAsync(findNativeSessions({ places, agents: [agent] }));
    using opened = await openNativeSession(grown ?? found, { places });
    const expected = linesOf(await Array.fromAsync(opened.history()));

    const before = join(root, "before");
    cpSync(path, before, { recursive: true, preserveTimestamps: true });
    const again = (): void => {
      rmSync(path, { recursive: true });
      cpSync(before, path, { recursive: true, preserveTimestamps: true });
    };
    const run = {
      argv: [await bundledProgram("test/conversations/take-turns.ts"), path, sessionId],
      env: { HOME: path, PATH: process.env.PATH ?? "" },
      below: `${path}/.continuo/continuo.db`,
      hasEachWrite: true,
    } as const;
    const all = killPointsOf(run, root);
    expect(all.length).toBeGreaterThan(POINTS);
    const points = Array.from(
      { length: POINTS },
      (_, at) => all[Math.floor((at * all.length) / POINTS)],
    ).filter((point) => point !== undefined);
    let killed = 0;
    let halfDone = 0;
    for (const point of momentsOfRun(points)) {
      again();
      if (!killAt(point, run, root)) continue;
      killed += 1;
      await using own = await openStore(`sqlite:${store}`);
      const { events } = await own.read(sessionId, { types: ["message_received"] });
      const taken = await takeNativeTurns({ store: own, sessionId, places, isPatient: true });
      if (taken.added > 0 && events.length > 0) halfDone += 1;
      expect([point, taken.pending]).toEqual([point, []]);
      expect([point, linesOf((await fromStore(own, sessionId)).messages)]).toEqual([point, expected]);
      expect(await takeNativeTurns({ store: own, sessionId, places })).toMatchObject({ added: 0 });
    }
    expect(killed).toBeGreaterThan(0);
    console.log(
      `${agent}: killed at ${killed} of ${all.length} writes; ${halfDone} left a part of the turns`,
    );
  },
  600_000,
);
