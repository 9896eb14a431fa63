/**
 * A realistic home: sessions of the recorded shape in several projects, most of some hundred kilobytes and some of
 * megabytes, which grow turn by turn. The records are those of a recorded turn with new ids, times and texts. The files
 * that are read are this repository's, each time slightly changed, and no paragraph of the conversation is repeated.
 */

import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow } from "@continuo/files";
import { drawFrom, randomFrom } from "../store/harness/random.ts";

const ROOT = join(import.meta.dirname, "../..");
const FIXTURES = join(ROOT, "test/fixtures");
const PROJECTS = ["packages/core", "packages/native", "packages/agents", "packages/server", "web"];

/** Half of the sessions are smaller. */
const MEDIAN_BYTES = 250_000;
const MOST_BYTES = 4_000_000;
/**
 * The standard deviation of the size's logarithm: two thirds of the sizes are between a third of the median and three
 * times the median.
 */
const SPREAD = 1.1;
/** The length of a signature of thinking: Base64 that cannot be compressed. */
const SIGNATURE_BYTES = 450;

type Random = () => number;

export interface GrowingSession {
  readonly path: string;
  /** The size at which the session ends. */
  readonly sizeBytes: number;
  /** Part of the home's time at which it begins, from 0 to 1. */
  readonly beginsAt: number;
  /** Returns the next turn as lines. */
  turn(): string;
}

export interface RealisticHome {
  readonly count: number;
  readonly medianBytes?: number;
}

/** Makes sessions, none of which is written yet. */
export function realisticSessions(
  home: string,
  { count, medianBytes = MEDIAN_BYTES }: RealisticHome,
): readonly GrowingSession[] {
  const random = randomFrom(7);
  const paragraphs = allParagraphs(random);
  const projects = PROJECTS.map((name) => sourcesOf(name));
  return Array.from({ length: count }, (_, at) => {
    const project = Math.floor(random() ** 2 * PROJECTS.length);
    const isClaude = at % 4 !== 3;
    const id = freshId("xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx", random);
    const folder = isClaude
      ? `.claude/projects/-home-dev-${project}`
      : `.gemini/tmp/project-${project}/chats`;
    const file = isClaude ? `${id}.jsonl` : `session-2026-11-20T10-00-${id.slice(0, 8)}.jsonl`;
    const talk: Talk = { id, random, paragraphs, files: projects[project] ?? [], last: null, turns: 0 };
    const size = medianBytes * Math.exp(SPREAD * normal(random));
    return {
      path: join(home, folder, file),
      sizeBytes: Math.min(MOST_BYTES, size),
      beginsAt: random() * 0.8,
      turn: () => nextTurn(talk, isClaude ? CLAUDE_TURN : GEMINI_TURN),
    };
  });
}

export function appendTurn({ path, turn }: GrowingSession): number {
  mkdirSync(dirname(path), { recursive: true });
  const lines = turn();
  appendFileSync(path, lines);
  return Buffer.byteLength(lines);
}

interface Talk {
  readonly id: string;
  readonly random: Random;
  readonly paragraphs: string[];
  readonly files: readonly string[];
  /** The id of the record that precedes the next one. */
  last: string | null;
  turns: number;
}

/** The lines of a recording: those that begin a session, and those of a turn. */
interface RecordedTurn {
  readonly head: readonly string[];
  readonly lines: readonly string[];
}

const CLAUDE_TURN = recordedTurn("claude", (line) => line.includes('"atis-latch"'));
const GEMINI_TURN = recordedTurn("gemini", (line) => /"kind":"main"|session_context/u.test(line));

function recordedTurn(agent: string, isHead: (line: string) => boolean): RecordedTurn {
  const paths = filesBelow(join(FIXTURES, agent, "parallel-tools/home"));
  const path = paths.find((one) => one.endsWith(".jsonl") && /chats|projects/u.test(one)) ?? "";
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return { head: lines.filter(isHead), lines: lines.filter((line) => !isHead(line)) };
}

const SAID = [
  "Compare the timer with its test, please.",
  "I need both files and the list of what else is there.",
  "I need both files.",
  "I read both and look around.",
  "I read both.",
  "The test is called `timer.test.js`.",
  "The test expects 240 seconds for black tea; the timer says 200.",
];
const READ = [
  "// Seconds that each tea steeps.\nexport const TEAS = {\n  green: { seconds: 120 },\n  black: { seconds: 200 },\n  white: { seconds: 300 },\n};\n",
  'import { TEAS } from "./timer.js";\nif (TEAS.black.seconds !== 240) throw new Error("black tea steeps four minutes");\n',
];
const LISTED = "leaf.png\ntimer.js\ntimer.test.js";

