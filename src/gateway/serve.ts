/** Serves an editor on one pair of streams, in the version of the protocol that it asks for. */

import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { agentProtocolRouter } from "@agentclientprotocol/sdk/experimental/v2";
import { ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import type { GatewayParts } from "./gateway.ts";
import { GATEWAY_LIMITS } from "./limits.ts";
import { removeUnused } from "./unused-sessions.ts";
import { createV1 } from "./v1.ts";
import { createV2 } from "./v2.ts";

export interface GatewayOptions extends GatewayParts {
  readonly input: Readable;
  readonly output: Writable;
  /** The version of Continuo. */
  readonly version: string;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/** Resolves when the editor has disconnected, or the signal aborts, and all programs of agents have ended. */
export async function serveAcp(options: GatewayOptions): Promise<void> {
  const { input, output, signal, places, report } = options;
  const stream = ndJsonStream(
    Writable.toWeb(output) as WritableStream<Uint8Array>,
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  const [first, second] = [createV1(options), createV2(options)];
  const connection = agentProtocolRouter().withV1(first.app).withV2(second.app).connect(stream);
  const stop = (): void => void input.destroy();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  // The connection does not wait for this; if it fails, the connection of the next editor tries again.
  removeUnused(places).catch(({ message }: Error) => report(message));
  await connection.closed;
  const ended = Promise.all([first.gateway.end(), second.gateway.end()]);
  await Promise.race([ended, sleep(GATEWAY_LIMITS.closeMs, undefined, { ref: false })]);
}
