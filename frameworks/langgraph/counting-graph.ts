/**
 * `node counting-graph.ts STORE THREAD ROUNDS`: a program that a test kills. Its graph has two branches, and each adds
 * a word in every round. When it is started again, it continues its thread. It prints `working`, and at the end the
 * words as JSON.
 */

import { setTimeout as pause } from "node:timers/promises";
import { Annotation, StateGraph } from "@langchain/langgraph";
import { ContinuoSaver } from "../../packages/langgraph/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";

const [url = "", thread = "", rounds = ""] = process.argv.slice(2);

const State = Annotation.Root({
  round: Annotation<number>(),
  words: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

function branch(name: string, waitMs: number) {
  return async ({ round }: typeof State.State) => {
    await pause(waitMs);
    return { words: [`${name}${round}`] };
  };
}

await using store = await openStore(url, { migrate: true });
const graph = new StateGraph(State)
  .addNode("begin", ({ round }) => ({ round: round + 1 }))
  .addNode("left", branch("left ", 1))
  .addNode("right", branch("right ", 4))
  .addNode("end", () => ({}))
  .addEdge("__start__", "begin")
  .addEdge("begin", "left")
  .addEdge("begin", "right")
  .addEdge(["left", "right"], "end")
  .addConditionalEdges("end", ({ round }) => (round < Number(rounds) ? "begin" : "__end__"))
  .compile({ checkpointer: new ContinuoSaver(store) });

const config = { configurable: { thread_id: thread }, recursionLimit: 10_000 };
const { metadata } = await graph.getState(config);
process.stdout.write("working\n");
// After a kill, `next` can be empty although the graph has not ended: all writes of the last step are stored. So the
// program does not ask `next`: it always invokes the graph.
const { words } = await graph.invoke(metadata === undefined ? { round: 0, words: [] } : null, config);
process.stdout.write(`${JSON.stringify(words)}\n`);
