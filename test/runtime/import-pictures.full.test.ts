/** Sessions with pictures are imported into each engine: every byte of a picture arrives, once. */

import { cpSync, globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readNativeSession } from "@continuo/agents";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { importNativeSession } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/claude/image/home");

test.each(["sqlite", "postgres"])(
  "an import into %s keeps the pictures of a session, also when two processes import it at once",
  async (engine) => {
    const home = scratchFolder(`import-pictures-${engine}`);
    mkdirSync(home, { recursive: true });
    cpSync(FIXTURES, join(home, ".claude"), { recursive: true });
    const [name = ""] = globSync(".claude/projects/*/*.jsonl", { cwd: home });
    const path = join(home, name);
    const places = { home, env: {} };
    const url = engine === "sqlite" ? `sqlite:${join(home, "archive.db")}` : await newPostgresDatabase();
    await using store = await openStore(url, { migrate: true });
    await using other = await openStore(url);
    const [one, two] = await Promise.all([
      importNativeSession(store, path, { places }),
      importNativeSession(other, path, { places }),
    ]);
    const { messages: native } = await readNativeSession(path, { places });
    expect(native.flatMap(({ content }) => content).filter(({ type }) => type === "image")).not.toEqual([]);
    const { messages } = await TranscriptBuilder.fromStore(other, one.sessionId);
    expect(messages.map(({ content }) => content)).toEqual(native.map(({ content }) => content));
    expect(two).toMatchObject({ sessionId: one.sessionId, messages: native.length });
    expect(one.added + two.added).toBe(native.length);
    expect((await importNativeSession(store, path, { places })).added).toBe(0);
  },
);
