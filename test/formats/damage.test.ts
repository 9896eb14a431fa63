import { readFileSync } from "node:fs";
import { type ProblemCode, textOf } from "@continuo/core/model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyDamage } from "../damage.ts";
import { roundsOfEach } from "../sizes/counts.ts";
import { FILE_AGENTS, type FileAgent } from "./cases.ts";
import { expectRead, sessionFilesOf } from "./damaged-home.ts";
import { recordsIn } from "./format-cases.ts";

type Json = Readonly<Record<string, unknown>>;

function objectsIn(bytes: Buffer): Json[] {
  return recordsIn(bytes).filter(
    (value): value is Json => typeof value === "object" && value !== null && !Array.isArray(value),
  );
}

/** The problems of single agents that a simple check of the lines finds. */
const OWN_PROBLEMS: Readonly<Record<FileAgent, (bytes: Buffer, objects: readonly Json[]) => ProblemCode[]>> =
  { codex: codexProblems, copilot: copilotProblems, gemini: geminiProblems, pi: piProblems };

function codexProblems(bytes: Buffer): ProblemCode[] {
  if (bytes.length === 0) return ["empty"];
  const [first] = recordsIn(bytes) as ({ type?: unknown; payload?: unknown } | null)[];
  const isHeader =
    first?.type === "session_meta" && typeof first.payload === "object" && first.payload !== null;
  return isHeader ? [] : ["missing_header"];
}

function copilotProblems(_bytes: Buffer, objects: readonly Json[]): ProblemCode[] {
  const codes: ProblemCode[] = [];
  if (objects.length === 0) codes.push("empty");
  else if (objects[0]?.type !== "session.start") codes.push("missing_header");
  const ids = objects.map((value) => value.id).filter((id) => typeof id === "string" && id !== "");
  if (ids.length > new Set(ids).size) codes.push("duplicate_id");
  if (ids.length < objects.length) codes.push("cannot_resume");
  return codes;
}

function geminiProblems(bytes: Buffer, objects: readonly Json[]): ProblemCode[] {
  const isHeader = (value: Json): boolean =>
    typeof value.sessionId === "string" &&
    typeof value.projectHash === "string" &&
    typeof value.id !== "string";
  if (bytes.length === 0) return ["empty"];
  return objects.length > 0 && !objects.some(isHeader) ? ["missing_header"] : [];
}

function piProblems(_bytes: Buffer, objects: readonly Json[]): ProblemCode[] {
  const codes: ProblemCode[] = [];
  if (objects.length === 0) codes.push("empty");
  else if (objects[0]?.type !== "session") codes.push("missing_header");
  const header = objects.find((value) => value.type === "session");
  const entries = objects.filter((value) => value.type !== "session");
  if (typeof header?.version !== "number" || header.version < 2) return codes;
  const ids = entries.map((value) => value.id).filter((id) => typeof id === "string" && id !== "");
  if (ids.length > new Set(ids).size) codes.push("duplicate_id");
  if (ids.length < entries.length) codes.push("missing_id");
  const isLost = ({ parentId }: { readonly parentId?: unknown }): boolean =>
    typeof parentId === "string" && parentId !== "" && !ids.includes(parentId);
  if (entries.some(isLost)) codes.push("dangling_parent");
  return codes;
}

/** Problems that a simple check of the lines finds, and that must be reported. */
function expectedProblems(agent: FileAgent, bytes: Buffer): ProblemCode[] {
  const lines = bytes.toString("utf8").split("\n");
  const last = lines.pop() ?? "";
  const isBad = (line: string): boolean => line.trim() !== "" && recordsIn(Buffer.from(line)).length === 0;
  const codes = OWN_PROBLEMS[agent](bytes, objectsIn(bytes));
  if (isBad(last)) codes.push("torn_line");
  if (lines.some(isBad)) codes.push("bad_json");
  return codes;
}

/** Texts of answers on separate lines: each of them is in some branch, whatever the damage is. */
function answersIn(bytes: Buffer): string[] {
  return objectsIn(bytes)
    .filter((value) => value.type === "gemini" && typeof value.$rewindTo !== "string")
    .flatMap((value) => (typeof value.id === "string" ? [value.content] : []))
    .filter((content): content is string => typeof content === "string");
}

describe.each(FILE_AGENTS)("a damaged session of %s", (agent) => {
  const files = sessionFilesOf(agent);

  test.each(files.map((path) => path.split("/").slice(-8).join("/")))(
    "is read as far as it goes: %s",
    async (name) => {
      const whole = readFileSync(files.find((path) => path.endsWith(name)) ?? "");
      await fc.assert(
        fc.asyncProperty(anyDamage(whole), async (damage) => {
          const { bytes, what } = damage;
          const messages = await expectRead(agent, damage, expectedProblems(agent, bytes));
          const seen = new Set(messages.map(({ content }) => textOf(content)));
          for (const text of answersIn(bytes)) expect(seen, what).toContain(text);
        }),
        { numRuns: roundsOfEach(agent === "codex" ? 40 : 25, files.length) },
      );
    },
  );
});