function nextTurn(talk: Talk, { head, lines }: RecordedTurn): string {
  const { random } = talk;
  const read = READ.map((text) => [text, changed(pick(talk.files, random), talk)] as const);
  const listed = drawFrom(talk.files, 12, random).map((text) => text.split("\n", 1)[0]);
  const spoken = SAID.filter((text) => lines.some((line) => line.includes(text))).map(
    (text) => [text, said(talk)] as const,
  );
  const texts = new Map([...spoken, ...read, [LISTED, listed.join("\n")]]);
  for (const [text, other] of read) texts.set(numbered(text), numbered(other));
  const fresh = new Map<string, string>();
  const written = talk.turns === 0 ? [...head, ...lines] : lines;
  const time = Date.parse("2026-06-01T08:00:00.000Z") + talk.turns * 97_531 + Math.floor(random() * 60_000);
  talk.turns += 1;
  return written.map((line) => `${rewritten(line, { talk, texts, fresh, time })}\n`).join("");
}

interface Rewriting {
  readonly talk: Talk;
  readonly texts: ReadonlyMap<string, string>;
  readonly fresh: Map<string, string>;
  readonly time: number;
}

function rewritten(line: string, { talk, texts, fresh, time }: Rewriting): string {
  const { random } = talk;
  const record = JSON.parse(line, (key, value: unknown) => {
    if (typeof value === "number" && /tokens|duration|cost|ms$/iu.test(key) && value > 0)
      return Math.round(value * (1 + 40 * random()));
    if (typeof value !== "string") return value;
    if (key === "sessionId") return talk.id;
    if (key === "signature") return base64(random);
    if (/^2026-\d\d-\d\dT/u.test(value)) return new Date(time + Math.floor(random() * 20_000)).toISOString();
    const text = texts.get(value);
    if (text !== undefined) return text;
    return value.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,32}/gu, (id) => {
      const known = fresh.get(id) ?? freshId(id.replaceAll(/[0-9a-f]/gu, "x"), random);
      fresh.set(id, known);
      return known;
    });
  });
  if (record.parentUuid === null) record.parentUuid = talk.last;
  if (typeof record.uuid === "string") talk.last = record.uuid;
  return JSON.stringify(record);
}

const numbered = (text: string): string =>
  text
    .split("\n")
    .map((line, at) => `${at + 1}\t${line}`)
    .join("\n");

/** Returns the text with two changed lines. */
function changed(text: string, { random, paragraphs }: Talk): string {
  const lines = text.split("\n");
  for (let change = 0; change < 2; change += 1) {
    const words = pick(paragraphs, random).split(" ").slice(0, 9).join(" ");
    lines[Math.floor(random() * lines.length)] = `// ${words}`;
  }
  return lines.join("\n");
}

/** Some files are read much more often than others. */
function pick(all: readonly string[], random: Random): string {
  return all[Math.floor(random() ** 2 * all.length)] ?? "";
}

function sourcesOf(project: string): readonly string[] {
  const paths = filesBelow(join(ROOT, project)).filter(
    (path) => /\.tsx?$/u.test(path) && !/node_modules|\/dist\//u.test(path),
  );
  return paths.map((path) => readFileSync(path, "utf8"));
}

/** Paragraphs of English from the documentation of Node.js and of Continuo, and from our comments, in any order. */
function allParagraphs(random: Random): string[] {
  const declarations = filesBelow(join(ROOT, "node_modules/@types/node")).filter((path) =>
    path.endsWith(".d.ts"),
  );
  const commented = [...declarations.map((path) => readFileSync(path, "utf8")), ...sourcesOf("packages")];
  const comments = commented.flatMap((source) =>
    [...source.matchAll(/\/\*\*(.*?)\*\//gsu)].map(([, text = ""]) => text.replaceAll(/^ *\* ?/gmu, "")),
  );
  const docs = filesBelow(join(ROOT, "docs")).filter((path) => path.endsWith(".md"));
  const texts = [...comments, ...docs.map((path) => readFileSync(path, "utf8"))];
  const all = texts
    .flatMap((text) => text.split(/\n\s*\n|\n(?=@)/u))
    .map((text) => text.trim().replaceAll(/\s+/gu, " "));
  const prose = new Set(all.filter((text) => /^[A-Z][^<>|]{59,900}$/u.test(text)));
  return [...drawFrom([...prose], prose.size, random)];
}

/** Returns the next paragraph, which no session has yet. */
function said({ paragraphs }: Talk): string {
  const next = paragraphs.pop();
  if (next === undefined) throw new Error("there are not so many paragraphs");
  return next;
}

function freshId(pattern: string, random: Random): string {
  return pattern.replaceAll("x", () => Math.floor(random() * 16).toString(16));
}

function base64(random: Random): string {
  return Buffer.from(Array.from({ length: SIGNATURE_BYTES }, () => Math.floor(random() * 256))).toString(
    "base64",
  );
}

/** Returns a normally distributed number (Box–Muller transform). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
