/** Messages as lines. What somebody wrote reaches the terminal as visible text only. */

import { visibleLine, visibleText } from "@continuo/core/transcript";

export interface ShownMessage {
  readonly handle: string | null;
  readonly content: string;
  readonly timestamp: string | undefined;
  readonly state: "complete" | "open" | "interrupted";
}

const NOTES: Readonly<Record<ShownMessage["state"], string>> = {
  complete: "",
  open: " (in progress)",
  interrupted: " (interrupted)",
};

/** Further lines are indented, so that none can pose as another message. */
export function lineOfMessage({ handle, content, timestamp, state }: ShownMessage): string {
  const head = `${oneLine(timestamp ?? "")}  ${oneLine(handle ?? "server")}${NOTES[state]}: `;
  return `${head}${visibleText(content).replaceAll("\n", "\n    ")}\n`;
}

export function oneLine(text: string): string {
  return visibleLine(text);
}
