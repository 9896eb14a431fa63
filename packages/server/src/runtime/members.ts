/**
 * Agents of this program as participants of channels. Each is a client of a server inside this process, so that
 * handles, claims and interrupted answers follow the same rules as for every other participant.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type AgenticClient, type AnswerInput, connect } from "@continuo/core/client";
import { isContinuoError, present } from "@continuo/core/model";
import type { ConnectionRef } from "@continuo/store/channels";
import type { ChannelJoinOptions, ChannelMembers } from "./channel.ts";
import { createHandler } from "./handler.ts";
import type { Host } from "./host.ts";
import { promptOf } from "./member-prompt.ts";
import { reportNew } from "./report-new.ts";
import { assertAgent } from "./session.ts";
import type { Continuo, SendOptions } from "./types.ts";

/** The pause before a member asks for its handle again. */
const RETRY_MS = 250;
/** While the program closes, members have this time to send the rest of an answer whose run has ended. */
const LAST_WORDS_MS = 1_000;

export interface Members extends ChannelMembers {
  /** Members take no further message. */
  stop(): void;
  close(): Promise<void>;
}

export function createMembers(continuo: Continuo, host: Host): Members {
  const { report } = host;
  const handling = createHandler(
    continuo,
    // Nobody else reaches this handler. The token is the handle.
    { authorize: ({ headers }) => ({ channels: "*", access: "write", by: handleIn(headers) }) },
    report,
  );
  const stopped = new AbortController();
  const closed = new AbortController();
  const members = new Set<Promise<void>>();
  let opening: Promise<(url: string, protocol: string) => WebSocket> | undefined;
  const sockets = (): NonNullable<typeof opening> => {
    opening ??= import("./mounted-server.ts").then(({ socketsTo }) => socketsTo(handling.handler));
    return opening;
  };
  const open = async ({ channel, handle }: ConnectionRef, signal: AbortSignal): Promise<AgenticClient> =>
    await connect({
      serverUrl: "http://continuo.internal",
      openSocket: await sockets(),
      token: encodeURIComponent(handle),
      channel,
      handle,
      type: "agent",
      workspaceId: host.store.workspaceId,
      capabilities: ["chat"],
      onWarning: () => undefined,
      signal,
    });
  const take = async (place: ConnectionRef, options: ChannelJoinOptions): Promise<void> => {
    const { maxTurns, signal } = options;
    const over = AbortSignal.any([stopped.signal, ...(signal === undefined ? [] : [signal])]);
    const ended = AbortSignal.any([closed.signal, ...(signal === undefined ? [] : [signal])]);
    const takePart = reportNew(report, async () => {
      try {
        const client = await open(place, over);
        await serve(client, { ended, over, maxTurns, words: wordsOf(continuo, { place, options, ended }) });
      } catch (error) {
        // If another process has the handle, this one waits for it.
        if (!over.aborted && !isContinuoError(error, "handle_taken")) throw error;
      }
    });
    while (!over.aborted) {
      await takePart();
      await sleep(RETRY_MS, undefined, { signal: over }).catch(() => undefined);
    }
  };
  const serve = async (
    client: AgenticClient,
    { over, ended, maxTurns, words }: ServeOptions,
  ): Promise<void> => {
    // The member leaves before its words end, so that a part of an answer does not count as the whole answer.
    const leave = (): void => void client.close();
    ended.addEventListener("abort", leave, { once: true });
    try {
      for await (const event of client.events({
        targetedOnly: true,
        signal: over,
        ...present({ maxTurns }),
      })) {
        const result = await client.answer(event, words);
        if (result.status === "failed" && !ended.aborted) report(result.error);
      }
    } finally {
      ended.removeEventListener("abort", leave);
      await client.close();
    }
  };
  return {
    async join(place, options) {
      assertAgent(host, options.agent);
      const member = take(place, options);
      members.add(member);
      await member.finally(() => members.delete(member));
    },
    stop: () => stopped.abort(),
    async close() {
      stopped.abort();
      const all = Promise.all(members);
      await Promise.race([all, sleep(LAST_WORDS_MS)]);
      closed.abort();
      await all;
      await handling.close();
    },
  };
}

interface ServeOptions {
  /** The member takes no further message. */
  readonly over: AbortSignal;
  /** The answer in progress ends, too. */
  readonly ended: AbortSignal;
  readonly maxTurns: number | undefined;
  readonly words: (input: AnswerInput) => AsyncIterable<string>;
}

interface WordsOptions {
  readonly place: ConnectionRef;
  readonly options: ChannelJoinOptions;
  readonly ended: AbortSignal;
}

/**
 * Yields the words of the answer. The first attempt stores the prompt in the session. A later attempt continues that
 * run, even if messages were written or edited in the channel in the meantime.
 */
function wordsOf(continuo: Continuo, { place, options, ended }: WordsOptions): ServeOptions["words"] {
  const { channel, handle } = place;
  const { agent, session: sessionId = `${handle}-in-${channel}` } = options;
  const session = continuo.session(sessionId, { create: true, metadata: { channel, handle } });
  const send: SendOptions = present({ agent });
  return async function* words(input) {
    const { id } = input;
    let run = session.run(id);
    try {
      await run;
    } catch (error) {
      if (!isContinuoError(error, "not_found")) throw error;
      run = session.send(await promptOf(continuo.store, place, input), { ...send, id });
    }
    yield* run.textStream({ signal: ended });
  };
}

function handleIn(headers: Headers): string {
  return decodeURIComponent(headers.get("authorization")?.replace("Bearer ", "") ?? "");
}
