/** The rules of the transcript, each a named case: events in, messages out. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type EventLike, sequenceOf } from "../events/index.ts";
import { fromEvents } from "./index.ts";

const FOLDER = join(import.meta.dirname, "cases");

interface Case {
  readonly says: string;
  readonly events: readonly EventLike[];
  readonly [expected: string]: unknown;
}

describe.each(readdirSync(FOLDER))("%s", (name) => {
  const { says, events, ...expected }: Case = JSON.parse(readFileSync(join(FOLDER, name), "utf8"));

  test(says, () => {
    expect(outcomeOf(events)).toEqual(expected);
  });

  test("gives the same messages in any order of events with a sequence", () => {
    const isSequenced = (event: EventLike): boolean => sequenceOf(event) !== undefined;
    const turned = [
      ...events.filter((event) => !isSequenced(event)),
      ...events.filter(isSequenced).reverse(),
    ];
    expect(outcomeOf(turned)).toEqual(expected);
  });
});

function outcomeOf(events: readonly EventLike[]): unknown {
  const { sessionId: _, metadata, ...rest } = fromEvents(events, { sessionId: "s" });
  const { fold: __, ...told } = metadata;
  return { ...rest, metadata: told };
}
