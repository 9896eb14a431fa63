/**
 * For a damaged session, `--model-view` shows what the real agent sends. Each record of a conversation in turn is lost,
 * loses its time, or becomes empty.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { readNativeSession } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import { expect, test } from "vitest";
import { numbersOfRun } from "../../sizes/rotation.ts";
import { AGENTS } from "../append/begin.ts";
import { type Item, normaliseView, TELLS_ERRORS } from "../items.ts";
import { openStage, type Stage } from "./stage.ts";

interface Damage {
  readonly what: string;
  /** Returns the lines of the damaged file, or `null` if the damage does not apply to this line. */
  readonly lay: (records: readonly Json[], at: number) => readonly Json[] | null;
}

const LOST: Damage = { what: "is lost", lay: (records, at) => records.toSpliced(at, 1) };

/** All results from a line on are lost, so that no call of an answer has a result. */
const ALL_RESULTS: Damage = {
  what: "and all results after it are lost",
  lay: (records, at) =>
    holdsResult(records[at]) ? records.filter((record, line) => line < at || !holdsResult(record)) : null,
};

function holdsResult(record: Json | undefined): boolean {
  return JSON.stringify(record).includes('"type":"tool_result"');
}

const withField = (field: string, value: unknown): Damage => ({
  what: `has ${JSON.stringify(value) ?? "nothing"} as its ${field}`,
  lay: (records, at) => records.with(at, { ...records[at], [field]: value }),
});

const withResult = (text: string | null): Damage => ({
  what: text === null ? "is a result without a block" : `says ${JSON.stringify(text)} as a result`,
  lay(records, at) {
    const message = records[at]?.message;
    if (!isJson(message) || message.role !== "toolResult") return null;
    const content = text === null ? [] : [{ type: "text", text }];
    return records.with(at, { ...records[at], message: { ...message, content } });
  },
});

/** Lines of the conversation. */
const SAID: Readonly<Partial<Record<AgentName, (record: Json) => boolean>>> = {
  claude: ({ type }) => type === "user" || type === "assistant",
  codex: ({ type }) => type === "response_item" || type === "event_msg" || type === "turn_context",
  pi: ({ type }) => type === "message",
};

const DAMAGES: Readonly<Partial<Record<AgentName, readonly Damage[]>>> = {
  claude: [LOST, ALL_RESULTS],
  codex: [withField("timestamp", 7), withField("timestamp", undefined), LOST],
  pi: [withResult(""), withResult(" \n"), withResult(null), LOST],
};

test.each(AGENTS.filter(({ agent }) => DAMAGES[agent] !== undefined))(
  "the model view of a damaged session of $agent equals its request",
  async (each) => {
    await using stage = await openStage(each);
    const lines = readFileSync(stage.session.sessionFile, "utf8").trimEnd().split("\n");
    const records = lines.map((line): Json => JSON.parse(line));
    const said = [...records.keys()].filter((at) => SAID[each.agent]?.(records[at] ?? {}));
    const damaged = said.flatMap((at) =>
      (DAMAGES[each.agent] ?? []).flatMap(({ what, lay }) => {
        const changed = lay(records, at);
        return changed === null ? [] : [{ what: `line ${at + 1} ${what}`, changed }];
      }),
    );
    expect(damaged.length).toBeGreaterThan(4);
    const differing: unknown[] = [];
    for (const number of numbersOfRun(damaged.length)) {
      const { what = "", changed = [] } = damaged[number] ?? {};
      stage.reset();
      writeFileSync(
        stage.session.sessionFile,
        changed.map((record) => `${JSON.stringify(record)}\n`).join(""),
      );
      const view = await viewOf(stage, each.agent);
      const { items, failure } = await stage.resume();
      if (failure !== null || items === null) continue;
      if (JSON.stringify(items) !== JSON.stringify(view)) differing.push({ what, view, items });
    }
    expect(differing).toEqual([]);
  },
  1_200_000,
);

async function viewOf({ places, session }: Stage, agent: AgentName): Promise<readonly Item[]> {
  const { messages } = await readNativeSession(`${agent}:${session.sessionId}`, { places, view: "model" });
  return normaliseView(messages, { tellsErrors: TELLS_ERRORS.has(agent) });
}
