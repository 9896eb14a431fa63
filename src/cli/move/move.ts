/** `move`: moves a session and its work tree to another machine, or into a file, and undoes that. */

import { resolve } from "node:path";
import { type LocatedSession, markMoved, movedToOf } from "@continuo/agents/catalog";
import {
  type PackedMove,
  packMove,
  repositoryOfSession,
  type SentMove,
  sendMove,
} from "@continuo/agents/handoff/moving";
import { ContinuoError, commandLine, present, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { openOutputFile, placesOf } from "@continuo/files";
import { forbiddenFolders } from "@continuo/native";
import { workTreeJson, workTreeLine } from "../handoff/index.ts";
import { locate } from "../notices/index.ts";
import {
  createOutput,
  createProgress,
  formatSize,
  plural,
  type Shell,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import type { FollowPlace, MoveFlags } from "./flags.ts";
import { refuseMovedElsewhere } from "./move-check.ts";
import { openSsh, parsePlace, type SshPlace } from "./ssh.ts";

export async function runMove(id: string, flags: MoveFlags, shell: Shell): Promise<number> {
  const { to, takeBack, takeOver, follow } = flags;
  if ([to, takeBack, takeOver].filter((one) => one !== undefined).length !== 1) {
    throw new ContinuoError("usage", "name the place that the session moves to, or take it back or over", {
      hint: "Add --to ssh://HOST/DIR, --to FILE, --take-back, or --take-over.",
    });
  }
  if (takeOver === true) return await (await import("./take-over.ts")).runTakeOver(id, flags, shell);
  const session = await nativeOf(id, shell);
  if (to === undefined) return await takeItBack(session, shell);
  if (follow === true) {
    const followed = await followPlace(to, flags, shell);
    return await (await import("./follow.ts")).runFollow(session, followed, flags, shell);
  }
  if (/^https?:/iu.test(to)) {
    throw new ContinuoError("usage", "a server takes a mirror of a session, not the session itself", {
      hint: "Add --follow, or move it with --to ssh://HOST/DIR.",
    });
  }
  const place = parsePlace(to);
  if (place !== null) return await moveToMachine(session, place, flags, shell);
  return await moveToFile(session, resolve(shell.cwd, to), flags, shell);
}

/** Errors: `usage`; those of the address and the token of a server. */
async function followPlace(to: string, flags: MoveFlags, shell: Shell): Promise<FollowPlace> {
  const server = await (await import("./server.ts")).serverPlace(to, flags, shell);
  if (server !== null) return server;
  const place = parsePlace(to);
  if (place === null) {
    throw new ContinuoError("usage", "a file cannot follow a session", {
      hint: "Add --to ssh://HOST, or the URL of a server.",
    });
  }
  const { machine } = place;
  return { machine, connect: () => openSsh(place, flags.remoteCommand, shell, "receive-mirror") };
}

/** The session was never removed here: only its mark is removed. */
async function takeItBack({ found }: LocatedSession, shell: Shell): Promise<number> {
  const places = placesOf(shell);
  const moved = movedToOf(found, places);
  if (moved === null) {
    throw new ContinuoError("conflict", `session ${found.sessionId} was not moved from this machine`, {
      hint: "Run `continuo list` to see which sessions were.",
    });
  }
  await markMoved(found, null, { places });
  const text = `${found.agent}:${found.sessionId} continues here; ${moved.machine} keeps ${moved.agent}:${moved.sessionId}`;
  await createOutput(shell.stdout).write(`${visibleLine(text)}\n`);
  return 0;
}

async function moveToMachine(
  { found, places }: LocatedSession,
  place: SshPlace,
  flags: MoveFlags,
  shell: Shell,
): Promise<number> {
  const { machine, folder } = place;
  refuseMovedElsewhere(found, machine, shell);
  using progress = createProgress(shell);
  progress.show(`Asking ${machine}`);
  const sent = await sendMove(found, {
    places,
    connect: () => openSsh(place, flags.remoteCommand, shell),
    host: machine,
    workTree: flags.workTree ? "with" : "without",
    release: async ({ placed: { agent, sessionId, cwd } }) => {
      const at = new Date().toISOString();
      await markMoved(found, { machine, agent, sessionId, cwd, at }, { places: placesOf(shell) });
    },
    onProgress: (bytes, size) =>
      progress.show(`Sent ${formatSize(bytes)} of ${formatSize(size)} to ${machine}`),
    ...present({ into: folder ?? undefined, signal: shell.signal }),
  });
  progress.clear();
  const text = flags.json
    ? `${toJsonText({ ...toJson(sent.packed), machine, host: sent.host, placed: sent.placed }, 2)}\n`
    : drawSent(sent, machine, shell);
  await createOutput(shell.stdout).write(text);
  return 0;
}

async function moveToFile(
  { found, places }: LocatedSession,
  path: string,
  flags: MoveFlags,
  shell: Shell,
): Promise<number> {
  const repository = flags.workTree ? await repositoryOfSession(found, { places }) : null;
  const options = { force: flags.force === true, forbidden: await forbiddenFolders(placesOf(shell)) };
  using output = await openOutputFile(path, options);
  using _onExit = shell.onExit(() => output[Symbol.dispose]());
  const packedAt = shell.now.toISOString();
  const packed = await packMove(found, output, { places, packedAt, repository });
  const sizeBytes = output.commit();
  const text = flags.json
    ? `${toJsonText({ ...toJson(packed), bundle: { path, sizeBytes } }, 2)}\n`
    : draw(packed, { path, sizeBytes }, shell);
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

function toJson({ workTree, agent, sessionId, files, sizeBytes }: PackedMove): object {
  const tree = workTree === null ? null : workTreeJson(workTree);
  return { agent, sessionId, files, sizeBytes, workTree: tree };
}

interface WrittenBundle {
  readonly path: string;
  readonly sizeBytes: number;
}

function draw(
  { agent, sessionId, files, workTree }: PackedMove,
  written: WrittenBundle,
  shell: Shell,
): string {
  const lines = [
    `${agent}:${sessionId}, ${plural(files, "file")}: ${tildePath(written.path, shell.home)}, ${formatSize(written.sizeBytes)}`,
    ...(workTree === null ? [] : workTreeLines(workTree, shell)),
    "",
    "On the other machine:",
    `  continuo import FILE ${workTree === null ? "--cwd" : "--into"} DIR`,
  ];
  return `${lines.map(visibleLine).join("\n")}\n`;
}

function drawSent({ packed, placed }: SentMove, machine: string, shell: Shell): string {
  const lines = [
    `${packed.agent}:${packed.sessionId} moved to ${machine}`,
    ...(packed.workTree === null ? [] : workTreeLines(packed.workTree, shell)),
    "",
    `there: ${placed.agent}:${placed.sessionId}, read back by ${placed.readBackBy}`,
    ...(placed.workTree === null ? [] : [`there: work tree ${placed.workTree}, with the same changes`]),
    "",
    "Continue it there with:",
    `  ${commandLine(placed.cwd, placed.resumeCommand)}`,
  ];
  return `${lines.map(visibleLine).join("\n")}\n`;
}

function workTreeLines(workTree: NonNullable<PackedMove["workTree"]>, shell: Shell): readonly string[] {
  const { state, folder, commits, ignored, leftOut } = workTree;
  return [
    workTreeLine(state, folder, shell),
    ...(commits > 0 ? [`${plural(commits, "commit")} that the other machine may lack`] : []),
    ...(ignored.length > 0 ? [`stays here, ignored by git: ${namesIn(ignored)}`] : []),
    ...(leftOut.length > 0 ? [`stays here, a repository of its own: ${namesIn(leftOut)}`] : []),
  ];
}

const NAMES = 5;

function namesIn(paths: readonly string[]): string {
  const more = paths.length - NAMES;
  return `${paths.slice(0, NAMES).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
