/** Places the content of a bundle: first the work tree, then the session. */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep, win32 } from "node:path";
import { type AgentName, ContinuoError, present } from "@continuo/core/model";
import { isFolder, makeProjectFolder, type Places, placesOfThisUser } from "@continuo/files";
import { type UnpackedSession, unpackBundle } from "../bundle/index.ts";
import { type HandOff, type HandOffOptions, handOff, isAbsoluteFolder } from "../index.ts";
import {
  type AppliedWorkTree,
  applyWorkTree,
  initRepository,
  openRepository,
  readPackedState,
} from "../work-tree/index.ts";

export interface PlaceMoveOptions extends Pick<HandOffOptions, "until" | "verifyBy" | "programs"> {
  readonly places?: Places;
  /** The session's own agent by default. */
  readonly to?: AgentName | undefined;
  /** The clone for the work tree, or a new folder; by default, the same path as on the other machine. */
  readonly into?: string | undefined;
  /** With `without`, only the session is placed, in the folder `into`. */
  readonly workTree?: "with" | "without";
  /** Called when the work tree is ready, before the session is placed. */
  readonly onPlacing?: (session: PlacingSession) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface PlacingSession {
  readonly agent: AgentName;
  /** Its name on the other machine. */
  readonly from: { readonly agent: AgentName; readonly sessionId: string };
  readonly cwd: string;
  /** The folder of the work tree; `null` for none. */
  readonly folder: string | null;
}

export interface PlacedMove {
  readonly made: HandOff;
  /** `null` if the bundle has no work tree, or only the session was requested. */
  readonly workTree: (AppliedWorkTree & { readonly folder: string }) | null;
}

/**
 * Errors: those of a bundle, of a hand-over and of a work tree; `usage` if `into` is left out, and the folder of the
 * other machine does not exist on this machine. After an error, nothing was written, with one exception: if the
 * session was refused after its work tree was applied, the work tree stays, and the next attempt finds it.
 */
export async function placeMove(bundle: string, options: PlaceMoveOptions): Promise<PlacedMove> {
  const { places = placesOfThisUser(), signal } = options;
  using session = await unpackBundle(bundle, present({ signal }));
  const tree = options.workTree === "without" ? null : session.workTree;
  const into = options.into ?? folderHere(tree?.folder ?? session.cwd, tree === null ? "--cwd" : "--into");
  const applied =
    tree === null || options.until === "receipt" ? null : await applyInto(into, tree.packed, options);
  const to = options.to ?? session.agent;
  const cwd = tree === null ? into : cwdIn(into, session, tree.folder);
  const { agent, sessionId } = session;
  options.onPlacing?.({ agent: to, from: { agent, sessionId }, cwd, folder: applied === null ? null : into });
  const made = await handOff(session.location, {
    to,
    moved: { title: session.title },
    cwd,
    places,
    ...present({
      until: options.until,
      verifyBy: options.verifyBy,
      programs: options.programs,
      signal,
    }),
  });
  return { made, workTree: applied === null ? null : { ...applied, folder: into } };
}

/** Applies a packed work tree to a clone, or to a new folder. Errors: those of a work tree. */
export async function applyInto(
  into: string,
  packed: string,
  options: Pick<PlaceMoveOptions, "places" | "signal">,
): Promise<AppliedWorkTree> {
  const around = present({ places: options.places ?? placesOfThisUser(), signal: options.signal });
  const isNew = !existsSync(into) || readdirSync(into).length === 0;
  if (isNew) await makeClone(into, packed, around);
  try {
    const repository = await openRepository(into, around);
    if (repository === null) throw noClone(into);
    return await applyWorkTree(repository, packed, around);
  } catch (error) {
    if (isNew) rmSync(join(into, ".git"), { recursive: true, force: true });
    throw error;
  }
}

async function makeClone(
  into: string,
  packed: string,
  around: { readonly places: Places; readonly signal?: AbortSignal },
): Promise<void> {
  const state = readPackedState(packed);
  makeProjectFolder(into);
  await initRepository(into, state, around);
}

/** Returns the session's folder inside the clone; if the clone does not have that folder, returns `into`. */
export function cwdIn(into: string, { cwd }: Pick<UnpackedSession, "cwd">, folder: string): string {
  const below = isAbsoluteFolder(cwd) ? relative(folder, cwd) : "";
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) return into;
  const there = resolve(into, below);
  return isFolder(there) ? there : into;
}

/** Errors: `usage`. */
function folderHere(folder: string | null, flag: string): string {
  if (isAbsoluteFolder(folder) && isFolder(folder)) return folder;
  throw new ContinuoError("usage", whyNotHere(folder), {
    hint: `Name the folder of the project here with ${flag} DIR.`,
  });
}

function whyNotHere(folder: string | null): string {
  if (folder === null) return "the bundle does not name a folder";
  // A path of Windows is absolute, even if this machine has no such paths.
  const isRelative = !isAbsoluteFolder(folder) && !win32.isAbsolute(folder);
  return isRelative
    ? `the bundle names its folder by a relative path: ${folder}`
    : `the folder ${folder} does not exist on this machine`;
}

function noClone(into: string): ContinuoError {
  return new ContinuoError("not_found", `${into} is not a git repository`, {
    hint: "Name a clone of the repository with --into DIR, or a new folder, or leave the work tree out with --no-work-tree.",
  });
}
