/** Writes, forks and repairs sessions of the toy agent. */

import { isJson, type Json } from "@continuo/files";
import type { NativeForker } from "@continuo/native/forking";
import { addBehind, type NativeRepairer, remainingLines } from "@continuo/native/repairing";
import { type NativeWriter, type NewSession, openLineSink } from "@continuo/native/writing";
import { placeOf, TOY } from "./places.ts";

const BY = { user: "person", assistant: "toy", tool: "tool" } as const;

export const toyWriter: NativeWriter<number> = {
  agent: TOY,
  newSessionId: (makers) => makers.uuid(),
  placeOf: (session, places) => placeOf(session.sessionId, places),
  locationOf: (sessionFile) => sessionFile,
  openSink: async (sessionFile) => openLineSink(sessionFile),
  openTip: async ({ opened }) => opened.details.records,
  begin: (session) => ({ tip: 1, records: [headerOf(session)] }),
  bringBack: (records, session) => [headerOf(session), ...bodyOf(records.map(({ value }) => value))],
  rename: (_, { title }, makers) => {
    throw new Error(`the toy agent gives no second title: ${title} at ${makers.now()}`);
  },
  add(tip, message, makers) {
    const at = message.timestamp ?? new Date(makers.now()).toISOString();
    const record = { at, by: BY[message.role], blocks: message.content };
    return { tip: tip + 1, records: [record as Json], id: `line:${tip + 1}` };
  },
};

export const toyForker: NativeForker = {
  agent: TOY,
  titleOf: (title) => title,
  async fork({ opened, history, count }, session) {
    const last = Math.max(
      0,
      ...history.slice(0, count).flatMap(({ metadata }) => metadata.records?.[0]?.line ?? 0),
    );
    const values: unknown[] = [];
    for await (const { line, value } of opened.entries()) if ((line ?? 0) <= last) values.push(value);
    return { records: [headerOf(session), ...bodyOf(values)], count };
  },
};

export const toyRepairer: NativeRepairer = {
  agent: TOY,
  mend(draft, { sessionId, cwd }) {
    if (remainingLines(draft).some(({ value }) => value.toy === 1)) return;
    const at = new Date(0).toISOString();
    addBehind(draft, null, { toy: 1, id: sessionId, cwd: cwd ?? "/", at }, "the header is missing");
  },
};

function headerOf({ sessionId: id, cwd, createdMs, title, provenance }: NewSession): Json {
  const at = new Date(createdMs).toISOString();
  return {
    toy: 1,
    id,
    cwd,
    at,
    ...(title === null ? {} : { title }),
    ...(provenance && { continuo: provenance }),
  };
}

function bodyOf(values: readonly unknown[]): Json[] {
  return values.filter((value): value is Json => isJson(value) && value.toy !== 1);
}
