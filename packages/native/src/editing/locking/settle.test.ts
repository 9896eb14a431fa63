/** The notes of processes that are gone: some are settled, and others wait for the next request. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockSession, type Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { settleBeforeReading, settleUnfinished } from "./settle.ts";

const HOUR_MS = 60 * 60 * 1000;

let home: string;
let places: Places;
let notes: string;
beforeEach(() => {
  home = scratchFolder("settle");
  places = { home, env: { CONTINUO_HOME: join(home, "continuo") } };
  notes = join(home, "continuo", "unfinished");
  mkdirSync(notes, { recursive: true });
});

/** Returns the number of a process that ended. */
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

test("a note of a process that runs stays", async () => {
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

describe("before somebody reads", () => {
  const read = async (): Promise<readonly string[]> =>
    (await settleBeforeReading({ places })).map(({ code, message }) => `${code}: ${message}`);
  const session = (): string => join(home, "session.jsonl");
  const torn = (): void => {
    writeFileSync(session(), 'whole\n{"half');
    note(gone(), { note: { how: "append", path: session(), size: 6, text: '{"half":1}\n' } });
  };

  test("an append that was interrupted is taken back", async () => {
    torn();
    expect(await read()).toEqual([]);
    expect([readFileSync(session(), "utf8"), readdirSync(notes)]).toEqual(["whole\n", []]);
  });

  test("an interrupted append to a file that a program has open is reported, and stays", async () => {
    torn();
    const agent = spawn("sh", ["-c", `exec 3>>${session()}; echo; exec sleep 1000`]);
    try {
      await once(agent.stdout, "data");
      expect(await read()).toEqual([
        `unfinished_edit: an append to ${session()} was cut off, and cannot be settled: the session is open in its agent`,
      ]);
      expect([readFileSync(session(), "utf8"), readdirSync(notes).length]).toEqual(['whole\n{"half', 1]);
    } finally {
      agent.kill("SIGKILL");
      await once(agent, "exit");
    }
    expect(await read()).toEqual([]);
  });

  test("edits that the disk refuses are reported, and the others are settled", async () => {
    torn();
    const file = join(home, "file");
    writeFileSync(file, "");
    const rename = { agent: "codex", sessionId: "s", path: session(), title: "t" };
    const besides = [{ how: "append", path: join(file, "titles.jsonl"), text: "t\n" }];
    note(gone(), { note: { how: "rename", ...rename, besides } });
    expect(await read()).toEqual([
      expect.stringMatching(
        /^unfinished_edit: a rename of codex:s was cut off, and cannot be settled: cannot write .*titles.jsonl: a file is in/u,
      ),
    ]);
    expect([readFileSync(session(), "utf8"), readdirSync(notes).length]).toEqual(["whole\n", 1]);
  });

  test("a reader that waits for another process to settle edits can be cancelled", async () => {
    torn();
    const lock = await lockSession("/unfinished", "unfinished", { places, waitMs: 0, signal: undefined });
    try {
      expect(
        await settleBeforeReading({ places, signal: AbortSignal.timeout(1) }).catch(({ name }) => name),
      ).toBe("TimeoutError");
    } finally {
      lock.release();
    }
  });

  test("a rename that was interrupted is completed", async () => {
    const titles = join(home, "titles.jsonl");
    writeFileSync(titles, "old\nne");
    const rename = { agent: "pi", sessionId: "s", path: session(), title: "t" };
    note(gone(), {
      note: { how: "rename", ...rename, besides: [{ how: "append", path: titles, text: "new\n" }] },
    });
    expect(await read()).toEqual([]);
    expect([readFileSync(titles, "utf8"), readdirSync(notes)]).toEqual(["old\nnew\n", []]);
  });

  test("an interrupted removal from the trash is completed", async () => {
    const trash = join(home, "continuo", "trash");
    for (const name of [".gone-1", "2"]) mkdirSync(join(trash, name), { recursive: true });
    for (const trashId of ["1", "2"]) note(gone(), { note: { how: "empty", trashId } });
    expect(await read()).toEqual([]);
    expect([readdirSync(trash), readdirSync(notes)]).toEqual([[], []]);
  });
});
