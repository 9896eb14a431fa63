/**
 * Forks a session of Copilot: a file with the source's records under another id, and the header of the new session. A cut
 * takes the records up to the last message (1.0.102).
 */

import type { Message } from "@continuo/core/model";
import { exactOf, isJson, type Json } from "@continuo/files";
import type { Fork, NativeForker } from "../forking/index.ts";
import { agentIdOf, parseHeader } from "./records.ts";
import { headerOf } from "./writer.ts";

export const copilotForker: NativeForker = {
  agent: "copilot",
  titleOf: (title) => title,
  async fork({ opened, history, count, part }, session, makers): Promise<Fork> {
    const end = part === "whole" ? Number.POSITIVE_INFINITY : lineOf(history[count - 1]);
    const own = headerOf(session, makers);
    const records: Json[] = [];
    let isHeaded = false;
    for await (const { line, value } of opened.entries()) {
      if (!isJson(value) || (line ?? 0) > end) continue;
      if (isHeaded || parseHeader(value) === null || agentIdOf(value) !== null) records.push(exactOf(value));
      else {
        isHeaded = true;
        records.push({ ...exactOf(value), data: { ...dataWithout(value), ...(own.data as Json) } });
      }
    }
    return { records: isHeaded ? records : [own, ...records], count };
  },
};

/** The source's provenance is not the fork's. */
function dataWithout(header: Json): Json {
  const { continuo: _provenance, ...data } = isJson(header.data) ? header.data : {};
  return data;
}

function lineOf(message: Message | undefined): number {
  return Math.max(0, ...(message?.metadata.records ?? []).map(({ line }) => line ?? 0));
}
