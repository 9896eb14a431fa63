/** Properties of every session file of Claude Code, whole or damaged. */

import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message, ProblemCode } from "@continuo/core/model";
import { PROBLEM_KINDS } from "@continuo/core/model";
import { claudeFormat } from "@continuo/native/claude";
import type { FoundSession, OpenedSession } from "@continuo/native/kit";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { anyDamage, survivorsIn } from "../../damage.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { rounds } from "../../sizes/counts.ts";
import { anySession } from "./sessions.ts";

const home = scratchFolder("claude");
const project = join(home, ".claude", "projects", "-home-dev-a");
const places = { home, env: {} };
mkdirSync(project, { recursive: true });

async function foundWith(sessionId: string, bytes: Buffer): Promise<FoundSession> {
  writeFileSync(join(project, `${sessionId}.jsonl`), bytes);
  const found = await Array.fromAsync(claudeFormat.find(places, {}));
  const first = found.find((each) => each.sessionId === sessionId);
  if (first === undefined) throw new Error(`not among ${found.length} sessions`);
  return first;
}

async function readAll(session: OpenedSession): Promise<{ active: Message[]; all: Message[] }> {
  const active = await Array.fromAsync(session.history());
  const all: Message[] = [];
  for (const leaf of session.leaves) {
    const messages = await Array.fromAsync(session.history({ leaf: leaf.id }));
    expect(messages).toHaveLength(leaf.messages);
    expect(new Set(messages.map((message) => message.id)).size).toBe(messages.length);
    all.push(...messages);
  }
  return { active, all };
}

/** Properties take long on a busy machine. */
vi.setConfig({ testTimeout: 300_000 });

/** The problems that a skim can see without a full read. */
const SKIMMED: ReadonlySet<ProblemCode> = new Set<ProblemCode>(["unreadable", "empty", "torn_line"]);

const codesOf = (problems: readonly { code: ProblemCode }[]): ProblemCode[] =>
  [...new Set(problems.map((problem) => problem.code))].filter((code) => SKIMMED.has(code)).sort();

test("the row of a skim equals the one of a full read", async () => {
  await fc.assert(
    fc.asyncProperty(anySession, async ({ sessionId, bytes }) => {
      const found = await foundWith(sessionId, bytes);
      const { problems, ...row } = await claudeFormat.skim(found, { part: "whole" });
      using session = await claudeFormat.open(found, places, {});
      expect(session.details).toMatchObject(row);
      expect(codesOf(problems)).toEqual(codesOf(session.problems));
    }),
    { numRuns: rounds(250) },
  );
});

test("a skim of the ends of a small file equals a full read, except for a title that it may miss", async () => {
  await fc.assert(
    fc.asyncProperty(anySession, async ({ sessionId, bytes }) => {
      fc.pre(bytes.length < 200_000);
      const found = await foundWith(sessionId, bytes);
      const { title: _title, ...whole } = await claudeFormat.skim(found, { part: "whole" });
      expect(await claudeFormat.skim(found, { part: "ends" })).toMatchObject(whole);
    }),
    { numRuns: rounds(100) },
  );
});

test("counts are those of the histories, and ids are unique in each", async () => {
  await fc.assert(
    fc.asyncProperty(anySession, async ({ sessionId, bytes }) => {
      using session = await claudeFormat.open(await foundWith(sessionId, bytes), places, {});
      const { active } = await readAll(session);
      const roles = { total: active.length, user: 0, assistant: 0, tool: 0, system: 0 };
      for (const message of active) roles[message.role] += 1;
      expect(session.details.messages).toEqual(roles);
      const calls = active.flatMap((message) =>
        message.content.filter((block) => block.type === "tool_call"),
      );
      expect(session.details.toolCalls).toBe(calls.length);
      expect(session.details.branches).toBe(session.leaves.length);
      expect(JSON.parse(JSON.stringify(active))).toEqual(active);
    }),
    { numRuns: rounds(200) },
  );
});

test("every message is in the history of some leaf", async () => {
  await fc.assert(
    fc.asyncProperty(anySession, async ({ sessionId, bytes }) => {
      using session = await claudeFormat.open(await foundWith(sessionId, bytes), places, {});
      const { all } = await readAll(session);
      const shown = new Set(
        all.flatMap((message) => (message.metadata.records ?? []).map((record) => record.line)),
      );
      const repeated = new Set<string | null>();
      const entries = await Array.fromAsync(session.entries());
      for (const entry of entries.toReversed()) {
        const isEarlier = entry.id !== null && repeated.has(entry.id);
        repeated.add(entry.id);
        const value = entry.value as { isSidechain?: unknown; message?: { content?: unknown } } | null;
        const content = value?.message?.content;
        const isSaid = isSaidBy(entry.type) && (typeof content === "string" || Array.isArray(content));
        if (isSaid && !isEarlier && value?.isSidechain !== true && !isResults(content)) {
          expect(shown).toContain(entry.line);
        }
      }
    }),
    { numRuns: rounds(200) },
  );
});

