import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProblemCode } from "@continuo/core/model";
import { codexFormat } from "@continuo/native/codex";
import type { FoundSession, OpenedSession } from "@continuo/native/kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyDamage, type Damage } from "../../damage.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { roundsOfEach } from "../../sizes/counts.ts";
import { expectRead } from "../damaged-home.ts";
import { CASES, homeOf, placesOf } from "./model.ts";

const scratch = scratchFolder("codex-damage");

const NAME = "rollout-2026-05-06T07-08-00-02aaaaaa-0000-4000-8000-000000000001.jsonl";
const PATHS = CASES.flatMap((name) =>
  readdirSync(homeOf(name), { recursive: true, encoding: "utf8" })
    .filter((path) => path.includes("rollout-"))
    .map((path) => join(homeOf(name), path)),
);

/** The damaged file as the only one of a home. */
async function openDamaged(
  bytes: Buffer,
): Promise<{ home: string; found: FoundSession; session: OpenedSession }> {
  const home = mkdtempSync(join(scratch, "home-"));
  mkdirSync(join(home, "sessions"));
  writeFileSync(join(home, "sessions", NAME), bytes);
  const [found, ...others] = await Array.fromAsync(codexFormat.find(placesOf(home), {}));
  // The file of a sub-agent is no session of its own.
  const session = found ?? (await codexFormat.recognise(join(home, "sessions", NAME), placesOf(home)));
  if (session === null || others.length > 0)
    throw new Error(`expected one session, found ${1 + others.length}`);
  return { home, found: session, session: await codexFormat.open(session, placesOf(home), {}) };
}

test("many problems of a kind are counted beyond a limit", async () => {
  const { session } = await openDamaged(Buffer.from(`${"{broken\n".repeat(700)}${"{}\n".repeat(700)}`));
  using _session = session;
  const rest = session.problems.filter(({ message }) => message.endsWith("more of the same kind"));
  expect(rest.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    "bad_json: 200 more of the same kind",
    "bad_record: 200 more of the same kind",
  ]);
  expect(session.problems.length).toBeLessThan(1_010);
});

function jsonLines(bytes: Buffer): unknown[] {
  return bytes
    .toString("utf8")
    .replace(/^\ufeff/u, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      try {
        return JSON.parse(line);
      } catch {
        return undefined;
      }
    });
}

async function checkDamaged(damage: Damage): Promise<void> {
  const { bytes } = damage;
  const { home, found, session } = await openDamaged(bytes);
  try {
    const [values, problems] = [jsonLines(bytes), expectedProblems(bytes)];
    await expectRead({ found, session }, { reader: codexFormat, damage, values, problems });
  } finally {
    session.close();
    rmSync(home, { recursive: true });
  }
}

/** A problem that a plain look at the lines finds must be reported. */
function expectedProblems(bytes: Buffer): ProblemCode[] {
  const values = jsonLines(bytes);
  const last = bytes.length > 0 && bytes.at(-1) !== 0x0a && values.at(-1) === undefined;
  const codes: ProblemCode[] = [];
  if (bytes.length === 0) return ["empty"];
  if (!isHeader(values[0])) codes.push("missing_header");
  if (last) codes.push("torn_line");
  if (values.slice(0, last ? -1 : undefined).includes(undefined)) codes.push("bad_json");
  return codes;
}

function isHeader(value: unknown): boolean {
  const record = value as { type?: unknown; payload?: unknown } | null | undefined;
  return record?.type === "session_meta" && typeof record.payload === "object" && record.payload !== null;
}

describe("a damaged rollout file", () => {
  test.each(PATHS.map((path) => path.slice(import.meta.dirname.length + 1)))(
    "is read as far as it goes: %s",
    async (path) => {
      const bytes = readFileSync(join(import.meta.dirname, path));
      await fc.assert(fc.asyncProperty(anyDamage(bytes), checkDamaged), {
        numRuns: roundsOfEach(40, PATHS.length),
      });
    },
  );

  test("keeps every message of a file cut behind any line", async () => {
    const path = PATHS.find((each) => each.includes("/legacy/")) ?? "";
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    let before = 0;
    for (let count = 1; count <= lines.length; count++) {
      const { session } = await openDamaged(Buffer.from(`${lines.slice(0, count).join("\n")}\n`));
      const { total } = session.details.messages;
      session.close();
      // A shown text counts until its counterpart is there.
      expect(total).toBeGreaterThanOrEqual(before - 1);
      before = total;
    }
    expect(before).toBe(8);
  });
});
