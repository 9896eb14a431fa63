import { expect, test } from "vitest";
import { CallIds } from "./call-ids.ts";
import { GATEWAY_LIMITS } from "./limits.ts";

test("the ids of calls stay unique over thousands of turns, and the known ids do not grow with the turns", () => {
  const ids = new CallIds();
  const counted: string[] = [];
  for (let turn = 0; turn < 3_000; turn += 1) {
    // One agent counts its calls from 1 in each turn, and the other one has an id of its own for each call.
    counted.push(ids.begin("call-1"));
    for (let call = 0; call < 5; call += 1) ids.begin(`toolu-${turn}-${call}`);
    expect(ids.now("call-1")).toBe(counted.at(-1));
  }
  expect(new Set(counted).size).toBe(3_000);
  expect(ids.size).toBe(GATEWAY_LIMITS.callIds);
  expect([ids.now("toolu-2999-4"), ids.now("toolu-0-0")]).toEqual(["toolu-2999-4", null]);
});
