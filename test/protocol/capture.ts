/**
 * Records what real agents print while they are driven: `node test/protocol/capture.ts` writes
 * `test/protocol/AGENT/lines.jsonl` again, without the agents' own prompts and with a stable home. Needs the agents
 * (`node test/agents/install.ts`).
 */

import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeBinary, openClaude } from "../agents/claude/driver.ts";
import { codexLauncher, openCodex } from "../agents/codex/driver.ts";
import { PINNED, packageFolder } from "../agents/install.ts";
import { openPi } from "../agents/pi/driver.ts";
import { type LineProgram, makeSandbox, type Sandbox, startProgram } from "../agents/sandbox.ts";
import {
  asObject,
  type JsonObject,
  type ModelServer,
  startModelServer,
  text,
  thinking,
  tool,
} from "../model-servers/index.ts";
import { withoutPrompts } from "./without-prompts.ts";

const STORY = "Once upon a time there was an answer that was told slowly, and was not heard to its end.";
const WORDS = {
  granted: "Make the file one.",
  denied: "Make the file two.",
  slow: "Tell a story.",
  refused: "Fail.",
};

type Make = (name: string) => ReturnType<typeof tool>;

function startModel(first: Make, second: Make): Promise<ModelServer> {
  return startModelServer({
    turns: [
      {
        user: WORDS.granted,
        answers: [
          [thinking("A file is wanted."), text("I make it."), first("one.txt")],
          [text("It is there.")],
        ],
      },
      { user: WORDS.denied, answers: [[second("two.txt")], [text("Then not.")]] },
      { user: WORDS.slow, answers: [[{ type: "slow", delayMs: 400 }, text(STORY)]] },
      {
        user: WORDS.refused,
        answers: [[{ type: "error", status: 400, message: "The request is refused." }]],
      },
    ],
  });
}

interface Talk {
  readonly program: LineProgram;
  send(message: JsonObject): void;
  /** Resolves with the first line that matches, even one that was printed before this call. */
  until(fits: (line: JsonObject) => boolean): Promise<JsonObject>;
  readonly lines: JsonObject[];
}

function talkTo(program: LineProgram, onLine: (line: JsonObject, talk: Talk) => void): Talk {
  const lines: JsonObject[] = [];
  const watchers = new Set<() => void>();
  const talk: Talk = {
    program,
    lines,
    send: (message) => program.send(JSON.stringify(message)),
    until: (fits) =>
      new Promise((accept) => {
        const look = (): void => {
          const found = lines.find(fits);
          if (found !== undefined && watchers.delete(look)) accept(found);
        };
        watchers.add(look);
        look();
      }),
  };
  void (async () => {
    for await (const line of program.lines) {
      const message = asObject(JSON.parse(line));
      lines.push(message);
      onLine(message, talk);
      for (const look of watchers) look();
    }
  })();
  return talk;
}

const count = (lines: readonly JsonObject[], fits: (line: JsonObject) => boolean): number =>
  lines.filter(fits).length;

async function captureClaude(sandbox: Sandbox): Promise<JsonObject[]> {
  const write: Make = (name) => tool("Write", { file_path: join(sandbox.project, name), content: "words" });
  await using server = await startModel(write, write);
  const { environment } = await openClaude(sandbox, server.url, "full");
  const args = ["-p", "--input-format=stream-json", "--output-format=stream-json", "--verbose"];
  const more = ["--include-partial-messages", "--replay-user-messages", "--permission-prompt-tool=stdio"];
  await using program = startProgram(claudeBinary(), [...args, ...more, "--session-id", randomUUID()], {
    cwd: sandbox.project,
    env: environment,
  });
  let asked = 0;
  const talk = talkTo(program, (line, { send }) => {
    const request = asObject(line.request);
    if (line.type !== "control_request") return;
    asked += 1;
    const response =
      asked === 1
        ? { behavior: "allow", updatedInput: request.input }
        : { behavior: "deny", message: "The person said no." };
    send({
      type: "control_response",
      response: { subtype: "success", request_id: line.request_id, response },
    });
  });
  talk.send({ type: "control_request", request_id: "initialize", request: { subtype: "initialize" } });
  await talk.until((line) => line.type === "control_response");
  for (const [at, content] of Object.values(WORDS).entries()) {
    talk.send({ type: "user", uuid: randomUUID(), message: { role: "user", content } });
    if (content === WORDS.slow) {
      const told = (line: JsonObject): boolean => JSON.stringify(line).includes('"Once upon');
      await talk.until(told);
      talk.send({ type: "control_request", request_id: "interrupt", request: { subtype: "interrupt" } });
    }
    await talk.until(() => count(talk.lines, (line) => line.type === "result") > at);
  }
  return talk.lines;
}

