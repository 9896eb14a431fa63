/** `continuo channel list`, `show` and `export`. */

import { listAll } from "@continuo/core/model";
import type { ChannelMessage, ChannelRow, ChannelsPage, Participant } from "@continuo/core/wire";
import { type Shell, toJsonText } from "../terminal/index.ts";
import { lineOfMessage, oneLine } from "./draw.ts";
import type { ChannelFlags, ShowFlags } from "./flags.ts";
import { accessOf, callServer, channelPath, type ServerAccess } from "./server.ts";

/** The server returns at most this many messages for one request. */
const MAX_MESSAGES = 1_000;

export async function runList(flags: ChannelFlags, shell: Shell): Promise<number> {
  const channels = await allChannels(await accessOf(flags, shell));
  if (flags.json) shell.stdout.write(`${toJsonText({ channels })}\n`);
  else {
    for (const { channel, latestSequence, changedAt } of channels) {
      shell.stdout.write(
        `${oneLine(changedAt)}  ${String(latestSequence).padStart(7)}  ${oneLine(channel)}\n`,
      );
    }
  }
  return 0;
}

function allChannels(access: ServerAccess): Promise<readonly ChannelRow[]> {
  const channels = listAll(async (place) => {
    const page = await callServer(access, `/v1/channels?${new URLSearchParams(place)}`);
    const { channels: items, nextCursor = null } = page as unknown as ChannelsPage;
    return { items, nextCursor };
  });
  return Array.fromAsync(channels);
}

export async function runShow(channel: string, flags: ShowFlags, shell: Shell): Promise<number> {
  const access = await accessOf(flags, shell);
  const limit = Math.min(Math.max(1, flags.limit), MAX_MESSAGES);
  const [about, answer] = await Promise.all([
    callServer(access, channelPath(channel)),
    callServer(access, channelPath(channel, `/messages?limit=${limit}`)),
  ]);
  const messages = answer.messages as readonly ChannelMessage[];
  const roster = about.roster as readonly Participant[];
  if (flags.json) {
    shell.stdout.write(`${toJsonText({ ...about, messages })}\n`);
    return 0;
  }
  for (const message of messages) {
    const id = flags.ids ? `${oneLine(message.messageId)}  ` : "";
    shell.stdout.write(`${id}${lineOfMessage(message)}`);
  }
  const names = roster.map(({ handle, type }) => `${oneLine(handle)} (${oneLine(type)})`);
  shell.stderr.write(names.length === 0 ? "no participants\n" : `participants: ${names.join(", ")}\n`);
  return 0;
}

interface EventsPage {
  readonly events: readonly unknown[];
  readonly nextAfter: number | null;
}

export async function runExport(channel: string, flags: ChannelFlags, shell: Shell): Promise<number> {
  const access = await accessOf(flags, shell);
  for (let after: number | null = 0; after !== null; ) {
    const path = channelPath(channel, `/events?after=${after}`);
    const page = (await callServer(access, path)) as unknown as EventsPage;
    for (const event of page.events) {
      if (!shell.stdout.write(`${toJsonText(event)}\n`)) {
        await new Promise<void>((resolve) => shell.stdout.once("drain", () => resolve()));
      }
    }
    after = page.nextAfter;
  }
  return 0;
}
