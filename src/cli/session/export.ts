/** `session export`: one session as one file. */

import { resolve } from "node:path";
import { branchToHtml, messageToHtml, pageEnd, pageStart } from "../../transcript/html/index.ts";
import { locateAny, openLocated, type ShownSession } from "../own/index.ts";
import {
  createFileOutput,
  createOutput,
  type FileOutput,
  type Output,
  type Shell,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import { everyBranch, stepsOfBranch } from "./branches.ts";
import { EXPORT_FORMATS, type ExportFlags, type ExportFormat } from "./export-flags.ts";
import { markdownOf } from "./plain.ts";
import { showJson } from "./show-json.ts";

export async function runExport(id: string, flags: ExportFlags, shell: Shell): Promise<number> {
  using session = await openLocated(await locateAny(id, shell), shell);
  const format = flags.format ?? formatOf(flags.output);
  if (flags.output === undefined || flags.output === "-") {
    await writeSession(session, format, flags, createOutput(shell.stdout));
    return 0;
  }
  using file: FileOutput = createFileOutput(resolve(shell.cwd, flags.output), shell);
  await writeSession(session, format, flags, file);
  const sizeBytes = await file.commit();
  shell.stderr.write(`${tildePath(file.path, shell.home)}, ${sizeBytes} bytes\n`);
  return 0;
}

/** By the ending of the file's name; Markdown where it tells nothing. */
function formatOf(path: string | undefined): ExportFormat {
  const ending = path?.split(".").at(-1)?.toLowerCase();
  return EXPORT_FORMATS.find((format) => format === ending) ?? (ending === "htm" ? "html" : "md");
}

async function writeSession(
  session: ShownSession,
  format: ExportFormat,
  flags: ExportFlags,
  output: Output,
): Promise<void> {
  const steps = flags.all ? everyBranch(session) : stepsOfBranch(session, undefined);
  switch (format) {
    case "json":
      return await showJson(session, steps, output);
    case "jsonl":
      for await (const { message } of steps) await output.write(`${toJsonText(message)}\n`);
      return;
    case "md":
      for await (const chunk of markdownOf(session, steps, { tools: "full", injected: "show" })) {
        await output.write(chunk);
      }
      return;
    case "html": {
      const { details } = session;
      await output.write(pageStart({ details }));
      for await (const { message, branch } of steps) {
        if (branch !== undefined) await output.write(branchToHtml({ ...branch, label: branch.leaf.label }));
        await output.write(messageToHtml(message));
      }
      return await output.write(pageEnd({ details }));
    }
  }
}
