/**
 * The adapter of each of the five agents either stores a block in a form that its reader reads back, or refuses it with
 * a code.
 */

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type AdapterFormat, openSessionAdapter, type SessionAdapter } from "@continuo/agents";
import type { Block, Message } from "@continuo/core/model";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

const FORMATS: readonly AdapterFormat[] = ["ccsdk", "codex", "gemini", "opencode", "pi-agent"];
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mOo35ENRAwQCgAuFgaJ810UTgAAAABJRU5ErkJggg==";

let home: string;
let adapter: SessionAdapter;

beforeEach(() => {
  home = scratchFolder("blocks");
  mkdirSync(join(home, "project"));
  const database = join(import.meta.dirname, "../fixtures/opencode/image/home");
  cpSync(database, join(home, ".local/share"), { recursive: true });
});
afterEach(async () => {
  await adapter.close();
});

async function begin(format: AdapterFormat): Promise<void> {
  const create = { cwd: join(home, "project") };
  adapter = openSessionAdapter({ format, create, places: { home, env: {} } });
  await adapter.appendUserMessage("Hello.");
}

const text: Block = { type: "text", text: "Well." };
const ANSWERS: readonly Block[] = [
  { type: "text", text: "<b>bold</b> \u2028 text" },
  { type: "thinking", text: "Hm." },
  { type: "thinking", text: "Hm.", signature: "c2ln", signedBy: "anthropic" },
  { type: "thinking", text: "Hm.", signature: "c2ln", signedBy: "openai" },
  { type: "image", mimeType: "image/png", data: PNG },
  { type: "tool_call", id: "call_1", name: "look", args: { at: "b" } },
];
const PROMPTS: readonly Block[] = [
  { type: "image", mimeType: "image/png", data: PNG },
  { type: "image", mimeType: "image/png", url: "https://files.example/a.png" },
  { type: "file", mimeType: "application/pdf", data: PNG, name: "a.pdf" },
  { type: "file", mimeType: "text/plain", text: "words", name: "a.txt" },
  { type: "thinking", text: "Hm." },
];

/** Returns the content of a block, without the facts that some formats cannot store. */
function saidBy(block: Block): string {
  const { type, text: words, data, url, args } = block as Readonly<Record<string, unknown>> & Block;
  return JSON.stringify([type, words ?? data ?? url ?? args]);
}

/** Returns `null` if the block was refused as `invalid`. */
async function whatIsRead(append: () => Promise<string>): Promise<readonly string[] | null> {
  const before = (await adapter.loadHistory()).length;
  const failed = await append().then(
    () => null,
    (error: { readonly code?: unknown }) => error.code ?? error,
  );
  const added: readonly Message[] = (await adapter.loadHistory()).slice(before);
  if (failed === null) return added.flatMap(({ content }) => content.map(saidBy));
  expect([failed, added]).toEqual(["invalid", []]);
  return null;
}

