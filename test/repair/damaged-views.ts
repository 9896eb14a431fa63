/** Damages to one record of a session, and the items that the real agent then sends. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import type { Item } from "../agents/items.ts";

// biome-ignore lint/suspicious/noExplicitAny: a record of any agent, which the test damages.
type Rec = any;
type View = (sound: readonly Item[]) => readonly Item[];

export interface DamagedView {
  readonly what: string;
  readonly agent: AgentName;
  readonly fixture: string;
  /** The damage applies to the first record that matches. */
  readonly fits: (record: Rec) => boolean;
  readonly damage: (record: Rec) => void;
  readonly sent: View;
  /** The view after a repair, if the agent then sends more; `whole` is the view without the damage. */
  readonly mended?: "whole" | View;
}

function isOf(item: Item, words: string): boolean {
  return JSON.stringify(item).includes(words);
}

/** The view without the items that contain these words. */
const without =
  (...words: readonly string[]): View =>
  (sound) =>
    sound.filter((item) => !words.some((word) => isOf(item, word)));

const same: View = (sound) => sound;

/** The view with another item in place of the first one that contains the words. */
const instead =
  (words: string, change: (item: Item) => readonly Item[]): View =>
  (sound) => {
    const at = sound.findIndex((item) => isOf(item, words));
    const item = sound[at];
    return item === undefined ? sound : sound.toSpliced(at, 1, ...change(item));
  };

const isItem = (type: string, words: string) => (record: Rec) =>
  record.type === "response_item" && record.payload.type === type && JSON.stringify(record).includes(words);

/** Returns the id of the call that contains the words; the id is different in each recording. */
function callIn(fixture: string, words: string): string {
  const path = join(import.meta.dirname, "../fixtures", fixture, "requests.json");
  const { items }: { readonly items: readonly Item[] } = JSON.parse(readFileSync(path, "utf8"));
  const call = items.find((item) => item.kind === "call" && isOf(item, words));
  if (call?.kind !== "call") throw new Error(`${path} has no call with ${words}`);
  return call.id;
}

const CALL = callIn("codex/paginated", "timer.spec.js");

/** The view in which Codex puts its own text, as the result, right after the call. */
const aborted: View = (sound) =>
  sound.flatMap((item): readonly Item[] => {
    if (item.kind === "result" && item.id === CALL) return [];
    const result = { kind: "result", id: CALL, text: "aborted", images: [], isError: null } as const;
    return item.kind === "call" && item.id === CALL ? [item, result] : [item];
  });

const codex = { agent: "codex", fixture: "paginated" } as const;

const CODEX: readonly DamagedView[] = [
  {
    ...codex,
    what: "a note about an answer is a list",
    fits: isItem("message", "I read both."),
    damage: (line) => Object.assign(line.metadata, { client_authored: [] }),
    sent: without("I read both."),
    mended: "whole",
  },
  {
    ...codex,
    what: "the ordinal of an answer is a text",
    fits: isItem("message", "I read both."),
    damage: (line) => Object.assign(line, { ordinal: "x" }),
    sent: without("I read both."),
    mended: "whole",
  },
  {
    ...codex,
    what: "the id of a thought is an object",
    fits: isItem("reasoning", "I compare"),
    damage: (line) => Object.assign(line.payload, { id: {} }),
    sent: without("I compare"),
    mended: "whole",
  },
  {
    ...codex,
    what: "the summary of a thought holds a text without a type",
    fits: isItem("reasoning", "I compare"),
    damage: (line) => delete line.payload.summary[0].type,
    sent: without("I compare"),
    mended: "whole",
  },
  {
    ...codex,
    what: "the status of a call is a number",
    fits: isItem("function_call", CALL),
    damage: (line) => Object.assign(line.payload, { status: 7 }),
    sent: without(CALL),
    mended: "whole",
  },
  {
    ...codex,
    what: "the time of a result is a text",
    fits: isItem("function_call_output", CALL),
    damage: (line) =>
      Object.assign(line.payload.internal_chat_message_metadata_passthrough, { create_time: "x" }),
    sent: aborted,
    mended: "whole",
  },
  {
    ...codex,
    what: "a result names no call",
    fits: isItem("function_call_output", CALL),
    damage: (line) => delete line.payload.call_id,
    sent: (sound) => {
      const at = sound.findIndex(
        ({ kind, ...item }) => kind === "result" && "id" in item && item.id === CALL,
      );
      const item = sound[at];
      if (item?.kind !== "result") return sound;
      const said: Item = { kind: "text", role: "user", text: item.text.trimEnd() };
      return aborted(sound).toSpliced(at + 1, 0, said);
    },
  },
  {
    ...codex,
    what: "the type of a result is its number",
    fits: isItem("function_call_output", CALL),
    damage: (line) => Object.assign(line.payload, { type: 7 }),
    sent: same,
  },
  {
    ...codex,
    what: "a prompt is of a role that nobody knows",
    fits: isItem("message", "Make the timer agree"),
    damage: (line) => Object.assign(line.payload, { role: "x" }),
    sent: same,
  },
  {
    ...codex,
    what: "a part of a prompt has no type",
    fits: isItem("message", "Make the timer agree"),
    damage: (line) => delete line.payload.content[0].type,
    sent: without("Make the timer agree"),
    mended: "whole",
  },
];

