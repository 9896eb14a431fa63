/** The limits of a server that its operator may change: in `continuo.yaml` of the home, and by a flag. Pure. */

import { ContinuoError, nearest } from "@continuo/core/model";

/** A limit that is left out has the server's default. */
export interface ServerLimitSettings {
  readonly requestsPerSecond?: number;
  readonly connections?: number;
  readonly channels?: number;
  readonly requestBytes?: number;
  readonly frameBytes?: number;
  readonly blobBytes?: number;
  readonly bytesPerSecond?: number;
  readonly bytesPerDay?: number;
  readonly blobBytesPerDay?: number;
  readonly logsPerDay?: number;
  readonly openMessages?: number;
  readonly sessionStreams?: number;
  readonly historyItems?: number;
}

export interface ServerLimitKey {
  readonly setting: keyof ServerLimitSettings;
  readonly from: number;
  readonly to: number;
  readonly says: string;
}

/** The limits by their key in the file, which is also the name in the flag. */
export const SERVER_LIMIT_KEYS: Readonly<Record<string, ServerLimitKey>> = {
  requests_per_second: {
    setting: "requestsPerSecond",
    from: 1,
    to: 1_000_000,
    says: "Requests and frames of one token in a second.",
  },
  connections: {
    setting: "connections",
    from: 1,
    to: 1_000_000,
    says: "Open long-polls, SSE streams and WebSockets of one token.",
  },
  channels: {
    setting: "channels",
    from: 1,
    to: 1_000_000,
    says: "Channels that the connections of one token are in at the same time.",
  },
  request_bytes: {
    setting: "requestBytes",
    from: 1_024,
    to: 536_870_912,
    says: "Bytes of the body of a request.",
  },
  frame_bytes: {
    setting: "frameBytes",
    from: 65_536,
    to: 4_194_304,
    says: "Bytes of a frame that a client sends over the WebSocket of a channel.",
  },
  blob_bytes: { setting: "blobBytes", from: 1, to: 1_099_511_627_776, says: "Bytes of an attachment." },
  bytes_per_second: {
    setting: "bytesPerSecond",
    from: 65_536,
    to: 1_099_511_627_776,
    says: "Bytes of bodies and frames that one token sends in a second.",
  },
  bytes_per_day: {
    setting: "bytesPerDay",
    from: 1,
    to: 1_099_511_627_776,
    says: "Bytes of bodies and frames that one token sends in a day. Tokens with `admin` have no such limit.",
  },
  blob_bytes_per_day: {
    setting: "blobBytesPerDay",
    from: 1,
    to: 1_099_511_627_776,
    says: "Bytes of attachments that one token sends in a day. Tokens with `admin` have no such limit.",
  },
  logs_per_day: {
    setting: "logsPerDay",
    from: 1,
    to: 1_000_000,
    says: "Streams, channels and sessions that one token without `admin` creates in a day.",
  },
  open_messages: {
    setting: "openMessages",
    from: 1,
    to: 1_000_000,
    says: "Messages for agents, of one token without `admin`, whose runs have not ended.",
  },
  session_streams: {
    setting: "sessionStreams",
    from: 1,
    to: 1_000_000,
    says: "Open streams of sessions, runs and chats of one token without `admin`.",
  },
  history_items: {
    setting: "historyItems",
    from: 20,
    to: 1_000,
    says: "Messages that one request for a participant's history returns.",
  },
};

export type FileServerLimits = Readonly<Record<string, number | undefined>>;

export function toServerLimits(said: FileServerLimits = {}): ServerLimitSettings {
  const known = Object.entries(said).flatMap(([key, value]) => {
    const setting = Object.hasOwn(SERVER_LIMIT_KEYS, key) ? SERVER_LIMIT_KEYS[key]?.setting : undefined;
    return setting === undefined || value === undefined ? [] : [[setting, value] as const];
  });
  return Object.fromEntries(known);
}

/** @param flags texts such as `connections=500`; if a name is given twice, the last value counts. Errors: `usage`. */
export function serverLimitsOfFlags(flags: readonly string[]): ServerLimitSettings {
  return toServerLimits(Object.fromEntries(flags.map(limitOf)));
}

function limitOf(text: string): readonly [key: string, value: number] {
  const [, key = "", digits = ""] = /^([a-z_]+)=(\d{1,15})$/u.exec(text) ?? [];
  const known = Object.hasOwn(SERVER_LIMIT_KEYS, key) ? SERVER_LIMIT_KEYS[key] : undefined;
  if (known === undefined) throw noLimit(text);
  const value = Number(digits);
  if (value >= known.from && value <= known.to) return [key, value];
  throw new ContinuoError("usage", `the limit ${key} cannot be ${value}`, {
    hint: `Use a number from ${known.from} to ${known.to}.`,
  });
}

function noLimit(text: string): ContinuoError {
  const keys = Object.keys(SERVER_LIMIT_KEYS);
  const near = nearest(text.split("=", 1)[0] ?? "", keys);
  return new ContinuoError("usage", `${JSON.stringify(text)} is not a limit of the server`, {
    hint: `Write NAME=NUMBER, such as ${near ?? "connections"}=500. The names are ${keys.join(", ")}.`,
  });
}