describe.each(FORMATS)("%s", (format) => {
  test("the content of a block is read back, or the block is refused", async () => {
    await begin(format);
    const ways = [
      ...PROMPTS.map((block) => [block, () => adapter.appendUserMessage([text, block])] as const),
      ...ANSWERS.map((block) => [block, () => adapter.appendAssistantMessage([text, block])] as const),
    ];
    for (const [block, append] of ways) {
      const read = await whatIsRead(append);
      if (read !== null) expect(read).toEqual(expect.arrayContaining([saidBy(text), saidBy(block)]));
    }
  });

  test("a value that is not a block is an error with a code, and no file changes", async () => {
    await begin(format);
    const circle: unknown[] = [];
    circle.push(circle);
    const given: readonly unknown[] = [
      ...[null, 5, {}, [null], [undefined], ["a"], [{}], [{ type: "unknown", raw: 1 }], [{ type: "odd" }]],
      ...[
        [{ type: "text" }],
        [{ type: "text", text: 1n }],
        [{ type: "text", text: null }],
        circle,
        [() => 1],
      ],
      ...[
        [{ type: "image", mimeType: "image/png" }],
        [{ type: "tool_call", id: "a", name: "b", args: { c: 1n } }],
      ],
      ...[
        [{ type: "tool_call", id: "a", name: "b", args: null }],
        [{ type: "tool_call", id: null, name: "b", args: {} }],
      ],
      ...[
        [
          {
            get type() {
              throw new Error("no");
            },
          },
        ],
      ],
    ];
    const before = await adapter.loadHistory();
    for (const value of given) {
      const content = value as readonly Block[];
      const code = expect.stringMatching(/^(?:invalid|too_large)$/u);
      await expect(adapter.appendUserMessage(content)).rejects.toMatchObject({ code });
      await expect(adapter.appendAssistantMessage(content)).rejects.toMatchObject({ code });
      await expect(adapter.appendToolResult("call", content)).rejects.toMatchObject({ code });
    }
    const counts = [null, { inputTokens: 1n, outputTokens: 1 }, { inputTokens: "1", outputTokens: 1 }, {}];
    for (const usage of counts) {
      await expect(adapter.appendAssistantMessage("hi", usage as never)).rejects.toMatchObject({
        code: "invalid",
      });
    }
    await expect(adapter.appendUserMessage("hi", [null] as never)).rejects.toMatchObject({ code: "invalid" });
    await expect(adapter.appendToolResult(null as never, "hi")).rejects.toMatchObject({ code: "invalid" });
    expect(await adapter.loadHistory()).toEqual(before);
  });
});

describe.each(FORMATS)("%s", (format) => {
  test.each<readonly [string, "user" | "assistant", Block, keyof Block | "signature" | "name" | "data"]>([
    ["the signature of a text", "assistant", { type: "text", text: "Well.", signature: "c2ln" }, "signature"],
    [
      "redacted thinking",
      "assistant",
      { type: "thinking", text: "", redacted: true, data: "aGlkZGVu", signedBy: "anthropic" },
      "data",
    ],
    [
      "redacted thinking of another vendor",
      "assistant",
      { type: "thinking", text: "", redacted: true, data: "aGlkZGVu", signedBy: "openai" },
      "data",
    ],
    [
      "the name of a file",
      "user",
      { type: "file", mimeType: "application/pdf", data: PNG, name: "a.pdf" },
      "name",
    ],
  ])("%s is kept, or refused", async (_, role, block, field) => {
    await begin(format);
    const append = role === "user" ? adapter.appendUserMessage : adapter.appendAssistantMessage;
    const code = await append.call(adapter, [text, block]).then(
      () => null,
      (error: { readonly code?: unknown }) => error.code ?? error,
    );
    const fieldOf = (each: Block): unknown =>
      (each as Readonly<Record<string, unknown>> & Block)[field as "type"];
    const read = (await adapter.loadHistory()).flatMap(({ content }) => content).map(fieldOf);
    if (code === null) expect(read).toContain(fieldOf(block));
    else expect(code).toBe("invalid");
  });
});

test("sealed thinking of another vendor is refused, because Claude Code would treat it as its own", async () => {
  await begin("ccsdk");
  const sealed: Block = { type: "thinking", text: "Hm.", signature: "c2ln", signedBy: "openai" };
  await expect(adapter.appendAssistantMessage([sealed])).rejects.toMatchObject({ code: "invalid" });
});

const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;
const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;

test.each<readonly [AdapterFormat, RegExp, RegExp]>([
  ["ccsdk", V4, V4],
  ["codex", V7, /^msg_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u],
  ["gemini", V4, V4],
  ["opencode", /^ses_[0-9a-f]{12}[0-9A-Za-z]{14}$/u, /^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/u],
  ["pi-agent", V7, /^[0-9a-f]{8}$/u],
])("ids that are written for %s have the agent's own form", async (format, session, message) => {
  await begin(format);
  expect((await adapter.getMetadata()).sessionId).toMatch(session);
  expect(await adapter.appendUserMessage("Again.")).toMatch(message);
});
