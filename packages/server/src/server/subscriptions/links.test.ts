import { expect, test } from "vitest";
import type { Subscription } from "./documents.ts";
import { isLinked } from "./links.ts";

interface Case {
  readonly pattern: string | null;
  readonly explicit?: readonly string[];
  readonly wakeStream?: string;
  readonly path: string;
  readonly linked: boolean;
}

const CASES: readonly Case[] = [
  { pattern: "jobs/*", path: "jobs/1", linked: true },
  { pattern: "jobs/*", path: "jobs/1/log", linked: false },
  { pattern: null, path: "jobs/1", linked: false },
  { pattern: null, explicit: ["jobs/1"], path: "jobs/1", linked: true },
  // A wake would write to the stream, which would wake again.
  { pattern: "**", wakeStream: "wakes", path: "wakes", linked: false },
  { pattern: null, explicit: ["wakes"], wakeStream: "wakes", path: "wakes", linked: false },
  { pattern: "**", wakeStream: "wakes", path: "wakes/1", linked: true },
];

test.each(CASES)(
  "the stream $path is linked ($linked) by $pattern, $explicit and wakes $wakeStream",
  (one) => {
    const { pattern, explicit = [], wakeStream = null, path, linked } = one;
    const subscription = { config: { pattern, wakeStream }, explicit } as unknown as Subscription;
    expect(isLinked(subscription, path)).toBe(linked);
  },
);
