import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { FoundSession } from "../kit/index.ts";
import { codexFormat } from "./index.ts";

let root = "";
beforeEach(() => {
  root = scratchFolder("codex-find");
});

const A = "02aaaaaa-0000-4000-8000-00000000000a";
const B = "02aaaaaa-0000-4000-8000-00000000000b";

interface Line {
  readonly [key: string]: unknown;
}

function meta(id: string, more: Line = {}): Line {
  return { id, timestamp: "2026-01-01T00:00:00Z", cwd: root, originator: "o", cli_version: "1", ...more };
}

function said(text: string): Line {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

function toLines(header: Line, ...items: Line[]): string {
  const lines = [
    { type: "session_meta", payload: header },
    ...items.map((payload) => ({ type: "response_item", payload })),
  ];
  return lines.map((line, second) => `${JSON.stringify({ timestamp: time(second), ...line })}\n`).join("");
}

function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}

function write(path: string, content: string | Buffer): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

/** Text that does not compress. */
function noise(seed: number): string {
  return createHash("shake256", { outputLength: 96_000 }).update(String(seed)).digest("base64");
}

function nameOf(id: string): string {
  return `rollout-2026-01-01T00-00-00-${id}.jsonl`;
}

async function find(cwd?: string, env: Record<string, string> = {}): Promise<FoundSession[]> {
  return await Array.fromAsync(codexFormat.find({ home: root, env }, cwd === undefined ? {} : { cwd }));
}

describe("find", () => {
  test("finds nothing without a Codex home", async () => {
    expect(await find()).toEqual([]);
  });

  test("looks into ~/.codex, or into $CODEX_HOME", async () => {
    write(`.codex/sessions/2026/01/01/${nameOf(A)}`, toLines(meta(A)));
    write(`elsewhere/sessions/${nameOf(B)}`, toLines(meta(B)));
    expect((await find()).map(({ sessionId }) => sessionId)).toEqual([A]);
    const moved = await find(undefined, { CODEX_HOME: join(root, "elsewhere") });
    expect(moved.map(({ sessionId }) => sessionId)).toEqual([B]);
  });

  test("marks archived sessions", async () => {
    write(`.codex/archived_sessions/${nameOf(A)}`, toLines(meta(A)));
    expect((await find()).map(({ archived }) => archived)).toEqual([true]);
  });

  test("believes session_meta, not the name", async () => {
    write(`.codex/sessions/${nameOf(B)}`, toLines(meta(A)));
    expect((await find()).map(({ sessionId }) => sessionId)).toEqual([A]);
  });

  test("recognises no other file as a session", async () => {
    write(`.codex/sessions/${A}.jsonl`, toLines(meta(A)));
    write(`.codex/sessions/${nameOf(A)}.bak`, toLines(meta(A)));
    expect(await find()).toEqual([]);
  });

  test("lists a file without information by its name", async () => {
    write(`.codex/sessions/${nameOf(A)}`, "");
    const [found] = await find();
    expect(found?.sessionId).toBe(A);
    const row = found && (await codexFormat.skim(found, { part: "ends" }));
    expect(row?.problems.map(({ code }) => code)).toEqual(["empty"]);
  });

  test("gives a thread of several files as one session, oldest file first", async () => {
    const second = `rollout-2026-01-01T00-00-00-${A}_${B}.jsonl`;
    const base = { thread_id: A, end_ordinal_exclusive: null, end_byte_offset: 1 };
    write(`.codex/sessions/${second}`, toLines(meta(A, { history_base: base })).replace(time(0), time(9)));
    write(`.codex/sessions/${nameOf(A)}`, toLines(meta(A)));
    const found = await find();
    expect(found.map(({ files }) => files.map(({ path }) => path))).toEqual([
      [join(root, `.codex/sessions/${nameOf(A)}`), join(root, `.codex/sessions/${second}`)],
    ]);
    expect(found[0]?.location).toBe(join(root, `.codex/sessions/${second}`));
  });

  test("leaves out the compressed copy of an existing file", async () => {
    const plain = write(`.codex/sessions/${nameOf(A)}`, toLines(meta(A)));
    write(`.codex/sessions/${nameOf(A)}.zst`, zstdCompressSync(Buffer.from(toLines(meta(A)))));
    expect((await find()).map(({ files }) => files.map(({ path }) => path))).toEqual([[plain]]);
  });

  test("leaves out sub-agents", async () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: A } } };
    write(`.codex/sessions/${nameOf(B)}`, toLines(meta(B, { source })));
    expect(await find()).toEqual([]);
  });

  test("lists only the sessions of the folder, with symbolic links resolved", async () => {
    mkdirSync(join(root, "project"));
    symlinkSync(join(root, "project"), join(root, "link"));
    write(`.codex/sessions/${nameOf(A)}`, toLines(meta(A, { cwd: join(root, "project") })));
    write(`.codex/sessions/${nameOf(B)}`, toLines(meta(B, { cwd: "/somewhere/else" })));
    expect((await find(join(root, "link"))).map(({ sessionId }) => sessionId)).toEqual([A]);
    expect((await find("/somewhere/else")).map(({ sessionId }) => sessionId)).toEqual([B]);
  });
});

