/** `handoff`: the receipt, then the new session and how to continue it. */

import { resolve } from "node:path";
import { handOver } from "@continuo/agents/conversations";
import type { HandOff } from "@continuo/agents/handoff";
import { commandLine, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { locate } from "../notices/index.ts";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import type { HandoffFlags } from "./flags.ts";
import { madeLines, type ReceiptFlags, receiptLines } from "./receipt.ts";

export async function runHandoff(id: string, flags: HandoffFlags, shell: Shell): Promise<number> {
  const located = await locate(id, shell);
  const { fromMessage, strategy, maxMessages, maxTokens, maxLoss } = flags;
  const made = await handOver(
    located,
    present({
      places: shell,
      cwd: flags.cwd === undefined ? undefined : resolve(shell.cwd, flags.cwd),
      options: present({
        to: flags.to,
        places: placesOf(shell),
        until: flags.dryRun ? "receipt" : "written",
        verifyBy: flags.verify ? "agent" : "own",
        fromMessage,
        strategy,
        maxMessages,
        maxTokens,
        maxLoss,
      }),
    }),
  );
  return await printHandOff(made, flags, shell);
}

/** Prints the receipt, then the new session and how to continue it. */
export async function printHandOff(
  made: HandOff,
  flags: ReceiptFlags & { readonly json?: true },
  shell: Shell,
  { json = {}, lines = [] }: ExtraOutput = {},
): Promise<number> {
  const output = createOutput(shell.stdout);
  const text = flags.json
    ? `${toJsonText({ ...toJson(made), ...json }, 2)}\n`
    : `${toText(made, flags, shell)}${lines.map((line) => `${visibleLine(line)}\n`).join("")}`;
  await output.write(text);
  return 0;
}

/** Facts that belong to the same command. */
export interface ExtraOutput {
  readonly json?: object;
  readonly lines?: readonly string[];
}

function toJson(made: HandOff): object {
  const { agent, sessionId, location, resumeCommand, receipt, verification, madeDatabase } = made;
  return { agent, sessionId, location, resumeCommand, receipt, verification, madeDatabase };
}

function toText(made: HandOff, flags: ReceiptFlags, shell: Shell): string {
  const lines = receiptLines(made.receipt, flags);
  if (made.sessionId === null || made.resumeCommand === null) {
    lines.push("", `Nothing was written: a new session of ${made.agent} would contain this.`);
  } else {
    lines.push(
      "",
      ...madeLines(made, shell),
      "",
      "Continue it with:",
      `  ${commandLine(made.cwd, made.resumeCommand)}`,
    );
  }
  return `${lines.map(visibleLine).join("\n")}\n`;
}
