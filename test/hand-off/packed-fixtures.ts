/** Recorded sessions that are packed and unpacked again. */

import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES, type Places, readNativeSession } from "@continuo/agents";
import { packSession, unpackBundle } from "@continuo/agents/handoff/bundle";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { openOutputFile } from "@continuo/files";
import { expect } from "vitest";
import { snapshotOf } from "../agents/proof.ts";
import { scratchFolder } from "../scratch-folder.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

/** Sessions of one file, of several files, with attachments, and with history from other files. */
const QUICK = /^(?:text-and-thinking|sub-?agent|image|fork|compaction)$/u;

/** @param size of the tests: the quick size has the kinds of sessions that are packed differently, the full size all others */
export function fixturesFor(size: "quick" | "full"): readonly (readonly [agent: AgentName, name: string])[] {
  return AGENT_NAMES.flatMap((agent) =>
    readdirSync(join(FIXTURES, agent))
      .filter((name) => QUICK.test(name) === (size === "quick"))
      .map((name) => [agent, name] as const),
  );
}

export async function pack(
  ref: string,
  bundle: string,
  places: Places,
): Promise<Awaited<ReturnType<typeof packSession>>> {
  using output = await openOutputFile(bundle, { force: true, forbidden: [] });
  const packed = await packSession(ref, output, { places, packedAt: "2026-11-22T10:00:00.000Z" });
  output.commit();
  return packed;
}

export async function expectPacked(agent: AgentName, name: string): Promise<void> {
  const root = scratchFolder("packed");
  const [source, bundle] = [join(root, "source"), join(root, "session.bundle")];
  cpSync(join(FIXTURES, agent, name, "home"), source, { recursive: true });
  const places = { home: join(root, "home"), env: { [HOME_VARIABLES[agent]]: source } };
  const { sessionId } = JSON.parse(readFileSync(join(FIXTURES, agent, name, "requests.json"), "utf8"));
  const before = await snapshotOf(source);
  const original = await readNativeSession(`${agent}:${sessionId}`, { places });
  const packed = await pack(`${agent}:${sessionId}`, bundle, places);
  expect(await snapshotOf(source)).toEqual(before);
  expect([packed.agent, packed.sessionId]).toEqual([agent, sessionId]);
  rmSync(source, { recursive: true });
  using unpacked = await unpackBundle(bundle);
  const read = await readNativeSession(unpacked.location, { places: unpacked.places });
  expect(plain(read.messages)).toEqual(plain(original.messages));
  expect(read.problems.map(({ code }) => code)).toEqual(original.problems.map(({ code }) => code));
}

/** The positions of records are left out, because they depend on the folder. */
export function plain(messages: readonly { readonly metadata: object }[]): unknown {
  return JSON.parse(JSON.stringify(messages.map(({ metadata: _metadata, ...message }) => message)));
}
