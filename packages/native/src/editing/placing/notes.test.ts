/** Notes of edits: they exist while an edit runs, and the complete notes of processes that are gone can be read. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Places, placeOfThisProcess, processStartOf, processStateOf } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { beginNote, isGone, notesLeft, underNote } from "./notes.ts";

const GONE = 4_194_304;

let home: string;
let places: Places;
let folder: string;
beforeEach(() => {
  home = scratchFolder("notes");
  places = { home, env: {} };
  folder = join(home, ".continuo/unfinished");
});

function leave(name: string, value: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
}

const NOTE = { how: "append", path: "/a", size: 3, text: "x\n" } as const;
const PLACE = {
  how: "place",
  agent: "pi",
  sessionId: "s",
  location: "/a",
  path: "/a",
  key: "k",
  besides: [
    { how: "append", path: "/b", text: "b" },
    { how: "create", path: "/c", text: "" },
  ],
} as const;

describe("a note", () => {
  test("is on disk while the edit runs, names the process, and is gone when it ends", async () => {
    const result = await underNote(places, NOTE, () => {
      const names = readdirSync(folder);
      const note = JSON.parse(readFileSync(join(folder, names[0] ?? ""), "utf8"));
      expect(names).toEqual([expect.stringMatching(new RegExp(`^${process.pid}-\\d+\\.json$`, "u"))]);
      expect(note).toEqual({
        startedAt: processStartOf(process.pid),
        place: placeOfThisProcess(),
        writtenMs: expect.any(Number),
        note: NOTE,
      });
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(notesLeft(places)).toEqual([]);
      return "done";
    });
    expect([result, readdirSync(folder)]).toEqual(["done", []]);
  });

  test("is gone when the edit fails", async () => {
    const failed = new Error("failed");
    await expect(underNote(places, NOTE, () => Promise.reject(failed))).rejects.toBe(failed);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is gone when the disk is full, and the edit says so in words", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
    await expect(underNote(places, NOTE, () => Promise.reject(full))).rejects.toMatchObject({
      code: "unwritable",
      message: "cannot make the requested change: the disk is full",
      hint: "Free some space on the disk, then try again.",
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of each edit is another one", () => {
    const ends = [beginNote(places, NOTE), beginNote(places, NOTE)];
    expect(readdirSync(folder)).toHaveLength(2);
    ends[0]?.("done");
    expect(readdirSync(folder)).toHaveLength(1);
    ends[1]?.("done");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that cannot be written is reported before anything changes", async () => {
    writeFileSync(join(home, ".continuo"), "a file");
    let isBegun = false;
    const edit = (): void => {
      isBegun = true;
    };
    await expect(underNote(places, NOTE, edit)).rejects.toMatchObject({
      code: "unwritable",
      message: expect.stringMatching(/^cannot write .*\.json: a file is in the place of a folder$/u),
      hint: "Move the file away, or use a folder elsewhere.",
    });
    expect(isBegun).toBe(false);
  });
});

test("no note is left if none was written, or none can be written", () => {
  expect(notesLeft(places)).toEqual([]);
  writeFileSync(join(home, ".continuo"), "a file");
  expect(notesLeft(places)).toEqual([]);
});

test.each<[string, object]>([
  ["an append", NOTE],
  ["a rename", { how: "rename", agent: "codex", sessionId: "s", path: "/a", title: "t", besides: [] }],
  ["a removal from the trash", { how: "empty", trashId: "1" }],
  ["a new session", PLACE],
  ["a new session that nobody asks for again", { ...PLACE, key: null, besides: [] }],
  ["a deletion", { how: "trash", trashId: "2026-11-21T20-00-00-000Z-pi-a_b.c" }],
  ["a restoration", { how: "restore", trashId: "1" }],
])("the note of %s of a process that is gone is read as it was written", (_name, note) => {
  leave(`${GONE}-7.json`, { startedAt: "1", writtenMs: 5, note });
  const [left, ...others] = notesLeft(places);
  expect(left).toEqual({ note, pid: GONE, writtenMs: 5, remove: expect.any(Function) });
  expect(others).toEqual([]);
  left?.remove();
  expect(readdirSync(folder)).toEqual([]);
});

test.each<[string, object, object]>([
  ["a key that is no text", { ...PLACE, key: 1 }, { ...PLACE, key: null }],
  [
    "files beside it that are none",
    {
      ...PLACE,
      besides: [null, ...PLACE.besides, { ...PLACE.besides[0], how: "remove" }, { how: "append" }],
    },
    PLACE,
  ],
  [
    "files beside it without a path or a text",
    {
      ...PLACE,
      besides: [
        { how: "append", path: "/b" },
        { how: "create", text: "" },
      ],
    },
    { ...PLACE, besides: [] },
  ],
])("a note with %s is read without it", (_name, note, read) => {
  leave(`${GONE}-7.json`, { note });
  expect(notesLeft(places)).toMatchObject([{ note: read, writtenMs: 0 }]);
});

describe("a note is removed unread", () => {
  test.each<[string, unknown]>([
    ["if it broke off", '{"note":'],
    ["if it is a list", [NOTE]],
    ["if it has no note", { writtenMs: 5 }],
    ["of an unknown edit", { note: { ...NOTE, how: "move" } }],
    ["of an append without a path", { note: { ...NOTE, path: undefined } }],
    ["of an append without a size", { note: { ...NOTE, size: "3" } }],
    ["of an append without a text", { note: { ...NOTE, text: null } }],
    ["of a session without a path", { note: { ...PLACE, path: 1 } }],
    ["of a session of an unknown agent", { note: { ...PLACE, agent: "toString" } }],
    ["of a session without an id", { note: { ...PLACE, sessionId: 1 } }],
    ["of a session without a location", { note: { ...PLACE, location: null } }],
    ["of a session with no list of files", { note: { ...PLACE, besides: {} } }],
    ["of a rename without a title", { note: { ...PLACE, how: "rename" } }],
    ["of a deletion without an id", { note: { how: "trash" } }],
    ["of a deletion of a hidden folder", { note: { how: "trash", trashId: ".gone-1" } }],
    ["of a restoration from elsewhere", { note: { how: "restore", trashId: "1/../.." } }],
    ["of a deletion with another line in its id", { note: { how: "trash", trashId: "1\n" } }],
  ])("%s", (_name, value) => {
    leave(`${GONE}-7.json`, value);
    expect(notesLeft(places)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("if it was not whole when its process ended", () => {
    leave(`${GONE}-7.json.new-${GONE}-0`, { note: NOTE });
    expect(notesLeft(places)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("notes of a running process, and files that are not notes, are not read", () => {
  const { pid } = process;
  const notes: Readonly<Record<string, unknown>> = {
    [`${pid}-90.json`]: { startedAt: processStartOf(pid), note: NOTE },
    [`${pid}-91.json`]: { note: NOTE },
    [`${pid}-92.json`]: "{",
    [`${pid}-93.json.new-1`]: "{",
    "a-1.json": { note: NOTE },
    [`${GONE}-.json`]: { note: NOTE },
    [`x${GONE}-1.json`]: { note: NOTE },
  };
  for (const [name, value] of Object.entries(notes)) leave(name, value);
  expect(notesLeft(places)).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual(Object.keys(notes).sort());
});

test.runIf(processStartOf(process.pid) !== null)(
  "a process that has the number of one that is gone is another one",
  () => {
    leave(`${process.pid}-90.json`, { startedAt: "1", note: NOTE });
    expect(notesLeft(places)).toMatchObject([{ note: NOTE, pid: process.pid }]);
    expect([isGone(process.pid, "1"), isGone(process.pid, processStartOf(process.pid))]).toEqual([
      true,
      false,
    ]);
    expect([isGone(process.pid), isGone(GONE), isGone(GONE, "1")]).toEqual([false, true, true]);
  },
);

describe("a process of another place", () => {
  const HERE = placeOfThisProcess();
  const HOUR_MS = 60 * 60 * 1000;
  const notesOf = (place: object, writtenMs = Date.now()): number => {
    leave(`${GONE}-7.json`, { startedAt: "1", place, writtenMs, note: NOTE });
    return notesLeft(places).length;
  };

  test("is gone when the machine was started again", () => {
    expect(notesOf({ ...HERE, boot: "another" })).toBe(1);
  });

  test.each([
    ["another container of this machine", { ...HERE, host: "other", namespace: "another" }],
    ["a container with the name of this one", { ...HERE, namespace: "another" }],
    ["another machine", { host: "other", boot: "another", namespace: "another" }],
  ])("may still be at work in %s, for an hour at most", (_name, place) => {
    expect([notesOf(place), notesOf(place, Date.now() - 2 * HOUR_MS)]).toEqual([0, 1]);
  });
});

test.runIf(process.platform === "linux")(
  "a process that was killed and that nobody waited for is gone",
  async () => {
    const parent = spawn("sh", ["-c", "sleep 1000 & echo $!; exec sleep 1000"]);
    try {
      const [pid] = await once(parent.stdout, "data");
      // A shell would reap its child when the child ends; `sleep` does not.
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
      process.kill(Number(pid), "SIGKILL");
      await expect.poll(() => processStateOf(Number(pid))?.state).toBe("Z");
      expect(isGone(Number(pid))).toBe(true);
    } finally {
      parent.kill("SIGKILL");
    }
  },
);
