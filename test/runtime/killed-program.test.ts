/** The harness that kills products reports why a product does not run. */

import { expect, test } from "vitest";
import { startKilled } from "./harness/killed-program.ts";

test.each([
  ["cannot start", "throw new Error('no database')", "the program ends by itself with 1:"],
  [
    "ends once it listens",
    "console.log('port 9'); throw new Error('no database')",
    "the program ends by itself with 1:",
  ],
  [
    "never listens",
    "console.error('no database'); setInterval(() => {}, 1e6)",
    "the program does not start:",
  ],
])(
  "a request to a program that %s is rejected with the output of the program",
  async (title, code, message) => {
    const startMs = title === "never listens" ? 3_000 : 60_000;
    const program = startKilled(["-e", code], { kills: 0, random: Math.random, lifeMs: 1, startMs });
    try {
      const asked = program.ask("/", {}, async () => true);
      await expect(asked).rejects.toThrow(message);
      await expect(asked).rejects.toThrow("no database");
    } finally {
      await program.end();
    }
  },
);