async function captureCodex(sandbox: Sandbox): Promise<JsonObject[]> {
  const run: Make = (name) =>
    tool("exec_command", {
      cmd: `echo words > ${name}; cat ${name}`,
      sandbox_permissions: "require_escalated",
      justification: "May I?",
    });
  const patch: Make = (name) =>
    tool("apply_patch", `*** Begin Patch\n*** Add File: ${name}\n+words\n*** End Patch`);
  await using server = await startModel(run, patch);
  const { environment } = await openCodex(sandbox, server.url);
  await using program = startProgram(process.execPath, [codexLauncher("codex"), "app-server"], {
    cwd: sandbox.project,
    env: environment,
  });
  const isTurn = (line: JsonObject): boolean => line.method === "turn/completed";
  const talk = talkTo(program, (line, { send, lines }) => {
    if (line.method === undefined || line.id === undefined) return;
    send({ id: line.id, result: { decision: count(lines, isTurn) === 0 ? "accept" : "decline" } });
  });
  const call = async (id: number, method: string, params: JsonObject): Promise<JsonObject> => {
    talk.send({ id, method, params });
    return asObject((await talk.until((line) => line.id === id && line.method === undefined)).result);
  };
  await call(101, "initialize", { clientInfo: { name: "continuo", version: "0" } });
  talk.send({ method: "initialized" });
  const settings = { cwd: sandbox.project, approvalPolicy: "on-request", sandbox: "read-only" };
  const threadId = String(asObject((await call(102, "thread/start", settings)).thread).id);
  for (const [at, words] of Object.values(WORDS).entries()) {
    const input = [{ type: "text", text: words, text_elements: [] }];
    const turn = asObject((await call(200 + at, "turn/start", { threadId, input })).turn);
    if (words === WORDS.slow) {
      await talk.until((line) => JSON.stringify(line).includes('"Once upon'));
      await call(300, "turn/interrupt", { threadId, turnId: turn.id });
    }
    await talk.until(() => count(talk.lines, isTurn) > at);
  }
  await call(400, "thread/name/set", { threadId, name: "Files" });
  await talk.until((line) => line.method === "thread/name/updated");
  return talk.lines;
}

async function capturePi(sandbox: Sandbox): Promise<JsonObject[]> {
  const run: Make = (name) =>
    tool("bash", { command: `echo words > ${basename(name)}; cat ${basename(name)}` });
  const fail: Make = (name) => tool("bash", { command: `cat no-${basename(name)}` });
  await using server = await startModel(run, fail);
  const { environment } = await openPi(sandbox, server.url);
  const main = join(packageFolder(PINNED.pi), PINNED.pi.proof);
  const alone = ["--no-context-files", "--no-skills", "--no-prompt-templates", "--no-extensions"];
  await using program = startProgram(process.execPath, [main, "--mode", "rpc", ...alone], {
    cwd: sandbox.project,
    env: environment,
  });
  const talk = talkTo(program, () => undefined);
  for (const [at, message] of Object.values(WORDS).entries()) {
    talk.send({ id: `prompt-${at}`, type: "prompt", message });
    if (message === WORDS.slow) {
      await talk.until((line) => JSON.stringify(line).includes('"Once upon'));
      talk.send({ id: "abort", type: "abort" });
    }
    await talk.until(() => count(talk.lines, (line) => line.type === "agent_settled") > at);
  }
  talk.send({ id: "name", type: "set_session_name", name: "Files" });
  await talk.until((line) => line.type === "session_info_changed");
  return talk.lines;
}

const CAPTURES = { claude: captureClaude, codex: captureCodex, pi: capturePi };

for (const [agent, capture] of Object.entries(CAPTURES)) {
  await using sandbox = await makeSandbox();
  const lines = (await capture(sandbox)).flatMap(withoutPrompts);
  const folder = fileURLToPath(new URL(`${agent}/`, import.meta.url));
  await mkdir(folder, { recursive: true });
  const whole = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await writeFile(join(folder, "lines.jsonl"), whole.replaceAll(sandbox.root, "/home/user"));
  const { length } = await readFile(join(folder, "lines.jsonl"));
  process.stderr.write(`${agent}: ${lines.length} lines, ${length} bytes\n`);
}
