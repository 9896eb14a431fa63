/** An agent's plan, with a line for each step. */

import { visibleLine } from "@continuo/core/transcript";
import { cutEnd, formatCount, type Style } from "../../terminal/index.ts";
import type { Pen } from "./calls.ts";
import { DRAWING_LIMITS } from "./limits.ts";

interface Mark {
  readonly mark: string;
  readonly styles: readonly Style[];
}

const TO_DO: Mark = { mark: "☐", styles: [] };
const MARKS: Readonly<Record<string, Mark>> = {
  completed: { mark: "☑", styles: ["dim"] },
  in_progress: { mark: "▣", styles: ["bold"] },
  inProgress: { mark: "▣", styles: ["bold"] },
};

/** Entries have the agent's own form: a text, or an object with `content`, `step` or `title` and a `status`. */
export function drawPlan(entries: readonly unknown[], { columns, paint }: Pen): string[] {
  const drawn = entries.slice(0, DRAWING_LIMITS.planEntries).map((entry) => {
    const { content, step, title, status } = (
      typeof entry === "object" && entry !== null ? entry : {}
    ) as Readonly<Record<string, unknown>>;
    const text =
      [entry, content, step, title].find((one) => typeof one === "string") ?? JSON.stringify(entry);
    const { mark, styles } = MARKS[String(status)] ?? TO_DO;
    return paint(cutEnd(`${mark} ${visibleLine(String(text))}`, columns), ...styles);
  });
  const hidden = entries.length - drawn.length;
  return hidden > 0 ? [...drawn, paint(`… ${formatCount(hidden)} more steps`, "dim")] : drawn;
}
