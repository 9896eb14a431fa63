/** A history that is read in steps has the same messages as the whole history, no matter which steps are read. */

import { appendFileSync } from "node:fs";
import type { Message } from "@continuo/core/model";
import { formatOf } from "@continuo/native";
import type { OpenedSession, StepMessages } from "@continuo/native/kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { GROWN_HISTORIES, placeHistory } from "../search/grown-histories.ts";
import { rounds } from "../sizes/counts.ts";

test.each(FORMAT_CASES)("a history of %s (%s) in steps is the history", async (...one) => {
  const scratch = scratchFolder("steps");
  const { places } = await copyHome(scratch, one);
  const reader = await formatOf(one[0]);
  for (const found of await Array.fromAsync(reader.find(places, {}))) {
    using session = await reader.open(found, places, {});
    for (const { id } of session.leaves) await expectSameHistory(session, id);
  }
});

async function expectSameHistory(session: OpenedSession, leaf: string): Promise<void> {
  const steps = session.steps?.(leaf);
  if (steps === undefined) return;
  const all: StepMessages[] = await Array.fromAsync(steps.read(() => true, undefined));
  expect(all.map(({ step }) => step)).toEqual([...steps.keys.keys()]);
  expect(steps.lastLines).toHaveLength(steps.keys.length);
  const history = await Array.fromAsync(session.history({ leaf }));
  expect(all.flatMap(({ messages }) => messages)).toEqual(history.map(withoutParent));
  for (const [at, { messages }] of all.entries()) {
    const lines = messages
      .flatMap(({ metadata }) => metadata.records ?? [])
      .flatMap(({ file, line }) => {
        return file === undefined ? (line ?? []) : [];
      });
    expect(Math.max(0, ...lines)).toBeLessThanOrEqual(steps.lastLines[at] ?? 0);
  }
  await fc.assert(
    fc.asyncProperty(fc.func(fc.boolean()), async (isWanted) => {
      const some = await Array.fromAsync(steps.read(isWanted, undefined));
      const wanted = all.filter(({ step }) => isWanted(step));
      expect(some.map(withoutCalls)).toEqual(wanted.map(withoutCalls));
    }),
    { numRuns: rounds(5) },
  );
}

function withoutParent({ parentId: _, ...message }: Message): Message {
  return message;
}

function withoutCalls({ step, messages }: StepMessages): unknown {
  return { step, messages: messages.map(({ toolName: _, toolInput: __, ...message }) => message) };
}

test.each(GROWN_HISTORIES)(
  "of a session of $agent that reverts messages, steps with earlier keys have the earlier messages",
  async (history) => {
    const scratch = scratchFolder("steps");
    const { path, places } = placeHistory(scratch, history);
    const reader = await formatOf(history.agent);
    let before: readonly ReadSteps[] = [];
    let same = 0;
    for (const line of history.lines) {
      appendFileSync(path, line);
      const [found] = await Array.fromAsync(reader.find(places, {}));
      if (found === undefined) continue;
      using session = await reader.open(found, places, {});
      const now = await Promise.all(session.leaves.map(({ id }) => readSteps(session, id)));
      for (const [one, other] of before.flatMap((one) => now.map((other) => [one, other] as const))) {
        const end = one.keys.findIndex((key, at) => key !== other.keys[at]);
        const steps = end === -1 ? one.keys.length : end;
        expect(other.messages.slice(0, steps)).toEqual(one.messages.slice(0, steps));
        same += steps;
      }
      before = now;
    }
    expect(before.length).toBeGreaterThan(1);
    expect(same).toBeGreaterThan(history.lines.length);
  },
);

interface ReadSteps {
  readonly keys: readonly string[];
  readonly messages: readonly (readonly Message[])[];
}

async function readSteps(session: OpenedSession, leaf: string): Promise<ReadSteps> {
  const steps = session.steps?.(leaf);
  if (steps === undefined) throw new Error("a session of lines has steps");
  const read = await Array.fromAsync(steps.read(() => true, undefined));
  return { keys: steps.keys, messages: read.map(({ messages }) => messages) };
}
