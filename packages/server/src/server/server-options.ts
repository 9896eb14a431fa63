/** The options of a server. */

import { assertKnownOptions, type KnownOptions, type Principal, type Store } from "@continuo/core/model";
import type { MachineService, PhoneService } from "@continuo/core/wire/machine";
import {
  type Authenticate,
  DEFAULT_LIMITS,
  type LiveSettings,
  type McpService,
  type PageDevice,
  type Reach,
  type ScanAttachment,
  type ServerLimits,
  type SessionsService,
  type SlowReaders,
} from "./context/index.ts";
import type { FollowAudit } from "./security-log/index.ts";

export interface ServerOptions {
  /** `by` is the person or program under whose name changes are recorded; the server itself by default. */
  readonly store: (workspaceId: string, by?: Principal) => Store;
  /** The store of tokens and pages; `store` by default. */
  readonly tokens?: (workspaceId: string, by?: Principal) => Store;
  /** `createAuthenticate`, or `allowEverybody` on loopback. */
  readonly authenticate: Authenticate;
  /**
   * `machine` for a server that only programs of this machine can reach, without a proxy. Then only this user can open
   * a page (if the system reports the user of a connection), pages end with the server, and the server proves to a page
   * that it is the same server. `network` by default.
   */
  readonly reach?: Reach;
  readonly limits?: Partial<ServerLimits>;
  /** Exact origins of pages that may send requests. */
  readonly origins?: readonly string[];
  /** The host names under which the server answers; every name if it is left out. */
  readonly hosts?: readonly string[];
  /** The address at which clients reach the server; by default the host that the request names. */
  readonly publicUrl?: string;
  /** Private hosts that webhooks may be sent to. */
  readonly webhookHosts?: readonly string[];
  /** The private Ed25519 key that signs webhooks, in PEM; without it, the servers of a store share one in the store. */
  readonly webhookKey?: string;
  /** `none`: webhooks may be sent to `webhookHosts` only. `public` by default: also to any public host. */
  readonly otherWebhookHosts?: "public" | "none";
  readonly scanAttachment?: ScanAttachment;
  readonly longPollMs?: number;
  readonly slowReaders?: Partial<SlowReaders>;
  readonly live?: LiveSettings;
  /** The sessions and approvals of a workspace, for `/v1/sessions/` and `/v1/approvals`. */
  readonly sessions?: (workspaceId: string) => SessionsService | Promise<SessionsService>;
  /** The service at `/mcp`, for tokens with `machine:read`. */
  readonly mcp?: McpService;
  /** Loads the service below `/v1/machine/`, for tokens with a scope of the machine. */
  readonly machine?: () => Promise<MachineService>;
  /** The folder of the built viewer: the page at `/`. */
  readonly pageFolder?: string;
  /**
   * A folder with the files of Whisper, which the browser extension runs. The server sends them below `/v1/whisper/`
   * to tokens that may read all sessions.
   */
  readonly whisperFolder?: string;
  /** The file for the preferences of the user of this machine; without it, the browser keeps them. */
  readonly preferencesFile?: string;
  /**
   * The only host name that serves pages: a random name below `localhost`, made for this start, so that nobody can know
   * it in advance. `listen` must then listen on both loopback addresses. Every name if it is left out.
   */
  readonly pageName?: string;
  /** The phones that are paired with this machine, for pages that may change everything. */
  readonly phones?: PhoneService;
  /** The device of the pages: those of a phone live longer, and show less. `computer` by default. */
  readonly pagesOf?: PageDevice;
  /** Takes lines for the log, and the error that is the reason for the line if there is one. */
  readonly report?: (line: string, error?: unknown) => void;
  /** Takes security events as lines of JSON, without a secret and bounded in number. */
  readonly securityLog?: (line: string) => void;
  /** Returns, for the security log, what commands and servers added to the audit log since the last call. */
  readonly followAudit?: FollowAudit;
}

const SERVER_OPTIONS: KnownOptions<ServerOptions> = {
  store: true,
  tokens: true,
  authenticate: true,
  reach: true,
  limits: true,
  origins: true,
  hosts: true,
  publicUrl: true,
  webhookHosts: true,
  webhookKey: true,
  otherWebhookHosts: true,
  scanAttachment: true,
  longPollMs: true,
  slowReaders: true,
  live: true,
  sessions: true,
  mcp: true,
  machine: true,
  pageFolder: true,
  whisperFolder: true,
  preferencesFile: true,
  pageName: true,
  phones: true,
  pagesOf: true,
  report: true,
  securityLog: true,
  followAudit: true,
};

const SLOW_READERS: KnownOptions<SlowReaders> = { stalledMs: true, goodbyeMs: true };

/** Errors: `usage` for an unknown option. */
export function assertServerOptions(options: ServerOptions): void {
  assertKnownOptions("createServer", options, SERVER_OPTIONS);
  assertKnownOptions("limits", options.limits ?? {}, DEFAULT_LIMITS);
  assertKnownOptions("slowReaders", options.slowReaders ?? {}, SLOW_READERS);
}
