/** Access for all servers of a store: the tokens that may call a server, and the keys that sign its webhooks. */

import type { CallOptions, Page, PageOptions } from "./page.ts";

/** A bearer token without its secret, which the store does not know. */
export interface Token {
  readonly tokenId: string;
  readonly workspaceId: string;
  /** The rights of the token, in the words of the server, e.g. `channel:team:read`. */
  readonly scopes: readonly string[];
  /** The name under which its holder takes part in channels. */
  readonly handle: string | null;
  /** A text for people who look at the list. */
  readonly label: string | null;
  /** `loopback`: it was made on the server's own machine. */
  readonly issuedFrom: "loopback" | "network";
  /** The state by the database's clock. */
  readonly state: "active" | "expired" | "revoked";
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/**
 * The kinds of things with names: a name is the id of a session, the path of a stream, the key of a continuous session.
 * `chat` and `approval` are parts of a session, and their names are ids of sessions.
 */
export type NamedKind = "channel" | "session" | "chat" | "live" | "stream" | "approval";

/**
 * A right to one exact name, or to every name with a certain beginning. An exact name may be a value from outside, such
 * as the id of a user, because a `*` in it is refused. `write` includes `read`.
 */
export type NamedRight = { readonly kind: NamedKind; readonly access: "read" | "write" } & (
  | { readonly name: string }
  | { readonly beginsWith: string }
);

export interface NewToken extends CallOptions {
  /**
   * 1 to 100: rights, or texts such as `admin`, `metrics` and `channel:team:read,write`. In a text, a `*` at the end of
   * a name covers every name with that beginning, so never put the name of a user into a text: write a right.
   */
  readonly scopes: readonly (string | NamedRight)[];
  /** The participant as which the holder writes in channels. Errors: `invalid` for `*` without `anyHandle`. */
  readonly handle?: string;
  /** True if the holder may write in channels as any participant; false by default. */
  readonly anyHandle?: boolean;
  readonly label?: string;
  /** `network` if none is given. */
  readonly issuedFrom?: "loopback" | "network";
  /** The token never expires if no time is given. Errors: `invalid` for a time that is over. */
  readonly expiresAt?: string;
}

/** `secret` is what a client sends. It is returned once; the store keeps its SHA-256 only. */
export type IssuedToken = Token & { readonly secret: string };

/** A key pair that servers sign webhooks with. The database holds the private key: protect it and its backups. */
export interface WebhookKey {
  /** 1, 2, 3 …; the greatest one that is not retired signs. */
  readonly version: number;
  readonly keyId: string;
  readonly algorithm: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly createdAt: string;
  readonly retiredAt: string | null;
}

export interface NewWebhookKey extends CallOptions {
  /** One more than the newest one that the caller knows; 1 for the first. */
  readonly version: number;
  readonly keyId: string;
  readonly algorithm: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface AccessStore {
  /** Creates a token of this workspace. Errors: `invalid` for a right whose name or beginning is empty or has a `*`. */
  createToken(options: NewToken): Promise<IssuedToken>;
  /**
   * Returns the active token with this secret, `null` for any other text. Only this function and `listWorkspaces` look
   * in all workspaces: the token says in which workspace its holder works (`forWorkspace(token.workspaceId)`). Secrets
   * are compared in constant time.
   */
  authenticate(secret: string, options?: CallOptions): Promise<Token | null>;
  getToken(tokenId: string, options?: CallOptions): Promise<Token | null>;
  /** Oldest first, with expired and revoked ones; with `tokenIds`, at most 500, only these. */
  listTokens(
    options?: PageOptions & {
      readonly handle?: string;
      readonly state?: Token["state"];
      readonly tokenIds?: readonly string[];
    },
  ): Promise<Page<Token>>;
  /** Makes the token authenticate nobody from now on. A second call changes nothing. Errors: `not_found`. */
  revokeToken(tokenId: string, options?: CallOptions): Promise<Token>;
  /** Forgets tokens that expired or were revoked before a time. Returns how many. */
  removeTokens(options: CallOptions & { readonly endedBefore: string }): Promise<number>;
  /** The workspaces that have a log or a token, in order, for maintenance of the whole store. */
  listWorkspaces(options?: CallOptions): Promise<readonly string[]>;

  /**
   * Stores the key, unless another server stored a key of that version first. Returns the key that is stored, so that
   * all servers that start at the same time sign with the same key. Errors: `conflict` for a version that is greater
   * than the next one (`details.newest`).
   */
  putWebhookKey(key: NewWebhookKey): Promise<WebhookKey>;
  /** Newest first. */
  listWebhookKeys(options?: PageOptions): Promise<Page<WebhookKey>>;
  /** Ends signing with the key; it stays readable, so that signatures can still be checked. Errors: `not_found`. */
  retireWebhookKey(version: number, options?: CallOptions): Promise<WebhookKey>;
}
