/**
 * Random walks by keys and clicks: every figure that the viewer shows equals the one that the library computes from the
 * files. The walks follow from a seed (`CONTINUO_WALK_SEED`); the full size makes 1,000 of them, CI a third of these, and
 * `CONTINUO_WALKS` any number.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message, SessionFacts } from "@continuo/core/model";
import { textInIsolates } from "@continuo/core/transcript";
import { type NativeSession, readNativeDetails, readNativeList, readNativeSession } from "@continuo/native";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cost, counted, tokens } from "../../web/content/words.ts";
import { CLAUDE_ID, claudeFile, cleanEnv, type Home } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { ALL_ROUNDS } from "../sizes/counts.ts";
import { numbersOfRun } from "../sizes/rotation.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { SAMPLE_ID, sampleHome } from "./sample-home.ts";

const WALKS = Number(process.env.CONTINUO_WALKS ?? (ALL_ROUNDS ? 1_000 : 40));
const SEED = Number(process.env.CONTINUO_WALK_SEED ?? 33);
const STEPS = 3;
const DAY_MS = 86_400_000;
/** Codex injects permissions, modes and tools before the person's first question. */
const CODEX_ID = "01a21a6c-bf62-7f71-80c7-28c7682b4209";
const CODEX_FILE = `sessions/2026/11/27/rollout-2026-11-27T00-34-24-${CODEX_ID}.jsonl`;
const PRICED_ID = "4bf3f11d-0000-4000-8000-00000000000d";

