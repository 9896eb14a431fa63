import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findNativeSessions } from "@continuo/native";
import { PIECE_BYTES } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { useLines } from "./texts-scan.ts";

test("an error in the use of a session's lines is reported, and not taken for a file that cannot be read", async () => {
  const home = scratchFolder("scanned-lines");
  const folder = join(home, ".claude/projects/-work");
  mkdirSync(folder, { recursive: true });
  const sessionId = "11111111-1111-4111-8111-111111111111";
  const message = { role: "user", content: "x".repeat(PIECE_BYTES) };
  const line = { type: "user", uuid: "u1", parentUuid: null, sessionId, cwd: "/work", message };
  writeFileSync(join(folder, `${sessionId}.jsonl`), `${JSON.stringify(line)}\n`);
  const [found] = await Array.fromAsync(findNativeSessions({ places: { home, env: {} } }));
  if (found === undefined) throw new Error("there is no session");
  const begin = () => () => true;
  expect(await useLines(found, { begin, use: ({ bytes }) => bytes.length })).toBeGreaterThan(PIECE_BYTES);
  const use = (): never => {
    throw new Error("a mistake of the search");
  };
  await expect(useLines(found, { begin, use })).rejects.toThrow("a mistake of the search");
});
