import { test } from "vitest";
import { killSharedSessions } from "./shared-sessions.ts";

test("twenty editors on four sessions of one home lose and double nothing when their gateways are killed", {
  timeout: 900_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  await killSharedSessions({ editors: 20, sessions: 4, kills: 20, seed });
});
