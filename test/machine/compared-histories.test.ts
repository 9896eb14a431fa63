/**
 * The answers over HTTP that a comparison of two histories needs: fingerprints of turns, and the source of a hand-over.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { HandOffAnswer, Outline, SessionHead } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText } from "../cli/home.ts";
import { openMachine } from "./open-machine.ts";

const OTHER_ID = "4bf3eeee-0000-4000-8000-0000000000c1";
const MORE_ID = "4bf3eeee-0000-4000-8000-0000000000c2";

type Lines = Parameters<typeof claudeText>[1];

function lines(prefix: string, answers: readonly string[], time: string): Lines {
  return answers.flatMap(
    (text, at): Lines => [
      {
        uuid: `${prefix}${at}q`,
        parent: at === 0 ? null : `${prefix}${at - 1}a`,
        role: "user",
        content: `Question ${at}`,
        time,
      },
      {
        uuid: `${prefix}${at}a`,
        parent: `${prefix}${at}q`,
        role: "assistant",
        content: [
          { type: "text", text },
          {
            type: "tool_use",
            id: `${prefix}t${at}`,
            name: "Read",
            input: { file_path: "/home/ann/app/a.ts" },
          },
        ],
        time,
      },
    ],
  );
}

test("turns that show the same have the same prints, whatever their ids and times are", async () => {
  await using machine = await openMachine();
  machine.home.write(
    claudeFile(OTHER_ID),
    claudeText(OTHER_ID, lines("x", ["One", "Two", "Three"], "10:00:00")),
  );
  machine.home.write(claudeFile(MORE_ID), claudeText(MORE_ID, lines("y", ["One", "Zwei"], "11:00:00")));
  const turnsOf = async (id: string, query = "?prints=include"): Promise<Outline["turns"]> => {
    const outline: Outline = await machine.json(`/v1/machine/sessions/claude:${id}/outline${query}`);
    return outline.turns;
  };
  const [left, right] = [await turnsOf(OTHER_ID), await turnsOf(MORE_ID)];
  expect(right[0]?.print).toEqual(left[0]?.print);
  expect(right[1]?.print?.asked).toBe(left[1]?.print?.asked);
  expect(right[1]?.print?.all).not.toBe(left[1]?.print?.all);
  expect(new Set(left.map(({ print }) => print?.asked)).size).toBe(3);
  expect((await turnsOf(OTHER_ID, ""))[0]).not.toHaveProperty("print");
});

test("a session that was handed over names its source while the list has that", async () => {
  await using machine = await openMachine();
  const source = `/v1/machine/sessions/claude:${CLAUDE_ID}`;
  expect((await machine.json(source)) as SessionHead).toMatchObject({ handedOverFrom: null });
  const made = (await (
    await machine.post(`${source}/handoff`, { to: "codex", cwd: machine.home.path })
  ).json()) as HandOffAnswer;
  const handedOver = `/v1/machine/sessions/${encodeURIComponent(made.session?.key ?? "")}`;
  const sourceNow = async () => ((await machine.json(handedOver)) as SessionHead).handedOverFrom;
  expect(await sourceNow()).toBe(`claude:${CLAUDE_ID}`);
  rmSync(join(machine.home.path, claudeFile(CLAUDE_ID)));
  await expect.poll(sourceNow).toBeNull();
});
