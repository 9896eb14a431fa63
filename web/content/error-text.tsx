/** The words of an error on one line: what stands between backticks, such as a command to type, is shown as code. */

import { visibleLine } from "@continuo/core/transcript";
import type { VNode } from "preact";

interface ErrorTextProps {
  readonly text: string;
}

export function ErrorText({ text }: ErrorTextProps): VNode {
  const parts = visibleLine(text).replaceAll("␊", " ").split("`");
  // If a name in the text contains a backtick, the backticks are not pairs, and nothing is shown as code.
  const isPaired = parts.length % 2 === 1;
  if (!isPaired) return <>{parts.join("`")}</>;
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}
