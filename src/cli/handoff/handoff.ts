/** `handoff`: the receipt, then the new session and how to go on with it. */

import { resolve } from "node:path";
import {
  type HandOff,
  type HandOffOptions,
  handOff,
  handOffMessages,
  type Receipt,
} from "../../agents/index.ts";
import { ContinuoError } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { type Located, locateAny, openLocated, type ShownSession } from "../own/index.ts";
import { placesOf } from "../places/index.ts";
import { createOutput, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import { commandLine } from "./command-line.ts";
import type { HandoffFlags } from "./flags.ts";

export async function runHandoff(id: string, flags: HandoffFlags, shell: Shell): Promise<number> {
  const located = await locateAny(id, shell);
  const { fromMessage, strategy, maxMessages, maxTokens, maxLoss } = flags;
  const made = await go(located, {
    ...{ flags, shell },
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

interface Going {
  readonly flags: HandoffFlags;
  readonly shell: Shell;
  readonly options: Omit<HandOffOptions, "cwd">;
}

async function go(located: Located, { flags, shell, options }: Going): Promise<HandOff> {
  const cwd = flags.cwd === undefined ? undefined : resolve(shell.cwd, flags.cwd);
  if (located.kind === "native") {
    return await handOff(located.native.found, { ...options, ...(cwd === undefined ? {} : { cwd }) });
  }
  using session = await openLocated(located, shell);
  const messages = await Array.fromAsync(session.history());
  return await handOffMessages({ messages, title: titleOf(session), cwd: cwd ?? folderOf(session) }, options);
}

const MAX_TITLE_CHARS = 120;

function titleOf({ details }: ShownSession): string {
  return `from continuo: ${(details.title ?? details.sessionId).slice(0, MAX_TITLE_CHARS)}`.toWellFormed();
}

/** Errors: `usage`. */
function folderOf({ details }: ShownSession): string {
  if (details.cwd !== null) return details.cwd;
  throw new ContinuoError("usage", "the session does not tell its folder", { hint: "Give one with --cwd." });
}

function toJson({ agent, sessionId, location, resumeCommand, receipt, verification }: HandOff): unknown {
  return { agent, sessionId, location, resumeCommand, receipt, verification };
}

function toText(made: HandOff, shell: Shell): string {
  const lines = receiptLines(made.receipt);
  if (made.sessionId === null || made.resumeCommand === null) {
    lines.push("", `Nothing was written: a new session of ${made.agent} would say this.`);
  } else {
    const by = made.verification?.by ?? "";
    lines.push(
      "",
      `${made.agent}:${made.sessionId}  ${made.title}`,
      tildePath(made.location ?? "", shell.home),
      `read back by ${by}`,
      ...broughtBackLines(made),
      "",
      "Go on with it:",
      `  ${commandLine(made.cwd, made.resumeCommand)}`,
    );
  }
  return `${lines.map(visibleLine).join("\n")}\n`;
}

function broughtBackLines({ broughtBack }: HandOff): string[] {
  if (broughtBack === null) return [];
  const { agent, sessionId, messages } = broughtBack;
  const name = `${agent}:${sessionId}`;
  if (broughtBack.as === "records")
    return [`the ${messages} messages of ${name} are there with their own records`];
  return [`${messages} messages are as ${name} has them, written anew`];
}

/** Totals by kind, then each reason with how often it was given. */
function receiptLines(receipt: Receipt): string[] {
  const lines = Object.entries(receipt.byKind).map(
    ([kind, { kept, rewritten, noted, dropped }]) =>
      `${kind.padEnd(12)} ${kept} kept, ${rewritten} rewritten, ${noted} noted, ${dropped} dropped`,
  );
  const reasons = new Map<string, number>();
  for (const { kind, outcome, reason } of receipt.records) {
    if (outcome === "kept" || (outcome === "noted" && kind === "other")) continue;
    const told = `${kind} ${outcome}: ${reason}`;
    reasons.set(told, (reasons.get(told) ?? 0) + 1);
  }
  const told = [...reasons].map(([reason, count]) => `  ${count} ${reason}`);
  return told.length === 0 ? lines : [...lines, "", ...told];
}
