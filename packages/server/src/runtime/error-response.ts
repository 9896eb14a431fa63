/** Errors in routes of a program, as the answers of its server. */

import { ContinuoError, httpStatusOf, isContinuoError } from "@continuo/core/model";
import { notJson, toRequester, toWireError } from "@continuo/core/wire";

/** A response has no more paths of wrong values, and a path no more segments, than this. */
const MAX_ISSUES = 20;

/**
 * An expected failure in the form in which the server answers it: `{ error: { code, message, hint, details } }` with
 * its status, for the error handler of a framework (`app.onError(toErrorResponse)`). An error of `request.json()` for a
 * body that is not JSON becomes status 400, and so does the error with which a schema (zod, valibot, any Standard Schema)
 * refused a body; `details.issues` has the paths. An error that has its own response, as the `HTTPException` of Hono, keeps
 * it. Throws every other error, because it is a mistake in a program.
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

/** True for what engines throw when they parse a text as JSON; the words differ and quote the text, and all name JSON. */
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
  return String(key).slice(0, 100);
}
