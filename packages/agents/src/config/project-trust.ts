/** Trust in a project: the question that a person is asked once for each project, and the record of the answer. */

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { continuoHome, type PlacesAt } from "@continuo/files";
import { findProjectFile, type RawFile, readRawFile } from "./files.ts";
import { isTrustedFolder, readTrustRecord, type TrustRecord, writeTrusted } from "./trust.ts";

/** `once` means yes, but only in this process and without a record. */
export type TrustAnswer = "yes" | "no" | "once";

export interface TrustQuestion {
  /** The folder that the question is about. */
  readonly project: string;
  /** True if the person trusted the project, and its continuo.yaml has changed since then. */
  readonly isChanged: boolean;
}

/** Resolves with `null` if the person does not answer now. */
export type AskTrust = (question: TrustQuestion) => Promise<TrustAnswer | null>;

export interface ProjectTrust {
  /** Asks about the project of a folder, unless the person decided about it before. Errors: `unwritable`, `corrupt`. */
  settle(cwd: string): Promise<void>;
  /** True if the person answered no. */
  isRefused(cwd: string): boolean;
  /** @param folder without symbolic links */
  isTrusted(folder: string): boolean;
  /**
   * True if the person answered `once` for the project of this file, so that its content may be used without a record.
   */
  isTrustedFile(file: Pick<RawFile, "path">): boolean;
}

/** @param ask left out if no person can be asked; then only the record decides. */
export function createProjectTrust(places: PlacesAt, ask?: AskTrust): ProjectTrust {
  const home = continuoHome(places);
  const asked = new Set<string>();
  const once = new Set<string>();
  const isOnce = (folder: string): boolean =>
    [...once].some((project) => folder === project || folder.startsWith(`${project}/`));
  return {
    async settle(cwd) {
      const project = projectFolderOf(cwd);
      const trusted = readTrustRecord(home);
      if (ask === undefined || asked.has(project) || isDecided(project, trusted)) return;
      asked.add(project);
      // The answer applies to this content: if the file changes in the meantime, the person is asked again.
      const file = projectFileIn(project);
      const answer = await ask({ project, isChanged: isTrustedFolder(project, trusted.folders) });
      if (answer === "once") once.add(project);
      else if (answer !== null) record(project, { answer, file, home, userHome: places.home });
    },
    isRefused: (cwd) => isIn(projectFolderOf(cwd), readTrustRecord(home).refused),
    isTrusted: (folder) => isOnce(folder) || isTrustedFolder(folder, readTrustRecord(home).folders),
    isTrustedFile: ({ path }) => isOnce(path),
  };
}

/** The root of the repository, otherwise the folder itself; without symbolic links. */
export function projectFolderOf(start: string): string {
  const real = existsSync(start) ? realpathSync(start) : start;
  for (let at = real; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return real;
  }
}

/** Returns false if the person must be asked. The person is also asked if the file changed after it was trusted. */
function isDecided(project: string, { folders, files, refused }: TrustRecord): boolean {
  if (isIn(project, refused)) return true;
  const file = projectFileIn(project);
  if (!isTrustedFolder(project, folders)) return false;
  return file === null || files.some((one) => one.path === file.path && one.sha256 === file.sha256);
}

function projectFileIn(project: string): RawFile | null {
  const path = findProjectFile(project);
  return path === null ? null : readRawFile(path);
}

function isIn(project: string, folders: readonly { readonly path: string }[]): boolean {
  return folders.some(({ path }) => path === project);
}

interface TrustDecision {
  readonly answer: "yes" | "no";
  readonly file: RawFile | null;
  /** The folder `CONTINUO_HOME`. */
  readonly home: string;
  readonly userHome: string;
}

function record(project: string, { answer, file, home, userHome }: TrustDecision): void {
  const decidedAt = new Date().toISOString();
  const others = <T extends { readonly path: string }>(entries: readonly T[], path: string): T[] =>
    entries.filter((one) => one.path !== path);
  writeTrusted(home, ({ files, folders, refused }) => {
    if (answer === "no") {
      return {
        files,
        folders,
        refused: [...others(refused, project), { path: project, refusedAt: decidedAt }],
      };
    }
    // All projects of a person are below the home, so a yes for the home, or for a folder above it, applies only to
    // that folder itself.
    const isAlone = `${userHome}/`.startsWith(project.endsWith("/") ? project : `${project}/`);
    const folder = { path: project, trustedAt: decidedAt, ...(isAlone ? { alone: true as const } : {}) };
    return {
      files:
        file === null
          ? files
          : [...others(files, file.path), { path: file.path, sha256: file.sha256, trustedAt: decidedAt }],
      folders: [...others(folders, project), folder],
      refused: others(refused, project),
    };
  });
}
