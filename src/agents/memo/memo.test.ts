import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { statFile } from "../reader/index.ts";
import { openSkimMemo } from "./index.ts";

let folder: string;
let cache: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "continuo-memo-"));
  cache = join(folder, "cache/skims");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Long after anything was written. */
const LATER = Date.now() + 86_400_000;

/** What a skim through the memo says a file holds, and whether it had to look. */
async function look(path: string, nowMs = LATER): Promise<{ answer: string; looked: boolean }> {
  const file = statFile(path);
  if (file === null) throw new Error(`no file ${path}`);
  const memo = openSkimMemo(cache, nowMs);
  let looked = false;
  const answer = await memo.remember(file, { what: "content" }, async () => {
    looked = true;
    return readFileSync(path, "utf8");
  });
  memo.save("part");
  return { answer, looked };
}

test("an answer is remembered by the next process", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  expect(await look(path)).toEqual({ answer: "one", looked: true });
  expect(await look(path)).toEqual({ answer: "one", looked: false });
});

test("it is never wrong, whatever is done to the file behind its back", async () => {
  const edit = fc.oneof(
    fc.record({ do: fc.constant("append"), text: fc.string({ minLength: 1, maxLength: 4 }) }),
    fc.record({
      do: fc.constant("replace in place, same size, time stamps set back"),
      text: fc.constant(""),
    }),
    fc.record({ do: fc.constant("replace by rename"), text: fc.string({ maxLength: 4 }) }),
    fc.record({ do: fc.constant("truncate"), text: fc.constant("") }),
    fc.record({ do: fc.constant("delete the cache"), text: fc.constant("") }),
    fc.record({ do: fc.constant("spoil the cache"), text: fc.string() }),
    fc.record({ do: fc.constant("nothing"), text: fc.constant("") }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 8 }), async (edits) => {
      const path = join(folder, "a");
      writeFileSync(path, "start");
      for (const { do: what, text } of edits) {
        await look(path);
        const { atime, mtime } = statSync(path);
        if (what === "append") appendFileSync(path, text);
        if (what === "truncate") writeFileSync(path, "");
        if (what === "replace by rename") {
          writeFileSync(join(folder, "b"), text);
          renameSync(join(folder, "b"), path);
        }
        if (what.startsWith("replace in place")) {
          writeFileSync(path, [...readFileSync(path, "utf8")].reverse().join(""));
          utimesSync(path, atime, mtime);
        }
        if (what === "delete the cache") rmSync(cache, { force: true });
        if (what === "spoil the cache" && existsSync(cache)) writeFileSync(cache, text);
        expect((await look(path)).answer).toBe(readFileSync(path, "utf8"));
      }
    }),
    { numRuns: 60 },
  );
});

test("a file that changed a moment ago is not remembered: it may change again within one tick", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  const now = statSync(path).ctimeMs + 1_000;
  await look(path, now);
  expect((await look(path, now)).looked).toBe(true);
});

test("a list of one agent keeps what another list found out; a list of everything forgets what is gone", async () => {
  const [a, b] = [join(folder, "a"), join(folder, "b")];
  writeFileSync(a, "one");
  writeFileSync(b, "two");
  await look(a);
  await look(b);
  expect((await look(a)).looked).toBe(false);
  const file = statFile(b);
  if (file === null) throw new Error("gone");
  const memo = openSkimMemo(cache, LATER);
  await memo.remember(file, { what: "content" }, async () => "two");
  memo.save("everything");
  expect([(await look(b)).looked, (await look(a)).looked]).toEqual([false, true]);
});

test("it is private, and leaves nothing beside it", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  await look(path);
  expect(readdirSync(join(folder, "cache"))).toEqual(["skims"]);
  expect(statSync(cache).mode & 0o777).toBe(0o600);
});

test("a cache that cannot be written is no failure", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  writeFileSync(join(folder, "cache"), "a file where the folder should be");
  expect((await look(path)).answer).toBe("one");
});
