/** The flags of `continuo serve`, as they arrive. */

export interface ServeFlags {
  readonly store?: string;
  readonly listen: string;
  readonly tokenFile?: string;
  readonly origin: readonly string[];
  readonly publicUrl?: string;
  readonly webhookHost: readonly string[];
  readonly onlyWebhookHosts: boolean;
  readonly webhookKey?: string;
  readonly scanAttachments?: string;
  readonly trustProxy: readonly string[];
  readonly limit: readonly string[];
  readonly securityLog?: string;
  readonly auth: boolean;
  readonly json?: true;
}
