/** `--mask-secrets`: a session without secrets of known forms, and the number of masked secrets. */

import type { CatalogSession } from "@continuo/agents/catalog";
import { present } from "@continuo/core/model";
import { maskSecrets, type SecretCounts, sumSecrets } from "@continuo/core/transcript";
import { plural } from "../../terminal/index.ts";
import type { BranchStep } from "../show/index.ts";
import type { Subagents } from "./subagents.ts";

export interface Mask {
  session(session: CatalogSession): CatalogSession;
  steps(steps: AsyncIterable<BranchStep>): AsyncGenerator<BranchStep, void, void>;
  subagents(subagents: Subagents): Subagents;
  /** The number so far. */
  found(): SecretCounts;
}

export function createMask(): Mask {
  let found: SecretCounts = {};
  const hide = <T>(value: T): T => {
    const masked = maskSecrets(value);
    found = sumSecrets(found, masked.found);
    return masked.value;
  };
  /** The title often repeats words of the message from which it was made: these are counted once. */
  const hideUncounted = <T>(value: T): T => maskSecrets(value).value;
  const session = (shown: CatalogSession): CatalogSession => {
    /** Branches share messages: each message is counted once. */
    const counted = new Set<string>();
    return {
      partial: shown.partial,
      details: hideUncounted(shown.details),
      leaves: hideUncounted(shown.leaves),
      problems: hideUncounted(shown.problems),
      tools: async (signal) => hide((await shown.tools?.(signal)) ?? []),
      async *history(options) {
        for await (const message of shown.history(options)) {
          yield counted.has(message.id) ? hideUncounted(message) : hide(message);
          counted.add(message.id);
        }
      },
    };
  };
  return {
    session,
    async *steps(steps) {
      for await (const { message, branch } of steps) {
        yield present({
          message: hide(message),
          branch: branch === undefined ? undefined : hideUncounted(branch),
        });
      }
    },
    subagents: (subagents) => ({
      async open(info) {
        const opened = await subagents.open(info);
        return opened === null
          ? null
          : { ...session(opened), [Symbol.dispose]: () => opened[Symbol.dispose]() };
      },
      tell: (info) => hideUncounted(subagents.tell(info)),
    }),
    found: () => found,
  };
}

export function describeMasked(found: SecretCounts): string {
  const counts = Object.entries(found).map(([name, count]) => `${count} × ${name}`);
  const total = Object.values(found).reduce((sum, count) => sum + count, 0);
  if (total === 0) return "No secret of a known form was found.";
  return `Masked ${plural(total, "secret")}: ${counts.join(", ")}. Secrets of other forms stay.`;
}
