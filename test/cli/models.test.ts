/** Models of the configuration, over the real protocols: `chat`, `repl` and `agents`. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "@continuo/core/client";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runAgents } from "../../src/cli/agents/list.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { type ModelServer, startModelServer, text } from "../model-servers/index.ts";
import { startWindowServer } from "../model-servers/window-server.ts";
import { openServer } from "../server/harness/open-server.ts";
import { createHome, type Home, type Run } from "./home.ts";
import { runHere, startHere } from "./in-process.ts";

let home: Home;
let server: ModelServer;

beforeEach(async () => {
  home = createHome();
  server = await startModelServer({
    turns: [
      { user: "capital of France", answers: [[text("Paris.")]] },
      { user: "how many people", answers: [[text("Two million.")]] },
    ],
  });
  const { url } = server;
  home.write(
    ".continuo/continuo.yaml",
    `models:
  local: { url: "${url}/v1", model: llama, key_env: LOCAL_KEY, instructions: Be short. }
  claudia: { anthropic: claude-small, url: "${url}/v1", key_env: CLAUDIA_KEY }
`,
  );
});
afterEach(async () => {
  await server.close();
  home[Symbol.dispose]();
});

const KEYS = { LOCAL_KEY: "local-secret", CLAUDIA_KEY: "claudia-secret" };

function chat(args: readonly string[], env: Readonly<Record<string, string>> = KEYS): Promise<Run> {
  return runHere(home, ["chat", ...args], { env });
}

test("the key of a model is sent to its own address, and is in no output", async () => {
  const seen: unknown[] = [];
  const refusing = createServer((request, response) => {
    seen.push([request.url, request.headers.authorization, request.headers["x-api-key"]]);
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"wrong key"}}');
  });
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/v1`;
  home.write(
    ".continuo/continuo.yaml",
    `models:
  local: { url: "${url}", model: llama, key_env: LOCAL_KEY }
  claudia: { anthropic: claude-small, url: "${url}", key_env: CLAUDIA_KEY }
`,
  );
  for (const name of ["local", "claudia"]) {
    const { code, stdout, stderr } = await chat(["-a", name, "hello"]);
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain("the model did not answer");
    expect(stderr).not.toContain("secret");
  }
  refusing.close();
  expect(seen).toEqual([
    ["/v1/chat/completions", "Bearer local-secret", undefined],
    ["/v1/messages", undefined, "claudia-secret"],
  ]);
});

/** Returns the texts of the messages that the model received. */
const sent = (): string => JSON.stringify(server.requests.at(-1)?.body);

test("a conversation continues in another model, which receives the earlier messages with their roles", async () => {
  const first = await chat(["-a", "local", "What is the capital of France?"]);
  expect([first.code, first.stdout]).toEqual([0, "Paris.\n"]);
  expect(server.requests.at(-1)).toMatchObject({
    path: "/v1/chat/completions",
    protocol: "chat",
    violations: [],
    body: { model: "llama", messages: [{ role: "system", content: "Be short." }, { role: "user" }] },
  });
  const id = /session ([0-9a-f-]{36})/u.exec(first.stderr)?.[1] ?? "";
  const second = await chat(["-a", "claudia", "--resume", id, "And how many people live there?"]);
  expect([second.code, second.stdout]).toEqual([0, "Two million.\n"]);
  expect(server.requests.at(-1)).toMatchObject({
    protocol: "anthropic",
    violations: [],
    body: { model: "claude-small", messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }] },
  });
  expect(sent()).toContain("Paris.");
});

test.each([
  ["its server", "", "", "a part"],
  ["the file, against its server", ", window: 100000", "", "everything"],
  ["a smaller limit from the person", ", window: 100000", "context: { max_tokens_approx: 600 }\n", "a part"],
])("a model receives the messages that fit its window, by %s", async (_name, window, context, given) => {
  const proxy = await startWindowServer(server, { model: "llama", tokens: 1_000 });
  home.write(
    ".continuo/continuo.yaml",
    `${context}models:\n  local: { url: "${proxy.url}", model: llama${window} }\n`,
  );
  try {
    const first = await chat(["-a", "local", `What is the capital of France? ${"word ".repeat(1_500)}`]);
    const id = /session ([0-9a-f-]{36})/u.exec(first.stderr)?.[1] ?? "";
    const second = await chat(["-a", "local", "--resume", id, "And how many people live there?"]);
    expect([first.code, second.code, second.stdout]).toEqual([0, 0, "Two million.\n"]);
    expect(sent().length > 7_500 ? "everything" : sent().length < 4_500 ? "a part" : sent()).toBe(given);
  } finally {
    proxy.close();
  }
});

