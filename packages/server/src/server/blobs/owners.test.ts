import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Grant } from "../context/index.ts";
import { owns, rememberOwner, requireOwner } from "./owners.ts";

const HASH = "a".repeat(64);

let store: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(async () => await store.close());

function grantOf(tokenId: string, handle: string | null, more: Partial<Grant> = {}): Grant {
  const scopes = [{ kind: "channel", name: "team", access: ["read", "write"] }] as Grant["scopes"];
  return { tokenId, workspaceId: "default", handle, page: null, scopes, peer: {}, ...more } as Grant;
}

const ANN = grantOf("t1", "ann");

function refused(grant: Grant, id?: string): Promise<unknown> {
  const event = { logId: "channels/team", blobs: [HASH], ...(id === undefined ? {} : { id }) };
  return requireOwner(store as Store, grant, event).then(
    () => null,
    ({ code }) => code,
  );
}

test("a blob belongs to the participant that stored it, with any of its tokens, and to nobody else", async () => {
  await rememberOwner(store, ANN, HASH);
  expect(await owns(store, grantOf("t2", "ann"), HASH)).toBe(true);
  expect(await refused(grantOf("t2", "ann"))).toBeNull();
  for (const other of [grantOf("t1", "bob"), grantOf("t1", null), grantOf("t3", "*")]) {
    expect(await refused(other)).toBe("not_found");
  }
});

test("a page may refer to what its token stored, and a token without a handle to what it stored itself", async () => {
  await rememberOwner(store, grantOf("t1", "*"), HASH);
  const page = { parentId: "t1" } as unknown as NonNullable<Grant["page"]>;
  expect(await refused(grantOf("page", "*", { page }))).toBeNull();
  expect(await refused(grantOf("t2", "*"))).toBe("not_found");
});

test("a stored event may be sent again long afterwards, and a new one only by the owner of its blobs", async () => {
  await store.createLog({ logId: "channels/team" });
  await store.append("channels/team", [{ id: "sent", type: "message_sent", data: {} }]);
  expect([await refused(ANN, "sent"), await refused(ANN, "new")]).toEqual([null, "not_found"]);
});

test("each blob of an event must belong to the participant, in whatever order the blobs are", async () => {
  const other = "b".repeat(64);
  await rememberOwner(store, ANN, HASH);
  for (const blobs of [
    [HASH, other],
    [other, HASH],
  ]) {
    const event = { logId: "channels/team", blobs };
    await expect(requireOwner(store, ANN, event)).rejects.toMatchObject({ details: { hash: other } });
  }
});
