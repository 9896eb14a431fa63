/** The bodies of subscriptions over HTTP, with the names of fields that the Durable Streams protocol gives them. */

/** A stream of a subscription, as the Durable Streams protocol names its fields. */
export interface SubscribedStream {
  readonly path: string;
  readonly link_type: "explicit" | "glob";
  /** `-1` if nothing was acknowledged yet. */
  readonly acked_offset: string;
  readonly tail_offset: string;
  readonly has_pending: boolean;
}

/** At least one of `pattern` and `streams`; `webhook` belongs to the type `webhook`, `wake_stream` to `pull-wake`. */
export interface SubscriptionRequest {
  readonly type: "webhook" | "pull-wake";
  readonly pattern?: string;
  readonly streams?: readonly string[];
  readonly webhook?: { readonly url: string };
  readonly wake_stream?: string;
  /** From 1,000 to 600,000; 30,000 by default. */
  readonly lease_ttl_ms?: number;
  readonly description?: string;
}

export interface SubscriptionAnswer {
  readonly id: string;
  readonly subscription_id: string;
  readonly type: "webhook" | "pull-wake";
  readonly pattern?: string;
  readonly streams: readonly SubscribedStream[];
  readonly webhook?: {
    readonly url: string;
    readonly signing: { readonly alg: "ed25519"; readonly kid: string; readonly jwks_url: string };
  };
  readonly wake_stream?: string;
  readonly lease_ttl_ms: number;
  readonly created_at: string;
  readonly status: "active" | "failed";
  readonly description?: string;
}

/** The wake that a worker holds; its `token` authorizes `ack` and `release`. */
export interface ClaimedWake {
  readonly wake_id?: string;
  readonly generation: number;
  readonly token: string;
  readonly streams: readonly SubscribedStream[];
  readonly lease_ttl_ms: number;
}

/** The report of a worker or a webhook about its wake. `done` ends the wake; without it, the lease is renewed. */
export interface WakeReport {
  readonly wake_id: string;
  readonly generation: number;
  readonly acks?: readonly { readonly stream?: string; readonly path?: string; readonly offset: string }[];
  readonly done?: boolean;
}

export interface WakeAnswer {
  readonly ok: true;
  /** True if further records wait, for which the next wake begins. */
  readonly next_wake: boolean;
}

/** The refusal of a subscription has a code of the Durable Streams protocol, if it is not a code of the server. */
export interface SubscriptionError {
  readonly error: {
    readonly code:
      | "INVALID_REQUEST"
      | "SUBSCRIPTION_NOT_FOUND"
      | "SUBSCRIPTION_ALREADY_EXISTS"
      | "WEBHOOK_URL_REJECTED"
      | "TOKEN_INVALID"
      | "TOKEN_EXPIRED"
      | "FENCED"
      | "ALREADY_CLAIMED"
      | "NO_PENDING_WORK"
      | "INVALID_OFFSET";
    readonly message: string;
  };
}

/** The public keys with which receivers check webhooks, newest first. */
export interface WebhookKeys {
  readonly keys: readonly {
    readonly kty: "OKP";
    readonly crv: "Ed25519";
    readonly x: string;
    readonly kid: string;
    readonly use: "sig";
    readonly alg: "EdDSA";
  }[];
}