const pi = { agent: "pi", fixture: "parallel-tools" } as const;
const isPi = (role: string) => (record: Rec) => record.message?.role === role;
const isCall = (item: Rec): boolean => item.type === "toolCall";

const PI: readonly DamagedView[] = [
  {
    ...pi,
    what: "a block of the prompt has no type that can be read",
    fits: isPi("user"),
    damage: (line) => Object.assign(line.message.content[0], { type: {} }),
    sent: instead("Make the timer agree", () => [
      { kind: "image", role: "user", image: "data:undefined;base64,undefined" },
    ]),
    mended: "whole",
  },
  {
    ...pi,
    what: "a text of the prompt is a number",
    fits: isPi("user"),
    damage: (line) => Object.assign(line.message.content[0], { text: 7 }),
    sent: without("Make the timer agree"),
    mended: instead("Make the timer agree", () => [{ kind: "text", role: "user", text: "7" }]),
  },
  {
    ...pi,
    what: "a block of an answer is an empty list",
    fits: isPi("assistant"),
    damage: (line) => line.message.content.push([]),
    sent: same,
  },
  {
    ...pi,
    what: "the arguments of a call are a text",
    fits: isPi("assistant"),
    damage: (line) => Object.assign(line.message.content.find(isCall), { arguments: "x" }),
    sent: instead('"args":{"path":"timer.js"}', (item) => [{ ...item, args: '"x"' } as Item]),
  },
  {
    ...pi,
    what: "a thought names no field",
    fits: isPi("assistant"),
    damage: (line) => delete line.message.content[0].thinkingSignature,
    sent: without('"kind":"thinking"'),
  },
  {
    ...pi,
    what: "an answer names another API",
    fits: isPi("assistant"),
    damage: (line) => Object.assign(line.message, { api: "x" }),
    sent: without('"kind":"thinking"'),
  },
  {
    ...pi,
    what: "a text of a result is a number",
    fits: isPi("toolResult"),
    damage: (line) => Object.assign(line.message.content[0], { text: 7 }),
    sent: instead("Seconds that each tea steeps", (item) => [{ ...item, text: "7" } as Item]),
  },
];

const CLAUDE: readonly DamagedView[] = [
  {
    agent: "claude",
    fixture: "parallel-tools",
    what: "a result is neither text nor list",
    fits: (record) => record.type === "user" && record.message.content[0]?.type === "tool_result",
    damage: (line) => Object.assign(line.message.content[0], { content: true }),
    sent: (sound) => {
      const at = sound.findIndex(({ kind }) => kind === "result");
      return sound.with(at, { ...sound[at], text: "true" } as Item);
    },
  },
  {
    agent: "claude",
    fixture: "parallel-tools",
    what: "a text of an answer is nothing",
    fits: (record) => record.type === "assistant" && record.message.content[0]?.type === "text",
    damage: (line) => Object.assign(line.message.content[0], { text: null }),
    sent: without("I read both and look around."),
  },
];

const OPENCODE: readonly DamagedView[] = [
  {
    agent: "opencode",
    fixture: "parallel-tools",
    what: "a prompt asks for a provider that never answered",
    fits: (record) => record.role === "user",
    damage: (data) => Object.assign(data.model, { providerID: "x" }),
    sent: same,
  },
  {
    agent: "opencode",
    fixture: "parallel-tools",
    what: "the error of a call is a list",
    fits: (record) => record.type === "tool" && record.state.status === "error",
    damage: (data) => Object.assign(data.state, { error: [] }),
    sent: instead("File not found", (item) => [{ ...item, text: "[]" } as Item]),
    mended: instead("File not found", (item) => [{ ...item, text: "" } as Item]),
  },
  {
    agent: "opencode",
    fixture: "parallel-tools",
    what: "the status of a call is a list",
    fits: (record) => record.type === "tool" && record.state.status === "error",
    damage: (data) => Object.assign(data.state, { status: [] }),
    sent: without(callIn("opencode/parallel-tools", "timer.spec.js")),
    mended: "whole",
  },
];

export function withHeaderAgain(texts: readonly string[]): readonly string[] {
  const ordinal = JSON.parse(texts.at(-1) ?? "").ordinal + 1;
  return texts.slice(0, 1).map((text) => JSON.stringify({ ...JSON.parse(text), ordinal }));
}

export const DAMAGED_VIEWS: readonly DamagedView[] = [...CODEX, ...PI, ...CLAUDE, ...OPENCODE];
