/** The estimated height of a row before it is drawn; a drawn row is measured. */

import type { Row } from "../state/history.ts";
import type { ConversationView } from "./conversation.tsx";

const LINE = 24;
const CHARS = 90;
const FOLDED = 30;

export function estimate(row: Row, shown: ConversationView): number {
  switch (row.type) {
    case "seen":
    case "foot":
      return 40;
    case "question":
      return (
        56 +
        textHeight(
          row.at.message.content.map((block) => (block.type === "text" ? block.text : "")).join("\n"),
        )
      );
    case "text": {
      const block = row.at.message.content[row.index];
      return 16 + (block?.type === "text" ? textHeight(block.text) : LINE);
    }
    case "thinking":
      return shown.thinking.value ? 120 : FOLDED;
    case "media":
      return 240;
    default:
      return FOLDED;
  }
}

function textHeight(text: string): number {
  const lines = text.split("\n").slice(0, 400);
  return LINE * lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / CHARS)), 0);
}
