/** The flags of `continuo channel …`. */

export interface ServerFlags {
  readonly server?: string;
  readonly tokenFile?: string;
}

export interface ChannelFlags extends ServerFlags {
  readonly json?: true;
}

export interface ShowFlags extends ChannelFlags {
  readonly limit: number;
  readonly ids?: true;
}

export interface ChangeFlags extends ChannelFlags {
  readonly as?: string;
}

export interface DeleteFlags extends ChangeFlags {
  readonly reason?: string;
}

export interface ReactFlags extends ChangeFlags {
  readonly remove?: true;
}

export interface SendFlags extends ChannelFlags {
  readonly as?: string;
  readonly to: readonly string[];
  readonly replyTo?: string;
}

export interface TailFlags extends ChannelFlags {
  readonly after?: number;
  readonly new?: true;
}
