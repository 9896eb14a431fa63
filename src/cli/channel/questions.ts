/** Questions of agents to other agents, in the channels of the server that commands use. */

import { readHomeConfiguration } from "@continuo/agents/config";
import type { ChannelMessage, Participant } from "@continuo/core/wire";
import type { QuestionChannels } from "@continuo/server/mcp";
import type { Shell } from "../terminal/index.ts";
import { accessOf, callServer, channelPath } from "./server.ts";

/** The newest messages of a channel that are searched for a reply. */
const MESSAGES = 1_000;

/** `null` if the person opened no channel. Errors: as `readHomeConfiguration`. */
export async function askingOf(shell: Shell): Promise<QuestionChannels | null> {
  const { askChannels } = await readHomeConfiguration(shell);
  if (askChannels.length === 0) return null;
  const get = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
    await callServer(await accessOf({}, shell), path);
  return {
    channels: askChannels,
    async present(channel) {
      const { roster } = await get(channelPath(channel));
      const agents = (roster as readonly Participant[]).filter(({ type }) => type !== "person");
      return agents.map(({ handle }) => handle).filter((handle) => !handle.startsWith(ASKER));
    },
    async ask({ channel, to, messageId, content }) {
      const { connect } = await import("@continuo/core/client");
      // The limit for agents that answer each other counts the question, because no person wrote it.
      const client = await connect({
        ...(await accessOf({}, shell)),
        channel,
        handle: ASKER + PROCESS,
        type: "agent",
        replayMode: "skip",
        onWarning: () => undefined,
      });
      try {
        await client.send(content, { to: [to], messageId });
      } finally {
        await client.close();
      }
    },
    async replyTo({ channel, to, messageId }) {
      const { messages } = await get(channelPath(channel, `/messages?limit=${MESSAGES}`));
      const reply = (messages as readonly ChannelMessage[]).findLast(
        (message) => message.handle === to && message.replyTo === messageId,
      );
      if (reply === undefined || (reply.state !== "complete" && reply.state !== "interrupted")) return null;
      return { content: reply.content, state: reply.state, at: reply.timestamp };
    },
  };
}

const ASKER = "asking-";
/**
 * All questions of this process come from one participant, so that a question that is sent again has the same author.
 */
const PROCESS = crypto.randomUUID().slice(0, 8);
