/**
 * `node writer-program.ts STORE ROUNDS`: a program that a test kills. In each round it saves a question with its
 * answer, and counts the round in the metadata of the thread. It continues where the killed process stopped.
 */

import { ContinuoMemoryStorage } from "../../packages/mastra/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";

const [url = "", rounds = ""] = process.argv.slice(2);
await using store = await openStore(url, { migrate: true });
const memory = new ContinuoMemoryStorage(store);
const thread = { threadId: "orders", resourceId: "ann" };

if ((await memory.getThreadById(thread)) === null) {
  const now = new Date();
  await memory.saveThread({
    thread: {
      id: "orders",
      resourceId: "ann",
      title: "Orders",
      metadata: { rounds: 0 },
      createdAt: now,
      updatedAt: now,
    },
  });
}
process.stdout.write("working\n");
for (;;) {
  const { total } = await memory.listMessages({ ...thread, perPage: 1 });
  const round = total / 2;
  // A round whose count was lost with its process is counted by the next one.
  await memory.updateThreadMetadata({ id: "orders", update: () => ({ rounds: round }) });
  if (round >= Number(rounds)) break;
  const message = (role: "user" | "assistant", place: number) => ({
    id: `${role} ${round}`,
    ...thread,
    role,
    createdAt: new Date(1_800_000_000_000 + 2 * round + place),
    content: { format: 2 as const, parts: [{ type: "text" as const, text: `${role} says ${round}` }] },
  });
  await memory.saveMessages({ messages: [message("user", 0), message("assistant", 1)] });
}
process.stdout.write("done\n");
