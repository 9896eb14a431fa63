import { expect, test } from "vitest";
import { ContinuoError } from "./errors.ts";
import { knownError } from "./known-error.ts";

const { proxy, revoke } = Proxy.revocable({}, {});
revoke();

test("an error of ours keeps its code, message, hint and details", () => {
  const thrown = new ContinuoError("busy", "it is busy", {
    hint: "Wait.",
    details: { ms: 5, left: undefined },
  });
  expect(knownError(thrown)).toMatchObject({
    name: "ContinuoError",
    code: "busy",
    message: "it is busy",
    hint: "Wait.",
    cause: thrown,
    details: { ms: 5 },
  });
});

test("another error keeps its message, and a thrown text becomes the message", () => {
  expect(knownError(new TypeError("no")).message).toBe("no");
  expect(knownError("no").message).toBe("no");
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["a revoked proxy", proxy],
  ["a symbol", Symbol("s")],
  [
    "an error without a message that can be read",
    Object.defineProperty(new Error(), "message", {
      get: () => {
        throw proxy;
      },
    }),
  ],
  ["an error of ours with another code", Object.assign(new ContinuoError("busy", "m"), { code: 1n })],
  ["an error of ours whose details cannot be read", new ContinuoError("busy", "m", { details: { a: 1n } })],
  ["an error of ours without details", Object.assign(new ContinuoError("busy", "m"), { details: null })],
])("%s becomes an error that can be read", (_, thrown) => {
  const error = knownError(thrown);
  expect([error instanceof Error, typeof error.message, typeof JSON.stringify(error)]).toEqual([
    true,
    "string",
    "string",
  ]);
  if (error instanceof ContinuoError) expect(JSON.stringify(error.details)).toBeDefined();
});
