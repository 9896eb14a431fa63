/**
 * Every command that reads, on the sessions of each agent with hostile values: keys that every object has, thousands of
 * levels, control characters, wrong types, circles. A command answers or refuses; it does not crash or hang, and no
 * control character reaches the terminal.
 */

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HOME_VARIABLES } from "@continuo/agents";
import type { Json } from "@continuo/files";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const CASES = {
  claude: "parallel-tools",
  codex: "legacy",
  gemini: "parallel-tools",
  pi: "parallel-tools",
} as const;
type LineAgent = keyof typeof CASES;
const TIMEOUT_MS = 600_000;

const COMMANDS: readonly (readonly string[])[] = [
  ["session", "list", "--all"],
  ["session", "list", "--all", "--json"],
  ["session", "info", "FILE"],
  ["session", "show", "FILE"],
  ["session", "show", "FILE", "--json"],
  ["session", "show", "FILE", "--tree"],
  ["session", "check", "FILE"],
  ["session", "check", "--json"],
  ["session", "repair", "FILE"],
  ["session", "export", "FILE", "--format", "md"],
  ["session", "export", "FILE", "--format", "html"],
  ["session", "export", "FILE", "--format", "jsonl"],
  ["session", "export", "FILE", "--format", "html", "--all", "--mask-secrets"],
  ["handoff", "FILE", "--to", "claude", "--dry-run", "--cwd", "/"],
  ["handoff", "FILE", "--to", "codex", "--dry-run", "--cwd", "/"],
  ["handoff", "FILE", "--to", "pi", "--dry-run", "--cwd", "/"],
];

/** Returns JSON text, because a value that is nested too deep could not be written as JSON. */
const nested = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const HOSTILE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["__proto__", "constructor", "hasOwnProperty", "valueOf", "toString"].map((text) => [
      text,
      JSON.stringify(text),
    ]),
  ),
  "a key __proto__": '{"__proto__":{"x":1}}',
  "a key constructor": '{"constructor":{"prototype":{"x":1}}}',
  "an object with a length": '{"toString":1,"length":-1}',
  ...Object.fromEntries(
    [500, 1_050, 5_000, 100_000].flatMap((levels) => [
      [`${levels} lists`, nested(levels, "[", "]")],
      [`${levels} objects`, nested(levels, '{"content":', "}")],
      [`${levels} lists as a text`, JSON.stringify(nested(levels, "[", "]"))],
    ]),
  ),
  ...Object.fromEntries(
    ["\u001b]0;x\u0007", "\u001b[2J", "\u009b31m", "\u202e", "\r", "-rf", "../../x"].map((text) => [
      `the text ${JSON.stringify(text)}`,
      JSON.stringify(text),
    ]),
  ),
  "a long text": JSON.stringify("a".repeat(100_000)),
  ...Object.fromEntries(
    ["null", "-1", "1e400", "true", "12.0", "9007199254740993", '""', "{}", "[]", "[[],[null]]"].map(
      (json) => [json, json],
    ),
  ),
};

interface Attack {
  /** The line, and the place of the value in it, each as a fraction from 0 to below 1. */
  readonly line: number;
  readonly place: number;
  /** The name of the value in `HOSTILE`. */
  readonly value: string;
  readonly how: "value" | "key" | "type";
}

const attack: fc.Arbitrary<Attack> = fc.record({
  line: fc.double({ min: 0, max: 0.999, noNaN: true }),
  place: fc.double({ min: 0, max: 0.999, noNaN: true }),
  value: fc.constantFrom(...Object.keys(HOSTILE)),
  how: fc.constantFrom("value", "value", "key", "type"),
});

const MARK = "the place of the attack";

/** The text of the file with values put into it. */
function attacked(text: string, attacks: readonly Attack[]): string {
  const lines = text.trimEnd().split("\n");
  const done = new Set<number>();
  for (const { line, place, value, how } of attacks) {
    const at = Math.floor(line * lines.length);
    // A line with an inserted value may be nested deeper than it can be read here.
    if (done.has(at)) continue;
    done.add(at);
    const record: Json = JSON.parse(lines[at] ?? "");
    const holders = objectsIn(record);
    const holder = holders[Math.floor(place * holders.length)] ?? record;
    const keys = Object.keys(holder);
    const key =
      how === "type" ? "type" : how === "key" ? "__proto__x" : (keys[Math.floor(place * keys.length)] ?? "x");
    Object.assign(holder, { [key]: MARK });
    lines[at] = JSON.stringify(record)
      .replace(JSON.stringify(MARK), () => HOSTILE[value] ?? "")
      .replace("__proto__x", "__proto__");
  }
  return `${lines.join("\n")}\n`;
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}

