import { soakTest } from "../sizes/soak-test.ts";
import { killWhileAsked } from "./killed-questions.ts";

soakTest(
  "kills of gateways of twenty editors with open questions",
  { count: 100, batchSize: 50 },
  async ({ count, seed }) => {
    await killWhileAsked({ editors: 20, sessions: 4, kills: count, seed });
  },
);
