/** Converts an error in a route of a program into the response of its server. */

import { ContinuoError, httpStatusOf, isContinuoError } from "@continuo/core/model";
import { notJson, toRequester, toWireError } from "@continuo/core/wire";

/** The greatest number of paths of wrong values in a response, and of segments in a path. */
const MAX_ISSUES = 20;

/**
 * Converts an expected failure into the response that the server of Continuo gives for it: a status, and the body
 * `{ error: { code, message, hint, details } }`. It is for the error handler of a framework
 * (`app.onError(toErrorResponse)`).
 *
 * An error of `request.json()` for a body that is not JSON becomes status 400. The error of a schema (zod, valibot, any
 * Standard Schema) that refused a body becomes status 400 too; `details.issues` has the paths of the wrong values. An
 * error that has its own response, such as the `HTTPException` of Hono, keeps this response. Throws every other error,
 * because it is a mistake in a program.
 */
export function toErrorResponse(error: unknown): Response {
  if (isHttpError(error)) return error.getResponse();
  const known = isNoJson(error) ? notJson() : hasIssues(error) ? notOfSchema(error) : error;
  if (!isContinuoError(known)) throw known;
  return Response.json(toWireError(toRequester(known)), { status: httpStatusOf(known) });
}

function isHttpError(error: unknown): error is { getResponse(): Response } {
  return error instanceof Error && "getResponse" in error && typeof error.getResponse === "function";
}

/**
 * Returns true for the error of a JavaScript engine that could not parse a text as JSON. The messages of the engines
 * differ and quote the text, but all of them contain the word JSON.
 */
function isNoJson(error: unknown): boolean {
  return error instanceof SyntaxError && /\bJSON\b/u.test(error.message);
}

/** The shape of Standard Schema: a segment of a path is a key, or an object with one. */
interface SchemaError {
  readonly issues: readonly { readonly path?: readonly unknown[] }[];
}

function hasIssues(error: unknown): error is SchemaError {
  if (!(error instanceof Error) || !("issues" in error) || !Array.isArray(error.issues)) return false;
  return error.issues.length > 0 && error.issues.every(isIssue);
}

function isIssue(issue: unknown): boolean {
  if (typeof issue !== "object" || issue === null || !("message" in issue)) return false;
  return (
    typeof issue.message === "string" &&
    (!("path" in issue) || issue.path === undefined || Array.isArray(issue.path))
  );
}

/** The messages of the issues are left out, because they can quote values. */
function notOfSchema({ issues }: SchemaError): ContinuoError {
  const paths = issues
    .slice(0, MAX_ISSUES)
    .map(({ path = [] }) => path.slice(0, MAX_ISSUES).map(keyOf).join("."));
  const named = [...new Set(paths.filter((path) => path !== ""))];
  const where = named.length === 0 ? "" : `: ${named.join(", ")}`;
  return new ContinuoError("invalid", `the body does not have the expected form${where}`, {
    hint: "Correct these values, and send the request again.",
    details: { issues: paths.map((path) => ({ path })) },
  });
}

function keyOf(segment: unknown): string {
  const key = typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment;
  // An object may have no text, or a method that fails.
  const isText = typeof key === "string" || typeof key === "number" || typeof key === "symbol";
  return isText ? String(key).slice(0, 100) : "?";
}
