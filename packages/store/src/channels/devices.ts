/**
 * The devices of a person in a channel, which are stored in the session of the participant. Each device has its own
 * cursor `received`. A client chooses the name of its device, so the number of devices has a limit.
 */

import { ContinuoError, isContinuoError, type Store } from "@continuo/core/model";
import { CHANNEL_LIMITS, channelLogId } from "@continuo/core/wire";
import type { Fence } from "./handles.ts";
import { LIMITS } from "./limits.ts";
import { type ConnectionRef, participantSession, receivedCursor } from "./names.ts";

/** The day on which each device was last seen, in ISO 8601. */
type Devices = Readonly<Record<string, string>>;

interface DeviceUse {
  readonly place: ConnectionRef;
  readonly fence: Fence;
  readonly device: string;
  readonly now: Date;
}

/**
 * Remembers that the device is used. If there are too many, devices that were not seen for a month are forgotten.
 * Errors: `too_large` if none can be forgotten, `not_found` without a session, `fenced`.
 */
export async function seeDevice(store: Store, use: DeviceUse): Promise<void> {
  const key = `${store.workspaceId}/${participantSession(use.place)}`;
  const before = waiting.get(key);
  const seen = (async () => {
    await before?.catch(() => undefined);
    for (let isWritten = false; !isWritten; ) isWritten = await tryToSee(store, use);
  })();
  waiting.set(key, seen);
  try {
    await seen;
  } finally {
    if (waiting.get(key) === seen) waiting.delete(key);
  }
}

/**
 * The newest update of the devices of each person. The next update waits for it, because many updates at the same time
 * would conflict repeatedly.
 */
const waiting = new Map<string, Promise<void>>();

/** Returns false if another connection changed the session in the meantime. */
async function tryToSee(store: Store, { place, fence, device, now }: DeviceUse): Promise<boolean> {
  const sessionId = participantSession(place);
  const expectedSequence = await store.latestSequence(sessionId);
  const before = devicesOf((await store.getSession(sessionId))?.metadata.devices);
  const today = dayOf(now.getTime());
  if (before[device] === today) return true;
  const others = Object.entries(before).filter(([name]) => name !== device);
  const isFull = others.length >= CHANNEL_LIMITS.devices;
  const oldest = dayOf(now.getTime() - LIMITS.deviceMs);
  const kept = isFull ? others.filter(([, day]) => day >= oldest) : others;
  if (kept.length >= CHANNEL_LIMITS.devices) throw tooManyDevices(place);
  const patch = { metadata: { devices: Object.fromEntries([...kept, [device, today]]) } };
  try {
    await store.append(sessionId, [{ type: "session_updated", data: patch }], {
      lease: fence,
      expectedSequence,
      also: [{ type: "session", patch }],
    });
  } catch (error) {
    if (isContinuoError(error, "conflict")) return false;
    throw error;
  }
  for (const [name] of others.filter((one) => !kept.includes(one)))
    await store.resetCursor({ logId: channelLogId(place.channel), name: receivedCursor(place, name) });
  return true;
}

function devicesOf(value: unknown): Devices {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, day]) => [name, String(day)]));
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function tooManyDevices({ channel, handle }: ConnectionRef): ContinuoError {
  const limit = CHANNEL_LIMITS.devices;
  return new ContinuoError(
    "too_large",
    `${handle} has ${limit} devices in ${channel}, and that is the limit`,
    {
      hint: "Use the name of one of them, or leave out `device`.",
      details: { limit },
    },
  );
}
