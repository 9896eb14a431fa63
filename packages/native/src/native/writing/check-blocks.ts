/** Checks blocks of a caller in plain JavaScript, which can be any value, and returns a copy in a known form. Pure. */

import { type Block, ContinuoError, toPlainJson } from "@continuo/core/model";
import { isJson } from "@continuo/files";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

interface Form {
  readonly fields: Readonly<Record<string, Check>>;
  /** One of these fields is required. */
  readonly oneOf?: readonly string[];
}

const PLACE = { data: maybe(isText), url: maybe(isText) };

/** `unknown` is not here: it is a record that Continuo itself could not read. */
const FORMS: ReadonlyMap<unknown, Form> = new Map<Block["type"], Form>([
  ["text", { fields: { text: isText, signature: maybe(isText) } }],
  ["image", { fields: { mimeType: isText, ...PLACE }, oneOf: ["data", "url"] }],
  [
    "file",
    {
      fields: { mimeType: isText, ...PLACE, text: maybe(isText), name: maybe(isText) },
      oneOf: ["data", "url", "text"],
    },
  ],
  [
    "thinking",
    {
      fields: {
        text: isText,
        signature: maybe(isText),
        data: maybe(isText),
        signedBy: maybe(isText),
        redacted: maybe(isFlag),
      },
    },
  ],
  ["tool_call", { fields: { id: isText, name: isText, args: isJson, rawArgs: maybe(isText) } }],
  ["tool_result", { fields: { toolCallId: isText, content: Array.isArray, isError: isFlag } }],
]);

/**
 * Errors: `invalid` for a value that is not a list of blocks of a known form, or cannot be represented as JSON;
 * `too_large`.
 */
export function blocksGiven(given: unknown): readonly Block[] {
  const blocks = toPlainJson(given);
  if (!Array.isArray(blocks))
    throw invalid("the content of a message is neither a text nor a list of blocks");
  for (const block of blocks) assertForm(block);
  return blocks as readonly Block[];
}

function assertForm(block: unknown): void {
  const type = isJson(block) ? block.type : undefined;
  const form = FORMS.get(type);
  if (!isJson(block) || form === undefined) {
    throw invalid(`there is no block of the type ${JSON.stringify(type ?? null).slice(0, 80)}`);
  }
  for (const [field, check] of Object.entries(form.fields)) {
    if (!check(block[field])) throw invalid(`the field ${field} of a ${type} block has another form`);
  }
  if (form.oneOf?.every((field) => block[field] === undefined)) {
    throw invalid(`a block of the type ${type} has none of ${form.oneOf.join(", ")}`);
  }
  if (type !== "tool_result") return;
  for (const inner of block.content as readonly unknown[]) {
    assertForm(inner);
    const { type: what } = inner as Block;
    if (!IN_RESULTS.has(what)) throw invalid(`a tool result cannot contain a block of the type ${what}`);
  }
}

const IN_RESULTS: ReadonlySet<Block["type"]> = new Set(["text", "image", "file"]);

function invalid(message: string): ContinuoError {
  return new ContinuoError("invalid", message, {
    hint: "Give each block its `type` and the fields of that type, as `Block` of `continuo` has them.",
  });
}
