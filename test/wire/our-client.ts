/** The TypeScript client as the conformance program drives it. */

import { type AgenticClient, connect } from "@continuo/core/client";
import { isContinuoError } from "@continuo/core/model";
import type { ClientReport, StartClient } from "../../packages/store/src/testing/index.ts";

export const ourClient: StartClient = async (onReport) => {
  let client: AgenticClient | null = null;
  let gate = Promise.resolve();
  let open: () => void = () => undefined;
  const stopping = new AbortController();

  async function run(joining: Promise<AgenticClient>): Promise<ClientReport> {
    try {
      client = await joining;
      const { count } = client.formatMissedContext();
      onReport({ report: "ready", omitted: count - client.missedMessages.length });
      for await (const event of client.events()) {
        await gate;
        const { type, sequence } = event;
        if (type === "message" && sequence !== undefined)
          onReport({ report: "message", sequence, content: event.content });
      }
      return { report: "ended", code: null };
    } catch (error) {
      return { report: "ended", code: codeOf(error) };
    }
  }

  return {
    do: (command) => {
      if (command.command === "connect") {
        const { serverUrl, channel, handle, token, replay } = command;
        const joining = connect({
          serverUrl,
          channel,
          handle,
          token,
          type: "agent",
          after: 0,
          replayMode: replay,
          onWarning: () => undefined,
          signal: stopping.signal,
        });
        void run(joining).then(onReport);
      }
      if (command.command === "send") {
        const { name, content } = command;
        client?.send(content).then(
          () => onReport({ report: "confirmed", name }),
          (error: unknown) => onReport({ report: "failed", name, code: codeOf(error) }),
        );
      }
      if (command.command === "stop_reading") {
        gate = new Promise((resolve) => {
          open = resolve;
        });
      }
      if (command.command === "read") open();
      if (command.command === "close") void client?.close();
    },
    stop: async () => {
      open();
      stopping.abort();
      void client?.close();
    },
  };
};

function codeOf(error: unknown): string {
  return isContinuoError(error) ? error.code : "internal";
}
