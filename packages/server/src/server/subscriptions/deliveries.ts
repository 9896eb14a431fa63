/** Deliveries of webhooks: sends them, processes answers, and tries again. */

import type { Store, Write } from "@continuo/core/model";
import { addressOf } from "@continuo/core/wire";
import type { WebhookHosts } from "../context/index.ts";
import { changeSubscription, type Subscription } from "./documents.ts";
import type { SigningKeys } from "./keys.ts";
import { cursorName, type StreamLink, toStreamInfo } from "./links.ts";
import { retryDelayMs, type WakeClock } from "./wake-clock.ts";
import { callWebhook } from "./webhook.ts";

export interface Delivery {
  readonly store: Store;
  readonly workspaceId: string;
  readonly subscription: Subscription;
  readonly links: readonly StreamLink[];
  readonly keys: SigningKeys;
  readonly allowed: WebhookHosts;
}

export async function deliver(delivery: Delivery): Promise<void> {
  const { store, subscription } = delivery;
  const { id, wake, config } = subscription;
  if (wake === null || config.webhookUrl === null) return;
  let answer: unknown;
  try {
    const body = bodyOf(delivery);
    const signature = delivery.keys.signWebhook(body, Date.now());
    answer = await callWebhook({ url: config.webhookUrl, body, signature, allowed: delivery.allowed });
  } catch {
    // After any failure, the subscription shows it, and the webhook is tried again.
    await tryLater(store, id, wake.id);
    return;
  }
  await answered(store, subscription, isDone(answer));
}

function bodyOf({ workspaceId, subscription, links, keys }: Delivery): string {
  const { id, wake, generation, baseUrl, createdAt } = subscription;
  const subject = { workspaceId, subscriptionId: id, createdAt, generation };
  return JSON.stringify({
    subscription_id: id,
    wake_id: wake?.id,
    generation,
    streams: links.map(toStreamInfo),
    callback_url: `${baseUrl}/v1/stream/__ds/subscriptions/${encodeURIComponent(id)}/callback`,
    callback_token: `${encodeWorkspace(workspaceId)}.${keys.signCallback(subject, Date.now())}`,
  });
}

/** The token names the workspace, because a callback has no other token. */
export function encodeWorkspace(workspaceId: string): string {
  return Buffer.from(workspaceId).toString("base64url");
}

function isDone(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "done" in answer && answer.done === true;
}

/** `done` acknowledges the records in the wake. */
async function answered(store: Store, { id, wake }: Subscription, done: boolean): Promise<void> {
  await changeSubscription(store, id, async (subscription) => {
    if (subscription.wake === null || subscription.wake.id !== wake?.id) return null;
    const also: readonly Write[] = done
      ? Object.entries(wake.snapshot).map(([path, sequence]) => ({
          type: "cursor",
          name: cursorName(subscription),
          logId: addressOf(path).logId,
          sequence,
        }))
      : [];
    const next = {
      ...subscription,
      status: "active" as const,
      retries: 0,
      wake: done ? null : subscription.wake,
    };
    return { subscription: next, result: null, also };
  });
}

async function tryLater(store: Store, id: string, wakeId: string): Promise<void> {
  await changeSubscription(store, id, async (subscription) => {
    const { wake, config } = subscription;
    if (wake?.id !== wakeId) return null;
    const retries = subscription.retries + 1;
    const nextAttemptAt = Date.now() + retryDelayMs(retries, wakeId);
    const next = {
      ...subscription,
      status: "failed" as const,
      retries,
      nextAttemptAt,
      wake: { ...wake, leaseUntil: nextAttemptAt + config.leaseTtlMs },
    };
    return { subscription: next, result: null };
  });
}

/** Claims the next try for one server; the others see the claim. */
export function takeAttempt(
  store: Store,
  id: string,
  { wakeId, clock }: { readonly wakeId: string; readonly clock: WakeClock },
): Promise<Subscription | null> {
  return changeSubscription(store, id, async (subscription) => {
    const { wake, config } = subscription;
    if (wake?.id !== wakeId || !clock.isDue(store.workspaceId, subscription)) return null;
    const next = {
      ...subscription,
      nextAttemptAt: null,
      wake: { ...wake, leaseUntil: Date.now() + config.leaseTtlMs },
    };
    return { subscription: next, result: next };
  });
}
