/** The texts of native sessions that are one file, unchanged since an earlier list or search found them. */

import { isSettled, stampOf } from "@continuo/native/index-file";
import type { FindTitle, FoundBatch, FoundSession, KnownFiles, KnownSession } from "@continuo/native/kit";
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
  readonly #session: KnownSession;
  readonly #batch: FoundBatch;
  readonly #options: KnownTextOptions;
  #source: CatalogSource | null = null;

  constructor(session: KnownSession, batch: FoundBatch, options: KnownTextOptions) {
    this.#session = session;
    this.#batch = batch;
    this.#options = options;
  }

  get key(): string {
    return this.#session.path;
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  get besideNow(): StampOfDependency {
    return this.#options.besideNow;
  }

  /** The stamp of its source. */
  get stamp(): string | null {
    const { path, sessionId, archived } = this.#session;
    const { files, nowMs, rules, titleOf } = this.#options;
    const one = [files.fileOf(path)];
    if (!isSettled(one, nowMs)) return null;
    const title = titleOf?.({ sessionId, location: path }) ?? null;
    return `${stampOf(one)}${placedOf({ archived, cwd: this.#batch.cwd }, title)}${rules}`;
  }

  found(): FoundSession {
    return this.#batch.toFound(this.#session);
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
