import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { textOf } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, cleanEnv, createHome } from "../../../../test/cli/home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { follow } from "./follow.ts";
import { lookUp } from "./look-up.ts";
import { openOwn } from "./store.ts";

test("a text that grows is yielded in parts: each time only the new part", async () => {
  const home = scratchFolder("follow");
  const places: PlacesAt = { home, cwd: home, env: { CONTINUO_HOME: join(home, ".continuo") } };
  await using store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
  const { sessionId } = await store.createSession({});
  const actor = { kind: "agent" } as const;
  const add = async (type: string, data: object): Promise<void> => {
    await store.append(sessionId, [{ type, actor, data: { messageId: "m", ...data } }]);
  };
  await add("message_streamed", { delta: "The counter " });
  const stop = new AbortController();
  await using own = await openOwn(places);
  const located = await lookUp(`continuo:${sessionId}`, { places, store: own });
  const given: string[] = [];
  const then = [
    () => add("message_streamed", { delta: "is reset " }),
    () => add("message_received", { content: "The counter is reset inside." }),
    async () => stop.abort(),
  ];
  for await (const { message, update } of follow(located, places, {
    from: "start",
    signal: stop.signal,
    pollMs: 5,
  })) {
    given.push(`${update} ${message.content.map((block) => ("text" in block ? block.text : "")).join("")}`);
    await then[given.length - 1]?.();
  }
  expect(given).toEqual(["new The counter ", "more is reset ", "more inside."]);
});

const LINES = [
  { uuid: "u1", parent: null, role: "user", content: "Fix the build", time: "10:00:00" },
  {
    uuid: "a1",
    parent: "u1",
    role: "assistant",
    content: [{ type: "text", text: "Fixed." }],
    time: "10:00:01",
  },
  { uuid: "u2", parent: "a1", role: "user", content: "Run the tests", time: "10:01:00" },
  {
    uuid: "a2",
    parent: "u2",
    role: "assistant",
    content: [{ type: "text", text: "Green." }],
    time: "10:01:01",
  },
  { uuid: "u3", parent: "a2", role: "user", content: "Commit it", time: "10:02:00" },
] as const;

test.each([
  ["newest turn", ["Run the tests", "Green.", "Commit it"]],
  ["start", ["Fix the build", "Fixed.", "Run the tests", "Green.", "Commit it"]],
] as const)(
  "following from the %s yields messages even after the file was moved to another project",
  async (from, expected) => {
    using home = createHome();
    const places: PlacesAt = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
    const file = join(home.path, claudeFile(CLAUDE_ID));
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, LINES.slice(0, 4)));
    const located = await lookUp(`claude:${CLAUDE_ID}`, {
      places,
      store: null,
      examples: "without examples",
    });
    const stop = new AbortController();
    const given: string[] = [];
    for await (const { message } of follow(located, places, { from, signal: stop.signal, pollMs: 5 })) {
      given.push(textOf(message.content));
      if (given.at(-1) === "Green.") {
        const moved = join(home.path, ".claude/projects/-home-ann-renamed", `${CLAUDE_ID}.jsonl`);
        mkdirSync(dirname(moved));
        renameSync(file, moved);
        appendFileSync(moved, claudeText(CLAUDE_ID, LINES.slice(4)));
      }
      if (given.at(-1) === "Commit it") stop.abort();
    }
    expect(given).toEqual(expected);
  },
);

test("following from the newest turn begins with its prompt, although results of calls came later", async () => {
  using home = createHome();
  const places: PlacesAt = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "make test" } };
  const result = { type: "tool_result", tool_use_id: "t1", content: "212 tests passed" };
  const turn: Parameters<typeof claudeText>[1] = [
    ...LINES.slice(0, 3),
    { uuid: "a2", parent: "u2", role: "assistant", content: [call], time: "10:01:01" },
    { uuid: "r2", parent: "a2", role: "user", content: [result], time: "10:01:02" },
    {
      uuid: "a3",
      parent: "r2",
      role: "assistant",
      content: [{ type: "text", text: "Green." }],
      time: "10:01:03",
    },
  ];
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, turn));
  const name = `claude:${CLAUDE_ID}`;
  const located = await lookUp(name, { places, store: null, examples: "without examples" });
  const stop = new AbortController();
  const given: string[] = [];
  for await (const { message } of follow(located, places, { signal: stop.signal, pollMs: 5 })) {
    given.push(textOf(message.content) || message.content.map(({ type }) => type).join());
    if (given.at(-1) === "Green.") stop.abort();
  }
  expect(given).toEqual(["Run the tests", "tool_call", "tool_result", "Green."]);
});

/** Puts another file with the same beginning in its place, as an editor does. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

test.each(["between two reads", "during a read"])(
  "a file that is rewritten %s is read as a whole, and what was read of the file before is not yielded",
  async (moment) => {
    using home = createHome();
    const places: PlacesAt = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
    const file = join(home.path, claudeFile(CLAUDE_ID));
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, LINES.slice(0, 2)));
    const name = `claude:${CLAUDE_ID}`;
    const located = await lookUp(name, { places, store: null, examples: "without examples" });
    if (located.kind !== "native") throw new Error("the session is not native");
    const rewritten = claudeText(CLAUDE_ID, LINES).replace("Fix the build", "Fix the tests");
    const { reader } = located.native;
    let opened = 0;
    const open: typeof reader.open = async (...args) => {
      const session = await reader.open(...args);
      opened += 1;
      if (moment === "during a read" && opened === 1) replaceFile(file, rewritten);
      return session;
    };
    const native = { ...located.native, reader: { ...reader, open } };
    const stop = new AbortController();
    const given: string[] = [];
    const options = { from: "start", signal: stop.signal, pollMs: 5 } as const;
    for await (const { message } of follow({ kind: "native", native }, places, options)) {
      given.push(textOf(message.content));
      if (given.join() === "Fix the build,Fixed.") replaceFile(file, rewritten);
      if (given.at(-1) === "Commit it") stop.abort();
    }
    const before = moment === "during a read" ? [] : ["Fix the build", "Fixed."];
    const all = ["Fix the tests", "Fixed.", "Run the tests", "Green.", "Commit it"];
    expect(given).toEqual([...before, ...all.filter((text) => !before.includes(text))]);
  },
);

test("following ends with an error when the session is gone", async () => {
  using home = createHome();
  const places: PlacesAt = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, LINES.slice(0, 2)));
  const name = `claude:${CLAUDE_ID}`;
  const located = await lookUp(name, { places, store: null, examples: "without examples" });
  const following = async (): Promise<void> => {
    for await (const { message } of follow(located, places, { from: "start", pollMs: 1 })) {
      if (textOf(message.content) === "Fixed.") rmSync(join(home.path, claudeFile(CLAUDE_ID)));
    }
  };
  await expect(following()).rejects.toMatchObject({
    code: "not_found",
    message: `the session ${name} is gone`,
  });
});
