/** The test that every session file passes, whatever its lines are. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../sizes/counts.ts";
import { CASES, type FileAgent } from "./cases.ts";
import { findAll } from "./format-cases.ts";

/** The lines of each file of a home, by its path. */
export type Lines = Readonly<Record<string, readonly unknown[]>>;

/** Declares the test of an agent; the first file is the session. */
export function testGenerated(agent: FileAgent, homes: fc.Arbitrary<Lines>): void {
  test(`any session file of ${agent} has one row, skimmed or read in full, and histories as long as it says`, async () => {
    await fc.assert(
      fc.asyncProperty(homes, async (lines) => {
        const home = mkdtempSync(join(tmpdir(), "continuo-generated-"));
        for (const [path, values] of Object.entries(lines)) {
          mkdirSync(dirname(join(home, path)), { recursive: true });
          writeFileSync(join(home, path), values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        }
        await expectConsistent(agent, home, Object.values(lines)[0]?.length ?? 0);
        rmSync(home, { recursive: true });
      }),
      { numRuns: rounds(300) },
    );
  });
}

async function expectConsistent(agent: FileAgent, home: string, records: number): Promise<void> {
  const { reader, placesOf } = CASES[agent];
  for (const found of await findAll(CASES[agent], home)) {
    const { problems, ...row } = await reader.skim(found, { part: "whole" });
    using session = await reader.open(found, placesOf(home), {});
    expect(session.details).toMatchObject(row);
    expect(session.problems).toEqual(expect.arrayContaining([...problems]));
    expect(session.details.records).toBe(records);
    expect(session.details.branches).toBe(session.leaves.length);
    for (const leaf of session.leaves) {
      const history = await Array.fromAsync(session.history({ leaf: leaf.id }));
      expect(history.length).toBe(leaf.messages);
      if (!leaf.active) continue;
      const answers = history.filter(({ role }) => role === "assistant");
      const calls = answers.flatMap(({ content }) => content.filter(({ type }) => type === "tool_call"));
      // A request of Copilot without an id is shown but not counted.
      if (agent === "copilot") expect(session.details.toolCalls).toBeLessThanOrEqual(calls.length);
      else expect(session.details.toolCalls).toBe(calls.length);
    }
    for await (const _ of session.entries());
    const active = await Array.fromAsync(session.history());
    expect(active.length).toBe(session.details.messages.total);
    reader.modelView(active);
  }
}
