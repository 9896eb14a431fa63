import { expect, test } from "vitest";
import { parseTarget } from "./address.ts";

const ORIGIN = "http://127.0.0.1:4748";
const page = (origin: string | null, place: string) => ({
  type: "page",
  origin: origin === null ? null : new URL(origin),
  place,
});

test.each([
  [null, page(null, "/")],
  ["4bf3", { type: "session", id: "4bf3" }],
  ["claude:4bf3", { type: "session", id: "claude:4bf3" }],
  [ORIGIN, page(ORIGIN, "/")],
  [`${ORIGIN}/`, page(ORIGIN, "/")],
  ["http://localhost:4748/#/health", page(ORIGIN, "/health")],
  ["http://continuo-0a1b.localhost:4748/#/health", page(ORIGIN, "/health")],
  ["http://notlocalhost:4748/#/health", page("http://notlocalhost:4748", "/health")],
  [`${ORIGIN}/#/session/claude%3A4bf3/turn/7`, page(ORIGIN, "/session/claude%3A4bf3/turn/7")],
  [`${ORIGIN}/#code=continuo_1_x/health`, page(ORIGIN, "/health")],
  [`${ORIGIN}/#code=continuo_1_x`, page(ORIGIN, "/")],
  ["https://continuo.example/#/live", page("https://continuo.example", "/live")],
  ["#/channels/a b", page(null, "/channels/a%20b")],
])("%j is %j", (text, target) => {
  expect(parseTarget(text)).toEqual(target);
});

test.each(["http://", "http://me:secret@127.0.0.1:4748/", `${ORIGIN}/#elsewhere`, "#x"])(
  "%j is not the address of a page",
  (text) => {
    expect(() => parseTarget(text)).toThrow(expect.objectContaining({ code: "usage" }));
  },
);
