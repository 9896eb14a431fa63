/** A damaged file as the only session of a home, for agents whose session is one file. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message, ProblemCode } from "@continuo/core/model";
import type { FoundSession, OpenedSession } from "@continuo/native/kit";
import { expect } from "vitest";
import type { Damage } from "../damage.ts";
import type { FormatCases } from "./format-cases.ts";

export interface Damaged extends Disposable {
  readonly found: FoundSession;
  readonly session: OpenedSession;
}

interface Place {
  readonly cases: FormatCases;
  /** The folder of the file, in the home. */
  readonly below: string;
  readonly name: string;
}

export async function openAlone(
  { cases: { reader, placesOf }, below, name }: Place,
  bytes: Buffer,
): Promise<Damaged> {
  using stack = new DisposableStack();
  const home = mkdtempSync(join(tmpdir(), "continuo-damage-"));
  stack.defer(() => rmSync(home, { recursive: true }));
  const folder = join(home, below);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), bytes);
  const [found, ...others] = await Array.fromAsync(reader.find(placesOf(home), {}));
  if (found === undefined || others.length > 0) throw new Error("expected one session");
  const session = await reader.open(found, placesOf(home), {});
  stack.defer(() => session.close());
  const kept = stack.move();
  return { found, session, [Symbol.dispose]: () => kept.dispose() };
}

export interface Readable {
  readonly reader: FormatCases["reader"];
  readonly damage: Damage;
  /** The values of all lines. */
  readonly values: readonly unknown[];
  /** Problems that a plain look at the lines finds. */
  readonly problems: readonly ProblemCode[];
}

/**
 * A damaged session is read as far as it goes: each value, each branch, each problem, and the same row as that of the
 * list. Returns the messages of all branches.
 */
export async function expectRead(
  { found, session }: Pick<Damaged, "found" | "session">,
  { reader, damage: { kind, what }, values, problems }: Readable,
): Promise<readonly Message[]> {
  const entries = await Array.fromAsync(session.entries());
  expect(
    entries.map(({ value }) => value),
    what,
  ).toEqual(values);
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

/** The files of records in the cases and fixtures of an agent. */
export function recordFilesOf(agent: string, { folder }: FormatCases): readonly string[] {
  return [folder, join(import.meta.dirname, "../fixtures", agent)].flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".jsonl"))
      .map((path) => join(place, path)),
  );
}
