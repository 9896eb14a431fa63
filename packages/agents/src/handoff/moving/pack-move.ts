/** Packs a session with the state of the work tree that it works in. */

import { join } from "node:path";
import { present } from "@continuo/core/model";
import { type OutputFile, openScratch, type Places, placesOfThisUser } from "@continuo/files";
import { lookUpSession, type SessionRef } from "@continuo/native";
import { type PackedSession, packSession } from "../bundle/index.ts";
import {
  openRepository,
  type PackedWorkTree,
  packWorkTree,
  type Repository,
  readWorkTree,
} from "../work-tree/index.ts";

export interface PackMoveOptions {
  readonly places?: Places;
  /** ISO 8601. */
  readonly packedAt: string;
  /** The work tree of the session; left out, the session is packed without one. */
  readonly repository?: Repository | null | undefined;
  /** Commits that the other machine has; by default those of the remotes. */
  readonly known?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PackedMove extends PackedSession {
  readonly workTree: (PackedWorkTree & { readonly folder: string }) | null;
}

/** Writes the bundle to `output`, which the caller commits. Errors: those of `packSession` and of the work tree. */
export async function packMove(
  ref: SessionRef,
  output: OutputFile,
  options: PackMoveOptions,
): Promise<PackedMove> {
  const { packedAt, repository = null, known, signal, places = placesOfThisUser() } = options;
  if (repository === null)
    return { ...(await packSession(ref, output, { places, packedAt, signal })), workTree: null };
  using scratch = openScratch();
  const packed = join(scratch.path, "work-tree");
  const read = await readWorkTree(repository, present({ places, signal }));
  const workTree = await packWorkTree(read, packed, { known });
  const folder = repository.worktree;
  const session = await packSession(ref, output, { places, packedAt, signal, workTree: { folder, packed } });
  return { ...session, workTree: { ...workTree, folder } };
}

/** The repository of the folder that a session works in; `null` for none. Errors: those of a lookup, `unsupported`. */
export async function repositoryOfSession(
  ref: SessionRef,
  { places = placesOfThisUser(), signal }: Pick<PackMoveOptions, "places" | "signal">,
): Promise<Repository | null> {
  const { reader, found } = await lookUpSession(ref, present({ places, signal }));
  const { cwd } = await reader.skim(found, { part: "ends" });
  return cwd === null ? null : await openRepository(cwd, present({ places, signal }));
}
