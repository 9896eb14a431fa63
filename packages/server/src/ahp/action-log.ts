/** The newest actions of all channels in their order, for clients that lost their connection. */

import { LIMITS } from "./limits.ts";
import type { ActionEnvelope } from "./protocol.ts";

export interface ActionLog {
  /** The number of the last action. */
  readonly latest: number;
  /** A number that belongs to no action. */
  reserve(): number;
  append(envelope: Omit<ActionEnvelope, "serverSeq">): ActionEnvelope;
  /**
   * The actions after a number in these channels, and the refused ones of this client; `null` if some of them are no
   * longer known.
   */
  after(serverSeq: number, reader: LogReader): readonly ActionEnvelope[] | null;
}

export interface LogReader {
  readonly clientId: string;
  readonly channels: ReadonlySet<string>;
  /** The channels whose refused actions the client wants, as it named them; all by default. */
  readonly refusedIn?: ReadonlySet<string>;
}

/**
 * @param first the number before the first action. It grows from host to host, so that a number of an earlier host is
 * never mistaken for one of this host.
 */
export function createActionLog(first: number): ActionLog {
  const kept: { readonly envelope: ActionEnvelope; readonly chars: number }[] = [];
  let chars = 0;
  /** Everything after this number is known. */
  let from = first;
  let latest = first;
  return {
    get latest() {
      return latest;
    },
    reserve() {
      latest += 1;
      return latest;
    },
    append(given) {
      latest += 1;
      const envelope = { ...given, serverSeq: latest };
      const one = { envelope, chars: JSON.stringify(envelope).length };
      kept.push(one);
      chars += one.chars;
      // Half of the actions are dropped at a time, so that few appends have to move the others.
      if (kept.length > LIMITS.actions || chars > LIMITS.actionChars) {
        const dropped = kept.splice(0, Math.ceil(kept.length / 2));
        chars -= dropped.reduce((sum, { chars: size }) => sum + size, 0);
        from = dropped.at(-1)?.envelope.serverSeq ?? from;
      }
      return envelope;
    },
    after(serverSeq, reader) {
      if (serverSeq < from || serverSeq > latest) return null;
      return kept.flatMap(({ envelope }) =>
        envelope.serverSeq > serverSeq && isFor(reader, envelope) ? [envelope] : [],
      );
    },
  };
}

function isFor(
  { clientId, channels, refusedIn }: LogReader,
  { channel, origin, rejectionReason }: ActionEnvelope,
): boolean {
  if (rejectionReason === undefined) return channels.has(channel);
  return origin?.clientId === clientId && refusedIn?.has(channel) !== false;
}