describe("recognise", () => {
  const places = () => ({ home: root, env: {} });

  test("recognises a rollout in any folder, under any name", async () => {
    const path = write("backup/conversation.jsonl", toLines(meta(A), said("hello")));
    const found = await codexFormat.recognise(path, places());
    expect(found).toMatchObject({
      agent: "codex",
      sessionId: A,
      location: path,
      archived: false,
      live: null,
    });
    expect(found && (await codexFormat.skim(found, { part: "whole" })).title).toBe("hello");
  });

  test("finds the parent of a fork next to it", async () => {
    write(`backup/${nameOf(A)}`, toLines(meta(A), said("from the parent")));
    const base = { thread_id: A, end_ordinal_exclusive: 9, end_byte_offset: 9999 };
    const fork = write(`backup/${nameOf(B)}`, toLines(meta(B, { history_base: base }), said("in the fork")));
    const found = await codexFormat.recognise(fork, places());
    if (found === null) throw new Error("a fork is a session");
    using session = await codexFormat.open(found, places(), {});
    const history = await Array.fromAsync(session.history());
    expect(history.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "from the parent" }],
      [{ type: "text", text: "in the fork" }],
    ]);
    expect(history.map(({ metadata }) => metadata.records)).toEqual([
      [{ file: join(root, `backup/${nameOf(A)}`), line: 2 }],
      [{ line: 2 }],
    ]);
  });

  test.each([
    ["a file of another agent", '{"type":"user","message":{"role":"user"},"uuid":"1"}\n'],
    ["text", "hello\n"],
    ["nothing", ""],
  ])("does not recognise %s as a session of Codex", async (_what, content) => {
    expect(await codexFormat.recognise(write("some.jsonl", content), places())).toBeNull();
  });

  test("returns null for a missing file", async () => {
    expect(await codexFormat.recognise(join(root, "nowhere.jsonl"), places())).toBeNull();
  });
});

