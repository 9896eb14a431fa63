/** Messages as lines. Text from other people reaches the terminal only as visible characters. */

import { visibleLine, visibleText } from "@continuo/core/transcript";
import type { ChannelMessage, MessageReaction } from "@continuo/core/wire";

export interface ShownMessage {
  readonly handle: string | null;
  readonly content: string;
  readonly timestamp: string | undefined;
  readonly state: ChannelMessage["state"];
  readonly editedAt?: string;
  readonly reactions?: readonly MessageReaction[];
}

const NOTES: Readonly<Record<ShownMessage["state"], string>> = {
  complete: "",
  open: " (in progress)",
  interrupted: " (interrupted)",
  deleted: " (deleted)",
};

/** Further lines are indented, so that none can look like another message. */
export function lineOfMessage({ handle, content, timestamp, state, ...changes }: ShownMessage): string {
  const { editedAt, reactions = [] } = changes;
  const note = editedAt === undefined || state === "deleted" ? NOTES[state] : `${NOTES[state]} (edited)`;
  const head = `${oneLine(timestamp ?? "")}  ${oneLine(handle ?? "server")}${note}: `;
  const marks = reactions.map(({ reaction, handles }) => `${oneLine(reaction)} ${handles.length}`);
  const tail = marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
  return `${head}${visibleText(content).replaceAll("\n", "\n    ")}${tail}\n`;
}

export function oneLine(text: string): string {
  return visibleLine(text);
}
