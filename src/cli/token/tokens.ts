/** `continuo token create | list | revoke`. */

import { ContinuoError, present, type Token } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { formatScope, isName, OWN_LABELS, parseScope } from "../../wire/index.ts";
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
  const expiresAt = flags.expires === undefined ? undefined : expiryOf(flags.expires, shell.now);
  await using store = await openForCommand(flags, shell);
  const token = await store.createToken(
    present({ scopes, issuedFrom: "loopback", handle, label, expiresAt }),
  );
  shell.stdout.write(flags.json ? `${toJsonText(token)}\n` : `${token.secret}\n`);
  return 0;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Errors: `usage`. */
function expiryOf(text: string, now: Date): string {
  const match = /^(\d{1,6})([mhd])$/u.exec(text);
  const unit = UNITS[match?.[2] ?? ""];
  const time = unit === undefined ? Date.parse(text) : now.getTime() + Number(match?.[1]) * unit;
  if (Number.isNaN(time) || (unit === undefined && !/^\d{4}-\d\d-\d\dT/u.test(text))) {
    throw new ContinuoError("usage", `${JSON.stringify(text)} is not a time`, {
      hint: "Write 90m, 12h, 30d, or an ISO 8601 time such as 2027-01-31T12:00:00Z.",
    });
  }
  return new Date(time).toISOString();
}

export async function runListTokens(flags: TokenFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const tokens: Token[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof store.listTokens>> = await store.listTokens(
      present({ limit: 1_000, cursor }),
    );
    tokens.push(...page.items);
    cursor = page.nextCursor;
  }
  if (flags.json) {
    shell.stdout.write(`${toJsonText(tokens)}\n`);
    return 0;
  }
  const rows = [["id", "state", "handle", "expires", "label", "scopes"], ...tokens.map(rowOf)];
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

function rowOf({ tokenId, state, handle, expiresAt, label, scopes }: Token): string[] {
  return [tokenId, state, handle ?? "-", expiresAt ?? "never", label ?? "-", scopes.join(" ")].map(
    visibleLine,
  );
}

export async function runRevokeToken(id: string, flags: TokenFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const token = await store.revokeToken(id);
  shell.stdout.write(flags.json ? `${toJsonText(token)}\n` : `revoked ${token.tokenId}\n`);
  return 0;
}