function isSaidBy(type: string): boolean {
  return type === "user" || type === "assistant";
}

/** Results whose call is on another branch stay with that branch. */
function isResults(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => block?.type === "tool_result");
}

const SAMPLES = ["branch-and-parallel-tools", "compaction-and-subagent"].map((name) => {
  const folder = new URL(`cases/${name}/`, import.meta.url);
  const { sessionId } = JSON.parse(readFileSync(new URL("expected.json", folder), "utf8"));
  return { name, sessionId, bytes: readFileSync(new URL(`${sessionId}.jsonl`, folder)) };
});

test.each(SAMPLES)(
  "damage is survived, reported, and loses no other record: $name",
  async ({ sessionId, bytes }) => {
    await fc.assert(
      fc.asyncProperty(anyDamage(bytes), async (damage) => {
        const found = await foundWith(sessionId, damage.bytes);
        const row = await claudeFormat.skim(found, { part: "whole" });
        using session = await claudeFormat.open(found, places, {});
        const entries = await Array.fromAsync(session.entries());
        const survivors = survivorsIn(damage.bytes);
        expect(entries.map((entry) => entry.value)).toEqual(survivors);
        const { active } = await readAll(session);
        claudeFormat.modelView(active);
        const said = survivors.some(isSaid);
        expect(active.some((message) => message.role !== "system")).toBe(said);
        expect(row.problems.some((problem) => problem.code === "empty")).toBe(!said);
        const lost =
          damage.bytes
            .toString("utf8")
            .split("\n")
            .filter((line) => line.trim() !== "").length - survivors.length;
        const codes = session.problems.map((problem) => problem.code);
        const named = codes.filter(
          (code) => code === "bad_json" || code === "torn_line" || code === "byte_order_mark",
        );
        expect(named).toHaveLength(lost);
        for (const problem of session.problems) {
          expect(PROBLEM_KINDS).toHaveProperty(problem.code);
          expect(problem.message).not.toBe("");
        }
      }),
      { numRuns: rounds(150) },
    );
  },
);

function isSaid(value: unknown): boolean {
  const record = value as { type?: unknown; isSidechain?: unknown; message?: { content?: unknown } } | null;
  const content = record?.message?.content;
  const isTold = typeof content === "string" || Array.isArray(content);
  return (record?.type === "user" || record?.type === "assistant") && record.isSidechain !== true && isTold;
}

test("repeated lines are reported and change no history", async () => {
  const [sample] = SAMPLES;
  if (sample === undefined) throw new Error("no sample");
  const lines = sample.bytes.toString("utf8").trim().split("\n");
  const at = lines.findIndex((line) => line.includes('"type":"assistant"'));
  const doubled = [...lines.slice(0, at + 1), lines[at], ...lines.slice(at + 1)].join("\n");
  using whole = await claudeFormat.open(await foundWith(sample.sessionId, sample.bytes), places, {});
  const before = await Array.fromAsync(whole.history());
  using session = await claudeFormat.open(
    await foundWith(sample.sessionId, Buffer.from(`${doubled}\n`)),
    places,
    {},
  );
  const after = await Array.fromAsync(session.history());
  expect(after.map(({ id, content }) => ({ id, content }))).toEqual(
    before.map(({ id, content }) => ({ id, content })),
  );
  expect(session.problems.map((problem) => problem.code)).toContain("duplicate_id");
});

test("reading changes no byte and no time", async () => {
  for (const { sessionId, bytes } of SAMPLES) {
    const path = join(project, `${sessionId}.jsonl`);
    writeFileSync(path, bytes);
    utimesSync(path, new Date("2026-01-02T03:04:05Z"), new Date("2026-01-02T03:04:05Z"));
    const before = statSync(path, { bigint: true });
    for await (const found of claudeFormat.find(places, {})) {
      await claudeFormat.skim(found, { part: "whole" });
      using session = await claudeFormat.open(found, places, {});
      await readAll(session);
    }
    const after = statSync(path, { bigint: true });
    expect(readFileSync(path)).toEqual(bytes);
    expect([after.mtimeNs, after.ctimeNs, after.size, after.ino]).toEqual([
      before.mtimeNs,
      before.ctimeNs,
      before.size,
      before.ino,
    ]);
    rmSync(path);
  }
});
