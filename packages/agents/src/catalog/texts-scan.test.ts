import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findNativeSessions } from "@continuo/native";
import { type FoundSession, PIECE_BYTES, type TestBytes } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { filterTexts, useLines } from "./texts-scan.ts";

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

/** A session of pi and one of Claude Code, which says something about a lighthouse. */
async function twoAgents(): Promise<readonly FoundSession[]> {
  const home = scratchFolder("scanned-texts");
  const write = (path: string, records: readonly object[]): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  };
  const sessionId = "11111111-1111-4111-8111-111111111111";
  const message = { role: "user", content: "Where is the lighthouse?" };
  const line = { type: "user", uuid: "u1", parentUuid: null, sessionId, cwd: "/work", message };
  write(`.claude/projects/-work/${sessionId}.jsonl`, [line]);
  write(".pi/agent/sessions/--work--/2026-01-01T00-00-00-000Z_p1.jsonl", [
    { type: "session", version: 3, id: "p1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/work" },
  ]);
  return await Array.fromAsync(findNativeSessions({ places: { home, env: {} } }));
}

test("sessions that pass keep their order, and the words that a reader adds are searched too", async () => {
  const all = await twoAgents();
  expect(all.map(({ agent }) => agent).toSorted()).toEqual(["claude", "pi"]);
  const [one, two] = all;
  if (one === undefined || two === undefined) throw new Error("there are no two sessions");
  const passing = async (given: readonly FoundSession[], word?: string): Promise<readonly string[]> => {
    const begin = (): TestBytes => (bytes) => word === undefined || bytes.includes(word);
    return (await filterTexts(given, begin)).map(({ agent }) => agent);
  };
  const mixed = [one, two, one];
  expect(await passing(mixed)).toEqual(mixed.map(({ agent }) => agent));
  expect(await passing(all, "lighthouse")).toEqual(["claude"]);
  // The reader of pi says this of a record, and no file contains it.
  expect(await passing(all, "Thinking level")).toEqual(["pi"]);
});
