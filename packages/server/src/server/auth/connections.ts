/** Counts the open connections and streams of each token, and the channels in which it has open connections. */

import { ContinuoError } from "@continuo/core/model";
import type { Quotas, ServerLimits } from "../context/index.ts";
import { hasDailyQuotas } from "./limited-tokens.ts";
import type { TokenWatch } from "./token-watch.ts";

interface Use {
  connections: number;
  streams: number;
  readonly channels: Map<string, number>;
}

export function createConnections(
  limits: ServerLimits,
  tokens: TokenWatch,
): Pick<Quotas, "connect" | "openConnections"> {
  const uses = new Map<string, Use>();
  let openCount = 0;
  return {
    openConnections: () => openCount,
    connect: (grant, onLost, connectionUse = {}) => {
      const { channel, isStream = false } = connectionUse;
      const { tokenId } = grant;
      if (tokenId === null) {
        openCount++;
        return onceDisposed(() => {
          openCount--;
        });
      }
      const use = uses.get(tokenId) ?? { connections: 0, streams: 0, channels: new Map() };
      const inChannel = channel === undefined ? 0 : (use.channels.get(channel) ?? 0);
      if (use.connections >= limits.connections) throw tooMany("connections", limits.connections);
      if (channel !== undefined && inChannel === 0 && use.channels.size >= limits.channels) {
        throw tooMany("channels", limits.channels);
      }
      if (isStream && hasDailyQuotas(grant) && use.streams >= limits.sessionStreams) {
        throw tooManyStreams(limits.sessionStreams);
      }
      uses.set(tokenId, use);
      use.connections++;
      if (isStream) use.streams++;
      if (channel !== undefined) use.channels.set(channel, inChannel + 1);
      openCount++;
      const watched = tokens.watch(grant, onLost, connectionUse);
      return onceDisposed(() => {
        openCount--;
        watched[Symbol.dispose]();
        leave(uses, tokenId, { channel, isStream });
      });
    },
  };
}

function onceDisposed(end: () => void): Disposable {
  let isOpen = true;
  return {
    [Symbol.dispose]: () => {
      if (isOpen) end();
      isOpen = false;
    },
  };
}

interface LeftUse {
  readonly channel: string | undefined;
  readonly isStream: boolean;
}

function leave(uses: Map<string, Use>, tokenId: string, { channel, isStream }: LeftUse): void {
  const use = uses.get(tokenId);
  if (use === undefined) return;
  use.connections--;
  if (isStream) use.streams--;
  if (channel !== undefined) {
    const left = (use.channels.get(channel) ?? 1) - 1;
    if (left === 0) use.channels.delete(channel);
    else use.channels.set(channel, left);
  }
  if (use.connections === 0) uses.delete(tokenId);
}

/** Each stream keeps the state of a reader in memory. */
function tooManyStreams(limit: number): ContinuoError {
  return new ContinuoError("rate_limited", `${limit} streams of sessions are already open`, {
    hint: "Close one, or read several answers of a session in one stream of its chat.",
    details: { what: "session_streams", limit },
  });
}

function tooMany(what: string, limit: number): ContinuoError {
  return new ContinuoError("rate_limited", `the token already has ${limit} open ${what}`, {
    hint: "Close one, or use another token.",
    details: { what, limit },
  });
}
