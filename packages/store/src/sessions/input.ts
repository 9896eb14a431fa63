/** Input of a run: text, or blocks. */

import { isDeepStrictEqual } from "node:util";
import { type Block, ContinuoError, isRunPriority, MAX_RUN_PRIORITY } from "@continuo/core/model";

export type RunInput = string | readonly Block[];

/** Errors: `usage` for an empty input, and for invalid blocks. */
export function toBlocks(input: unknown): readonly Block[] {
  if (typeof input === "string" && input !== "") return [{ type: "text", text: input }];
  if (!Array.isArray(input) || input.length === 0) {
    throw new ContinuoError(
      "usage",
      "the input of a run must be a text or an array of blocks, and not empty",
    );
  }
  for (const [index, block] of input.entries()) {
    const problem = blockProblem(block);
    if (problem === null) continue;
    throw new ContinuoError("usage", `block ${index + 1} of the input ${problem}`, {
      hint: "See docs/sessions.md for the shapes of blocks.",
      details: { index },
    });
  }
  return input as readonly Block[];
}

/** True if two inputs are equal in their stored form, in which the order of fields does not count. */
export function isSameInput(input: unknown, blocks: readonly Block[]): boolean {
  const asStored = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
  return isDeepStrictEqual(asStored(input), asStored(blocks));
}

/** Errors: as `toBlocks`. */
export function assertInput(input: unknown): asserts input is RunInput {
  toBlocks(input);
}

/** Errors: `usage`. */
export function assertPriority(priority: unknown): asserts priority is number | undefined {
  if (priority === undefined || isRunPriority(priority)) return;
  throw new ContinuoError(
    "usage",
    `priority must be a whole number from -${MAX_RUN_PRIORITY} to ${MAX_RUN_PRIORITY}`,
    {
      hint: "Give the most urgent runs the highest number.",
    },
  );
}

/** False for invalid input, which a run can have if it was made without the session manager. */
export function isInput(input: unknown): input is RunInput {
  if (typeof input === "string") return input !== "";
  return Array.isArray(input) && input.length > 0 && input.every((block) => blockProblem(block) === null);
}

type Fields = Readonly<Record<string, unknown>>;

/** Each check returns what a block of its type lacks; `null` if nothing is missing. */
const CHECKS: Readonly<Record<Block["type"], (block: Fields) => string | null>> = {
  text: (block) => needsTexts(block, ["text"]),
  thinking: (block) => needsTexts(block, ["text"]),
  image: (block) => needsTexts(block, ["mimeType"]) ?? needsOne(block, ["data", "url", "blob"]),
  file: (block) => needsTexts(block, ["mimeType"]) ?? needsOne(block, ["data", "url", "blob", "text"]),
  tool_call: (block) =>
    needsTexts(block, ["id", "name"]) ?? (isFields(block.args) ? null : "has no args that are an object"),
  tool_result: (block) =>
    needsTexts(block, ["toolCallId"]) ??
    (Array.isArray(block.content) ? null : "has no content that is an array"),
  unknown: (block) => ("raw" in block ? null : "has no raw"),
};

function blockProblem(block: unknown): string | null {
  if (!isFields(block)) return "is not an object";
  const { type } = block;
  if (typeof type !== "string" || !Object.hasOwn(CHECKS, type)) return "has no type that is known";
  return CHECKS[type as Block["type"]](block);
}

function needsTexts(block: Fields, keys: readonly string[]): string | null {
  const missing = keys.find((key) => typeof block[key] !== "string");
  return missing === undefined ? null : `(${String(block.type)}) has no ${missing} that is a text`;
}

function needsOne(block: Fields, keys: readonly string[]): string | null {
  const given = keys.filter((key) => block[key] !== undefined);
  if (given.length === 0) return `(${String(block.type)}) has none of ${keys.join(", ")}`;
  return needsTexts(block, given);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
