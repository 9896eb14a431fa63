/**
 * A property of every scan: if it is saved as JSON at any byte of the file and then continued, it equals the scan of
 * the whole file.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { type Places, statFile } from "@continuo/files";
import { formatOf } from "@continuo/native";
import type { AgentReader, FoundSession, OpenedSession, SavedScan } from "@continuo/native/kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { roundsOfEach } from "../sizes/counts.ts";

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 });

test.each(FORMAT_CASES)(
  "the scan of a session of %s (%s) is the same as a whole and in parts",
  async (...one) => {
    const scratch = scratchFolder("scan");
    const { places } = await copyHome(scratch, one);
    const reader = await formatOf(one[0]);
    for (const found of await Array.fromAsync(reader.find(places, {}))) {
      const session = { reader, places, found };
      await fc.assert(
        fc.asyncProperty(cuts, (shares) => continues(session, shares)),
        { numRuns: roundsOfEach(20, FORMAT_CASES.length), examples: [[[0.999]], [[0]]] },
      );
    }
  },
);

interface Session {
  readonly reader: AgentReader;
  readonly places: Places;
  readonly found: FoundSession;
}

async function continues({ reader, places, found }: Session, shares: readonly number[]): Promise<void> {
  const path = found.files.at(-1)?.path ?? "";
  const bytes = readFileSync(path);
  const grown = (): FoundSession => ({
    ...found,
    files: found.files.map((file) => (file.path === path ? (statFile(path) ?? file) : file)),
  });
  let saved: SavedScan | undefined;
  try {
    for (const share of shares.toSorted((a, b) => a - b)) {
      if (!canContinue(path)) break;
      writeFileSync(path, bytes.subarray(0, Math.floor(share * bytes.length)));
      using part = await reader.open(grown(), places, { save: true, ...(saved && { continue: saved }) });
      expect(part.continued).toBe(saved !== undefined);
      // A scan of Codex saves nothing until the first line is complete.
      if (part.saved !== null) saved = JSON.parse(JSON.stringify(part.saved));
    }
  } finally {
    writeFileSync(path, bytes);
  }
  using whole = await reader.open(grown(), places, { save: true });
  using continued = await reader.open(grown(), places, { save: true, ...(saved && { continue: saved }) });
  expect(whole.saved !== null).toBe(canContinue(path));
  expect(continued.continued).toBe(saved !== undefined);
  expect(await contentOf(continued)).toEqual(await contentOf(whole));
}

/**
 * False for a database, whose rows can change in any place, and for a compressed file, which cannot be read from its
 * end.
 */
function canContinue(path: string): boolean {
  return path.endsWith(".jsonl");
}

async function contentOf(session: OpenedSession): Promise<unknown> {
  const { details, leaves, problems, partial, saved } = session;
  const histories = await Promise.all(
    leaves.map((leaf) => Array.fromAsync(session.history({ leaf: leaf.id, native: true }))),
  );
  const entries = await Array.fromAsync(session.entries());
  return { details, leaves, problems, partial, saved, histories, entries };
}
