/**
 * `node scripted-agent.ts SCRIPT.json`: an agent that speaks ACP and follows a script, which may contain faults.
 * Everything that it receives is written to `SCRIPT.json.log`, its requests to `SCRIPT.json.asked`, and the
 * circumstances of each start to `SCRIPT.json.starts`, one object per line.
 */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json, Script, ScriptStep } from "./script.ts";
import { ScriptedSessions } from "./scripted-sessions.ts";
import { type ScriptedTurn, ScriptedTurns } from "./scripted-turns.ts";

const [, , path = "", ...args] = process.argv;
const script: Script = JSON.parse(readFileSync(path, "utf8"));
const sessions = new ScriptedSessions(script);
const waiting = new Map<number, (answer: Json) => void>();
/** The methods of all requests so far. */
const methods = new Set<string>();
let count = 0;
/** The number of characters in `$END`. */
const END_CHARS = 14;

appendFileSync(
  `${path}.starts`,
  `${JSON.stringify({
    home: process.env.HOME,
    cwd: process.cwd(),
    ...(args.length === 0 ? {} : { args }),
    ...(process.env.HELD === undefined ? {} : { held: process.env.HELD }),
  })}\n`,
);

const write = (text: string): Promise<void> =>
  new Promise((done) => {
    process.stdout.write(text, () => done());
  });
const send = (message: Json): Promise<void> => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const turns = script.states === true ? new ScriptedTurns({ sessions, send, request }) : null;

let rest = "";
// `readline` would also end a line at U+2028, which JSON has unescaped within texts.
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = `${rest}${text}`.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) receive(line);
});

function receive(line: string): void {
  appendFileSync(`${path}.log`, `${line}\n`);
  const message = parsed(line);
  if (message === null) void send({ id: null, error: { code: -32_700, message: "Parse error" } });
  else if (Array.isArray(message) || (message.method === undefined && message.id === undefined))
    void send({ id: null, error: { code: -32_600, message: "Invalid request" } });
  else if (message.method === undefined) waiting.get(Number(message.id))?.(message);
  else if (message.method === "session/cancel")
    sessions.cancel(String((message.params as Json | undefined)?.sessionId));
  else if (message.id !== undefined) void answer(message);
}

function parsed(line: string): Json | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

async function answer({ id, method, params }: Json): Promise<void> {
  const { sessionId = "new-1", prompt = [] } = (params ?? {}) as { sessionId?: string; prompt?: Json[] };
  if (!Array.isArray(prompt)) {
    await send({ id, error: { code: -32_602, message: "the prompt is no list" } });
    return;
  }
  const words = prompt.map(({ text }) => String(text ?? "")).join("");
  const own = method === "session/prompt" ? (script.prompts?.[words] ?? script.prompts?.["*"]) : undefined;
  const steps = own ?? script.answers?.[String(method)] ?? DEFAULTS[String(method)];
  methods.add(String(method));
  if (steps === undefined) {
    const { updates = [], answer } = sessions.reply(String(method), (params ?? {}) as Json);
    for (const update of updates) await send({ method: "session/update", params: { sessionId, update } });
    await send({ id, ...answer });
    return;
  }
  const asked = { id, sessionId, words };
  if (turns !== null && method === "session/prompt") {
    await turns.begin({ id, sessionId, content: prompt }, (turn) =>
      follow(steps, params, { ...asked, turn }),
    );
    return;
  }
  for (const content of prompt) sessions.record(sessionId, { sessionUpdate: "user_message_chunk", content });
  await follow(steps, params, asked);
}

interface AskedOfAgent {
  readonly id: unknown;
  readonly sessionId: string;
  readonly words: string;
  /** The turn, for an agent that reports the states of its turns (version 2). */
  readonly turn?: ScriptedTurn;
}

