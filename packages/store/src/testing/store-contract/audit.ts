/** The audit log: acts record themselves, with the name of their principal. */

import assert from "node:assert/strict";
import type { AuditEntry, Principal } from "@continuo/core/model";
import { type ContractCase, rejects } from "./case.ts";

const ADA: Principal = { who: "token:ada", from: "192.0.2.1" };
const KEY = { keyId: "k1", algorithm: "Ed25519", publicKey: "public", privateKey: "private" };

function factsOf({ who, from, what, target }: AuditEntry): readonly unknown[] {
  return [who, from, what, target];
}

export const auditCases: readonly ContractCase[] = [
  {
    name: "recorded acts have the principal of the view that was used, newest first",
    run: async ({ store }) => {
      const view = store.forWorkspace(store.workspaceId, ADA);
      const before = Date.now();
      const { tokenId } = await view.createToken({ scopes: ["admin"], label: "laptop" });
      await view.revokeToken(tokenId);
      await view.revokeToken(tokenId);
      await view.createLog({ logId: "channels/team", events: [{ type: "message_sent", data: {} }] });
      await view.redact("channels/team", 1, { reason: "a secret" });
      await view.deleteLog("channels/team");
      const { sessionId } = await view.createSession();
      await store.deleteSession(sessionId, { reason: "old" });
      await view.putWebhookKey({ ...KEY, version: 1 });
      await view.retireWebhookKey(1);
      const { items } = await store.listAudit();
      const ada = [ADA.who, ADA.from];
      assert.deepEqual(items.map(factsOf).reverse(), [
        [...ada, "token_created", tokenId],
        [...ada, "token_revoked", tokenId],
        [...ada, "event_redacted", "channels/team"],
        [...ada, "log_deleted", "channels/team"],
        ["program", null, "session_deleted", sessionId],
        [...ada, "webhook_key_created", "k1"],
        [...ada, "webhook_key_retired", "k1"],
      ]);
      const made = items.at(-1);
      assert.deepEqual(made?.details, { scopes: ["admin"], handle: null, label: "laptop", expiresAt: null });
      assert.equal(made.workspaceId, store.workspaceId);
      assert.ok(Math.abs(Date.parse(made.at) - before) < 600_000);
      assert.ok(items.every(({ entryId }, n) => n === 0 || entryId < (items[n - 1]?.entryId ?? 0)));
    },
  },
  {
    name: "an act that is refused leaves no entry in the audit log",
    run: async ({ store }) => {
      await rejects("not_found", store.revokeToken("none"));
      await rejects("not_found", store.deleteLog("none"));
      await rejects("invalid", store.createToken({ scopes: ["a"], expiresAt: "2001-01-01T00:00:00.000Z" }));
      assert.deepEqual((await store.listAudit()).items, []);
    },
  },
  {
    name: "recordAudit records acts outside the store; unknown acts are refused, long details are left out",
    run: async ({ store }) => {
      const view = store.forWorkspace(store.workspaceId, ADA);
      const entry = await view.recordAudit({ what: "agent_started", target: "claude/1", details: { n: 1 } });
      assert.deepEqual(factsOf(entry), [ADA.who, ADA.from, "agent_started", "claude/1"]);
      const long = { text: "x".repeat(10_000) };
      const other = await view.recordAudit({
        what: "store_backed_up",
        target: "y".repeat(600),
        details: long,
      });
      assert.deepEqual([other.target?.length, other.details], [512, { leftOut: 1 }]);
      assert.deepEqual((await store.listAudit()).items, [other, entry]);
      await rejects("invalid", view.recordAudit({ what: "nothing" as never }));
    },
  },
  {
    name: "listAudit gives the entries of one workspace page by page, by time, person and act",
    run: async ({ store }) => {
      const view = store.forWorkspace(store.workspaceId, ADA);
      for (const target of ["1", "2", "3"]) await view.recordAudit({ what: "agent_started", target });
      await store.recordAudit({ what: "session_exported", target: "4" });
      const targets = async (options: object): Promise<readonly unknown[]> =>
        (await store.listAudit(options)).items.map(({ target }) => target);
      const first = await store.listAudit({ limit: 3 });
      assert.deepEqual(
        first.items.map(({ target }) => target),
        ["4", "3", "2"],
      );
      assert.deepEqual(await targets({ limit: 3, cursor: first.nextCursor ?? "" }), ["1"]);
      assert.deepEqual(await targets({ who: ADA.who }), ["3", "2", "1"]);
      assert.deepEqual(await targets({ what: "session_exported" }), ["4"]);
      assert.deepEqual(await targets({ since: "2999-01-01T00:00:00.000Z" }), []);
      assert.deepEqual((await targets({ since: first.items.at(-1)?.at })).slice(0, 3), ["4", "3", "2"]);
      assert.deepEqual((await store.forWorkspace(`${store.workspaceId}-other`).listAudit()).items, []);
      await rejects("invalid", store.listAudit({ since: "yesterday" }));
      await rejects("invalid", store.listAudit({ what: "nothing" as never }));
    },
  },
];
