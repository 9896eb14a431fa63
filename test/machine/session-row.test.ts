/** The library, the command, the server and a search give the same row for a session, with the same keys. */

import { readNativeList } from "@continuo/agents";
import { type SessionRow, toSessionRow } from "@continuo/core/model";
import type { SessionsPage } from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

let machine: OpenMachine;
beforeAll(async () => {
  machine = await openMachine();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

async function printed(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await runHere(machine.home, args);
  return JSON.parse(stdout);
}

/** The row without `live`, because a search does not check the agent's process. */
const known = ({ live: _, ...row }: SessionRow): Omit<SessionRow, "live"> => row;

test("each list gives the same row of each session, with the same keys in the same order", async () => {
  const rows = (await printed("list", "--json", "--all")) as readonly SessionRow[];
  expect(rows.length).toBeGreaterThan(2);
  const { sessions: served }: SessionsPage = await machine.json("/v1/machine/sessions");
  const { sessions: listed } = await readNativeList({
    places: { home: machine.home.path, env: { PATH: "" } },
  });
  for (const row of rows) {
    const own = toSessionRow(row);
    expect(Object.keys(row).slice(0, Object.keys(own).length)).toEqual(Object.keys(own));
    const isIt = ({ agent, sessionId }: SessionRow): boolean =>
      agent === row.agent && sessionId === row.sessionId;
    expect(served.filter(isIt).map(toSessionRow)).toEqual([own]);
    if (row.agent !== "continuo") expect(listed.filter(isIt).map(toSessionRow)).toEqual([own]);
  }
});

test("a result of a search has the row of its session", async () => {
  const rows = (await printed("list", "--json", "--all")) as readonly SessionRow[];
  const { results } = (await printed("search", "--json", "build")) as {
    readonly results: readonly { readonly session: SessionRow }[];
  };
  expect(results.length).toBeGreaterThan(0);
  for (const { session } of results) {
    const row = rows.find((one) => one.agent === session.agent && one.sessionId === session.sessionId);
    expect(row).toBeDefined();
    expect(known(toSessionRow(session))).toEqual(row && known(toSessionRow(row)));
    expect(Object.keys(session).slice(0, 10)).toEqual(Object.keys(toSessionRow(session)));
  }
});
