import { expect, test } from "vitest";
import { MediaTypes } from "./media-types.ts";

test("the media type of a log is remembered for its workspace only, until it is forgotten", () => {
  const types = new MediaTypes();
  types.set("shop", "streams/a", "text/plain");
  expect(types.get("bank", "streams/a")).toBeUndefined();
  types.set("bank", "streams/a", "application/json");
  expect([types.get("shop", "streams/a"), types.get("bank", "streams/a")]).toEqual([
    "text/plain",
    "application/json",
  ]);
  types.delete("bank", "streams/a");
  expect([types.get("shop", "streams/a"), types.get("bank", "streams/a")]).toEqual(["text/plain", undefined]);
});
