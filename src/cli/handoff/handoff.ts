/** `handoff`: the receipt, then the new session and how to go on with it. */

import { resolve } from "node:path";
import type { HandOff } from "../../agents/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { locateAny } from "../own/index.ts";
import { placesOf } from "../places/index.ts";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import { commandLine } from "./command-line.ts";
import type { HandoffFlags } from "./flags.ts";
import { handOver } from "./hand-over.ts";
import { madeLines, receiptLines } from "./receipt.ts";

export async function runHandoff(id: string, flags: HandoffFlags, shell: Shell): Promise<number> {
  const located = await locateAny(id, shell);
  const { fromMessage, strategy, maxMessages, maxTokens, maxLoss } = flags;
  const made = await handOver(located, {
    shell,
    ...(flags.cwd === undefined ? {} : { cwd: resolve(shell.cwd, flags.cwd) }),
    options: {
      to: flags.to,
      places: placesOf(shell),
      until: flags.dryRun ? "receipt" : "written",
      verifyBy: flags.verify ? "agent" : "own",
      ...(fromMessage === undefined ? {} : { fromMessage }),
      ...(strategy === undefined ? {} : { strategy }),
      ...(maxMessages === undefined ? {} : { maxMessages }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxLoss === undefined ? {} : { maxLoss }),
    },
  });
  const output = createOutput(shell.stdout);
  await output.write(flags.json ? `${toJsonText(toJson(made), 2)}\n` : toText(made, shell));
  return 0;
}

function toJson({ agent, sessionId, location, resumeCommand, receipt, verification }: HandOff): unknown {
  return { agent, sessionId, location, resumeCommand, receipt, verification };
}

function toText(made: HandOff, shell: Shell): string {
  const lines = receiptLines(made.receipt);
  if (made.sessionId === null || made.resumeCommand === null) {
    lines.push("", `Nothing was written: a new session of ${made.agent} would say this.`);
  } else {
    lines.push(
      "",
      ...madeLines(made, shell),
      "",
      "Go on with it:",
      `  ${commandLine(made.cwd, made.resumeCommand)}`,
    );
  }
  return `${lines.map(visibleLine).join("\n")}\n`;
}
