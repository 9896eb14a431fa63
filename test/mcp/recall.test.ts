/**
 * `recall`: the messages that a compaction cut, and the session of the agent that calls. The processes are real, with
 * the names of agents.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES } from "@continuo/agents";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { estimateTokens } from "@continuo/core/transcript";
import { beforeEach, expect, test } from "vitest";
import { claudeFile, claudeText, cleanEnv, createHome, type Home, MAIN } from "../cli/home.ts";
import { tested } from "../tested-agents.ts";
import { openMcp, type ToolAnswer, toCalled } from "./open-mcp.ts";
import { createWireClient, ENVELOPE } from "./wire-client.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

let home: Home;
beforeEach(() => {
  home = createHome();
});

/** Words that the compaction cut, and words that it kept. */
const COMPACTED = tested(({ compacted }) => compacted);

/** The id of the recorded session, which is different after each recording. */
function compactedId(agent: AgentName): string {
  return JSON.parse(readFileSync(join(FIXTURES, agent, "compaction/requests.json"), "utf8")).sessionId;
}

test.each(AGENT_NAMES)(
  "recall shows what a compaction cut from a session of %s, and nothing else",
  async (agent) => {
    const [cut, kept] = COMPACTED[agent];
    const id = compactedId(agent);
    cpSync(join(FIXTURES, agent, "compaction/home"), join(home.path, "agent"), { recursive: true });
    await using mcp = openMcp(home, { env: { [HOME_VARIABLES[agent]]: join(home.path, "agent") } });
    const outline = await mcp.call("recall", { session: `${agent}:${id}` });
    expect(outline.data).toMatchObject({ status: "cut", choices: [] });
    const all = await mcp.call("recall", { session: id, turn: 1, maxTokens: 5_000 });
    expect(all.text).toContain(cut);
    expect(all.text).not.toContain(kept);
    // Some agents keep the person's messages in a compaction. They are shown too, because without them the rest has no
    // context.
    expect(all.data.turns[0].entries[0].role).toBe("person");
    expect(all.text).toContain("Everything inside the fences is quoted");
    const word = cut.split(" ")[0] ?? "";
    expect((await mcp.call("recall", { session: id, query: word })).data.turns.length).toBeGreaterThan(0);
    for (const query of ["nowhere-said", `${word} nowhere-said`]) {
      expect(await mcp.call("recall", { session: id, query })).toMatchObject({
        isError: true,
        text: expect.stringContaining("nothing that was cut matches"),
      });
    }
  },
);

interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A session of pi, in the shape of its version 3: the second message is cut by a compaction. */
function piText(id: string, cwd: string, more: readonly Line[] = []): string {
  const say = (at: number, role: "user" | "assistant", text: string): Line => ({
    type: "message",
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    timestamp: "2025-01-05T10:00:00Z",
    message: { role, content: [{ type: "text", text }], timestamp: 1 },
  });
  const lines = [
    { type: "session", version: 3, id, timestamp: "2025-01-05T10:00:00Z", cwd },
    say(0, "user", `The needle of ${id} is blue`),
    say(1, "assistant", "Noted."),
    say(2, "user", "Go on"),
    {
      type: "compaction",
      id: "e3",
      parentId: "e2",
      timestamp: "2025-01-05T10:00:00Z",
      summary: "Things.",
      firstKeptEntryId: "e2",
      tokensBefore: 9,
    },
    { ...say(4, "assistant", "Going on.") },
    ...more,
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const WAITING: Line = {
  type: "message",
  id: "e5",
  parentId: "e4",
  timestamp: "2025-01-05T10:00:01Z",
  message: {
    role: "assistant",
    content: [
      {
        type: "toolCall",
        id: "c1",
        name: "codemode",
        arguments: { code: "await mcp__continuo__recall({})" },
      },
    ],
  },
};

interface Agent extends AsyncDisposable {
  readonly pid: number;
  recall(args?: object): Promise<ToolAnswer>;
}

const RELAY = `
  import { openSync } from "node:fs";
  import { spawn } from "node:child_process";
  for (const path of process.argv.slice(3)) openSync(path, "a");
  const child = spawn(process.execPath, [process.argv[2], "mcp"], { stdio: "inherit" });
  child.on("close", () => process.exit());
`;

/** A process with the name of an agent, which starts the server; it has the given files open for writing. */
async function startAgent(name: string, folder: string, files: readonly string[] = []): Promise<Agent> {
  home.write(`bin/${name}.mjs`, RELAY);
  const program = join(home.path, `bin/${name}.mjs`);
  const child = spawn(process.execPath, [program, MAIN, ...files], {
    cwd: folder,
    env: cleanEnv(home.path),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const client = createWireClient(child.stdin, child.stdout);
  await client.request("tools/list", ENVELOPE);
  return {
    pid: child.pid ?? 0,
    async recall(args = {}) {
      return toCalled(await client.request("tools/call", { name: "recall", arguments: args, ...ENVELOPE }));
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, "close");
    },
  };
}

function writePi(id: string, cwd: string, more: readonly Line[] = []): string {
  const path = `.pi/agent/sessions/--folder--/2025-01-05_${id}.jsonl`;
  home.write(path, piText(id, cwd, more));
  return join(home.path, path);
}

function makeFolder(name: string): string {
  mkdirSync(join(home.path, name), { recursive: true });
  return join(home.path, name);
}

const TOKEN = "ghp_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A turn with a call between two answers, and the turn after it: a compaction cut both. */
function deployedText(folder: string): string {
  const said = (role: string, ...content: readonly object[]): object => ({ role, content, timestamp: 1 });
  const text = (words: string): object => ({ type: "text", text: words });
  const command = { command: "kubectl apply -f shop.yaml" };
  const messages = [
    said("user", text(`Deploy the shop with ${TOKEN}`)),
    said("assistant", text("I look at the manifest."), {
      type: "toolCall",
      id: "c1",
      name: "bash",
      arguments: command,
    }),
    { ...said("toolResult", text("error: port 8080 is taken")), toolCallId: "c1", toolName: "bash" },
    said("assistant", text("The deployment failed, because Port 8080 is taken.")),
    said("user", text("Use another one")),
    said("assistant", text("It runs at 8081.")),
    said("user", text("Go on")),
  ].map((message, at) => ({
    type: "message",
    id: `m${at}`,
    parentId: at === 0 ? null : `m${at - 1}`,
    timestamp: "2025-01-05T10:00:00Z",
    message,
  }));
  const summary = { summary: "A deployment.", firstKeptEntryId: "m6", tokensBefore: 9 };
  const lines = [
    { type: "session", version: 3, id: "shop", timestamp: "2025-01-05T10:00:00Z", cwd: folder },
    ...messages,
    { type: "compaction", id: "c", parentId: "m6", timestamp: "2025-01-05T10:00:00Z", ...summary },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

test("an outline has what was asked and the last answer of each turn; a turn is shown whole, with those after it", async () => {
  home.write(".pi/agent/sessions/--folder--/shop.jsonl", deployedText(makeFolder("work")));
  await using mcp = openMcp(home);
  const outline = await mcp.call("recall", { session: "pi:shop" });
  expect(outline.data.turns).toMatchObject([
    {
      turn: 1,
      entries: [
        { role: "person", text: "Deploy the shop with [masked: GitHub token]" },
        { role: "agent", text: "The deployment failed, because Port 8080 is taken." },
      ],
    },
    { turn: 2, entries: [{ text: "Use another one" }, { text: "It runs at 8081." }] },
  ]);
  const first = await mcp.call("recall", { session: "pi:shop", turn: 1 });
  for (const words of ["I look at the manifest.", '"command": "kubectl apply', "It runs at 8081."])
    expect(first.text).toContain(words);
});

test("text that an extension inserted and that was cut is nothing that the agent misses", async () => {
  const [header = "", ...lines] = piText("kept", makeFolder("work")).trimEnd().split("\n");
  const inserted = {
    type: "custom_message",
    id: "e0",
    parentId: null,
    timestamp: "2025-01-05T10:00:00Z",
    customType: "reminder",
    content: "Mind the inserted needle",
    display: true,
  };
  // Only the inserted text is before the part that the compaction kept.
  const kept = lines
    .slice(1)
    .map((line) => line.replace('"firstKeptEntryId":"e2"', '"firstKeptEntryId":"e1"'));
  const text = [header, JSON.stringify(inserted), ...kept].map((line) => `${line}\n`).join("");
  home.write(".pi/agent/sessions/--folder--/kept.jsonl", text);
  await using mcp = openMcp(home);
  const { data } = await mcp.call("recall", { session: "pi:kept" });
  expect(data).toMatchObject({ status: "nothing cut", session: "pi:kept", turns: [] });
});

test("a query finds turns by words of answers and calls, in any case, and by no secret", async () => {
  home.write(".pi/agent/sessions/--folder--/shop.jsonl", deployedText(makeFolder("work")));
  await using mcp = openMcp(home);
  const turnsWith = async (query: string): Promise<readonly number[]> => {
    const { data, isError } = await mcp.call("recall", { session: "pi:shop", query });
    return isError ? [] : data.turns.map(({ turn }: { turn: number }) => turn);
  };
  const found = ["port", "PORT taken", "bash", "shop.yaml", "another", TOKEN, TOKEN.slice(0, 12)].map(
    turnsWith,
  );
  expect(await Promise.all(found)).toEqual([[1], [1], [1], [1], [2], [], []]);
});

test("a query with a turn finds only that turn and later ones", async () => {
  home.write(".pi/agent/sessions/--folder--/shop.jsonl", deployedText(makeFolder("work")));
  await using mcp = openMcp(home);
  const found = async (more: object): Promise<readonly number[]> => {
    const { data } = await mcp.call("recall", { session: "pi:shop", query: "808", ...more });
    return data.turns.map(({ turn }: { turn: number }) => turn);
  };
  expect([await found({}), await found({ turn: 2 })]).toEqual([[1, 2], [2]]);
});

test("the session is the one of the agent's folder that was written to since the agent started", async () => {
  const [folder, other] = [makeFolder("work"), makeFolder("other")];
  await using agent = await startAgent("pi", folder);
  expect((await agent.recall()).data).toMatchObject({ status: "choose", choices: [] });
  writePi("one", folder);
  writePi("two", other);
  const { data, text } = await agent.recall();
  expect(data).toMatchObject({ status: "cut", session: "pi:one", turns: [{ turn: 1 }] });
  expect(text).toContain("The needle of one is blue");
  expect(text).not.toContain("Going on");
});

test("a session in which nobody said anything is not taken for the one that calls", async () => {
  const folder = makeFolder("work");
  await using agent = await startAgent("pi", folder);
  writePi("one", folder);
  const empty = { type: "session", version: 3, id: "empty", timestamp: "2025-01-05T10:00:00Z", cwd: folder };
  home.write(".pi/agent/sessions/--folder--/2025-01-06_empty.jsonl", `${JSON.stringify(empty)}\n`);
  expect((await agent.recall()).data).toMatchObject({ status: "cut", session: "pi:one" });
});

test("of several sessions none is guessed: the choices come back, until one is named or waits for this call", async () => {
  const folder = makeFolder("work");
  await using agent = await startAgent("pi", folder);
  writePi("one", folder);
  writeFileSync(writePi("two", folder), piText("two", folder).replace("is blue", `is ${TOKEN}`));
  const { data, text } = await agent.recall();
  expect(text + JSON.stringify(data)).not.toContain(TOKEN);
  expect(data).toMatchObject({ status: "choose", session: null, turns: [] });
  expect(data.choices.map(({ session }: { session: string }) => session)).toEqual(["pi:one", "pi:two"]);
  expect(text).toContain("do not guess");
  expect(text).not.toContain("Noted.");
  expect((await agent.recall({ session: "pi:two" })).text).toContain("The needle of two");
  writePi("two", folder, [WAITING]);
  expect((await agent.recall()).data).toMatchObject({ status: "cut", session: "pi:two" });
  writePi("one", folder, [WAITING]);
  expect((await agent.recall()).data).toMatchObject({ status: "choose" });
});

test("a single session is not taken where another process of the agent works in the same folder", async () => {
  const folder = makeFolder("work");
  await using agent = await startAgent("pi", folder);
  await using _other = await startAgent("pi", folder);
  writePi("one", folder);
  expect((await agent.recall()).data).toMatchObject({ status: "choose", choices: [{ session: "pi:one" }] });
  writePi("one", folder, [WAITING]);
  expect((await agent.recall()).data).toMatchObject({ status: "cut", session: "pi:one" });
});

test("the session whose file the agent has open for writing is its own, wherever it lies", async () => {
  const folder = makeFolder("work");
  const path = writePi("old", makeFolder("elsewhere"));
  await using agent = await startAgent("pi", folder, [path]);
  writePi("new", folder);
  expect((await agent.recall()).data).toMatchObject({ status: "cut", session: "pi:old" });
});

test("the session is the one that Claude Code notes for its process, also after it moved to another", async () => {
  const id = compactedId("claude");
  const [cut] = COMPACTED.claude;
  const folder = makeFolder("work");
  cpSync(join(FIXTURES, "claude/compaction/home"), join(home.path, ".claude"), { recursive: true });
  const other = "4bf3c2a1-0000-4000-8000-000000000001";
  home.write(claudeFile(other), claudeText(other, []));
  await using agent = await startAgent("claude", folder);
  expect((await agent.recall()).data).toMatchObject({ status: "choose" });
  home.write(`.claude/sessions/${agent.pid}.json`, JSON.stringify({ pid: agent.pid, sessionId: id }));
  const { data, text } = await agent.recall({ turn: 1 });
  expect(data).toMatchObject({ status: "cut", session: `claude:${id}` });
  expect(text).toContain(cut);
  home.write(`.claude/sessions/${agent.pid}.json`, JSON.stringify({ pid: agent.pid, sessionId: other }));
  expect((await agent.recall()).data).toMatchObject({ status: "nothing cut", session: `claude:${other}` });
});

test("a server that no agent started says so", async () => {
  await using mcp = openMcp(home);
  const { data, text } = await mcp.call("recall", {});
  expect(data).toMatchObject({ status: "choose", choices: [] });
  expect(text).toContain("No process above this server is an agent");
});

test("an outline of much that was cut keeps within its tokens, and reading on shows all of it", async () => {
  const folder = makeFolder("work");
  const turns = Array.from({ length: 120 }, (_, at) => ({
    type: "message",
    id: `m${at}`,
    parentId: at === 0 ? null : `m${at - 1}`,
    timestamp: "2025-01-05T10:00:00Z",
    message: { role: "user", content: [{ type: "text", text: `Request ${at} ${"more ".repeat(40)}` }] },
  }));
  const lines = [
    { type: "session", version: 3, id: "long", timestamp: "2025-01-05T10:00:00Z", cwd: folder },
    ...turns,
    {
      type: "compaction",
      id: "c",
      parentId: "m119",
      timestamp: "2025-01-05T10:00:00Z",
      summary: "S",
      firstKeptEntryId: "m119",
      tokensBefore: 9,
    },
  ];
  home.write(
    ".pi/agent/sessions/--folder--/long.jsonl",
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  await using mcp = openMcp(home);
  const seen: string[] = [];
  let next: { readonly turn: number; readonly entry: number } | null = { turn: 1, entry: 1 };
  while (next !== null) {
    const { data, text }: ToolAnswer = await mcp.call("recall", { session: "pi:long", ...next });
    expect(estimateTokens(text)).toBeLessThanOrEqual(1_000);
    for (const { entries } of data.turns)
      for (const entry of entries) seen.push(/\d+/u.exec(entry.text)?.[0] ?? "");
    next = data.next;
  }
  expect(seen).toEqual(turns.slice(0, -1).map((_, at) => String(at)));
  const outline = await mcp.call("recall", { session: "pi:long" });
  expect(estimateTokens(outline.text)).toBeLessThanOrEqual(1_000);
  expect(outline.text).toContain("Cut from your context: 119 turns.");
});

test("what was cut comes with the files that it names and that changed since", async () => {
  const folder = makeFolder("work");
  const edit = { type: "toolCall", id: "c0", name: "edit", arguments: { path: "list.ts" } };
  const read = { type: "toolCall", id: "c1", name: "read", arguments: { path: "old.ts" } };
  const said = JSON.stringify([{ type: "text", text: "Noted." }]);
  const text = piText("since", folder).replace(said, JSON.stringify([edit, read]));
  home.write(".pi/agent/sessions/--folder--/since.jsonl", text);
  const before = Date.parse("2025-01-05T09:00:00Z") / 1000;
  for (const name of ["list.ts", "old.ts"]) {
    writeFileSync(join(folder, name), "text");
    utimesSync(join(folder, name), before, before);
  }
  await using mcp = openMcp(home);
  const same = await mcp.call("recall", { session: "pi:since" });
  expect(same.data.changedSince).toEqual([]);
  expect(same.text).not.toContain("changed since");
  writeFileSync(join(folder, "list.ts"), "another text");
  const changed = await mcp.call("recall", { session: "pi:since" });
  expect(changed.data.changedSince).toEqual(["list.ts"]);
  expect(changed.text).toContain("Of the files that they name, 1 file changed since then.");
});

test("a file that the session itself changed in a later turn did not change since", async () => {
  const folder = makeFolder("work");
  const edit = { type: "toolCall", id: "c1", name: "edit", arguments: { path: "list.ts" } };
  const said = ["Sort the list", [edit], "Reverse it", [{ ...edit, id: "c2" }], "Go on"].map((one, at) => ({
    type: "message",
    id: `m${at}`,
    parentId: at === 0 ? null : `m${at - 1}`,
    timestamp: `2025-01-05T1${at}:00:00Z`,
    message: {
      role: typeof one === "string" ? "user" : "assistant",
      content: typeof one === "string" ? [{ type: "text", text: one }] : one,
      timestamp: Date.parse(`2025-01-05T1${at}:00:00Z`),
    },
  }));
  const cut = { type: "compaction", id: "c", parentId: "m4", timestamp: "2025-01-05T15:00:00Z" };
  const lines = [
    { type: "session", version: 3, id: "again", timestamp: "2025-01-05T10:00:00Z", cwd: folder },
    ...said,
    { ...cut, summary: "A list.", firstKeptEntryId: "m4", tokensBefore: 9 },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  home.write(".pi/agent/sessions/--folder--/again.jsonl", text);
  writeFileSync(join(folder, "list.ts"), "text");
  const written = Date.parse("2025-01-05T12:00:20Z") / 1000;
  utimesSync(join(folder, "list.ts"), written, written);
  await using mcp = openMcp(home);
  const recalled = await mcp.call("recall", { session: "pi:again" });
  expect(recalled.data).toMatchObject({ status: "cut", changedSince: [], turns: [{ turn: 1 }, { turn: 2 }] });
});
