/** The schema of a client's frame and the server accept and refuse the same keys and values. */

import { isContinuoError } from "@continuo/core/model";
import { CHANNEL_LIMITS, parseClientFrame } from "@continuo/core/wire";
import { describe, expect, test } from "vitest";
import { checkOf, readSchemas } from "./schemas.ts";
import type { WalkStep } from "./walk.ts";

const isFrame = checkOf("channel", "$defs/ClientFrame");

function isTaken(frame: unknown): boolean {
  try {
    parseClientFrame(JSON.stringify(frame));
    return true;
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return false;
  }
}

const EXAMPLES = (await import("../../protocol/examples.json", { with: { type: "json" } }))
  .default as unknown as readonly WalkStep[];
const SENT = EXAMPLES.flatMap(({ sends }) => (sends === undefined ? [] : [sends]));

/** Values of every kind, and those around the limits. */
const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  1_001,
  "",
  "text",
  "open",
  "a:b",
  "a/b",
  "a\nb",
  "x".repeat(CHANNEL_LIMITS.typeLength + 1),
  "x".repeat(CHANNEL_LIMITS.displayNameLength + 1),
  "x".repeat(CHANNEL_LIMITS.nameLength),
  "x".repeat(CHANNEL_LIMITS.nameLength + 1),
  "x".repeat(CHANNEL_LIMITS.idLength),
  "x".repeat(CHANNEL_LIMITS.idLength + 1),
  "x".repeat(CHANNEL_LIMITS.runIdLength + 1),
  "x".repeat(CHANNEL_LIMITS.tokenLength + 1),
  "x".repeat(CHANNEL_LIMITS.messageLength + 1),
  {},
  { code: "failed", message: "m" },
  { code: "", message: "m" },
  [],
  ["ann", "bob"],
  ["a/b"],
  [1],
  Array.from({ length: CHANNEL_LIMITS.addressees + 1 }, (_, n) => `h${n}`),
  [{ blob: "0".repeat(64), mimeType: "image/png" }],
  [{ blob: "0".repeat(63), mimeType: "image/png" }],
  [{ blob: "0".repeat(64) }],
];

/** Returns the frame in variations: each of its keys with each value. */
function variationsOf(
  frame: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
  const definitions = Object.values(readSchemas("channel").$defs);
  const properties = definitions
    .map(({ properties: found }) => found as Readonly<Record<string, unknown>> | undefined)
    .find((found) => (found?.type as { readonly const?: unknown } | undefined)?.const === frame.type);
  const keys = [...new Set(["request", ...Object.keys(properties ?? {}), ...Object.keys(frame)])];
  return keys
    .filter((key) => key !== "type")
    .flatMap((key) => [
      Object.fromEntries(Object.entries(frame).filter(([name]) => name !== key)),
      ...VALUES.map((value) => ({ ...frame, [key]: value })),
    ]);
}

/**
 * True if the server accepts more than the schema, or less: it reads a missing result and a missing value of a call as
 * `null`, and any value other than `true` as the last part. A schema cannot limit their length as JSON, nor require
 * that only a complete message has blocks.
 */
const isLenient = ({ type, state, content }: Readonly<Record<string, unknown>>, key: string): boolean =>
  ["call.args", "answer.value", "answer.done"].includes(`${type}.${key}`) ||
  (type === "send" && state === "open" && Array.isArray(content));

describe("the schema of a frame of a client", () => {
  test("accepts and refuses the same values as the server for each key of each frame", () => {
    const frames = [
      ...new Map(SENT.map((frame) => [Object.keys(frame).join() + frame.type, frame])).values(),
    ];
    const differences = frames.flatMap((frame) =>
      variationsOf(frame).flatMap((varied) => {
        const [isValid, taken] = [isFrame(varied) === "", isTaken(varied)];
        const key = [...new Set([...Object.keys(frame), ...Object.keys(varied)])].find(
          (name) => JSON.stringify(varied[name]) !== JSON.stringify(frame[name]),
        );
        if (isValid === taken || isLenient(varied, key ?? "")) return [];
        return [
          { type: frame.type, key, value: JSON.stringify(varied[key ?? ""])?.slice(0, 60), isValid, taken },
        ];
      }),
    );
    expect(frames.length).toBeGreaterThan(20);
    expect(differences).toEqual([]);
  });
});
