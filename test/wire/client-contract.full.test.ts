/** Two clients in the conformance program: ours, and the one in Python that was written from `PROTOCOL.md`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { clientContract, clientProgram, type StartClient } from "../../packages/store/src/testing/index.ts";
import { ourClient } from "./our-client.ts";

const ROOT = join(import.meta.dirname, "../..");
const PYTHON = join(ROOT, "examples/channel_client_conformance.py");

const CLIENTS: readonly (readonly [string, StartClient])[] = [
  ["the client in TypeScript", ourClient],
  ["the client in Python", clientProgram("python3", ["-B", PYTHON])],
];

// Most cases wait for time to pass.
describe.concurrent.each(CLIENTS)("%s", (_, start) => {
  test.each(clientContract(start).map((one) => [`${one.id}: ${one.name}`, one.run] as const))(
    "%s",
    async (_title, run) => run(),
    300_000,
  );
});

test("every sentence of PROTOCOL.md about a client has a case, and every case has a sentence", () => {
  const text = readFileSync(join(ROOT, "PROTOCOL.md"), "utf8");
  const sentences = [...text.matchAll(/^- \*\*(CLIENT-\d+)\*\*/gmu)].map(([, id]) => id);
  const cases = clientContract(ourClient).map(({ id }) => id);
  expect(new Set(cases)).toEqual(new Set(sentences));
  expect(cases.length).toBe(sentences.length);
});
