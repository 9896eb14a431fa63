/** The list that reads only the sessions that it shows. */

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import type { SavedSkimMemo } from "./kit/index.ts";
import { readNativeList } from "./list.ts";

const home = scratchFolder("list");

test("only the newest sessions by file times are read, and no row of the index is removed", async () => {
  const folder = join(home, ".claude/projects/-project");
  mkdirSync(folder, { recursive: true });
  const ids = [1, 2, 3].map((number) => `4bf3eeee-0000-4000-8000-00000000000${number}`);
  for (const [at, id] of ids.entries()) {
    const path = join(folder, `${id}.jsonl`);
    const message = { role: "user", content: `Number ${at}` };
    writeFileSync(path, `${JSON.stringify({ type: "user", uuid: "u1", sessionId: id, message })}\n`);
    utimesSync(path, at + 1, at + 1);
  }
  const looked = new Set<string>();
  const saved: string[] = [];
  const memo: SavedSkimMemo = {
    remember: (files, _, compute) => {
      looked.add([files].flat()[0]?.path ?? "");
      return compute();
    },
    knownFiles: () => Promise.reject(new Error("the times of files are enough")),
    expect: async () => undefined,
    save: async (asked) => void saved.push(asked),
  };
  const places = { home, env: {} };
  const { sessions, total } = await readNativeList({ places, memo, limit: 2, newestBy: "file times" });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([ids[2], ids[1]]);
  expect(total).toBe(3);
  expect([...looked].filter((path) => path.includes("00000001.jsonl"))).toEqual([]);
  expect(saved).toEqual(["part"]);
});