/** Line feeds and tabs, and the styles that the command itself draws, are its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;
const CRASH = /Maximum call stack|RangeError|TypeError|ReferenceError|AssertionError|\n\s+at .+:\d+:\d+/u;
/** The documented exit codes of commands that only read. */
const EXIT_CODES = [0, 1, 2, 3, 4, 5, 6, 7];

const scratch = scratchFolder("hostile");

/**
 * The target of an attack: lines of a file, or rows of a database as lines, and the name by which a command
 * finds the session.
 */
interface Subject {
  readonly sound: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  write(text: string): void;
  /** Returns its present content. */
  read(): string;
}

function fileOf(agent: LineAgent, home: string): Subject {
  cpSync(join(FIXTURES, agent, CASES[agent], "home"), join(home, "agent"), { recursive: true });
  const file = readdirSync(join(home, "agent"), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith(".jsonl") && !entry.parentPath.includes("subagents"),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .find((path) => !path.endsWith("session_index.jsonl") && !path.endsWith("history.jsonl"));
  if (file === undefined) throw new Error("no session");
  const read = (): string => readFileSync(file, "utf8");
  const env = { [HOME_VARIABLES[agent]]: join(home, "agent") };
  return { sound: read(), name: file, env, read, write: (text) => writeFileSync(file, text) };
}

/** The JSON of messages and of their parts, one row per line; changes go back to the row of each line. */
function rowsOf(home: string): Subject {
  cpSync(join(FIXTURES, "opencode/parallel-tools/home"), join(home, "agent"), { recursive: true });
  const path = join(home, "agent/opencode/opencode.db");
  const rows = (): readonly { readonly kind: string; readonly id: string; readonly data: string }[] => {
    using db = new DatabaseSync(path);
    const all = db.prepare(
      "SELECT 'message' AS kind, id, data FROM message UNION ALL SELECT 'part', id, data FROM part ORDER BY kind, id",
    );
    return all
      .all()
      .map(({ kind, id, data }) => ({ kind: String(kind), id: String(id), data: String(data) }));
  };
  using db = new DatabaseSync(path);
  const sessionId = String(db.prepare("SELECT id FROM session WHERE parent_id IS NULL").get()?.id);
  const places = rows();
  const read = (): string =>
    `${rows()
      .map(({ data }) => data)
      .join("\n")}\n`;
  return {
    sound: read(),
    name: `opencode:${sessionId}`,
    read,
    env: { XDG_DATA_HOME: join(home, "agent") },
    write(text) {
      using writing = new DatabaseSync(path);
      for (const [at, line] of text.trimEnd().split("\n").entries()) {
        const place = places[at];
        if (place !== undefined)
          writing.prepare(`UPDATE ${place.kind} SET data = ? WHERE id = ?`).run(line, place.id);
      }
    },
  };
}

describe("commands that read hostile sessions answer or refuse", () => {
  test.each([...(Object.keys(CASES) as LineAgent[]), "opencode" as const])(
    "%s",
    async (agent) => {
      const home = join(scratch, agent);
      const subject = agent === "opencode" ? rowsOf(home) : fileOf(agent, home);
      const place = { path: home, write: () => undefined, [Symbol.dispose]: () => undefined };
      const env = { ...subject.env, NO_COLOR: "1" };
      await fc.assert(
        fc.asyncProperty(fc.array(attack, { minLength: 1, maxLength: 4 }), async (attacks) => {
          const text = attacked(subject.sound, attacks);
          subject.write(text);
          for (const command of COMMANDS) {
            const args = command.map((word) => (word === "FILE" ? subject.name : word));
            const { code, stdout, stderr } = await runHere(place, args, { env });
            const told = {
              args: command,
              code,
              crash: CRASH.exec(stderr)?.[0],
              control: CONTROL.exec(stderr + (args.includes("jsonl") ? "" : stdout))?.[0],
            };
            expect({ ...told, code: EXIT_CODES.includes(code ?? -1) }).toEqual({ args: command, code: true });
          }
          expect(subject.read()).toBe(text);
        }),
        { numRuns: rounds(15) },
      );
    },
    TIMEOUT_MS,
  );
});
