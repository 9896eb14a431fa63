/** The handles under which the holder of a token writes in channels. */

import { ContinuoError } from "@continuo/core/model";
import { ANY_HANDLE, allows } from "@continuo/core/wire";
import type { Grant } from "../context/index.ts";

/** The only handle, `any` for a token that allows all handles or administers the workspace, or `none`. */
export type Handles = { readonly only: string } | "any" | "none";

export function handlesOf({ handle, scopes }: Grant): Handles {
  if (handle !== null && handle !== ANY_HANDLE) return { only: handle };
  return handle === ANY_HANDLE || allows(scopes, { kind: "admin" }) ? "any" : "none";
}

/** Errors: `forbidden`. */
export function requireHandle(grant: Grant, handle: string): void {
  const handles = handlesOf(grant);
  if (handles === "none") throw noHandle();
  if (handles === "any" || handles.only === handle) return;
  throw new ContinuoError("forbidden", `the token is for the handle ${handles.only}`, {
    hint: `Connect with the handle ${handles.only}.`,
    details: { handle },
  });
}

export function noHandle(): ContinuoError {
  return new ContinuoError("forbidden", "the token names no handle, so it only reads channels", {
    hint: "Create a token with --handle NAME, or with --handle '*' for a program that writes for many.",
  });
}
