/**
 * Finds the messages and calls that events name in the array of a transcript.
 *
 * An update adds a small layer above the existing layers, and never changes these. Its cost depends only on the new
 * events, and the older transcript stays valid. Layers of similar size are merged, so that there are never many.
 */

import type { Message } from "../../model/index.ts";

/** `input`: the message that a run was given, by the id of the run. */
export type LookupKind = "message" | "call" | "input";

type Layer = Readonly<Record<LookupKind, Map<string, number>>>;

/** Oldest first. */
export type Layers = readonly Layer[];

export interface Lookup {
  /** The newest position of a message or call with that id. */
  find(thing: LookupKind, id: string): number | undefined;
  set(thing: LookupKind, id: string, position: number): void;
  /** The layers from which the next lookup starts. */
  layers(): Layers;
}

export function createLookup(below: Layers): Lookup {
  const top: Layer = { message: new Map(), call: new Map(), input: new Map() };
  return {
    find(thing, id) {
      const found = top[thing].get(id);
      if (found !== undefined) return found;
      for (let at = below.length - 1; at >= 0; at--) {
        const place = below[at]?.[thing].get(id);
        if (place !== undefined) return place;
      }
      return undefined;
    },
    set: (thing, id, position) => void top[thing].set(id, position),
    layers: () => merged([...below, top]),
  };
}

/** Makes the layers of a transcript that was stored, which has none. */
export function layersOf(messages: readonly Message[]): Layers {
  const lookup = createLookup([]);
  for (const [position, message] of messages.entries()) {
    const { messageId, runId, retriedBy } = message.metadata;
    if (typeof messageId === "string") lookup.set("message", messageId, position);
    for (const run of [runId, retriedBy])
      if (typeof run === "string" && isInput(message) && lookup.find("input", run) === undefined)
        lookup.set("input", run, position);
    for (const block of message.content)
      if (block.type === "tool_call") lookup.set("call", block.id, position);
  }
  return lookup.layers();
}

/** True if the message can be the input of its run. */
export function isInput({ role, metadata }: Message): boolean {
  return role === "user" && metadata.note === undefined;
}

function merged(layers: readonly Layer[]): Layers {
  const result = layers.filter((layer) => sizeOf(layer) > 0);
  for (;;) {
    const [older, newer] = result.slice(-2);
    if (older === undefined || newer === undefined || sizeOf(older) > 2 * sizeOf(newer)) return result;
    const both: Layer = {
      message: new Map([...older.message, ...newer.message]),
      call: new Map([...older.call, ...newer.call]),
      input: new Map([...older.input, ...newer.input]),
    };
    result.splice(-2, 2, both);
  }
}

function sizeOf(layer: Layer): number {
  return layer.message.size + layer.call.size + layer.input.size;
}
