/** A damaged file as the only session of a home, for agents whose session is one file. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Message, ProblemCode } from "@continuo/core/model";
import type { FoundSession, OpenedSession } from "@continuo/native/kit";
import { expect } from "vitest";
import type { Damage } from "../damage.ts";
import { CASES, type FileAgent } from "./cases.ts";
import { valuesIn } from "./format-cases.ts";

export interface DamagedHome extends Disposable {
  readonly found: FoundSession;
  readonly session: OpenedSession;
}

/** The path of the file in the home of its agent. */
const PLACES: Readonly<Record<FileAgent, string>> = {
  codex: "sessions/rollout-2026-05-06T07-08-00-02aaaaaa-0000-4000-8000-000000000001.jsonl",
  copilot: "session-state/0c999999-0000-4000-8000-000000000001/events.jsonl",
  gemini: ".gemini/tmp/tea/chats/session-2026-05-06T07-00-0f999999.jsonl",
  pi: "sessions/--home-dev-tea--/2026-05-06T07-00-00-000Z_0c999999-0000-4000-8000-000000000001.jsonl",
};

/** @param ending replaces `.jsonl` */
export async function openAlone(agent: FileAgent, bytes: Buffer, ending = ".jsonl"): Promise<DamagedHome> {
  const { reader, placesOf } = CASES[agent];
  using stack = new DisposableStack();
  const home = mkdtempSync(join(tmpdir(), "continuo-damage-"));
  stack.defer(() => rmSync(home, { recursive: true }));
  const path = join(home, PLACES[agent].replace(".jsonl", ending));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  const [first, ...others] = await Array.fromAsync(reader.find(placesOf(home), {}));
  // The file of a sub-agent of Codex is not a separate session.
  const found = first ?? (agent === "codex" ? await reader.recognise(path, placesOf(home)) : null);
  if (found === null || others.length > 0) throw new Error("expected one session");
  const session = await reader.open(found, placesOf(home), {});
  stack.defer(() => session.close());
  const kept = stack.move();
  return { found, session, [Symbol.dispose]: () => kept.dispose() };
}

/**
 * Checks that a damaged session is read as far as possible: each value, each branch, each problem that a simple check
 * of the lines finds, and the same row as in the list. Returns the messages of all branches.
 */
export async function expectRead(
  agent: FileAgent,
  { kind, what, bytes }: Damage,
  problems: readonly ProblemCode[],
): Promise<readonly Message[]> {
  const { reader } = CASES[agent];
  using damaged = await openAlone(agent, bytes);
  const { found, session } = damaged;
  const entries = await Array.fromAsync(session.entries());
  expect(
    entries.map(({ value }) => value),
    what,
  ).toEqual(valuesIn(CASES[agent], bytes));
  const codes = new Set(session.problems.map(({ code }) => code));
  for (const code of problems) expect(codes, `${kind}: ${what}`).toContain(code);
  const said: Message[] = [];
  for (const leaf of session.leaves) {
    const history = await Array.fromAsync(session.history({ leaf: leaf.id }));
    expect(history.length, what).toBe(leaf.messages);
    expect(new Set(history.map(({ id }) => id)).size, what).toBe(history.length);
    reader.modelView(history);
    said.push(...history);
  }
  const { problems: _problems, ...row } = await reader.skim(found, { part: "whole" });
  expect(session.details, what).toMatchObject(row);
  return said;
}

/** The files of sessions in the cases and fixtures of an agent. */
export function sessionFilesOf(agent: FileAgent): readonly string[] {
  return [CASES[agent].folder, join(import.meta.dirname, "../fixtures", agent)].flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".jsonl") && (agent !== "codex" || path.includes("rollout-")))
      .map((path) => join(place, path)),
  );
}
