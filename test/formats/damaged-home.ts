/** A damaged file as the only session of a home, for agents whose session is one file. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FoundSession, OpenedSession } from "@continuo/native/kit";
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

/** The files of records in the cases and fixtures of an agent. */
export function recordFilesOf(agent: string, { folder }: FormatCases): readonly string[] {
  return [folder, join(import.meta.dirname, "../fixtures", agent)].flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".jsonl"))
      .map((path) => join(place, path)),
  );
}
