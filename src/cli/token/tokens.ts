/** `continuo token create | list | revoke`. */

import { ContinuoError, listAll, present, type Token } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import {
  ANY_HANDLE,
  extensionOriginOf,
  formatScope,
  isName,
  OWN_LABELS,
  type PageKind,
  type PageLabel,
  parsePageLabel,
  parseScope,
} from "@continuo/core/wire";
import { openForCommand } from "../store/index.ts";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import type { CreateTokenFlags, TokenFlags } from "./flags.ts";

export async function runCreateToken(flags: CreateTokenFlags, shell: Shell): Promise<number> {
  if (flags.scope.length === 0) {
    throw new ContinuoError("usage", "a token needs at least one scope", {
      hint: "Add --scope, such as --scope channel:team:read,write.",
    });
  }
  const scopes = flags.scope.map((text) => formatScope(parseScope(text)));
  const { handle, label } = flags;
  if (handle === undefined && scopes.some(isForWriters)) {
    throw new ContinuoError("usage", "a token that writes in channels needs a handle", {
      hint: "Add --handle NAME, or --handle '*' for a program that writes for many.",
    });
  }
  if (handle !== undefined && !isName(handle)) {
    throw new ContinuoError("usage", `${JSON.stringify(handle)} is not a handle`, {
      hint: "Use up to 128 characters without a colon, a slash or a control character.",
    });
  }
  if (label?.startsWith(OWN_LABELS)) {
    throw new ContinuoError(
      "usage",
      `a label cannot begin with ${OWN_LABELS}, which is reserved for the server`,
    );
  }
  const expiresAt = flags.expires === "never" ? undefined : expiryOf(flags.expires, shell.now);
  await using store = await openForCommand(flags, shell);
  const token = await store.createToken(
    present({ scopes, issuedFrom: "loopback", handle, anyHandle: handle === ANY_HANDLE, label, expiresAt }),
  );
  shell.stdout.write(flags.json ? `${toJsonText(token)}\n` : `${token.secret}\n`);
  return 0;
}

function isForWriters(text: string): boolean {
  const scope = parseScope(text);
  return scope.kind === "channel" && scope.access.includes("write");
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Errors: `usage`. */
function expiryOf(text: string, now: Date): string {
  const match = /^(\d{1,6})([mhd])$/u.exec(text);
  const unit = UNITS[match?.[2] ?? ""];
  const time = unit === undefined ? Date.parse(text) : now.getTime() + Number(match?.[1]) * unit;
  if (Number.isNaN(time) || (unit === undefined && !/^\d{4}-\d\d-\d\dT/u.test(text))) {
    throw new ContinuoError("usage", `${JSON.stringify(text)} is not a time`, {
      hint: "Write 90m, 12h, 30d, never, or an ISO 8601 time such as 2027-01-31T12:00:00Z.",
    });
  }
  return new Date(time).toISOString();
}

export async function runListTokens(flags: TokenFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const tokens: readonly Token[] = await Array.fromAsync(
    listAll((place) => store.listTokens({ limit: 1_000, ...place })),
  );
  if (flags.json) {
    shell.stdout.write(`${toJsonText(tokens)}\n`);
    return 0;
  }
  const rows = [["id", "state", "handle", "expires", "label", "scopes"], ...inOrder(tokens).map(rowOf)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  await createOutput(shell.stdout).write(`${lines.join("\n")}\n`);
  return 0;
}

interface ListedToken {
  readonly token: Token;
  readonly page: PageLabel | null;
  readonly state: Token["state"];
}

/** Pages, and codes of pages, are below the token with which they were opened, and end with it. */
function inOrder(tokens: readonly Token[]): readonly ListedToken[] {
  const known = new Set(tokens.map(({ tokenId }) => tokenId));
  const pages = Map.groupBy(
    tokens.flatMap((token) => {
      const page = parsePageLabel(token.label);
      return page === null ? [] : [{ token, page }];
    }),
    ({ page }) => page.parentId,
  );
  const below = (parentId: string, parentState: Token["state"]): readonly ListedToken[] =>
    (pages.get(parentId) ?? []).map(({ token, page }) => {
      return { token, page, state: token.state === "active" ? parentState : token.state };
    });
  const owners = tokens
    .filter(({ label }) => parsePageLabel(label) === null)
    .flatMap((token) => [{ token, page: null, state: token.state }, ...below(token.tokenId, token.state)]);
  // A token that ended long ago is forgotten before its pages are.
  const left = [...pages.keys()].filter((parentId) => !known.has(parentId));
  return [...owners, ...left.flatMap((parentId) => below(parentId, "expired"))];
}

function rowOf({ token, page, state }: ListedToken): string[] {
  const { tokenId, handle, expiresAt, scopes } = token;
  const label = page === null ? labelOf(token) : PAGE_WORDS[page.kind];
  return [
    `${page === null ? "" : "  "}${visibleLine(tokenId)}`,
    ...[state, handle ?? "-", expiresAt ?? "never", label, scopes.join(" ")].map(visibleLine),
  ];
}

function labelOf({ label }: Token): string {
  const origin = extensionOriginOf(label);
  return origin === null ? (label ?? "-") : `extension ${origin}`;
}

const PAGE_WORDS: Readonly<Record<PageKind, string>> = {
  code: "code of a page",
  tab: "page",
  cookie: "page",
};

export async function runRevokeToken(id: string, flags: TokenFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const token = await store.revokeToken(id);
  shell.stdout.write(flags.json ? `${toJsonText(token)}\n` : `revoked ${token.tokenId}\n`);
  return 0;
}
