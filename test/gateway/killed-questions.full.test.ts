import { test } from "vitest";
import { killWhileAsked } from "./killed-questions.ts";

test("a question that is open when a gateway is killed has one answer, or is withdrawn and asked again", {
  timeout: 900_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  await killWhileAsked({ editors: 4, sessions: 2, kills: 8, seed });
});
