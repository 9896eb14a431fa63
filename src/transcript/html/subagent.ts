/** The conversation of a sub-agent, folded, where its call stands. */

import { escapeHtml } from "./escape.ts";

export interface HtmlSubagent {
  readonly id: string;
  readonly type: string | null;
  readonly description: string | null;
  /** `null` where it cannot be read. */
  readonly messages: number | null;
}

/** Its messages follow, then `subagentEnd`. */
export function subagentStart({ id, type, description, messages }: HtmlSubagent): string {
  const name = `<b><bdi>${escapeHtml(type ?? id)}</bdi></b>`;
  const task = description === null ? "" : `: <bdi>${escapeHtml(description)}</bdi>`;
  const size = messages === null ? "cannot be read" : messages === 1 ? "1 message" : `${messages} messages`;
  return `<details class="subagent"><summary>Sub-agent ${name}${task}, ${size}</summary>\n`;
}

export const subagentEnd = "</details>\n";
