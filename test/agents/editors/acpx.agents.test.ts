/**
 * `acpx`, a client from npm, uses `continuo acp`: it lists a format case of each agent, and prompts, watches and exports
 * a session of a real agent.
 */

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { expect, test } from "vitest";
import { MAIN } from "../../cli/home.ts";
import { copyHome, FORMAT_CASES } from "../../fixture-home.ts";
import { text } from "../../model-servers/index.ts";
import { recordTried } from "../../tried-editors.ts";
import { type Stage, stage } from "../chat/stage.ts";
import { PINNED, packageFolder } from "../install.ts";
import { makeSandbox, runProgram } from "../sandbox.ts";

const ACPX = join(packageFolder(PINNED.acpx), PINNED.acpx.proof);
const FIRST = "Remember the number forty-one.";
const SECOND = "Which number was it?";
const SCRIPT = {
  turns: [
    { user: SECOND, answers: [[text("It was forty-one.")]] },
    { user: FIRST, answers: [[text("I keep forty-one in mind.")]] },
  ],
};

/** The process of acpx that holds the session waits so long for a next prompt. While it ends, it refuses one. */
const TTL_S = "600";

/** The arguments of acpx. */
function wordsOf(args: readonly string[]): readonly string[] {
  const agent = `${process.execPath} ${MAIN} acp`;
  return [ACPX, "--format", "json", "--json-strict", "--ttl", TTL_S, "--agent", agent, ...args];
}

type Row = Readonly<Record<string, unknown>>;

const rowsIn = (output: string): Row[] =>
  output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

/** acpx waits a few seconds for its process that holds the session. If this process needs longer, nothing was sent. */
const STARTS_SLOWLY = "Session queue owner failed to start";

async function acpx(on: Stage, ...args: readonly string[]): Promise<Row[]> {
  const { code, stdout, stderr } = await on.run(process.execPath, wordsOf(args));
  if (code !== 0 && stdout.includes(STARTS_SLOWLY)) return await acpx(on, ...args);
  expect([args, code, stderr, code === 0 ? "" : stdout]).toEqual([args, 0, "", ""]);
  return rowsIn(stdout);
}

/** Returns the text of the agent's messages. A row is a message of the protocol, or holds one in `message`. */
function spokenIn(rows: readonly Row[]): string {
  const updates = rows.map((row) => {
    const message = (row.message ?? row) as { readonly params?: { readonly update?: Row } };
    return message.params?.update;
  });
  return updates
    .filter((update) => update?.sessionUpdate === "agent_message_chunk")
    .map((update = {}) => String((update.content as Row).text))
    .join("");
}

/** Watches the session from a position until a turn has ended. */
async function watched(on: Stage, cursor: readonly string[], turn: () => Promise<unknown>): Promise<Row[]> {
  const args = wordsOf(["sessions", "watch", ...cursor]).slice(1);
  await using watching = on.startProgram(process.execPath, [ACPX, ...args]);
  const rows: Row[] = [];
  const said = turn();
  // A turn that fails has no result to wait for.
  said.catch(() => watching.kill());
  for await (const line of watching.lines) {
    rows.push(JSON.parse(line) as Row);
    if (rows.at(-1)?.type === "turn_result") break;
  }
  await said;
  watching.kill();
  return rows;
}

test.each([["claude"], ["codex"], ["gemini"], ["opencode"], ["pi"]] as const)(
  "a session of %s is prompted, watched and exported",
  async (agent: AgentName) => {
    await using on = await stage([agent], SCRIPT);
    expect(await acpx(on, "sessions", "list")).toEqual([{ source: "agent", sessions: [] }]);
    await acpx(on, "sessions", "ensure");
    const [{ acpSessionId: id } = {}] = await acpx(on, "sessions", "show");
    expect(id).toMatch(/^continuo:/u);
    const first = await watched(on, [], () => acpx(on, "prompt", FIRST));
    expect(spokenIn(first)).toBe("I keep forty-one in mind.");
    const cursor = String(first.at(-1)?.cursor);
    const second = await watched(on, ["--cursor", cursor], () => acpx(on, "prompt", SECOND));
    // Only events after the position are shown.
    expect(spokenIn(second)).toBe("It was forty-one.");
    const [history] = await acpx(on, "sessions", "history");
    expect(history?.entries).toMatchObject([
      { role: "user", textPreview: FIRST },
      { role: "assistant", textPreview: "I keep forty-one in mind." },
      { role: "user", textPreview: SECOND },
      { role: "assistant", textPreview: "It was forty-one." },
    ]);
    const [list] = await acpx(on, "sessions", "list");
    expect(list?.sessions).toMatchObject([{ sessionId: id, _meta: { continuo: { agent } } }]);
    await acpx(on, "sessions", "close");
    const output = join(on.sandbox.root, "archive.json");
    await acpx(on, "sessions", "export", "--output", output);
    const archive = JSON.parse(readFileSync(output, "utf8")) as Row;
    expect(archive).toMatchObject({ session: { record_id: id } });
    expect(spokenIn(archive.history as Row[])).toBe("I keep forty-one in mind.It was forty-one.");
    recordTried(packageFolder(PINNED.acpx));
  },
);

test("a format case of each agent is listed, and its session can be opened by its id", async () => {
  await using sandbox = await makeSandbox();
  const env: Record<string, string> = {};
  const known = new Set<string>();
  const wanted: string[] = [];
  for (const agent of new Set(FORMAT_CASES.map(([name]) => name))) {
    for (const [name, format] of FORMAT_CASES.filter(([owner]) => owner === agent)) {
      await using scratch = await makeSandbox();
      const { places, sessions } = await copyHome(scratch.root, [name, format]);
      const [main] = sessions.filter(({ title, archived }) => title !== null && !archived);
      if (main === undefined) continue;
      const [variable = ""] = Object.keys(places.env);
      env[variable] = join(sandbox.root, `home-${name}`);
      cpSync(String(places.env[variable]), String(env[variable]), { recursive: true });
      for (const { sessionId } of sessions) known.add(`${name}:${sessionId}`);
      wanted.push(`${name}:${main.sessionId}`);
      break;
    }
  }
  const run = async (...args: readonly string[]): Promise<Row[]> => {
    const options = { cwd: sandbox.project, env: sandbox.environment(env) };
    const { code, stdout, stderr } = await runProgram(process.execPath, wordsOf(args), options);
    expect([args, code, stderr]).toEqual([args, 0, ""]);
    return rowsIn(stdout);
  };
  const [list = {}] = await run("sessions", "list");
  const listed = (list.sessions as Row[]).map(({ sessionId }) => String(sessionId));
  expect(listed).toEqual(expect.arrayContaining(wanted));
  expect(listed.filter((id) => !known.has(id))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
  for (const id of wanted) {
    const [opened] = await run("sessions", "ensure", "--name", id, "--resume-session", id);
    expect(opened).toMatchObject({ action: "session_ensured", acpxSessionId: id });
    await run("sessions", "close", id);
  }
  recordTried(packageFolder(PINNED.acpx));
});
