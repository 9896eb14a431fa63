/**
 * A process of participants that never stop: `node participants.ts PLAN`, where PLAN is the JSON of a
 * `ParticipantsPlan`. It prints a line of JSON for each thing that happened, and takes the lines `stop` and `close` on
 * its input.
 */

import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { type AgenticClient, connect } from "@continuo/core/client";
import { isContinuoError } from "@continuo/core/model";
import { createRandom } from "../../store/harness/random.ts";
import { answer, isInput, wholeTextOf } from "../chaos-agent.ts";

export interface ParticipantPlan {
  readonly handle: string;
  readonly type: "person" | "agent";
  readonly device?: string;
  readonly serverUrl: string;
  readonly token: string;
}

export interface ParticipantsPlan {
  readonly channel: string;
  readonly participants: readonly ParticipantPlan[];
  readonly bots: readonly string[];
  readonly seed: number;
  /** The mean pause of a person before the next message. A pause lasts from half to one and a half times as long. */
  readonly betweenMs: number;
}

export type ParticipantReport =
  | {
      readonly news: "given";
      readonly reader: string;
      readonly sequence: number;
      readonly text: string | null;
    }
  | { readonly news: "acknowledged"; readonly id: string; readonly ms: number }
  | { readonly news: "ended"; readonly reader: string; readonly why: string }
  | { readonly news: "failed"; readonly reader: string; readonly why: string }
  /** The server did not reach its store and refused the message, which is sent again. */
  | { readonly news: "refused"; readonly why: string }
  | { readonly news: "joined"; readonly reader: string }
  | { readonly news: "written" };

/** A person with several devices is several readers. */
export function readerOf({ handle, device }: ParticipantPlan): string {
  return device === undefined ? handle : `${handle}/${device}`;
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? "") as ParticipantsPlan);

function tell(news: ParticipantReport): void {
  process.stdout.write(`${JSON.stringify(news)}\n`);
}

async function run(plan: ParticipantsPlan): Promise<void> {
  const stop = new AbortController();
  const close = new AbortController();
  const clients: AgenticClient[] = [];
  const writing: Promise<void>[] = [];
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => (line === "stop" ? stop : close).abort());
  // The conductor has ended.
  lines.on("close", () => process.exit());
  const random = createRandom(plan.seed);
  await Promise.all(
    plan.participants.map(async (one) => {
      const reader = readerOf(one);
      const client = await join(plan.channel, one);
      clients.push(client);
      tell({ news: "joined", reader });
      void read({ client, reader, isBot: one.type === "agent", closed: close.signal }).catch(
        (error: unknown) => tell({ news: "ended", reader, why: String(error) }),
      );
      if (one.type === "agent") return;
      const write = async (): Promise<void> => {
        for (let at = 0; !stop.signal.aborted; at++) {
          const bot = at % 25 === 0 ? ` @${random.pick(plan.bots)}` : "";
          const begin = performance.now();
          const { messageId } = await send(client, `${reader} ${at}${bot}`);
          tell({ news: "acknowledged", id: messageId, ms: performance.now() - begin });
          await new Promise((resolve) =>
            setTimeout(resolve, plan.betweenMs / 2 + random.below(plan.betweenMs)),
          );
        }
      };
      writing.push(
        write().catch((error: unknown) => tell({ news: "ended", reader, why: `send: ${String(error)}` })),
      );
    }),
  );
  await Promise.all(writing);
  tell({ news: "written" });
  if (!close.signal.aborted) await new Promise((resolve) => close.signal.addEventListener("abort", resolve));
  await Promise.all(clients.map((client) => client.close()));
  process.exit();
}

/** When the server could not reach its store, the message is sent again under the same id, as programs must do. */
async function send(client: AgenticClient, content: string): Promise<{ readonly messageId: string }> {
  const messageId = randomUUID();
  for (;;) {
    try {
      return await client.send(content, { messageId });
    } catch (error) {
      if (!isContinuoError(error, "unavailable")) throw error;
      tell({ news: "refused", why: String(error) });
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function join(channel: string, one: ParticipantPlan): Promise<AgenticClient> {
  for (;;) {
    try {
      return await connect({ ...one, channel, replayMode: "stream", workspaceId: "default" });
    } catch (error) {
      if (!isContinuoError(error, "unavailable")) throw error;
    }
  }
}

interface Reading {
  readonly client: AgenticClient;
  readonly reader: string;
  readonly isBot: boolean;
  readonly closed: AbortSignal;
}

async function read({ client, reader, isBot, closed }: Reading): Promise<void> {
  let answering = Promise.resolve();
  for await (const event of client.events({ parts: true })) {
    if (event.sequence === undefined) continue;
    tell({ news: "given", reader, sequence: event.sequence, text: wholeTextOf(event) });
    if (!isBot || !isInput(event)) continue;
    answering = answering
      .then(() => answer(client, event, closed))
      .catch((error: unknown) => {
        if (!closed.aborted) tell({ news: "failed", reader, why: String(error) });
      });
  }
  if (!closed.aborted) tell({ news: "ended", reader, why: "events() ended" });
}
