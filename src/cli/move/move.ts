/** `move --to FILE`: a session and its work tree as one file. */

import { resolve } from "node:path";
import type { LocatedSession } from "@continuo/agents/catalog";
import { type PackedMove, packMove, repositoryOfSession } from "@continuo/agents/handoff/moving";
import { ContinuoError, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { openOutputFile, placesOf } from "@continuo/files";
import { forbiddenFolders } from "@continuo/native";
import { workTreeJson, workTreeLine } from "../handoff/index.ts";
import { locate } from "../notices/index.ts";
import { createOutput, formatSize, plural, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import type { MoveFlags } from "./flags.ts";

export async function runMove(id: string, flags: MoveFlags, shell: Shell): Promise<number> {
  const { found, places } = await nativeOf(id, shell);
  const repository = flags.workTree ? await repositoryOfSession(found, { places }) : null;
  const options = { force: flags.force === true, forbidden: await forbiddenFolders(placesOf(shell)) };
  using output = await openOutputFile(resolve(shell.cwd, flags.to), options);
  using _onExit = shell.onExit(() => output[Symbol.dispose]());
  const packedAt = shell.now.toISOString();
  const packed = await packMove(found, output, { places, packedAt, repository });
  const sizeBytes = output.commit();
  const text = flags.json
    ? `${toJsonText(toJson(packed, output.path, sizeBytes), 2)}\n`
    : draw(packed, { path: output.path, sizeBytes }, shell);
  await createOutput(shell.stdout).write(text);
  return 0;
}

/** Errors: `unsupported` for a session of Continuo's own, which no agent keeps. */
async function nativeOf(id: string, shell: Shell): Promise<LocatedSession> {
  const located = await locate(id, shell);
  if (located.kind === "native") return located.native;
  throw new ContinuoError("unsupported", "cannot move a session of Continuo's own", {
    hint: `Run \`continuo handoff ${shellWord(located.row.sessionId)} --to AGENT\` to make a native session, which can be moved.`,
  });
}

function toJson({ workTree, ...session }: PackedMove, path: string, sizeBytes: number): object {
  return {
    ...session,
    bundle: { path, sizeBytes },
    workTree: workTree === null ? null : workTreeJson(workTree),
  };
}

interface Written {
  readonly path: string;
  readonly sizeBytes: number;
}

function draw({ agent, sessionId, files, workTree }: PackedMove, written: Written, shell: Shell): string {
  const lines = [
    `${agent}:${sessionId}, ${plural(files, "file")}: ${tildePath(written.path, shell.home)}, ${formatSize(written.sizeBytes)}`,
    ...(workTree === null ? [] : workTreeLines(workTree, shell)),
    "",
    "On the other machine:",
    `  continuo import FILE ${workTree === null ? "--cwd" : "--into"} DIR`,
  ];
  return `${lines.map(visibleLine).join("\n")}\n`;
}

function workTreeLines(workTree: NonNullable<PackedMove["workTree"]>, shell: Shell): readonly string[] {
  const { state, folder, commits, ignored, leftOut } = workTree;
  return [
    workTreeLine(state, folder, shell),
    ...(commits > 0 ? [`${plural(commits, "commit")} that no remote has`] : []),
    ...(ignored.length > 0 ? [`stays here, ignored by git: ${namesIn(ignored)}`] : []),
    ...(leftOut.length > 0 ? [`stays here, a repository of its own: ${namesIn(leftOut)}`] : []),
  ];
}

const NAMES = 5;

function namesIn(paths: readonly string[]): string {
  const more = paths.length - NAMES;
  return `${paths.slice(0, NAMES).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