let viewer: OpenViewer;
let home: Home;
beforeAll(async () => {
  home = sampleHome();
  const sample = readFileSync(join(home.path, claudeFile(SAMPLE_ID)), "utf8");
  // This session has a model with a price.
  home.write(
    claudeFile(PRICED_ID),
    sample.replaceAll(SAMPLE_ID, PRICED_ID).replaceAll('"model-a"', '"claude-sonnet-4-5"'),
  );
  const codex = readFileSync(
    join(import.meta.dirname, "../fixtures/codex/plan-and-shell/home", CODEX_FILE),
    "utf8",
  );
  // The session of Codex gets a model without a price, and becomes as old as the others.
  const unpriced = codex.replaceAll('"model":"gpt-5.5"', '"model":"model-a"');
  home.write(`.codex/${CODEX_FILE}`, unpriced.replaceAll('"2026-11-27T', '"2026-01-27T'));
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

interface Figures {
  readonly facts: readonly string[];
  readonly problems: string | null;
  readonly line: readonly string[];
  readonly rail: readonly string[];
  readonly questions: readonly (readonly [number: string, text: string])[];
  readonly feet: readonly (readonly [number: string, text: string])[];
  readonly details: Readonly<Record<string, string>>;
  readonly files: readonly (readonly [path: string, counts: string])[];
  readonly film: string | null;
  readonly count: string | null;
  readonly rows: readonly (readonly [key: string, turns: string, cost: string])[];
  readonly usage: Readonly<Record<string, string>>;
}

/** The figures on the screen, and the parts to which they belong. */
const shown = (page: Page): Promise<Figures> =>
  page.evaluate(`(() => {
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const text = (selector, root = document) => root.querySelector(selector)?.textContent.trim() ?? null;
    const lines = all("main.turns:not(.film) .line").sort((a, b) => a.dataset.index - b.dataset.index);
    const numberIn = (line) => /\\d+/.exec(text(".question .number", line) ?? "")?.[0] ?? null;
    let number = null;
    const feet = [];
    for (const line of lines) {
      number = numberIn(line) ?? number;
      const foot = text(".turn-foot", line);
      if (foot !== null && number !== null) feet.push([number, foot]);
    }
    return {
      facts: all(".session-head .facts bdi").map((one) => one.textContent),
      problems: text(".session-head .facts .damaged"),
      line: all(".facts-line[aria-expanded=false] .words > span").map((one) => one.textContent),
      rail: all(".turn-line .number").map((one) => one.textContent),
      questions: lines.flatMap((line) => {
        const asked = line.querySelector(".question .asked, .question .said");
        return asked === null ? [] : [[numberIn(line), asked.textContent.trim()]];
      }),
      feet,
      details: Object.fromEntries(all(".fields > div").map((one) => [text("dt", one), text("dd", one)])),
      files: all(".file-list li").map((one) => [one.querySelector("button").title, text(".counts", one) ?? ""]),
      film: text(".replay output"),
      count: text(".find-line output"),
      rows: all("a.row").map((row) => [decodeURIComponent(row.hash.split("/")[2].split("?")[0]), text(".turns", row), text(".cost", row)]),
      usage: Object.fromEntries(all(".usage-totals > *").map((one) => [text("dt", one), text("dd", one)])),
    };
  })()`);

/** The figures of sessions by the library; each session is read only once. */
interface Known {
  readonly details: Awaited<ReturnType<typeof readNativeDetails>>;
  readonly facts: SessionFacts;
}

const places = () => ({ home: home.path, env: cleanEnv(home.path) });
const known = new Map<string, Promise<Known>>();
const histories = new Map<string, Promise<NativeSession>>();

function sessionOf(key: string): Promise<Known> {
  const read = async (): Promise<Known> => {
    const { stdout } = await runHere(home, ["session", "show", key, "--facts", "--json"]);
    return { details: await readNativeDetails(key, { places: places() }), facts: JSON.parse(stdout).facts };
  };
  const found = known.get(key) ?? read();
  known.set(key, found);
  return found;
}

function historyOf(key: string, view: "history" | "model", leaf: string | null): Promise<NativeSession> {
  const name = JSON.stringify([key, view, leaf]);
  const found =
    histories.get(name) ??
    readNativeSession(key, { places: places(), view, ...(leaf === null ? {} : { leaf }) });
  histories.set(name, found);
  return found;
}

/** The messages of all branches; each is included once. */
async function everyMessageOf(key: string): Promise<readonly Message[]> {
  const { leaves } = await historyOf(key, "history", null);
  const byId = new Map<string, Message>();
  for (const { id } of leaves) {
    const { messages } = await historyOf(key, "history", id);
    for (const message of messages) byId.set(message.id, message);
  }
  return [...byId.values()];
}

interface FigureTurn {
  readonly asked: string;
  tokens: number;
}

/** A turn begins with the words of a person. */
function turnsOf(messages: readonly Message[]): readonly FigureTurn[] {
  const turns: FigureTurn[] = [];
  for (const { role, origin, content, usage } of messages) {
    if (role === "user" && origin === "person") {
      const asked = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      turns.push({ asked, tokens: 0 });
    }
    const turn = turns.at(-1);
    if (turn !== undefined && usage !== undefined) turn.tokens += sumOf(usage);
  }
  return turns;
}

function sumOf({
  inputTokens,
  outputTokens,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
}: NonNullable<Message["usage"]>): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

let compared = 0;

/** The differences between figures, as sentences. */
class Comparison {
  readonly faults: string[] = [];
  readonly #at: string;

  constructor(at: string) {
    this.#at = at;
  }

  is(what: string, seen: unknown, expected: unknown): void {
    compared++;
    if (seen !== expected)
      this.faults.push(`${this.#at}: ${what} is ${seen}, and ${expected} in the library`);
  }
}

async function faultsIn(page: Page): Promise<readonly string[]> {
  const { hash } = new URL(page.url());
  const [, name = "", key = ""] = (hash.split("?")[0] ?? "").split("/");
  const query = new URLSearchParams(hash.split("?")[1]);
  const comparison = new Comparison(hash);
  const figures = await shown(page);
  // The address changed while the figures were read.
  if (new URL(page.url()).hash !== hash) return [];
  if (name === "session") {
    await compareSession(comparison, decodeURIComponent(key), query, figures);
  } else if (name === "") await compareList(comparison, query, figures);
  else if (name === "usage") await compareUsage(comparison, query, figures);
  return comparison.faults;
}

async function compareSession(
  comparison: Comparison,
  key: string,
  query: URLSearchParams,
  { facts: line, problems, line: happened, rail, questions, feet, details, files, film }: Figures,
): Promise<void> {
  const { details: own, facts } = await sessionOf(key);
  const all = turnsOf(await everyMessageOf(key));
  const view = query.get("view") === "model" ? "model" : "history";
  const { messages } = await historyOf(key, view, query.get("branch"));
  const turns = turnsOf(messages);
  const used = own.usage === null ? 0 : sumOf(own.usage);
  for (const text of line) {
    if (/^\d+ turns?$/u.test(text)) {
      const total = own.branches > 1 ? all.length : turns.length;
      comparison.is("the number of turns", text, counted(total, "turn"));
    }
    const [, branch] = /^this branch: (.*)$/u.exec(text) ?? [];
    if (branch !== undefined) {
      const spent = turns.reduce((sum, turn) => sum + turn.tokens, 0);
      const words = `${counted(turns.length, "turn")}, ${tokens(spent)} tokens`;
      comparison.is("the figures of the branch", branch, words);
      continue;
    }
    if (text.endsWith(" tokens")) comparison.is("the tokens", text, `${tokens(used)} tokens`);
  }
  if (problems !== null)
    comparison.is("the number of problems", problems, counted(own.problems.length, "problem"));
  if (rail.length > 0) comparison.is("the turns of the rail", rail.length, turns.length);
  const isWhole = view === "history" && query.get("branch") === null;
  for (const text of isWhole ? happened : []) {
    const [, count, added, removed] = /^(\d+) files? \+(\d+) −(\d+)$/u.exec(text) ?? [];
    if (count === undefined) continue;
    comparison.is("the changed files", Number(count), facts.fileCount);
    comparison.is("the added lines", Number(added), facts.added);
    comparison.is("the removed lines", Number(removed), facts.removed);
  }
  for (const [number, text] of questions) {
    const asked = textInIsolates(turns[Number(number) - 1]?.asked ?? "no turn").trim();
    const [first = ""] = asked.split("\n");
    comparison.is(`the question ${number}`, text.startsWith(first.slice(0, 20)), true);
  }
  for (const [number, text] of feet) {
    const [seen] = /[\d.]+[kM]? tokens/u.exec(text) ?? [];
    comparison.is(
      `the tokens of turn ${number}`,
      seen,
      `${tokens(turns[Number(number) - 1]?.tokens ?? -1)} tokens`,
    );
  }
  if (details.Messages !== undefined) {
    const { total, user, assistant, tool } = own.messages;
    comparison.is(
      "Messages",
      details.Messages,
      `${total} (${user} user, ${assistant} assistant, ${tool} tool)`,
    );
    comparison.is("Tool calls", details["Tool calls"], String(own.toolCalls));
    if (own.usage !== null)
      comparison.is("Tokens out", details["Tokens out"], tokens(own.usage.outputTokens));
  }
  for (const [path, counts] of isWhole ? files : []) {
    const file = facts.files.find((one) => path.endsWith(one.path) || one.path.endsWith(path));
    if (file !== undefined && counts !== "")
      comparison.is(`the lines of ${path}`, counts, `+${file.added} −${file.removed}`);
  }
  if (film !== null)
    comparison.is("the length of the film", film.split(" of ")[1], messages.length.toLocaleString("en"));
}

async function compareList(
  comparison: Comparison,
  query: URLSearchParams,
  { count, rows }: Figures,
): Promise<void> {
  const { sessions } = await readNativeList({ places: places() });
  const agents = query.get("agents")?.split(",");
  const isPlain = [...query.keys()].every((name) => ["agents", "sort", "at", "chosen"].includes(name));
  const listed = sessions.filter(({ agent }) => agents === undefined || agents.includes(agent));
  if (isPlain && count !== null)
    comparison.is("the number of sessions", count, counted(listed.length, "session"));
  for (const [key, turns, price] of rows) {
    const asked = turnsOf(await everyMessageOf(key)).length;
    if (turns !== "") comparison.is(`the turns of ${key}`, turns, counted(asked, "turn"));
    if (price !== "") comparison.is(`the cost of ${key}`, price, await priceOf(key));
  }
}

/** Only one session has a price. */
async function priceOf(key: string): Promise<string> {
  const { total } = await stats("all");
  return key.endsWith(PRICED_ID) ? cost(total.costUsd) : "none";
}

interface Stats {
  readonly total: {
    readonly costUsd: number;
    readonly turns: number;
    readonly sessions: number;
    readonly tokens: { readonly total: number };
  };
}

const counts = new Map<string, Promise<Stats>>();

function stats(days: string): Promise<Stats> {
  const read = async (): Promise<Stats> => {
    const since = days === "all" ? "2000-01-01" : new Date(Date.now() - Number(days) * DAY_MS).toISOString();
    return JSON.parse((await runHere(home, ["stats", "--json", "--since", since])).stdout);
  };
  const found = counts.get(days) ?? read();
  counts.set(days, found);
  return found;
}

async function compareUsage(
  comparison: Comparison,
  query: URLSearchParams,
  { usage }: Figures,
): Promise<void> {
  if (usage.Sessions === undefined) return;
  const { total } = await stats(query.get("days") ?? "30");
  comparison.is("the sessions of the period", usage.Sessions, total.sessions.toLocaleString("en"));
  comparison.is("the turns of the period", usage.Turns, total.turns.toLocaleString("en"));
  comparison.is("the tokens of the period", usage.Tokens, tokens(total.tokens.total));
  comparison.is("the cost of the period", usage.Cost, cost(total.costUsd ?? 0));
}

const KEYS = ["j", "k", "t", "m", "f", "[", "]", "g", "G", "Enter", "u", "ArrowDown"];
const CONTROLS = [
  ".tabs a",
  ".top-link",
  "a.row",
  ".turn-line",
  "nav.filters button",
  "main [aria-expanded]",
  ".switches button",
  ".file-list button",
  ".usage-choices a",
  ".replay button",
  ".branch-tree button",
  "main a[href^='#/session']",
].join(", ");

function* numbers(seed: number): Generator<number, never, void> {
  for (let state = seed; ; state = (state * 48_271) % 2_147_483_647) yield state;
}

/** One evaluation chooses an element and clicks it, so that the element cannot disappear in between. */
async function step(page: Page, number: number): Promise<void> {
  const key = KEYS[number % KEYS.length] ?? "j";
  if (number % 5 < 2) {
    await page.evaluate("document.activeElement?.blur?.()");
    await page.keyboard.press(key);
    return;
  }
  await page.evaluate(`(() => {
    const all = [...document.querySelectorAll(${JSON.stringify(CONTROLS)})].filter((one) => one.checkVisibility());
    all[${number} % all.length]?.click();
  })()`);
}

/** The faults after the page stopped changing: a figure that is still being computed is not a fault. */
async function faultsAfterRest(page: Page): Promise<readonly string[]> {
  let faults: readonly string[] = [];
  for (let tries = 0; tries < 20; tries++) {
    await page.waitForTimeout(tries === 0 ? 60 : 150);
    faults = await faultsIn(page);
    if (faults.length === 0) return faults;
  }
  return faults;
}

test("a session with branches shows the turns and tokens of all branches, and those of the shown branch", async () => {
  const { page, errors } = await viewer.open(`/session/claude%3A${CLAUDE_ID}`);
  const facts = page.locator(".session-head .facts bdi");
  await facts.filter({ hasText: "this branch" }).waitFor();
  expect(await facts.allTextContents()).toEqual(
    expect.arrayContaining(["2 turns", "3.1k tokens", "this branch: 2 turns, 2k tokens"]),
  );
  expect(errors).toEqual([]);
  await page.context().close();
});

test("on random walks, every figure that is shown equals the library's", { timeout: 3_000_000 }, async () => {
  const { page, errors } = await viewer.open("/");
  await page.waitForSelector(".row");
  const starts = [
    "#/",
    `#/session/claude%3A${SAMPLE_ID}`,
    `#/session/claude%3A${PRICED_ID}`,
    `#/session/codex%3A${CODEX_ID}`,
    "#/usage?days=all",
  ];
  const random = numbers(SEED);
  const walks = new Set(numbersOfRun(WALKS));
  const faults: string[] = [];
  for (let walk = 0; walk < WALKS && faults.length < 5; walk++) {
    // A walk has the same steps, no matter which part of the walks a run makes.
    const steps = Array.from({ length: STEPS }, () => random.next().value);
    if (!walks.has(walk)) continue;
    const note = (found: readonly string[]): void => {
      faults.push(...found.map((fault) => `walk ${walk}: ${fault}`));
    };
    await page.evaluate(`location.hash = ${JSON.stringify(starts[walk % starts.length])}`);
    note(await faultsAfterRest(page));
    for (const number of steps) {
      await step(page, number);
      note(await faultsAfterRest(page));
    }
  }
  expect(faults, `the walks of seed ${SEED}`).toEqual([]);
  expect(compared).toBeGreaterThan(walks.size * 10);
  expect(errors).toEqual([]);
  await page.context().close();
});
