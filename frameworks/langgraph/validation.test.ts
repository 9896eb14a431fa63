/** The suite of LangGraph for checkpointers, on the three engines of the store. */

import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll, beforeAll } from "vitest";
import { ContinuoSaver } from "../../packages/langgraph/src/index.ts";
import { newEngines } from "./engines.ts";

const engines = newEngines();
beforeAll(() => engines.start());
afterAll(() => engines.end());

for (const engine of ["memory", "sqlite", "postgres"] as const) {
  const initializer = {
    checkpointerName: `Continuo on ${engine}`,
    createCheckpointer: () => new ContinuoSaver(engines.open(engine)),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
