/** Which notes of processes that are gone are settled, and which wait for somebody who asks again. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Places } from "../../files/index.ts";
import { settleUnfinished } from "./settle.ts";

const HOUR_MS = 60 * 60 * 1000;

let home: string;
let places: Places;
let notes: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "continuo-settle-"));
  places = { home, env: { CONTINUO_HOME: join(home, "continuo") } };
  notes = join(home, "continuo", "unfinished");
  mkdirSync(notes, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Of a process that ended. */
const gone = (): number => spawnSync(process.execPath, ["--version"]).pid;

function note(pid: number, text: unknown, ending = ""): void {
  writeFileSync(
    join(notes, `${pid}-1.json${ending}`),
    typeof text === "string" ? text : JSON.stringify(text),
  );
}

function placed(hoursAgo: number, key: string | null): unknown {
  const path = "/there-is-no-such-folder/nothing.jsonl";
  const session = { agent: "pi", sessionId: "x", location: path, path, besides: [], key };
  return { startedAt: null, writtenMs: Date.now() - hoursAgo * HOUR_MS, note: { how: "place", ...session } };
}

test.each([
  ["of a new session stays for a day, for the one who asks again", placed(23, "k"), true],
  ["of a new session goes after a day", placed(25, "k"), false],
  ["of a new session that nobody can ask for again goes at once", placed(0, null), false],
  ["that is none of ours goes", { note: { how: "dance" } }, false],
  ["that broke off goes", "{", false],
])("a note %s", async (_, text, stays) => {
  const pid = gone();
  note(pid, text);
  await settleUnfinished({ places });
  expect(readdirSync(notes)).toEqual(stays ? [`${pid}-1.json`] : []);
});

test("a note that was being written goes, and one of a process that runs stays", async () => {
  note(gone(), "{", ".part");
  note(process.pid, placed(25, "k"));
  await settleUnfinished({ places });
  expect(readdirSync(notes)).toEqual([`${process.pid}-1.json`]);
});

test.each(["", ".", "..", "../../precious", "1-a/../../../precious"])(
  "a note of the deletion %j, which names no folder of the trash, removes no folder",
  async (trashId) => {
    const folders = [join(home, "precious"), join(home, "continuo", "trash", "1-claude-x")];
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    for (const how of ["trash", "restore"]) note(gone(), { note: { how, trashId } });
    await settleUnfinished({ places });
    expect(folders.map((folder) => existsSync(folder))).toEqual([true, true]);
    expect(readdirSync(notes)).toEqual([]);
  },
);
