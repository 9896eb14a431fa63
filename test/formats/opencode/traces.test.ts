/** Reading leaves no trace. The database belongs to another process, which runs or was killed. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { listNativeSessions } from "@continuo/agents";
import { isContinuoError } from "@continuo/core/model";
import { opencodeFormat } from "@continuo/native/opencode";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import {
  answer,
  findIn,
  insertMessage,
  openIn,
  placesOf,
  SESSION,
  text,
  user,
  writeDatabase,
} from "./sessions.ts";

const OWNER = join(import.meta.dirname, "owner.mjs");

let folder = "";
let path = "";
const owners: ChildProcessWithoutNullStreams[] = [];
beforeEach(() => {
  folder = scratchFolder("opencode");
  path = join(folder, "opencode.db");
  writeDatabase(path, [
    { messages: [user("msg_1", "Name the timer."), answer("msg_2", [text("How about `steep`?")])] },
  ]);
});
afterEach(async () => {
  for (const owner of owners.splice(0)) await kill(owner);
});

interface Owner {
  readonly process: ChildProcessWithoutNullStreams;
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

function startOwner(): Owner {
  const child = spawn(process.execPath, [OWNER, path]);
  owners.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const act = async (order: object): Promise<void> => {
    child.stdin.write(`${JSON.stringify(order)}\n`);
    if ((await lines.next()).value !== "done") throw new Error("the owner of the database failed");
  };
  return { process: child, run: (sql) => act({ act: "run", sql }), close: () => act({ act: "close" }) };
}

async function kill(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
}

const ADD = `insert into message select 'msg_3', session_id, time_created + 2000, time_updated, data from message where id = 'msg_1';
  insert into part select 'prt_3', 'msg_3', session_id, time_created, time_updated, '{"type":"text","text":"Something shorter?"}' from part where id = 'prt_msg_1'`;

interface Trace {
  readonly name: string;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  readonly hash: string;
}

/**
 * Returns everything in the folder except the `-shm`, in which SQLite records its readers. Times of status changes are
 * left out: if SQLite runs as root, it sets the owner of a `-wal` again, which is not part of the promise.
 */
function traces(): Trace[] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith("-shm"))
    .map((name) => {
      const { mtimeMs, size } = statSync(join(folder, name));
      const hash = createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex");
      return { name, mtimeMs, sizeBytes: size, hash };
    });
}

/** Calls every function of the reader for the session, and returns the words of its history. */
async function readAll(): Promise<string[]> {
  const words: string[] = [];
  for (const found of await findIn(path)) {
    await opencodeFormat.skim(found, { part: "ends" });
    await opencodeFormat.skim(found, { part: "whole" });
  }
  await listNativeSessions({ agents: ["opencode"], places: placesOf(path) });
  using session = await openIn(path, SESSION);
  await Array.fromAsync(session.entries());
  for await (const message of session.history()) {
    for (const block of message.content) if (block.type === "text") words.push(block.text);
  }
  return words;
}

const TWO = ["Name the timer.", "How about `steep`?"];
const THREE = [...TWO, "Something shorter?"];

