/** Opens a store by its URL. Engines are loaded when they are opened, not before. */

import { fileURLToPath } from "node:url";
import {
  assertKnownOptions,
  type BlobBodies,
  ContinuoError,
  cancellable,
  isEventType,
  type KnownOptions,
  type Principal,
  present,
  type Retention,
} from "@continuo/core/model";
import { debugOf } from "@continuo/files";
import type { Engine } from "./engine/index.ts";
import { environmentOfThisUser, storePathOfThisUser } from "./environment.ts";
import { assertName, invalid } from "./rules/index.ts";
import type { S3Settings } from "./s3/index.ts";
import { createStore, type OpenedStore } from "./sql-store.ts";

const debug = debugOf("store");

export interface OpenStoreOptions {
  /** Every row belongs to one workspace, and no call crosses workspaces. `default` if none is given. */
  readonly workspaceId?: string;
  /** Migrates an older schema (on SQLite after a copy of the file). */
  readonly migrate?: boolean;
  /** Called when a schema was migrated. */
  readonly onMigrated?: (migrated: {
    readonly from: number;
    readonly to: number;
    /** The path of a copy of the database before the migration. */
    readonly copy: string | null;
  }) => void;
  /** The largest part of a SQLite database that is kept in memory; 64 MiB by default. */
  readonly cacheBytes?: number;
  /**
   * Milliseconds since 1970, in memory and on SQLite, for tests that set the time; the database's own clock if none is
   * given. Errors: `unsupported` on Postgres, where several servers use the clock of the database.
   */
  readonly now?: () => number;
  /**
   * The retention of your own types when an append does not set it: `{ "acme.ping": "supplementary" }`, and
   * `custom:NAME` for a kind of `custom`. Types without an entry are `critical`. Errors: `invalid` for a type that
   * Continuo knows.
   */
  readonly retention?: Readonly<Record<string, Retention>>;
  /** The principal in whose name the audit log records acts; by default a program. */
  readonly by?: Principal;
  /**
   * With `s3`, blobs over 16 KiB are objects in a bucket. By default, blobs over 256 KiB are files next to a SQLite
   * database, or rows of Postgres. Credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment.
   */
  readonly blobs?: { readonly s3: S3Settings };
  readonly signal?: AbortSignal;
}

const OPTIONS: KnownOptions<OpenStoreOptions> = {
  workspaceId: true,
  migrate: true,
  onMigrated: true,
  cacheBytes: true,
  now: true,
  retention: true,
  by: true,
  blobs: true,
  signal: true,
};

/**
 * `memory:`, `sqlite:PATH` (`sqlite:` without a path is the database of `CONTINUO_HOME`) or `postgres://…`.
 *
 * An empty SQLite database gets its tables. Errors: `usage` for an unknown option, `invalid` for another URL,
 * `migration_required`, `schema_newer`, `corrupt`, `unavailable`.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<OpenedStore> {
  const { workspaceId = "default", signal } = options;
  assertKnownOptions("openStore", options, OPTIONS);
  assertName("workspaceId", workspaceId);
  const retentions = retentionsOf(options.retention ?? {});
  const begun = performance.now();
  const s3 = options.blobs === undefined ? undefined : await openS3(options.blobs);
  const opened = await cancellable(signal, () => openEngine(url, workspaceId, options));
  const engine = s3 === undefined ? opened : { ...opened, bodies: opened.bodies.withS3(s3) };
  debug("opened", () => ({
    scheme: partsOf(url).scheme,
    workspaceId,
    ms: Math.round(performance.now() - begun),
  }));
  return createStore({ ...engine, scope: { ...engine.scope, retentions, ...present({ by: options.by }) } });
}

async function openS3({ s3 }: NonNullable<OpenStoreOptions["blobs"]>): Promise<BlobBodies> {
  return (await import("./s3/index.ts")).s3Bodies(s3, environmentOfThisUser());
}

function retentionsOf(given: Readonly<Record<string, Retention>>): ReadonlyMap<string, Retention> {
  for (const [type, retention] of Object.entries(given)) {
    assertName("type of an event", type);
    if (isEventType(type))
      throw invalid(`cannot set the retention of ${type}: the type is Continuo's own`, { type });
    if (retention !== "critical" && retention !== "supplementary") {
      throw invalid(`the retention of ${type} must be critical or supplementary`, { type });
    }
  }
  return new Map(Object.entries(given));
}

async function openEngine(url: string, workspaceId: string, options: OpenStoreOptions): Promise<Engine> {
  const { onMigrated, cacheBytes, now } = options;
  const engineOptions = {
    workspaceId,
    migrate: options.migrate === true ? "allowed" : "refused",
    ...(onMigrated === undefined ? {} : { onMigrated }),
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(now === undefined ? {} : { now }),
  } as const;
  const { scheme, rest } = partsOf(url);
  switch (scheme) {
    case "memory":
      if (rest !== "") throw badUrl(url);
      return (await import("./sqlite/index.ts")).openSqlite(undefined, engineOptions);
    case "sqlite":
      return (await import("./sqlite/index.ts")).openSqlite(sqlitePath(rest), engineOptions);
    case "postgres":
    case "postgresql":
      if (now !== undefined) {
        throw new ContinuoError("unsupported", "a store on Postgres uses the clock of its database", {
          hint: "Leave out `now`.",
        });
      }
      return (await loadPostgres()).openPostgres(url, engineOptions);
    default:
      throw badUrl(url);
  }
}

/** Only programs that use Postgres install `pg`. */
async function loadPostgres(): Promise<typeof import("./postgres/index.ts")> {
  try {
    return await import("./postgres/index.ts");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new ContinuoError(
      "unsupported",
      "a store on Postgres needs the package pg, which is not installed",
      {
        hint: "Install it: `npm install pg`.",
        cause,
      },
    );
  }
}

function partsOf(url: unknown): { readonly scheme: string; readonly rest: string } {
  if (typeof url !== "string") throw badUrl(String(url));
  const colon = url.indexOf(":");
  return { scheme: url.slice(0, Math.max(0, colon)).toLowerCase(), rest: url.slice(colon + 1) };
}

function sqlitePath(rest: string): string {
  if (rest === "") return storePathOfThisUser();
  return rest.startsWith("//") ? fileURLToPath(`file:${rest}`) : rest;
}

function badUrl(url: string): ContinuoError {
  const shown = url.replace(/\/\/[^@/]*@/, "//…@");
  return new ContinuoError("invalid", `${JSON.stringify(shown)} is not the URL of a store`, {
    hint: "Use memory:, sqlite:PATH or postgres://USER@HOST/DATABASE.",
    details: { url: shown },
  });
}
