import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { statFile } from "@continuo/files";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { rounds } from "../../../../test/sizes/counts.ts";
import { useIndex } from "./index-database.ts";
import { openRows } from "./rows.ts";

let folder: string;
let cache: string;

beforeEach(() => {
  folder = scratchFolder("index");
  cache = join(folder, "home/index.db");
});

/** Long after anything was written. */
const LATER = Date.now() + 86_400_000;

/** Skims a file through the memo, and tells if the memo had to look at the file. */
async function look(path: string, nowMs = LATER): Promise<{ answer: string; looked: boolean }> {
  const file = statFile(path);
  if (file === null) throw new Error(`no file ${path}`);
  const memo = openRows(cache, nowMs);
  let looked = 0;
  const read = async (): Promise<string> => {
    looked += 1;
    return readFileSync(path, "utf8");
  };
  const answer = await memo.remember(file, { what: "content" }, read);
  const brief = await memo.remember(file, { what: "content", isBrief: true }, read);
  await memo.save("part");
  // If one answer is damaged, the other may still exist.
  return { answer: brief === answer ? answer : `${answer}, in brief ${brief}`, looked: looked > 0 };
}

/** Anywhere in the file. */
function spoilByte(at: number): void {
  const bytes = readFileSync(cache);
  const place = at % Math.max(1, bytes.length);
  bytes[place] = (bytes[place] ?? 0) ^ 0x41;
  writeFileSync(cache, bytes);
}

test("an answer is remembered by the next process", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  expect(await look(path)).toEqual({ answer: "one", looked: true });
  expect(await look(path)).toEqual({ answer: "one", looked: false });
});

test("the index is never wrong, whatever another program does to the file", async () => {
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
    fc.record({ do: fc.constant("spoil a byte"), text: fc.string({ maxLength: 20_000, size: "max" }) }),
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
        if (what === "spoil a byte" && existsSync(cache)) spoilByte(text.length);
        expect((await look(path)).answer).toBe(readFileSync(path, "utf8"));
      }
    }),
    { numRuns: rounds(60) },
  );
});

test("a file that changed a moment ago is not remembered, because it may change again within the same clock tick", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  const now = statSync(path).ctimeMs + 1_000;
  await look(path, now);
  expect((await look(path, now)).looked).toBe(true);
});

test("a list of one agent keeps the results of other lists; a list of everything removes those of missing files", async () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [a, b, c]) {
    writeFileSync(path, path);
    await look(path);
  }
  const list = async (asked: "everything" | "part"): Promise<readonly string[]> => {
    const file = statFile(b);
    if (file === null) throw new Error("gone");
    const memo = openRows(cache, LATER);
    await memo.remember(file, { what: "content" }, async () => "two");
    await memo.save(asked);
    const kept = await useIndex(cache, "read", (database) =>
      database.prepare("select path from files order by path").all(),
    );
    return kept.state === "ready" ? kept.value.map(({ path }) => String(path)) : [];
  };
  rmSync(a);
  expect(await list("part")).toEqual([a, b, c]);
  expect(await list("everything")).toEqual([b, c]);
  expect((await look(c)).looked).toBe(false);
});

test("only the expected rows are read, and a question about another file reads the rest", async () => {
  const files = ["a", "b", "c"].map((name) => {
    writeFileSync(join(folder, name), name);
    return join(folder, name);
  });
  for (const path of files) await look(path);
  const [a, b, c] = files.map(statFile);
  if (!a || !b || !c) throw new Error("gone");
  const memo = openRows(cache, LATER);
  const never = (): Promise<string> => Promise.reject(new Error("it is remembered"));
  await memo.expect([a]);
  expect(await memo.remember(a, { what: "content" }, never)).toBe("a");
  // A row that nobody read still exists.
  await memo.remember(b, { what: "content", isBrief: true }, never);
  await memo.remember(c, { what: "content", isBrief: true }, never);
  await memo.save("everything");
  const next = openRows(cache, LATER);
  await next.expect([b]);
  for (const [file, answer] of [
    [b, "b"],
    [c, "c"],
  ] as const) {
    expect(await next.remember(file, { what: "content" }, never)).toBe(answer);
  }
});

test("a list that expects more than it asks about, and finds nothing new, writes nothing", async () => {
  const [a, b] = ["a", "b"].map((name) => {
    writeFileSync(join(folder, name), name);
    return statFile(join(folder, name));
  });
  if (!a || !b) throw new Error("gone");
  await look(a.path);
  const before = readFileSync(cache);
  const memo = openRows(cache, LATER);
  await memo.expect([a, b]);
  await memo.remember(a, { what: "content", isBrief: true }, async () => "looked again");
  await memo.save("everything");
  expect(readFileSync(cache).equals(before)).toBe(true);
});

test("an answer of undefined is not stored", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  const file = statFile(path);
  if (file === null) throw new Error("gone");
  for (const answer of [undefined, null]) {
    const memo = openRows(cache, LATER);
    expect(await memo.remember(file, { what: "x", isBrief: true }, async () => answer)).toBe(answer);
    await memo.save("part");
  }
  const memo = openRows(cache, LATER);
  expect(await memo.remember(file, { what: "x", isBrief: true }, async () => "looked again")).toBeNull();
});

test("the file is private, and no temporary file stays next to it", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  await look(path);
  expect(readdirSync(join(folder, "home"))).toEqual(["index.db"]);
  expect(statSync(cache).mode & 0o777).toBe(0o600);
});

test("an index that cannot be written is not an error", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  writeFileSync(join(folder, "home"), "a file where the folder should be");
  expect((await look(path)).answer).toBe("one");
});

test("an index of a newer Continuo is not changed, byte for byte", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  await look(path);
  await useIndex(cache, "write", (database) => database.exec("pragma user_version = 999"));
  const before = readFileSync(cache);
  expect(await look(path)).toEqual({ answer: "one", looked: true });
  expect(readFileSync(cache)).toEqual(before);
});

test("an index of an older version is created again", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  await look(path);
  await useIndex(cache, "write", (database) => {
    database.exec('update files set answers = \'{"content":"old"}\'; pragma user_version = 0');
  });
  expect(await look(path)).toEqual({ answer: "one", looked: true });
  expect(await look(path)).toEqual({ answer: "one", looked: false });
});

test("a database that is not an index is not changed", async () => {
  const path = join(folder, "a");
  writeFileSync(path, "one");
  mkdirSync(join(folder, "home"));
  const { DatabaseSync } = await import("node:sqlite");
  const other = new DatabaseSync(cache);
  other.exec("create table files (mine text)");
  other.close();
  const before = readFileSync(cache);
  expect(await look(path)).toEqual({ answer: "one", looked: true });
  expect(readFileSync(cache)).toEqual(before);
});

test("an answer about several files is valid for one state of each file", async () => {
  const [a, b] = [join(folder, "a"), join(folder, "b")];
  writeFileSync(a, "one");
  writeFileSync(b, "two");
  const both = async (): Promise<boolean> => {
    const files = [a, b].map(statFile).filter((file) => file !== null);
    const memo = openRows(cache, LATER);
    let looked = false;
    await memo.remember(files, { what: "both" }, async () => {
      looked = true;
      return "x";
    });
    await memo.save("part");
    return looked;
  };
  expect([await both(), await both()]).toEqual([true, false]);
  appendFileSync(b, "more");
  expect([await both(), await both()]).toEqual([true, false]);
  rmSync(b);
  expect([await both(), await both()]).toEqual([true, false]);
});
