/** Replays of imported sessions have the inputs of persons, and report every other text that an agent got. */

import { appendFileSync, cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, NewEvent } from "@continuo/core/model";
import {
  type Continuo,
  importNativeSession,
  type LeftOutInput,
  openContinuo,
} from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../scratch-folder.ts";

let c: Continuo;
beforeEach(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 20 });
});
afterEach(() => c.close({ graceMs: 0 }));

/** An agent that says the texts of persons and agents that it was given. */
const seeing: Agent = {
  name: "seeing",
  async execute({ transcript }, { onEvent }) {
    const messages = transcript?.messages ?? [];
    const texts = messages.flatMap(({ origin, content }) =>
      origin === "person" || origin === "agent"
        ? content.flatMap((block) => (block.type === "text" ? [block.text] : []))
        : [],
    );
    await onEvent({ type: "message", content: [{ type: "text", text: texts.join(" | ") }] });
    return {};
  },
};

interface NativeFile {
  readonly path: string;
  readonly places: { readonly home: string; readonly env: Record<string, string> };
}

function fixture(agent: "claude" | "codex", name: string): NativeFile {
  const home = scratchFolder(`replay-${agent}-${name}`);
  const folder = agent === "claude" ? ".claude/projects" : ".codex/sessions";
  cpSync(join(import.meta.dirname, `../fixtures/${agent}/${name}/home`), join(home, `.${agent}`), {
    recursive: true,
  });
  const [file = ""] = globSync(`${folder}/**/*.jsonl`, { cwd: home }).sort();
  return { path: join(home, file), places: { home, env: {} } };
}

async function replayed({ path, places }: NativeFile, keep = false) {
  const { sessionId } = await importNativeSession(c.store, path, { places });
  const leftOut: LeftOutInput[] = [];
  const onLeftOut = (input: LeftOutInput): void => void leftOut.push(input);
  const runs = await c.replay(sessionId, { agent: seeing, keep, onLeftOut });
  return {
    inputs: runs.map(({ input, before }) => [input, before.text]),
    earlier: runs.map(({ after }) => after.text),
    leftOut: leftOut.map(({ reason, input }) => `${reason}: ${input.trim().slice(0, 26)}`),
  };
}

test("commands of Claude Code and their notes are no inputs of a replay", async () => {
  expect(await replayed(fixture("claude", "local-commands"))).toMatchObject({
    inputs: [
      ["Which teas do we sell?", "Green, black and white."],
      ["And herbs?", "None yet."],
    ],
    leftOut: [
      "injected: <local-command-caveat>[lef",
      "command: <command-name>/rename</com",
      "injected: <local-command-caveat>[lef",
      "command: <command-name>/usage</comm",
      "injected: <local-command-caveat>[lef",
      "command: <command-name>/model</comm",
    ],
  });
});

test("the answer to a command is not the answer to the prompt before it, and texts for the model are left out", async () => {
  expect(await replayed(fixture("claude", "skills"))).toMatchObject({
    inputs: [["How do I brew?", "The water comes first."]],
    leftOut: [
      "injected: <system-reminder>\n[left ou",
      "injected: Base directory for this sk",
      "command: <command-message>steep</co",
      "injected: Steep green for two minute",
      "command: <command-message>brew</com",
      "injected: Base directory for this sk",
    ],
  });
});

test("a summary, the output of a command and what a hook said are left out, and prompts during a turn are replayed", async () => {
  const compacted = await replayed(fixture("claude", "compaction"));
  expect(compacted.inputs.map(([input]) => input)).toEqual([
    "What does the timer say for black tea?",
    "It should be four minutes.",
    "What did we agree on?",
  ]);
  expect(compacted.leftOut).toHaveLength(5);
  const hooked = await replayed(fixture("claude", "hooks"));
  expect(hooked.inputs.map(([input]) => input)).toEqual(["What is in the project?", "Anything else?"]);
  const meanwhile = await replayed(fixture("claude", "said-meanwhile"));
  expect(meanwhile.inputs.map(([input]) => input)).toEqual(["Run the tests.", "Without a log, please."]);
});