async function follow(steps: readonly ScriptStep[], params: unknown, asked: AskedOfAgent): Promise<void> {
  for (const step of steps) {
    if (asked.turn?.isOver === true) return;
    const isOther =
      ("when" in step && !holds(step.when, params)) ||
      ("ifFile" in step && !existsSync(join(dirname(path), step.ifFile))) ||
      ("ifAsked" in step && !methods.has(step.ifAsked));
    if ("else" in step && isOther) {
      for (const other of step.else) await take(other, asked);
      return;
    }
    await take(step, asked);
  }
}

function holds(wanted: Json, params: unknown): boolean {
  return Object.entries(wanted).every(([key, value]) => (params as Json | undefined)?.[key] === value);
}

const DEFAULTS: Record<string, readonly ScriptStep[]> = {
  "session/prompt": [
    { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "You said: $WORDS" } } },
    { result: { stopReason: "end_turn" } },
  ],
};

async function take(step: ScriptStep, { id, sessionId, words, turn }: AskedOfAgent): Promise<void> {
  if ("update" in step) {
    const update = JSON.parse(
      JSON.stringify(step.update)
        .replaceAll("$WORDS", JSON.stringify(words).slice(1, -1))
        .replaceAll("$END", JSON.stringify(words.slice(-END_CHARS)).slice(1, -1)),
    );
    for (let n = 0; n < (step.times ?? 1); n += 1) {
      if (turn !== undefined) {
        await turn.update(update);
        continue;
      }
      sessions.record(step.sessionId ?? sessionId, update);
      await send({ method: "session/update", params: { sessionId: step.sessionId ?? sessionId, update } });
    }
  }
  if ("result" in step) {
    const result = JSON.parse(
      JSON.stringify(step.result).replaceAll("$PID", String(process.pid)).replaceAll("$UUID", randomUUID()),
    );
    await (turn === undefined ? send({ id, result }) : turn.end(result.stopReason));
  }
  if ("error" in step) await send({ id, error: step.error });
  if ("raw" in step) await write(step.raw);
  if ("stderr" in step) process.stderr.write(step.stderr);
  if ("notify" in step) await send(step.notify);
  if ("touch" in step) writeFileSync(join(dirname(path), step.touch), "");
  if ("remove" in step) rmSync(join(dirname(path), step.remove), { force: true });
  if ("waitMs" in step) await new Promise((done) => setTimeout(done, step.waitMs));
  if ("huge" in step) {
    const content = { type: "text", text: "x".repeat(step.huge) };
    await send({
      method: "session/update",
      params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } },
    });
  }
  if ("silence" in step) await new Promise(() => undefined);
  if ("untilFile" in step) {
    const file = join(dirname(path), step.untilFile);
    while (!existsSync(file)) await new Promise((done) => setTimeout(done, 20));
  }
  if ("untilCancelled" in step) {
    await new Promise<void>((cancelled) => {
      sessions.onCancel(sessionId, cancelled);
    });
  }
  const sayText = (text: string): Promise<void> =>
    send({
      method: "session/update",
      params: {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      },
    });
  if ("ask" in step && turn !== undefined) await turn.ask(step.ask);
  else if ("ask" in step) {
    const { result } = await request("session/request_permission", { sessionId, ...step.ask }).answer;
    await sayText(JSON.stringify(result));
  }
  if ("request" in step) {
    const { result, error } = await request(step.request, { sessionId, ...step.params }).answer;
    await sayText(`${JSON.stringify({ result, error })}\n`);
  }
  if ("deaf" in step) {
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(signal, () => undefined);
    setInterval(() => undefined, 1_000);
  }
  if ("startChild" in step) {
    const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    await sayText(String(child.pid));
  }
  if ("die" in step) process.exit(step.die);
}

function request(method: string, params: Json): { readonly id: number; readonly answer: Promise<Json> } {
  count += 1;
  const id = count;
  appendFileSync(`${path}.asked`, `${JSON.stringify({ id, method })}\n`);
  void send({ id, method, params });
  return { id, answer: new Promise((done) => waiting.set(id, done)) };
}
