/**
 * Sessions in a state that their agent treats specially are handed over and come back: a revert that can be undone, a
 * record that the agent ignores, files of older versions. The real agent continues each session that came back, and
 * treats it like the session that was handed over.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { handOff, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import {
  asObject,
  asObjects,
  asText,
  type JsonObject,
  type ModelServer,
  type Script,
  startModelServer,
  text,
  tool,
} from "../../model-servers/index.ts";
import { AGENTS, type AgentUnderTest, writtenOf } from "../append/begin.ts";
import type { Item } from "../items.ts";
import { idsBySaid, type OpencodeServer, openOpencode } from "../opencode/driver.ts";
import { historyOf, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

interface Return {
  readonly sessionId: string;
  readonly sessionFile: string;
}

interface Going {
  readonly ref: string;
  readonly under: AgentUnderTest;
  readonly places: Places;
  readonly sandbox: Sandbox;
}

/**
 * Hands the session over to pi (a session of pi to Codex) and then back to its own agent. That agent itself verifies
 * the session that came back.
 */
async function thereAndBack({ ref, under, places, sandbox }: Going): Promise<Return> {
  const { agent, program } = under;
  const by: AgentName = agent === "pi" ? "codex" : "pi";
  const cwd = sandbox.project;
  const there = await handOff(ref, { to: by, cwd, places, verifyBy: "own" });
  const back = await handOff(there.location ?? "", {
    to: agent,
    cwd,
    places,
    programs: { [agent]: program() },
  });
  expect(back.broughtBack).toMatchObject({ agent, as: "records" });
  expect(back.verification).toMatchObject({ by: expect.stringContaining(agent), outcome: "same" });
  return writtenOf(back);
}

const agentOf = (name: AgentName): AgentUnderTest => {
  const found = AGENTS.find(({ agent }) => agent === name);
  if (found === undefined) throw new Error(`no agent ${name}`);
  return found;
};

const placesOf = (sandbox: Sandbox, environment: Readonly<Record<string, string>>): Places => ({
  home: sandbox.root,
  env: { ...environment, CONTINUO_HOME: join(sandbox.root, "continuo") },
});

describe("opencode with a reverted session", () => {
  const SAID = { name: "Name the timer.", write: "Write it down.", take: "Take it." };
  const scriptOf = (project: string): Script => ({
    title: "A timer",
    turns: [
      { user: SAID.name, answers: [[text("`steep`")]] },
      {
        user: SAID.write,
        answers: [
          [tool("write", { filePath: join(project, "timer.md"), content: "steep\n" })],
          [text("Written.")],
        ],
      },
      { user: SAID.take, answers: [[text("Taken.")]] },
    ],
  });

  /** Returns the roles and texts that opencode reports for a session. */
  const toldBy = async (server: OpencodeServer, id: string): Promise<unknown[]> =>
    (await server.messages(id)).map(({ info, parts }) => [
      asObject(info).role,
      asObjects(parts).map((part) => [part.type, part.text ?? part.tool ?? null]),
    ]);

  test("reports the same messages, and can undo the revert, including its files", async () => {
    await using sandbox = await makeSandbox();
    await using model = await startModelServer(scriptOf(sandbox.project));
    const opencode = await openOpencode(sandbox, model.url);
    const places = placesOf(sandbox, { XDG_DATA_HOME: opencode.dataHome });
    const file = join(sandbox.project, "timer.md");
    await using server = await opencode.serve();
    const id = await server.create();
    for (const words of Object.values(SAID)) await server.say(id, words);
    await server.named(id);
    const whole = await toldBy(server, id);
    const messageID = idsBySaid(await server.messages(id)).get(SAID.write) ?? "";
    await server.request("POST", `/session/${id}/revert`, { messageID });
    expect(existsSync(file)).toBe(false);

    const under = agentOf("opencode");
    const one = await thereAndBack({ ref: `opencode:${id}`, under, places, sandbox });
    expect(await toldBy(server, one.sessionId)).toEqual(await toldBy(server, id));
    const session = asObject(await server.request("GET", `/session/${one.sessionId}`));
    const { messageID: cut, ...others } = asObject(session.revert);
    const { messageID: _cut, ...before } = asObject(
      asObject(await server.request("GET", `/session/${id}`)).revert,
    );
    expect(others).toEqual(before);
    expect(idsBySaid(await server.messages(one.sessionId)).get(SAID.write)).toBe(cut);

    const prove = (sessionId: string): Promise<readonly Item[]> =>
      proveResumption({
        agent: "opencode",
        places,
        sessionId,
        server: model,
        resume: (words) => server.say(sessionId, words),
      });
    // After the revert is undone, all messages are there again.
    await server.request("POST", `/session/${one.sessionId}/unrevert`);
    expect(await toldBy(server, one.sessionId)).toEqual(whole);
    expect(readFileSync(file, "utf8")).toBe("steep\n");
    expect(JSON.stringify(await prove(one.sessionId))).toContain("Taken.");
    // When the session continues, opencode deletes the reverted messages.
    const other = await thereAndBack({ ref: `opencode:${id}`, under, places, sandbox });
    const items = await prove(other.sessionId);
    expect(items.map((item) => (item.kind === "text" ? item.text : item.kind))).toEqual([
      SAID.name,
      "`steep`",
    ]);
    expect(await toldBy(server, other.sessionId)).toHaveLength(4);
    // The messages that were handed over are unchanged.
    expect(asObject(await server.request("GET", `/session/${id}`)).revert).toMatchObject({ messageID });
  });
});

