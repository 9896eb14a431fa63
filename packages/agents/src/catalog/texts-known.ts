/** The texts of native sessions that are one file, unchanged since an earlier list or search found them. */

import { isSettled, stampOf } from "@continuo/native/index-file";
import {
  type FindTitle,
  type FoundBatch,
  type FoundSession,
  type KnownFiles,
  sessionIdOfLine,
} from "@continuo/native/kit";
import type { StampOfDependency } from "./dependencies.ts";
import type { CatalogSource } from "./indexed-session.ts";

export interface KnownTextOptions {
  readonly files: KnownFiles;
  readonly nowMs: number;
  readonly rules: string;
  readonly besideNow: StampOfDependency;
  readonly titleOf: FindTitle | null;
  toSource(found: FoundSession): CatalogSource;
}

/**
 * A session of a batch. It is a class that makes its source only if the session is read: there are thousands of
 * sessions, and a search needs of most only to know whether the index has their present text.
 */
export class KnownText implements Pick<CatalogSource, "key" | "sessionId" | "stamp" | "besideNow"> {
  readonly #known: number;
  readonly #batch: FoundBatch;
  readonly #options: KnownTextOptions;
  #source: CatalogSource | null = null;

  constructor(known: number, batch: FoundBatch, options: KnownTextOptions) {
    this.#known = known;
    this.#batch = batch;
    this.#options = options;
  }

  get key(): string {
    return this.#options.files.pathAt(this.#known);
  }

  get sessionId(): string {
    return sessionIdOfLine(this.#options.files.lineAt(this.#known));
  }

  get besideNow(): StampOfDependency {
    return this.#options.besideNow;
  }

  /** The stamp of its source. */
  get stamp(): string | null {
    const { files, nowMs, rules, titleOf } = this.#options;
    const one = [files.fileAt(this.#known)];
    if (!isSettled(one, nowMs)) return null;
    const title = titleOf?.({ sessionId: this.sessionId, location: this.key }) ?? null;
    const archived = this.#batch.isArchived(this.#known);
    return `${stampOf(one)}${placedOf({ archived, cwd: this.#batch.cwd }, title)}${rules}`;
  }

  found(): FoundSession {
    return this.#batch.toFound(this.#known);
  }

  toSource(): CatalogSource {
    this.#source ??= this.#options.toSource(this.found());
    return this.#source;
  }
}

interface SessionFacts {
  readonly archived: boolean;
  readonly cwd?: string | undefined;
}

/** Facts about a session from its place and from the files next to it. */
export function placedOf({ archived, cwd }: SessionFacts, title: string | null): string {
  const isPlain = !archived && cwd === undefined && title === null;
  return isPlain ? "" : `\n${JSON.stringify({ archived, cwd, title })}`;
}
