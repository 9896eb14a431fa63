/**
 * The model view of damaged records equals what the real agent sends. Each damage was compared with the agent's
 * request; `test/agents/repair/` compares random damage.
 */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkNativeSession, type Places, readNativeSession, repairNativeSession } from "@continuo/agents";
import type { AgentName, SessionInfo } from "@continuo/core/model";
import { beforeEach, describe, expect, test } from "vitest";
import { type Item, normaliseView, TELLS_ERRORS } from "../agents/items.ts";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { DAMAGED_VIEWS, withHeaderAgain } from "./damaged-views.ts";
import { recordsOf } from "./hostile-changes.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("view");
});

interface Laid {
  readonly places: Places;
  readonly session: SessionInfo;
}

async function layOut(agent: AgentName, fixture: string): Promise<Laid> {
  const { places, sessions } = await copyHome(scratch, [agent, fixture]);
  const [session] = sessions;
  if (session === undefined) throw new Error("the fixture has no session");
  return { places, session };
}

type View = readonly Item[];

async function viewOf({ places, session: { agent, sessionId } }: Laid): Promise<View> {
  const { messages } = await readNativeSession(`${agent}:${sessionId}`, { places, view: "model" });
  return normaliseView(messages, { tellsErrors: TELLS_ERRORS.has(agent), sentBy: agent });
}

async function repair({ places, session: { agent, sessionId } }: Laid): Promise<void> {
  await repairNativeSession(`${agent}:${sessionId}`, { places, write: "in place" });
}

describe.each(DAMAGED_VIEWS)("$agent, where $what", (each) => {
  test("the view is what the agent sends, before and after a repair", async () => {
    const laid = await layOut(each.agent, each.fixture);
    const sound = await viewOf(laid);
    const records = recordsOf(each.agent, laid.session.location);
    const at = records.texts.findIndex((text) => each.fits(JSON.parse(text)));
    expect(at).toBeGreaterThan(-1);
    const damaged = JSON.parse(records.texts[at] ?? "");
    each.damage(damaged);
    records.write(records.texts.with(at, JSON.stringify(damaged)));
    const sent = each.sent(sound);
    expect(await viewOf(laid)).toEqual(sent);
    await repair(laid);
    expect(await viewOf(laid)).toEqual(each.mended === "whole" ? sound : (each.mended?.(sound) ?? sent));
  });
});

describe("Codex", () => {
  test("reads no line with bytes that are no UTF-8", async () => {
    const laid = await layOut("codex", "paginated");
    const sound = await viewOf(laid);
    const bytes = readFileSync(laid.session.location);
    const item = bytes.indexOf('"type":"output_text","text":"I read both."');
    bytes[item + '"type":"output_text","text":"I '.length] = 0xff;
    writeFileSync(laid.session.location, bytes);
    expect(await viewOf(laid)).toEqual(
      sound.filter((each) => !JSON.stringify(each).includes("I read both.")),
    );
  });

  test("sends no record from before a second header, which a repair removes", async () => {
    const laid = await layOut("codex", "paginated");
    const sound = await viewOf(laid);
    const records = recordsOf("codex", laid.session.location);
    records.write([...records.texts, ...withHeaderAgain(records.texts)]);
    expect(await viewOf(laid)).toEqual([]);
    const { messages } = await readNativeSession(laid.session, { places: laid.places });
    expect(messages.at(-1)?.content).toMatchObject([{ text: expect.stringContaining("A second header") }]);
    await repair(laid);
    expect(await viewOf(laid)).toEqual(sound);
  });
});

describe("Copilot", () => {
  test.each(["assistant.message", "user.message"])(
    "ignores a line of %s with bytes that are no UTF-8, until a repair",
    async (type) => {
      const laid = await layOut("copilot", "text-and-thinking");
      const sound = await viewOf(laid);
      const bytes = readFileSync(laid.session.location);
      const line = bytes.lastIndexOf(`{"type":"${type}"`);
      const { data } = JSON.parse(bytes.toString("utf8", line, bytes.indexOf("\n", line)));
      const key = bytes.indexOf('"interactionId"', line);
      bytes[key + 1] = 0xff;
      writeFileSync(laid.session.location, bytes);
      const parts = [data.content, data.reasoningText ?? data.content];
      const ignored = (item: Item): boolean =>
        item.kind === "text" || item.kind === "thinking" ? parts.includes(item.text) : false;
      expect(sound.filter(ignored).length).toBeGreaterThan(0);
      expect(await viewOf(laid)).toEqual(sound.filter((item) => !ignored(item)));
      const { problems } = await checkNativeSession(laid.session.location, { places: laid.places });
      expect(problems.map(({ code }) => code)).toEqual(["bad_utf8"]);
      await repair(laid);
      expect(await viewOf(laid)).toEqual(sound);
    },
  );
});

describe("Gemini CLI", () => {
  const damaged = async (
    change: (parts: Record<string, unknown>[]) => void,
  ): Promise<readonly [Laid, View]> => {
    const laid = await layOut("gemini", "parallel-tools");
    const sound = await viewOf(laid);
    const { texts, write } = recordsOf("gemini", laid.session.location);
    const at = texts.findLastIndex((text) => JSON.parse(text).content?.[1]?.functionResponse !== undefined);
    const record = JSON.parse(texts[at] ?? "");
    change(record.content);
    write(texts.with(at, JSON.stringify(record)));
    return [laid, sound];
  };

  test("sends a part without a known name behind a result", async () => {
    let id: unknown;
    const [laid, sound] = await damaged((parts) => {
      const { functionResponse, ...rest } = parts.pop() ?? {};
      id = (functionResponse as { readonly id: unknown }).id;
      parts.push({ ...rest, functionResponsf: functionResponse });
    });
    const result = sound.findLastIndex((item) => item.kind === "result" && item.id === id);
    expect(await viewOf(laid)).toEqual(sound.toSpliced(result + 1, 0, { kind: "other", value: {} }));
  });

  test("does not send a slash command before results", async () => {
    const [laid, sound] = await damaged((parts) => parts.unshift({ text: "/look" }));
    expect(await viewOf(laid)).toEqual(sound);
  });
});

test("the header of the thread that started a sub-agent of Codex is no damage", async () => {
  cpSync(join(import.meta.dirname, "../formats/codex/sub-agent/home"), join(scratch, "agent"), {
    recursive: true,
  });
  const places = { home: scratch, env: { CODEX_HOME: join(scratch, "agent") } };
  const day = join(scratch, "agent/sessions/2026/11/21");
  const child = join(day, "rollout-2026-11-21T22-53-40-01a20050-baf5-7330-87a1-0eb5a788eb57.jsonl");
  const { problems } = await checkNativeSession(child, { places });
  expect(problems.map(({ code }) => code)).not.toContain("cannot_resume");
  const { edits } = await repairNativeSession(child, { places });
  expect(edits.filter(({ reason }) => reason.includes("header"))).toEqual([]);
});
