/** The pairings of phones are tokens: one for each phone, which is never shown, and one for the code in its link. */

import { ContinuoError, listAll, type Store, type Token } from "@continuo/core/model";
import { pageLabel, parsePageLabel } from "@continuo/core/wire";
import type { PairRequest, Phone, PhoneRights, PhoneService } from "@continuo/core/wire/machine";
import { PAGE_USES, usedCodeName } from "../auth/index.ts";
import { LIMITS } from "../context/index.ts";

/** The scopes of a phone: no channel, no stream, no continuous session, and nothing that starts a program. */
const SCOPES: Readonly<Record<PhoneRights, readonly string[]>> = {
  read: ["machine:read"],
  answer: ["machine:read,answer"],
};
const LABEL = "phone: ";

/**
 * @param store the store of the tokens of phones only: phones cannot use other tokens
 * @param url the address of the tunnel
 */
export function createPhones(store: Store, url: string): PhoneService {
  const list = async (): Promise<readonly Phone[]> => phonesIn(store, await allTokens(store));
  return {
    list: async () => ({ url, phones: await list() }),
    pair: async (request) => {
      if ((await list()).length >= LIMITS.phones) {
        throw new ContinuoError("conflict", `there are ${LIMITS.phones} paired phones`, {
          hint: "Use `continuo view` to revoke one, under Phones.",
          details: { limit: LIMITS.phones },
        });
      }
      return await pair(store, url, request);
    },
    revoke: async (id) => {
      const token = await store.getToken(id);
      if (token === null || !isPhone(token)) throw new ContinuoError("not_found", "there is no such phone");
      await store.revokeToken(id);
    },
  };
}

async function pair(store: Store, url: string, { name, rights }: PairRequest) {
  const now = Date.now();
  const scopes = SCOPES[rights];
  const parent = await store.createToken({
    scopes,
    label: `${LABEL}${name}`,
    issuedFrom: "loopback",
    expiresAt: new Date(now + LIMITS.phoneMs).toISOString(),
  });
  const code = await store.createToken({
    scopes,
    label: pageLabel({ kind: "code", parentId: parent.tokenId }),
    issuedFrom: "loopback",
    expiresAt: new Date(now + LIMITS.phoneCodeMs).toISOString(),
  });
  const link = `${url}/#code=${encodeURIComponent(code.secret)}/inbox`;
  const phone = toPhone(parent, { state: "waiting", usedAt: null, expiresAt: code.expiresAt ?? "" });
  return { phone, link, rows: await qrRows(link) };
}

/** A link that was not opened in time, and a phone that signed out, leave nothing to list. */
async function phonesIn(store: Store, tokens: readonly Token[]): Promise<readonly Phone[]> {
  const active = tokens.filter(({ state }) => state === "active");
  const listed: Phone[] = [];
  for (const parent of active.filter(isPhone)) {
    const own = active.flatMap((token) => {
      const label = parsePageLabel(token.label);
      return label?.parentId === parent.tokenId ? [{ token, kind: label.kind }] : [];
    });
    const page = own.find(({ kind }) => kind !== "code")?.token;
    const code = own.find(({ kind }) => kind === "code")?.token;
    if (page !== undefined) {
      const usedAt = await lastUse(store, parent, page);
      listed.push(toPhone(parent, { state: "paired", usedAt, expiresAt: page.expiresAt ?? "" }));
    } else if (code !== undefined && (await store.getClaim(usedCodeName(code))) === null) {
      listed.push(toPhone(parent, { state: "waiting", usedAt: null, expiresAt: code.expiresAt ?? "" }));
    }
  }
  return listed;
}

async function allTokens(store: Store): Promise<readonly Token[]> {
  const tokens: Token[] = [];
  for await (const token of listAll((place) => store.listTokens({ limit: 1_000, state: "active", ...place })))
    tokens.push(token);
  return tokens;
}

async function lastUse(store: Store, parent: Token, page: Token): Promise<string | null> {
  const claim = await store.getClaim(`${PAGE_USES}/${parent.tokenId}/${page.tokenId}`);
  const { usedAt } = (claim?.data ?? {}) as { readonly usedAt?: unknown };
  return typeof usedAt === "string" ? usedAt : null;
}

function toPhone(
  { tokenId, label, scopes }: Token,
  rest: Pick<Phone, "state" | "usedAt" | "expiresAt">,
): Phone {
  const rights = scopes.some((scope) => SCOPES.answer.includes(scope)) ? "answer" : "read";
  return { id: tokenId, name: (label ?? "").slice(LABEL.length), rights, ...rest };
}

function isPhone({ label, state }: Token): boolean {
  return state === "active" && (label ?? "").startsWith(LABEL);
}

/**
 * The lowest level of error correction keeps the code small enough for a terminal of 80 columns.
 */
async function qrRows(text: string): Promise<readonly string[]> {
  const { encodeQR } = await import("qr");
  const rows = encodeQR(text, "raw", { ecc: "low", border: 2 });
  return rows.map((row) => row.map((isDark) => (isDark ? "1" : "0")).join(""));
}
