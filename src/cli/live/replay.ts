/** `continuo live replay`. */

import { ContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { PageReplay, ReplayReport } from "@continuo/live";
import { accessOf, callServer } from "../channel/index.ts";
import { type Shell, toJsonText } from "../terminal/index.ts";
import type { ReplayFlags } from "./flags.ts";
import { livePath } from "./lines.ts";

/** The agreement that a model must reach; recorded drafts must agree completely. */
const MODEL_TARGET = 0.95;

/** 0 if the notes agree, otherwise 4. */
export async function runReplay(key: string, flags: ReplayFlags, shell: Shell): Promise<number> {
  const mode = flags.model === true ? "model" : "recorded";
  const isAlone = flags.withoutContext === true;
  if (isAlone && mode !== "model") {
    throw new ContinuoError("usage", "--without-context needs --model", {
      hint: "Add --model: recorded decisions are made again as they are.",
    });
  }
  const body = isAlone ? { mode, context: "none" } : { mode };
  const answer = await callServer(await accessOf(flags, shell), livePath(key, "/replay"), body);
  const report = answer as unknown as ReplayReport;
  const { compared, agreed, agreement, disagreements, page } = report;
  if (flags.json) shell.stdout.write(`${toJsonText(report)}\n`);
  else {
    // Without its memory, the extractive writer cannot end a thought, so it may write no note.
    const isSilent = isAlone && compared === 0;
    const share = `${agreed} of ${compared} agree: ${Math.floor(agreement * 1_000) / 10} %`;
    shell.stdout.write(`${isSilent ? "the writer wrote no note without its context" : share}\n`);
    for (const { sequence, reason, noteId } of disagreements) {
      const note = noteId === undefined ? "" : ` (note ${visibleLine(noteId)})`;
      shell.stdout.write(`  event ${sequence}: ${visibleLine(reason)}${note}\n`);
    }
    if (mode === "model") shell.stdout.write(`${pageLine(page ?? null, isAlone)}\n`);
  }
  // Without its context, no agreement is required of the writer.
  if (isAlone) return 0;
  return agreement >= (mode === "model" ? MODEL_TARGET : 1) ? 0 : 4;
}

function pageLine(page: PageReplay | null, isAlone: boolean): string {
  if (isAlone) return "page: not written again without its context";
  if (page === null) return "page: no model wrote one, so it is not written again";
  return `page: ${page.agreed} of ${page.compared} items of pass ${page.pass} agree`;
}
