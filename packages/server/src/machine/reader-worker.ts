/** The entry of the thread that reads long sessions; `reader-thread.ts` starts it. */

import { parentPort } from "node:worker_threads";
import { createHistories } from "./history/index.ts";
import { answer } from "./questions.ts";
import { type FromThread, type ToThread, toPlain } from "./reader-thread.ts";

const histories = createHistories();
const running = new Map<number, AbortController>();

parentPort?.on("message", (message: ToThread) => {
  if (message.type === "leave") running.get(message.id)?.abort();
  else void reply(message);
});

async function reply({ id, asked }: Extract<ToThread, { type: "ask" }>): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  let said: FromThread;
  try {
    said = { id, answer: await answer(histories, asked, stop.signal) };
  } catch (error) {
    said = { id, error: toPlain(error) };
  }
  running.delete(id);
  if (!stop.signal.aborted) parentPort?.postMessage(said);
}