/**
 * Hands a session over and back, and lets its agent continue the session that came back. Returns what the agent then
 * sends to its model, and the state of the session.
 */
async function goOn(under: AgentUnderTest, script: Script, place: (at: Placing) => string): Promise<Gone> {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(script);
  const begun = await under.open(sandbox, server.url);
  const places = placesOf(sandbox, begun.environment);
  const ref = place({ sandbox, environment: begun.environment });
  const back = await thereAndBack({ ref, under, places, sandbox });
  const items = await resumed({ under, places, server, sessionId: back.sessionId }, (words) =>
    begun.resume(words, back),
  );
  const history = await historyOf(under.agent, back.sessionId, places);
  return { items, history: history.length, file: readFileSync(back.sessionFile, "utf8") };
}

interface Placing {
  readonly sandbox: Sandbox;
  readonly environment: Readonly<Record<string, string>>;
}

interface Gone {
  readonly items: readonly Item[];
  readonly history: number;
  /** The content of the session file after the agent continued the session. */
  readonly file: string;
}

interface Resumed {
  readonly under: AgentUnderTest;
  readonly places: Places;
  readonly server: ModelServer;
  readonly sessionId: string;
}

function resumed(
  { under: { agent }, ...others }: Resumed,
  resume: (words: string) => Promise<unknown>,
): Promise<readonly Item[]> {
  return proveResumption({ agent, ...others, resume });
}

const wordsOf = (items: readonly Item[]): string[] =>
  items.map((item) => (item.kind === "text" ? `${item.role}: ${item.text}` : item.kind));

const TIME = new Date(Date.now() - 3_600_000).toISOString();

