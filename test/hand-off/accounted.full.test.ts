/**
 * The receipt accounts for the whole session: each block of its history is on one line (and on another one if a limit
 * cut it), and each record either became a message or is on a line itself.
 */

import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  formatOf,
  type HandOffOptions,
  HOME_VARIABLES,
  handOff,
  listNativeSessions,
  openNativeSession,
  type Receipt,
} from "@continuo/agents";
import { AGENT_NAMES, type Entry, type Message, type RecordPlace } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Home, openHome } from "./homes.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const FORMATS = join(import.meta.dirname, "../formats");

let at: Home;
beforeAll(() => {
  at = openHome();
});
afterAll(() => at[Symbol.dispose]());

const CASES = AGENT_NAMES.flatMap((agent) =>
  [join(FIXTURES, agent), join(FORMATS, agent), join(FORMATS, agent, "cases")]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder).map((name) => ({ agent, name, from: join(folder, name, "home") })),
    )
    .filter(({ from }) => existsSync(from)),
);

const LIMITS: readonly Partial<HandOffOptions>[] = [
  { strategy: "recent" },
  { maxMessages: 2 },
  { maxTokens: 5 },
  { maxTokens: 60 },
];

interface Source {
  readonly history: readonly Message[];
  readonly entries: readonly Entry[];
  /** The messages of one record, which replaces all earlier ones. */
  readonly replacing: readonly Message[];
}

test.each(CASES)("$agent $name", async ({ agent, name, from }) => {
  const copy = join(at.home, agent, name);
  cpSync(from, copy, { recursive: true });
  const places = { ...at.places, env: { ...at.places.env, [HOME_VARIABLES[agent]]: copy } };
  const { modelView } = await formatOf(agent);
  for (const { location } of await listNativeSessions({ agents: [agent], places, archived: "include" })) {
    using session = await openNativeSession(location, { places });
    const history = await Array.fromAsync(session.history());
    const before = await Array.fromAsync(session.entriesBefore?.() ?? []);
    const entries = [...before, ...(await Array.fromAsync(session.entries()))];
    const known = new Set(history.map(({ id }) => id));
    const view = modelView(history);
    const replacing = view.filter(({ id, metadata }) => {
      // The line of a message also accounts for its parts.
      const isPart = isJson(metadata.codex) && known.has(String(metadata.codex.partOf));
      return !known.has(id) && !isPart && metadata.records !== undefined;
    });
    const recorded = view.filter(({ id }) => known.has(id));
    const middle = recorded[Math.floor(recorded.length / 2)]?.id;
    const limits = [...LIMITS, ...(middle === undefined ? [] : [{ fromMessage: middle }])];
    // The same messages remain within a limit for every target.
    const whole = AGENT_NAMES.map((to) => ({ to }));
    const parts = limits.map((limit, nth) => ({
      to: AGENT_NAMES[nth % AGENT_NAMES.length] ?? "pi",
      ...limit,
    }));
    for (const options of [...whole, ...parts]) {
      const handing = handOff(location, { cwd: at.cwd, places, until: "receipt", ...options });
      expectAccounted(await receiptOf(handing), { history, entries, replacing });
    }
  }
});

/** A hand-over without any message for a model has a receipt too. */
async function receiptOf(handing: ReturnType<typeof handOff>): Promise<Receipt> {
  return await handing.then(
    (made) => made.receipt,
    (error) => {
      if (error.code !== "invalid" || error.details.receipt === undefined) throw error;
      return error.details.receipt;
    },
  );
}

const CUT = "cut to the limit";

function expectAccounted(receipt: Receipt, { history, entries, replacing }: Source): void {
  const told = receipt.records.filter(({ reason }) => reason !== CUT);
  const lines = Map.groupBy(told, ({ place }) => place);
  const messages = Map.groupBy([...history, ...replacing], ({ metadata }) => nameOf(metadata.records?.[0]));
  for (const [place, said] of messages) {
    const kinds = (lines.get(place) ?? []).map(({ kind }) => kind).toSorted();
    const blocks = said.flatMap(kindsOf).toSorted();
    // An insertion of the agent that is not handed over is reported as such.
    if (said.some(isAside)) expect({ place, lines: kinds.length }).toEqual({ place, lines: blocks.length });
    else expect({ place, kinds }).toEqual({ place, kinds: blocks });
  }
  for (const { place, outcome, reason } of receipt.records) {
    expect({ place, isTold: reason !== "" }).toEqual({
      place: expect.stringMatching(/./u),
      isTold: outcome !== "kept",
    });
    if (reason === CUT) expect(lines.has(place)).toBe(true);
  }
  const made = new Set(history.flatMap(({ metadata }) => (metadata.records ?? []).map(nameOf)));
  const lost = entries.map((entry) => entry.row ?? nameOf(placeOf(entry))).filter((name) => !made.has(name));
  expect(lost.filter((name) => !lines.has(name))).toEqual([]);
}

function nameOf(place: RecordPlace | undefined): string {
  if (place?.row !== undefined) return place.row;
  return place?.file === undefined ? `line ${place?.line ?? "?"}` : `${place.file}:${place.line ?? "?"}`;
}

function placeOf({ file, line }: Entry): RecordPlace {
  return { ...(file === undefined ? {} : { file }), ...(line === null ? {} : { line }) };
}

function isAside({ role, origin }: Message): boolean {
  return role === "system" || origin === "injected" || origin === "notification" || origin === "error";
}

function kindsOf({ content }: Message): string[] {
  if (content.length === 0) return ["other"];
  const apart = content.flatMap((block) =>
    block.type === "tool_result" ? [block, ...block.content.filter(({ type }) => type !== "text")] : [block],
  );
  return apart.map(({ type }) => (type === "unknown" ? "other" : type));
}