describe("a database with a -wal next to it", () => {
  test("is read with what the -wal holds, and neither is changed, while its owner runs", async () => {
    const owner = startOwner();
    await owner.run(`pragma wal_autocheckpoint = 0; ${ADD}`);
    const before = traces();
    expect(before.map(({ name }) => name)).toEqual(["opencode.db", "opencode.db-wal"]);
    expect(await readAll()).toEqual(THREE);
    expect(traces()).toEqual(before);
  });

  test("is read the same after its owner was killed, and neither is changed", async () => {
    const owner = startOwner();
    await owner.run(`pragma wal_autocheckpoint = 0; ${ADD}`);
    await kill(owner.process);
    const before = traces();
    expect(before.map(({ name }) => name)).toEqual(["opencode.db", "opencode.db-wal"]);
    expect(await readAll()).toEqual(THREE);
    expect(traces()).toEqual(before);
  });

  test("is read if the -shm is missing, which is the only file that reading creates", async () => {
    const owner = startOwner();
    await owner.run(`pragma wal_autocheckpoint = 0; ${ADD}`);
    await kill(owner.process);
    rmSync(`${path}-shm`);
    const before = traces();
    expect(await readAll()).toEqual(THREE);
    expect(traces()).toEqual(before);
    expect(readdirSync(folder).sort()).toEqual(["opencode.db", "opencode.db-shm", "opencode.db-wal"]);
  });

  test("shows nothing of a transaction during which its owner was killed", async () => {
    const owner = startOwner();
    await owner.run(`pragma wal_autocheckpoint = 0; pragma cache_size = 1; begin; ${ADD}`);
    await kill(owner.process);
    const before = traces();
    expect(await readAll()).toEqual(TWO);
    expect(traces()).toEqual(before);
  });

  test("is left to its owner: a reader does not keep the owner from writing, and sees each write at once", async () => {
    const owner = startOwner();
    await owner.run("pragma wal_autocheckpoint = 0; update session set title = 'Green tea'");
    using session = await openIn(path, SESSION);
    await owner.run(`${ADD}; pragma wal_checkpoint(truncate)`);
    expect(session.details.title).toBe("Green tea");
    expect(await readAll()).toEqual(THREE);
    const before = traces();
    session.close();
    expect(traces()).toEqual(before);
  });

  test("that is locked is listed with that as its problem, and refused when opened", async () => {
    const owner = startOwner();
    await owner.run("pragma locking_mode = exclusive; update session set title = 'Green tea'");
    const before = traces();
    const [row, ...others] = await listNativeSessions({ agents: ["opencode"], places: placesOf(path) });
    expect(others).toEqual([]);
    expect(row).toMatchObject({ sessionId: "opencode.db", title: null, problems: [{ code: "unreadable" }] });
    expect(row?.problems[0]?.message).toContain("another program has locked it");
    await expect(openIn(path, SESSION)).rejects.toSatisfy((error) => isContinuoError(error, "unreadable"));
    expect(traces()).toEqual(before);
  });
});

describe("a database without a -wal", () => {
  /** Returns the state of the folder and its files; their times are long past, so that every change is noticed. */
  const agedFolder = (): { all: Trace[]; names: string[]; times: number[] } => {
    const names = readdirSync(folder);
    const stats = [folder, ...names.map((name) => join(folder, name))].map((each) => statSync(each));
    return { all: traces(), names, times: stats.flatMap(({ mtimeMs, ctimeMs }) => [mtimeMs, ctimeMs]) };
  };
  const age = (): void => {
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1_600_000_000, 1_600_000_000);
    utimesSync(folder, 1_600_000_000, 1_600_000_000);
  };

  test("is read without a trace: no file is made, nothing is touched", async () => {
    age();
    const before = agedFolder();
    expect(before.names).toEqual(["opencode.db"]);
    expect(await readAll()).toEqual(TWO);
    expect(agedFolder()).toEqual(before);
  });

  test("is read without a trace after its owner has closed it", async () => {
    const owner = startOwner();
    await owner.run(ADD);
    await owner.close();
    age();
    const before = agedFolder();
    expect(before.names).toEqual(["opencode.db"]);
    expect(await readAll()).toEqual(THREE);
    expect(agedFolder()).toEqual(before);
  });

  test("is read without a trace through a symbolic link", async () => {
    const real = join(folder, "moved.db");
    renameSync(path, real);
    symlinkSync(real, path);
    const before = readdirSync(folder);
    expect(await readAll()).toEqual(TWO);
    expect(readdirSync(folder)).toEqual(before);
  });

  test("a reader of a database whose owner begins to write sees the new state", async () => {
    // This text is too long to stay in memory after the session was opened.
    const pages = Array.from({ length: 2 }, (_, at) => user(`msg_${at + 3}`, "word ".repeat(1_000_000)));
    const database = new DatabaseSync(path);
    for (const [at, page] of pages.entries()) insertMessage(database, SESSION, page, at + 2);
    database.close();
    using session = await openIn(path, SESSION);
    expect(session.details.messages.total).toBe(4);
    const owner = startOwner();
    const changed = JSON.stringify(text("Name the kettle."));
    await owner.run(
      `pragma wal_autocheckpoint = 0; update part set data = '${changed}' where id = 'prt_msg_1'`,
    );
    await owner.run("delete from message where id = 'msg_2'");
    const before = traces();
    const history = await Array.fromAsync(session.history());
    expect(history.map(({ id }) => id)).toEqual(["msg_1", "msg_3", "msg_4"]);
    expect(history[0]?.content).toEqual([text("Name the kettle.")]);
    expect(traces()).toEqual(before);
  });
});
