/** Tokens that were created and revoked outside of this server, such as by a command, as security events. */

import { type AuditEntry, messageOf } from "@continuo/core/model";
import { parsePageLabel } from "@continuo/core/wire";
import type { SecurityLog } from "../context/index.ts";
import { LIMITS } from "./limits.ts";

/** Returns what was recorded since the previous call. */
export type FollowAudit = () => Promise<readonly AuditEntry[]>;

interface Watch {
  readonly log: SecurityLog;
  readonly report: (line: string) => void;
}

/** Checks a last time when it is closed. */
export function watchAudit(follow: FollowAudit, { log, report }: Watch): { close(): Promise<void> } {
  let hasFailed = false;
  const look = async (): Promise<void> => {
    try {
      for (const entry of await follow()) recordEntry(entry, log);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) report(`warning: cannot read the audit log for the security log: ${messageOf(error)}`);
      hasFailed = true;
    }
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LIMITS.auditLookMs).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await looking.then(look);
    },
  };
}

/** The server that opened a page recorded that itself. */
function recordEntry({ what, who, from, target, workspaceId, details }: AuditEntry, log: SecurityLog): void {
  if (what !== "token_created" && what !== "token_revoked") return;
  const { label } = details;
  if (typeof label === "string" && parsePageLabel(label) !== null) return;
  log.record(what, {
    address: from ?? who,
    who,
    workspaceId,
    ...(target === null ? {} : { tokenId: target }),
  });
}