describe("lineage", () => {
  test("files that continue each other in a cycle are cut where the cycle closes", async () => {
    const baseOf = (id: string) => ({
      history_base: { thread_id: id, end_ordinal_exclusive: null, end_byte_offset: 99_999 },
    });
    write(`.codex/sessions/${nameOf(A)}`, toLines(meta(A, baseOf(B)), said("a")));
    write(`.codex/sessions/${nameOf(B)}`, toLines(meta(B, baseOf(A)), said("b")));
    for (const found of await find()) {
      using session = await codexFormat.open(found, { home: root, env: {} }, {});
      expect(session.problems.map(({ code }) => code)).toEqual(["cycle"]);
      expect(session.details.messages.total).toBe(2);
    }
  });

  test("a fork has only the records of its parent that existed at the fork", async () => {
    const lines = toLines(meta(A), said("one"), said("two"), said("three"));
    const cut = lines.indexOf('"two"') + 1;
    write(`.codex/sessions/${nameOf(A)}`, lines);
    const base = { thread_id: A, end_ordinal_exclusive: null, end_byte_offset: lines.indexOf("\n", cut) + 1 };
    const fork = write(
      `.codex/sessions/${nameOf(B)}`,
      toLines(meta(B, { history_base: base }), said("four")),
    );
    const found = await codexFormat.recognise(fork, { home: root, env: {} });
    if (found === null) throw new Error("a fork is a session");
    using session = await codexFormat.open(found, { home: root, env: {} }, {});
    const texts = (await Array.fromAsync(session.history())).flatMap(({ content }) => content);
    expect(texts.map((block) => block.type === "text" && block.text)).toEqual(["one", "two", "four"]);
  });
});

describe("open", () => {
  test("of the newest bytes only: the last messages, and no problem about the cut", async () => {
    const items = Array.from({ length: 500 }, (_, index) => said(`text ${index}`));
    write(`.codex/sessions/${nameOf(A)}`, toLines(meta(A), ...items));
    const [found] = await find();
    if (found === undefined) throw new Error("there is a session");
    using session = await codexFormat.open(found, { home: root, env: {} }, { newestBytes: 5000 });
    const history = await Array.fromAsync(session.history());
    expect(session.partial).toBe(true);
    expect(history.at(-1)?.content).toEqual([{ type: "text", text: "text 499" }]);
    expect(history.length).toBeGreaterThan(20);
    expect(history.length).toBeLessThan(50);
    expect(session.details).toMatchObject({ title: "text 0", cwd: root, problems: [] });
  });

  test("of a compressed file too large to be kept in memory gives every message whole", async () => {
    const items = Array.from({ length: 60 }, (_, index) => [
      { type: "reasoning", summary: [{ type: "summary_text", text: noise(index) }] },
      { type: "function_call", name: "Bash", arguments: "{}", call_id: `c${index}` },
      { type: "function_call_output", call_id: `c${index}`, output: noise(-index) },
    ]).flat();
    const lines = toLines(meta(A), ...items);
    write(`.codex/sessions/${nameOf(A)}.zst`, zstdCompressSync(Buffer.from(lines)));
    const [found] = await find();
    if (found === undefined) throw new Error("there is a session");
    expect(found.files[0]?.sizeBytes).toBeGreaterThan(8 * 1024 * 1024);
    using session = await codexFormat.open(found, { home: root, env: {} }, {});
    const history = await Array.fromAsync(session.history({ native: true }));
    expect(
      history.flatMap(({ metadata }) => metadata.native ?? []).map((line) => (line as Line).payload),
    ).toEqual(items);
  });

  test("of a file that is gone is not_found", async () => {
    const path = write(`.codex/sessions/${nameOf(A)}`, toLines(meta(A)));
    const [found] = await find();
    rmSync(path);
    if (found === undefined) throw new Error("there was a session");
    await expect(codexFormat.open(found, { home: root, env: {} }, {})).rejects.toMatchObject({
      code: "not_found",
    });
    expect((await codexFormat.skim(found, { part: "whole" })).problems.map(({ code }) => code)).toEqual([
      "unreadable",
    ]);
  });

  test("of an unknown branch is not_found", async () => {
    const path = write(`.codex/sessions/${nameOf(A)}`, toLines(meta(A), said("hello")));
    copyFileSync(path, `${path}.bak`);
    const [found] = await find();
    if (found === undefined) throw new Error("there is a session");
    using session = await codexFormat.open(found, { home: root, env: {} }, {});
    await expect(Array.fromAsync(session.history({ leaf: "nope" }))).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