test("a model answers in a channel like any agent", async () => {
  await using store = await openStore("memory:");
  const channels = await openServer(store);
  const args = ["--agent", "local", "--as", "helper", "--server", channels.url];
  const joined = startHere(home, ["agent", "join", "team", ...args], { env: KEYS });
  const ann = await connect({ serverUrl: channels.url, channel: "team", handle: "ann" });
  try {
    await expect
      .poll(() => ann.roster().map(({ handle }) => handle), { timeout: 20_000 })
      .toContain("helper");
    await ann.send("What is the capital of France?", { to: ["helper"] });
    const said = async () =>
      JSON.stringify(await (await fetch(`${channels.url}/v1/channels/team/messages`)).json());
    await expect.poll(said, { timeout: 20_000 }).toContain("Paris.");
  } finally {
    await ann.close();
    joined.interrupt();
    await joined.ended;
    await channels.close();
  }
});

test("a model without its key, and a model that does not answer, have their own errors", async () => {
  const keyless = await chat(["-a", "local", "hello"], {});
  expect(keyless.stderr).toContain("the variable LOCAL_KEY is not set, which has the key of local");
  expect(keyless.code).toBe(3);
  await server.close();
  const gone = await chat(["-a", "local", "hello"]);
  expect([gone.code === 0, gone.stdout]).toEqual([false, ""]);
  expect(gone.stderr).toContain("the model did not answer");
});

test("a project cannot name a model, and a model cannot have the name of an agent", async () => {
  home.write(
    "project/continuo.yaml",
    `models: { evil: { url: "${server.url}/v1", model: x, key_env: LOCAL_KEY } }\n`,
  );
  const asked = await runHere(home, ["chat", "-a", "evil", "hello"], {
    env: KEYS,
    cwd: `${home.path}/project`,
  });
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain("the key of a model is sent to its address");
  expect(server.requests).toEqual([]);
  home.write(".continuo/continuo.yaml", "models: { codex: { anthropic: x } }\n");
  expect((await chat(["-a", "codex", "hello"])).stderr).toContain("an agent has the name codex already");
});

test("agents lists the models of the file and of servers on this machine, and names those that do not answer", async () => {
  const models = createServer((request, response) => {
    const data = [
      { id: "qwen3:8b", owned_by: "library" },
      { id: "llama3.2", owned_by: "library" },
    ];
    response.end(request.url === "/v1/models" ? JSON.stringify({ object: "list", data }) : "");
  });
  const silent = createServer(() => undefined);
  const [port = 0, hanging = 0] = await Promise.all(
    [models, silent].map(
      (one) =>
        new Promise<number>((resolve) => {
          one.listen(0, "127.0.0.1", () => resolve((one.address() as AddressInfo).port));
        }),
    ),
  );
  try {
    const printed = await printedBy((shell, json) =>
      runAgents(json ? { json: true } : {}, shell, [
        { name: "Ollama", port },
        { name: "LM Studio", port: hanging },
        { name: "vLLM", port, ownedBy: "vllm" },
      ]),
    );
    expect(printed.text).toContain(`Ollama answers at http://127.0.0.1:${port}/v1: qwen3:8b, llama3.2.`);
    expect(printed.text).toContain(
      `No model server answers on this machine for LM Studio (port ${hanging}), vLLM (port ${port}).`,
    );
    expect(printed.text).toMatch(/^local {4}llama {2}http/mu);
    expect(printed.json.filter(({ transport }) => transport === "api")).toMatchObject([
      { agent: "local", api: "openai", model: "llama", keyEnv: "LOCAL_KEY" },
      { agent: "claudia", api: "anthropic", model: "claude-small" },
      { agent: null, label: "Ollama", models: ["qwen3:8b", "llama3.2"] },
    ]);
    expect(JSON.stringify(printed.json)).not.toContain("secret");
  } finally {
    for (const one of [models, silent]) {
      one.closeAllConnections();
      one.close();
    }
  }
});

interface Printed {
  readonly text: string;
  readonly json: readonly Readonly<Record<string, unknown>>[];
}

async function printedBy(command: (shell: Shell, json: boolean) => Promise<number>): Promise<Printed> {
  const [plain, json] = ["", ""].map(() => ({ written: "" }));
  for (const [kept, isJson] of [
    [plain, false],
    [json, true],
  ] as const) {
    const write = (words: string, done?: () => void): boolean => {
      if (kept !== undefined) kept.written += words;
      done?.();
      return true;
    };
    const stream = { write, once: () => undefined, on: () => undefined, off: () => undefined };
    const shell = {
      stdout: stream,
      stderr: stream,
      env: { ...KEYS, PATH: "/nowhere" },
      home: home.path,
      cwd: home.path,
    };
    await command(shell as unknown as Shell, isJson);
  }
  return { text: plain?.written ?? "", json: JSON.parse(json?.written ?? "[]") };
}
