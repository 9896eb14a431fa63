import { expect, test } from "vitest";
import { type DebugEntry, debugOf, followDebug } from "./debug.ts";

test("entries reach those who follow the room, in order, until they stop", () => {
  const entries: DebugEntry[] = [];
  const [store, drivers] = [debugOf("store"), debugOf("drivers")];
  {
    using _followed = followDebug(["store"], (entry) => entries.push(entry));
    store("opened", () => ({ engine: "sqlite" }));
    drivers("program started");
    store("closed");
  }
  store("opened");
  expect(entries).toEqual([
    { room: "store", what: "opened", details: { engine: "sqlite" } },
    { room: "store", what: "closed", details: {} },
  ]);
});

test("details are not made if nobody follows the room", () => {
  debugOf("server")("request", () => {
    throw new Error("made");
  });
});
