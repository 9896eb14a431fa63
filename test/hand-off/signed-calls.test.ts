/**
 * Calls that the vendor signed (Gemini's models sign calls) come back with the same bytes in their signatures when only
 * a part of the session was handed over and its messages are written again.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openNativeSession } from "@continuo/agents";
import { AGENT_NAMES, type Message } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { type Home, openHome, saidOf, wordsOf } from "./homes.ts";

let home: Home;

beforeEach(() => {
  home = openHome();
});

/** All signatures differ, and have characters that careless JSON or base64 code would change. */
const signatureAt = (at: number): string => `Ci/+${at}\u00e9==`;

function signedIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_call" ? [`${JSON.stringify(block.args)}: ${block.signature}`] : [],
    ),
  );
}

/** Writes an answer in the form that Gemini CLI has after a resumption: its calls are parts. */
function signGemini(path: string): void {
  let count = 0;
  const signed = (record: Json): Json => {
    if (record.type !== "gemini" || !Array.isArray(record.toolCalls)) return record;
    const calls = record.toolCalls.filter(isJson).map(({ id, name, args }, at) => {
      const functionCall = { id, name, args };
      // Gemini signs the first of parallel calls.
      return at === 0 ? { functionCall, thoughtSignature: signatureAt(count++) } : { functionCall };
    });
    return { ...record, content: [{ text: String(record.content) }, ...calls] };
  };
  const lines = readFileSync(path, "utf8").trim().split("\n");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(signed(JSON.parse(line)))}\n`).join(""));
}

function signOpencode(path: string): void {
  using database = new DatabaseSync(path);
  const rows = database.prepare("SELECT id, data FROM part ORDER BY id").all();
  for (const [at, { id, data }] of rows.entries()) {
    const part: Json = JSON.parse(String(data));
    if (part.type !== "tool") continue;
    const metadata = { vertex: { thoughtSignature: signatureAt(at), itemId: "of the vendor's store" } };
    database
      .prepare("UPDATE part SET data = ? WHERE id = ?")
      .run(JSON.stringify({ ...part, metadata }), String(id));
  }
}

const OTHERS = AGENT_NAMES.flatMap((by) => [
  { agent: "gemini" as const, by },
  { agent: "opencode" as const, by },
]);

function useSigned(agent: "gemini" | "opencode"): string {
  const id = home.use(agent, "parallel-tools");
  const folder = join(home.home, "source");
  const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) =>
    agent === "gemini" ? /chats\/session-.*\.jsonl$/u.test(name) : name.endsWith("opencode.db"),
  );
  const path = join(folder, file ?? "");
  if (agent === "gemini") signGemini(path);
  else signOpencode(path);
  return id;
}

test.each(OTHERS)(
  "$agent through $by: a part of the session returns, with new messages",
  async ({ agent, by }) => {
    const id = useSigned(agent);
    const before = await home.read(agent, id);
    const maxMessages = before.view.length - 1;
    const there = await home.go(`${agent}:${id}`, by, { maxMessages });
    if (by !== agent)
      expect(signedIn((await home.read(by, there.sessionId)).view).join()).not.toContain("Ci/");
    await home.say(by, there, "more");
    const back = await home.go(`${by}:${there.sessionId}`, agent);
    expect(back.broughtBack).toMatchObject({ agent, sessionId: by === agent ? there.sessionId : id });
    const after = await home.read(agent, back.sessionId);
    const signed = signedIn(before.history);
    expect(signed.join()).toContain(signatureAt(0).slice(0, 4));
    expect(signedIn(after.history).slice(0, signed.length)).toEqual(signed);
    expect(wordsOf(after.view).slice(-saidOf("more").length)).toEqual(saidOf("more"));
    expect(back.receipt.byKind.tool_call).toMatchObject({ rewritten: 0, dropped: 0 });
  },
);

test("opencode: only the signature returns, under the vendor's name", async () => {
  const id = useSigned("opencode");
  const before = await home.read("opencode", id);
  const there = await home.go(`opencode:${id}`, "pi", { maxMessages: before.view.length - 1 });
  const back = await home.go(`pi:${there.sessionId}`, "opencode");
  using session = await openNativeSession(`opencode:${back.sessionId}`, { places: home.places });
  const calls = (await Array.fromAsync(session.history())).flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_call" ? [block] : [])),
  );
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.map(({ native }) => isJson(native) && native.metadata)).toEqual(
    calls.map(({ signature }) => ({ vertex: { thoughtSignature: signature } })),
  );
});