describe("Gemini CLI", () => {
  const ID = "0f111111-0000-4000-8000-000000000001";
  const HEAD = { sessionId: ID, projectHash: "x", startTime: TIME, lastUpdated: TIME, kind: "main" };
  const say = (id: string, type: string, content: string): JsonObject => ({
    id,
    timestamp: TIME,
    type,
    content,
  });

  const placeIn = ({ sandbox, environment }: Placing, name: string, content: string): string => {
    const project = join(asText(environment.GEMINI_CLI_HOME), ".gemini/tmp/project");
    mkdirSync(join(project, "chats"), { recursive: true });
    writeFileSync(join(project, ".project_root"), sandbox.project);
    writeFileSync(join(project, "chats", name), content);
    return join(project, "chats", name);
  };

  test("still ignores a record with a raw line separator after the session came back", async () => {
    const lines = [
      HEAD,
      say("u1", "user", "Which teas?"),
      say("g1", "gemini", "Green.\u2028Black."),
      say("u2", "user", "And milk?"),
      say("g2", "gemini", "No milk."),
    ];
    const content = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const { items } = await goOn(agentOf("gemini"), {}, (at) =>
      placeIn(at, "session-2026-05-06T07-00-0f111111.jsonl", content),
    );
    expect(wordsOf(items)).toEqual(["user: Which teas?", "user: And milk?", "assistant: No milk."]);
  });

  test.each([
    ["over several lines", 2],
    ["on one line", 0],
  ])("continues a file of an older version that is one JSON object, written %s", async (_how, spaces) => {
    const messages = [
      say("u1", "user", "Which teas?"),
      {
        ...say("g1", "gemini", "I look."),
        toolCalls: [
          {
            id: "look__1",
            name: "look",
            args: {},
            status: "success",
            timestamp: TIME,
            result: [{ functionResponse: { id: "look__1", name: "look", response: { output: "Green." } } }],
          },
        ],
      },
      say("g2", "gemini", "Green."),
    ];
    const content = JSON.stringify({ ...HEAD, messages }, null, spaces);
    const { items } = await goOn(agentOf("gemini"), {}, (at) =>
      placeIn(at, "session-2026-05-06T07-00-0f111111.json", content),
    );
    expect(wordsOf(items)).toEqual([
      "user: Which teas?",
      "assistant: I look.",
      "call",
      "result",
      "assistant: Green.",
    ]);
  });
});

describe("pi", () => {
  const ID = "0c111111-0000-4000-8000-000000000001";
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
  const asked = (words: string): JsonObject => ({
    type: "message",
    timestamp: TIME,
    message: { role: "user", content: [{ type: "text", text: words }], timestamp: Date.parse(TIME) },
  });
  const answered = (words: string): JsonObject => ({
    type: "message",
    timestamp: TIME,
    message: {
      role: "assistant",
      content: [{ type: "text", text: words }],
      usage,
      stopReason: "stop",
      api: "openai-completions",
      provider: "scripted",
      model: "scripted-1",
      timestamp: Date.parse(TIME),
    },
  });
  const kettle = {
    type: "message",
    timestamp: TIME,
    message: { role: "hookMessage", customType: "kettle", content: "The kettle is on.", display: true },
  };
  const said = [asked("Which teas?"), answered("Green."), kettle, asked("And milk?"), answered("No milk.")];
  const linked = said.map((entry, at) => ({
    ...entry,
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
  }));
  const VERSIONS = [
    { version: 1, header: {}, entries: said },
    { version: 2, header: { version: 2 }, entries: linked },
  ];

  test.each(VERSIONS)(
    "converts a session of version $version to the current version when it continues the session",
    async ({ header, entries }) => {
      const { items, file } = await goOn(agentOf("pi"), {}, ({ sandbox, environment }) => {
        const name = `--${sandbox.project.slice(1).replace(/[/\\:]/gu, "-")}--/2026-05-06T07-00-00-000Z_${ID}.jsonl`;
        const path = join(asText(environment.PI_CODING_AGENT_DIR), "sessions", name);
        mkdirSync(dirname(path), { recursive: true });
        const lines = [
          { type: "session", ...header, id: ID, timestamp: TIME, cwd: sandbox.project },
          ...entries,
        ];
        writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
        return path;
      });
      expect(wordsOf(items)).toEqual([
        "user: Which teas?",
        "assistant: Green.",
        "user: The kettle is on.",
        "user: And milk?",
        "assistant: No milk.",
      ]);
      expect(file).toMatch(/^\{"type":"session",[^\n]*"version":3/u);
    },
  );
});
