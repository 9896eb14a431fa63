import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Places } from "@continuo/agents";
import { listSessions } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";
import { copyEveryCase } from "./every-case.ts";

let scratch: string;
let places: Places;

beforeEach(() => {
  scratch = scratchFolder("list");
  places = copyEveryCase(scratch, 2);
});

/** Long after anything was written, so that everything is remembered. */
const LATER = Date.now() + 86_400_000;

function filesOf(): string[] {
  return readdirSync(scratch, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(scratch, "continuo")))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function editOpencode(sql: string): void {
  const path = filesOf().find((file) => file.endsWith("opencode.db"));
  if (path === undefined) return;
  try {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  } catch {
    // An earlier step damaged it.
  }
}

/** The first letter of what a row may be called by. */
const TITLE = /("(?:text|content|message|title|thread_name|customTitle|display)":\s?")([A-Za-z])/gu;

const SET_BACK = "replace in place, same size, time stamps set back";

const EDITS: Readonly<Record<string, (path: string, text: string) => void>> = {
  append: (path, text) => appendFileSync(path, `{"type":"${text}"}\n`),
  "append a title": (path, text) =>
    appendFileSync(path, `{"type":"custom-title","customTitle":"${text}","name":"${text}","id":"x"}\n`),
  truncate: (path, text) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length >> (text.length % 4)));
  },
  "spoil bytes": (path, text) => {
    const bytes = readFileSync(path);
    for (let at = text.length; at < bytes.length; at += 997) bytes[at] = 0x7b;
    writeFileSync(path, bytes);
  },
  [SET_BACK]: (path) => {
    if (!path.endsWith("l")) return;
    const { atime, mtime } = statSync(path);
    const changed = (_: string, key: string, letter: string): string => `${key}${letter === "Z" ? "Y" : "Z"}`;
    writeFileSync(path, readFileSync(path, "latin1").replace(TITLE, changed), "latin1");
    utimesSync(path, atime, mtime);
  },
  "set the time": (path, text) => utimesSync(path, 1_000_000 + text.length, 1_000_000 + text.length),
  rename: (path, text) => renameSync(path, join(dirname(path), `${text.length}-${path.split("/").at(-1)}`)),
  delete: (path) => rmSync(path),
  "replace by another session": (path, text) => {
    const files = filesOf();
    writeFileSync(path, readFileSync(files[text.length % files.length] ?? path));
  },
  "rename a session of opencode": (_path, text) => editOpencode(`update session set title = '${text}'`),
  "delete messages of opencode": () => editOpencode("delete from part"),
  "delete the index": () => rmSync(indexPathOf(places), { force: true }),
};

test("the list by the index equals the list without it, whatever is done to the files", async () => {
  const edit = fc.record({
    what: fc.constantFrom(...Object.keys(EDITS), ...Array.from({ length: 6 }, () => SET_BACK)),
    file: fc.nat(),
    text: fc.stringMatching(/^[a-z]{0,12}$/u),
    archived: fc.constantFrom("include", "exclude"),
    limit: fc.constantFrom(undefined, 3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 2, maxLength: 10, size: "max" }), async (edits) => {
      rmSync(scratch, { recursive: true });
      places = copyEveryCase(scratch, 2);
      // Times that can be set back exactly.
      for (const path of filesOf()) utimesSync(path, 1_700_000_000, 1_700_000_000);
      await listSessions({ places, memo: openRows(indexPathOf(places), LATER) });
      for (const { what, file, text, archived, limit } of edits) {
        const files = filesOf();
        EDITS[what]?.(files[file % files.length] ?? "", text);
        const options = { places, archived, ...(limit === undefined ? {} : { limit }) };
        const memo = openRows(indexPathOf(places), LATER);
        expect(await listSessions({ ...options, memo })).toEqual(await listSessions(options));
      }
    }),
    { numRuns: rounds(40) },
  );
}, 600_000);
