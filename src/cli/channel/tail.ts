/** `continuo channel tail`: prints each message when it is complete, until Ctrl-C. */

import { type ClientEvent, watch } from "@continuo/core/client";
import { visibleText } from "@continuo/core/transcript";
import type { Shell } from "../terminal/index.ts";
import { lineOfMessage, oneLine } from "./draw.ts";
import type { TailFlags } from "./flags.ts";
import { accessOf, callServer, channelPath } from "./server.ts";

export async function runTail(channel: string, flags: TailFlags, shell: Shell): Promise<number> {
  const access = await accessOf(flags, shell);
  // Reading does not create a channel; a missing channel is an error at once.
  await callServer(access, channelPath(channel));
  const stop = new AbortController();
  using _interrupts = shell.holdInterrupts(() => stop.abort());
  using _termination = shell.holdTermination(() => stop.abort());
  const client = await watch({ ...access, channel, after: flags.new ? "latest" : (flags.after ?? 0) });
  try {
    for await (const event of client.events({ parts: flags.json === true, signal: stop.signal })) {
      const line = flags.json ? `${JSON.stringify(event)}\n` : lineOf(event);
      if (line !== "" && !shell.stdout.write(line)) {
        await new Promise<void>((resolve) => shell.stdout.once("drain", () => resolve()));
      }
    }
  } finally {
    await client.close();
  }
  return 0;
}

function lineOf(event: ClientEvent): string {
  const { from: handle, timestamp } = event;
  switch (event.type) {
    case "message":
      return lineOfMessage({ ...event, handle });
    case "error":
      return lineOfMessage({ handle, timestamp, content: event.message, state: "complete" });
    case "edited":
      return lineOfChange(event, `changed ${event.messageId} to: ${event.content}`);
    case "deleted":
      return lineOfChange(event, `deleted ${event.messageId}`);
    case "reaction":
      return lineOfChange(
        event,
        event.change === "added"
          ? `reacted to ${event.messageId}: ${event.reaction}`
          : `took back from ${event.messageId}: ${event.reaction}`,
      );
    default:
      return "";
  }
}

/** The change of an earlier message, on a line that no message can imitate. */
function lineOfChange({ from, timestamp }: ClientEvent, text: string): string {
  return `${oneLine(timestamp ?? "")}  * ${oneLine(from ?? "server")} ${visibleText(text).replaceAll("\n", "\n    ")}\n`;
}
