import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Message } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { readNativeSession } from "../native/index.ts";
import type { AdapterFormat, SessionAdapter } from "./append/index.ts";
import { openSessionAdapter } from "./session-adapter.ts";

let home: string;
let places: Places;
beforeEach(() => {
  home = scratchFolder("adapter");
  places = { home, env: {} };
});

function create(format: AdapterFormat): SessionAdapter {
  return openSessionAdapter({ format, places, create: { cwd: join(home, "project"), title: "Tea" } });
}

/** Returns the content of a message, without its place. */
function said({ role, content }: Message): unknown {
  return { role, content: content.map(({ native: _native, ...block }) => block) };
}

describe("records that the agent could not continue from are refused", () => {
  const call = (id: string): Block => ({ type: "tool_call", id, name: "Read", args: {} });

  test("a prompt for pi between a call and its result", async () => {
    await using adapter = create("pi-agent");
    await adapter.appendUserMessage("One.");
    await adapter.appendAssistantMessage([call("a"), call("b")]);
    await adapter.appendToolResult("a", "a note");
    const prompt = adapter.appendUserMessage("Two.");
    await expect(prompt).rejects.toMatchObject({ code: "invalid", details: { waiting: ["b"] } });
    await adapter.appendToolResult("b", "a note");
    await adapter.appendUserMessage("Two.");
  });

  test("not if pi does not send the answer that broke off", async () => {
    const first = create("pi-agent");
    await first.appendUserMessage("One.");
    await first.appendAssistantMessage([call("a")]);
    const { sessionFile } = first;
    await first.close();
    const lines = readFileSync(sessionFile, "utf8").replace(
      /"role":"assistant"/u,
      '$&,"stopReason":"aborted"',
    );
    writeFileSync(sessionFile, lines.replace(/,"stopReason":"toolUse"/u, ""));
    await using second = openSessionAdapter({ format: "pi-agent", sessionFile, places });
    await second.appendUserMessage("Two.");
  });

  test.each([
    ["call", "call", false],
    ["call", "call_1", false],
    ["call_2", "call", false],
    ["call", "call-1", true],
    ["call_1", "call_2", true],
  ])("a call of claude after %s with the id %s: taken is %s", async (earlier, id, isTaken) => {
    await using adapter = create("ccsdk");
    await adapter.appendUserMessage("One.");
    await adapter.appendAssistantMessage([call(earlier)]);
    await adapter.appendToolResult(earlier, "a note");
    const later = adapter.appendAssistantMessage([call(id)]);
    if (isTaken) await later;
    else
      await expect(later).rejects.toMatchObject({
        code: "invalid",
        hint: expect.stringContaining("another id"),
      });
  });

  test("a session of claude that begins with an answer, of which nothing is written", async () => {
    await using adapter = create("ccsdk");
    await expect(adapter.appendAssistantMessage("Hello.")).rejects.toMatchObject({ code: "invalid" });
    expect(await adapter.loadHistory()).toEqual([]);
    await adapter.appendUserMessage("One.");
    await adapter.appendAssistantMessage("Hello.");
  });
});

test("a picture can be given as base64", async () => {
  await using adapter = create("ccsdk");
  await adapter.appendUserMessage("Look.", [{ mimeType: "image/png", base64: "iVBORw0KGgo=" }]);
  const [message] = (await adapter.loadHistory()).filter(({ role }) => role === "user");
  expect(message?.content).toContainEqual(expect.objectContaining({ type: "image", data: "iVBORw0KGgo=" }));
});

test("a picture can be given as base64 in the blocks of a prompt and in a result", async () => {
  await using adapter = create("ccsdk");
  const picture = { type: "image", mimeType: "image/png", base64: "iVBORw0KGgo=" } as unknown as Block;
  await adapter.appendUserMessage([{ type: "text", text: "Look." }, picture]);
  await adapter.appendAssistantMessage([{ type: "tool_call", id: "a", name: "look", args: {} }]);
  await adapter.appendToolResult("a", [picture]);
  const history = await adapter.loadHistory();
  const told = history.filter(({ role }) => role !== "assistant").map((message) => JSON.stringify(message));
  expect(told).toHaveLength(2);
  for (const message of told) expect(message).toContain('"data":"iVBORw0KGgo="');
});

test.each(["version-1", "version-2"])(
  "a pi session of %s is brought to version 3, and the old file is in the trash",
  async (name) => {
    cpSync(
      join(import.meta.dirname, "../../../../test/formats/pi", name, "home/sessions"),
      join(home, "sessions"),
      { recursive: true },
    );
    const [sessionFile = ""] = globSync(join(home, "sessions/*/*.jsonl"));
    const old = readFileSync(sessionFile);
    const before = await readNativeSession(sessionFile, { places });
    {
      await using adapter = openSessionAdapter({ format: "pi-agent", sessionFile, places });
      await adapter.appendUserMessage("And now?");
      await adapter.appendAssistantMessage("Now too.");
    }
    const after = await readNativeSession(sessionFile, { places });
    expect(JSON.parse(readFileSync(sessionFile, "utf8").split("\n")[0] ?? "")).toMatchObject({ version: 3 });
    expect(after.messages.slice(0, -2).map(said)).toEqual(before.messages.map(said));
    expect(after.messages.slice(-2).map(({ content }) => content)).toMatchObject([
      [{ text: "And now?" }],
      [{ text: "Now too." }],
    ]);
    expect(after.problems).toEqual(before.problems);
    const kept = readdirSync(join(home, ".continuo", "trash"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    expect(kept).toContainEqual(old);
  },
);
