/** `continuo agent join`: an agent of this machine answers in a channel of a server. */

import { agentOptionsOf, readConfiguration } from "@continuo/agents/config";
import { assertServersReadable, openTalk } from "@continuo/agents/conversations";
import { findAgentProgram } from "@continuo/agents/drivers";
import { connect } from "@continuo/core/client";
import { ContinuoError, isContinuoError, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { accessOf } from "../channel/index.ts";
import { conversationOf } from "../flags/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { JoinFlags } from "./flags.ts";
import { answerInput, isInput, type JoinedChannel } from "./input.ts";
import { MissedMessages } from "./missed-messages.ts";

export async function runJoin(channel: string, flags: JoinFlags, shell: Shell): Promise<number> {
  const stop = new AbortController();
  const end = (): void => stop.abort(new ContinuoError("interrupted", "the agent leaves the channel"));
  using _interrupts = shell.holdInterrupts(end);
  using _termination = shell.holdTermination(end);
  const note = (text: string): void => void shell.stderr.write(`${visibleLine(text)}\n`);
  await assertStartable(flags, shell);
  const client = await connect({
    ...(await accessOf(flags, shell)),
    channel,
    handle: flags.as,
    type: "agent",
    workspaceId: flags.workspace,
    capabilities: ["chat"],
    onWarning: note,
    signal: stop.signal,
  });
  try {
    const { agent, cwd, permissions, model } = flags;
    await using talk = await openTalk({
      flags: present({ agent, new: true, cwd, permissions, model }),
      ...conversationOf({}, shell),
      keepOpen: "session",
      note,
    });
    note(`${flags.as} (${agent}) is in ${channel}`);
    const { count } = client.formatMissedContext();
    const unheard = new MissedMessages(client.missedMessages, count - client.missedMessages.length);
    const joined = { client, talk, channel, flags, shell, note, signal: stop.signal, unheard };
    let knows = await takeUp(joined);
    // All messages are read: messages that are not addressed to the agent are given to it with the next one that is.
    for await (const event of client.events({ signal: stop.signal })) {
      if (!isInput(event)) unheard.add(event);
      else if (await answerInput(joined, event, knows)) knows = true;
    }
    return 0;
  } finally {
    await client.close();
  }
}

/**
 * Called before the channel shows the handle, because an agent that cannot start answers nothing. Errors:
 * `agent_missing`, `usage`, `invalid` for a variable of an MCP server that is not set.
 */
async function assertStartable({ agent: name, cwd }: JoinFlags, shell: Shell): Promise<void> {
  const configuration = await readConfiguration(present({ places: shell, cwd }));
  await assertServersReadable(configuration, shell);
  const settings = configuration.agents[name];
  if (settings?.endpoint !== undefined) return;
  const driving = settings === undefined ? {} : agentOptionsOf(settings);
  const { command, label, install } = await findAgentProgram(name, { ...driving, places: placesOf(shell) });
  if (command !== null) return;
  throw new ContinuoError("agent_missing", `cannot join as ${name}: ${label} is not installed`, {
    hint: install === null ? "Install it, or name its command in continuo.yaml." : `Install it: ${install}`,
    details: { agent: name },
  });
}

/** Continues the session that this handle had on this machine. False if there is none on this machine. */
async function takeUp({ client, talk, note }: JoinedChannel): Promise<boolean> {
  const { sdkSessionId } = client;
  if (sdkSessionId === undefined) return false;
  try {
    await talk.resume(sdkSessionId);
    return true;
  } catch (error) {
    if (!isContinuoError(error, "not_found")) throw error;
    note(
      `the session ${sdkSessionId} is not on this machine; the agent receives the messages of the channel instead`,
    );
    return false;
  }
}