test.each([
  ["paginated", ["Make the timer agree with its test.", "Which file holds the test?"]],
  ["steered", ["Run the tests.", "Without a log, please."]],
  ["review", ["Name the timer.", "Review the timer.", "Anything else?"]],
])("the environment and notes that Codex adds are no inputs of a replay: %s", async (name, inputs) => {
  const found = await replayed(fixture("codex", name));
  expect(found.inputs.map(([input]) => input)).toEqual(inputs);
  expect(found.leftOut[0]).toBe("injected: <environment_context>\n  <c");
});

test.each([false, true])(
  "a branch that a person left is neither replayed nor in the earlier conversation, with keep: %s",
  async (keep) => {
    const native = fixture("claude", "branch");
    const lines = readFileSync(native.path, "utf8").trimEnd().split("\n");
    const left = lines.findIndex((line) => line.includes("I like steep. Keep it."));
    // The first import ran before the person went back.
    writeFileSync(native.path, `${lines.slice(0, left).join("\n")}\n`);
    expect((await replayed(native)).inputs.map(([input]) => input)).toEqual([
      ...["Name the timer.", "Something shorter?", "Take it."],
    ]);
    appendFileSync(native.path, `${lines.slice(left).join("\n")}\n`);
    expect(await replayed(native, keep)).toEqual({
      inputs: [
        ["Name the timer.", "How about `steep`?"],
        ["I like steep. Keep it.", "`steep` it is."],
      ],
      earlier: ["", "Name the timer. | How about `steep`?"],
      leftOut: ["deleted: Something shorter?", "deleted: Take it."],
    });
  },
);

test("an answer that grew after a later prompt of a program still answers its own input", async () => {
  const native = fixture("claude", "branch");
  const { sessionId } = await importNativeSession(c.store, native.path, { places: native.places });
  await c.session(sessionId).send("And now?", { agent: "echo" }).result();
  const found = await replayed(native);
  expect(found.inputs.at(-1)).toEqual(["And now?", "And now?"]);
  const [first] = (await c.store.read(sessionId, { types: ["message_received"] })).events;
  const { messageId } = { messageId: "", ...(first?.data as object) };
  const data = { messageId, content: "How about `steep`, or `brew`?" };
  await c.store.append(sessionId, [{ id: `${messageId}/${"0".repeat(64)}`, type: "message_received", data }]);
  expect((await replayed(native)).inputs[0]).toEqual(["Name the timer.", "How about `steep`, or `brew`?"]);
});

test("a deleted message of a run is left out, and reported with its text", async () => {
  const session = c.session("s", { create: true });
  await session.send("one").result();
  await session.send("two").result();
  const [said] = (await c.store.read("s", { types: ["message_sent"] })).events;
  if (said === undefined) throw new Error("there is no message");
  await c.store.append("s", [{ type: "message_deleted", data: { messageId: said.id } }]);
  const leftOut: LeftOutInput[] = [];
  const onLeftOut = (input: LeftOutInput): void => void leftOut.push(input);
  const runs = await c.replay("s", { agent: seeing, onLeftOut });
  expect(runs.map(({ input }) => input)).toEqual(["two"]);
  expect(leftOut).toEqual([{ sequence: expect.any(Number), input: "one", reason: "deleted" }]);
});

test("a session in which only an agent's program spoke has no input", async () => {
  await c.store.createSession({ sessionId: "notes" });
  const said = (origin: string): NewEvent => ({
    type: "message_sent",
    data: { role: "user", messageId: origin, content: `a ${origin} text`, origin },
  });
  await c.store.append("notes", ["injected", "summary", "notification"].map(said));
  const reasons: string[] = [];
  const onLeftOut = ({ input, reason }: LeftOutInput): void => void reasons.push(`${reason}: ${input}`);
  expect(await c.replay("notes", { agent: seeing, onLeftOut })).toEqual([]);
  expect(reasons).toEqual([
    "injected: a injected text",
    "injected: a summary text",
    "injected: a notification text",
  ]);
});
