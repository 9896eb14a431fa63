/**
 * A note writer that speaks ACP: a program for each turn, as `continuo serve` starts it. It writes a note for each
 * sentence of speech and for each remark, but not for a person's changes to notes. It is unsure about the sentence with
 * a lighthouse until a person answers, and it answers questions with quotations.
 */

import { createInterface } from "node:readline";

type Json = Readonly<Record<string, unknown>>;

interface Item {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

interface Material {
  readonly evidence: readonly Item[];
  readonly question?: string;
  readonly unsure?: readonly { readonly draftId: string; readonly text: string }[];
  readonly answered?: readonly {
    readonly draftId: string;
    readonly text: string;
    readonly answer: unknown;
  }[];
}

const send = (message: Json): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: unknown; method?: string; params?: Json };
  if (id === undefined) return;
  if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === "session/new") send({ id, result: { sessionId: `notes-${process.pid}` } });
  else if (method === "session/prompt") answer(id, params ?? {});
  else send({ id, error: { code: -32601, message: "not found" } });
});

function answer(id: unknown, params: Json): void {
  // Pictures, or words in place of them, come after the material.
  const texts = (params.prompt as readonly { readonly text?: string }[]).map(({ text }) => text ?? "");
  const words = texts.find((text) => text.includes("\n\n{")) ?? "";
  const material = JSON.parse(words.slice(words.lastIndexOf("\n\n{"))) as Material;
  const text = JSON.stringify(material.question === undefined ? notesOf(material) : quoteOf(material));
  const told = (update: Json): void =>
    send({ method: "session/update", params: { sessionId: params.sessionId, update } });
  told({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  told({ sessionUpdate: "usage_update", used: 1, size: 100, cost: { amount: 0.01, currency: "USD" } });
  send({ id, result: { stopReason: "end_turn", usage: { inputTokens: 1_000, outputTokens: 100 } } });
}

function notesOf({ evidence, unsure = [], answered = [] }: Material): Json {
  const known = evidence.filter(({ type, text }) => text !== "" && !type.startsWith("note_"));
  const fresh = known.map(({ name, text, startMs, endMs }) => ({
    text: `Noted: ${text}`,
    startMs,
    endMs,
    evidence: [name],
    ...(text.includes("lighthouse")
      ? { confidence: 0.3, question: "Which lighthouse is meant?" }
      : { confidence: 0.9 }),
  }));
  const again = unsure.map(({ draftId, text }) => ({
    text,
    replaces: draftId,
    confidence: 0.3,
    question: "Which lighthouse is meant?",
  }));
  const sure = answered.map(({ draftId, text, answer: said }) => ({
    // An answer that is not a text is a captured frame.
    text: `${text} (${typeof said === "string" ? said : "the picture"})`,
    replaces: draftId,
    confidence: 0.95,
  }));
  return { drafts: unsure.length + answered.length > 0 ? [...again, ...sure] : fresh };
}

function quoteOf({ evidence, question = "" }: Material): Json {
  const words = question
    .toLowerCase()
    .split(/\W+/u)
    .filter((word) => word.length > 3);
  const found = evidence.filter(({ text }) => words.some((word) => text.toLowerCase().includes(word)));
  return {
    text:
      found.length === 0
        ? "Nothing was said about that."
        : `You said: ${found.map(({ text }) => text).join(" ")}`,
    evidence: found.map(({ name }) => name),
    notes: [],
  };
}
