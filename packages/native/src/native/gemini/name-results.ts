/**
 * Gives each result whose id is lost the id of a call in the previous answer: a call with the same name and without a
 * result.
 */

import type { Json } from "@continuo/files";
import { callsIn, isResponse, partsOf } from "./records.ts";

export interface ResultNamer {
  /** Returns the same message if no id is lost, or if no call matches. Messages must be passed in their order. */
  name(message: Json): Json;
}

export function createResultNamer(): ResultNamer {
  let open: { readonly id: string; readonly name: string }[] = [];
  const take = (fits: (call: (typeof open)[number]) => boolean): string | null => {
    const at = open.findIndex(fits);
    return at === -1 ? null : (open.splice(at, 1)[0]?.id ?? null);
  };
  return {
    name(message) {
      const calls = callsIn(message);
      if (calls.length > 0) open = calls.filter(({ id }) => id !== "");
      const parts = message.type === "user" ? partsOf(message.content) : [];
      const responses = parts.flatMap((part) => (isResponse(part) ? [part.functionResponse] : []));
      for (const { id } of responses) take((call) => call.id === id);
      if (!Array.isArray(message.content) || responses.every(isNamed)) return message;
      const content = message.content.map((part: unknown) => {
        if (!isResponse(part) || isNamed(part.functionResponse)) return part;
        const id = take(({ name }) => name === part.functionResponse.name);
        return id === null ? part : { ...part, functionResponse: { ...part.functionResponse, id } };
      });
      return content.every((part, at) => part === parts[at]) ? message : { ...message, content };
    },
  };
}

function isNamed({ id }: Json): boolean {
  return typeof id === "string" && id !== "";
}
