/** The note writers of a program, whose failures reach the people of a session with the words for readers. */

import { ContinuoError, isContinuoError } from "@continuo/core/model";
import type { LiveSettings } from "../server/index.ts";
import { failureOf } from "./failure-text.ts";
import type { Continuo } from "./types.ts";

type NoteWriter = NonNullable<LiveSettings["noteWriters"]>[number];

/** A failure is reported with the words of the provider, and thrown with those of `failureText`. */
export function writerForReaders(
  writer: NoteWriter,
  { failureText }: Pick<Continuo, "failureText">,
  report: (error: unknown) => void,
): NoteWriter {
  const guarded = <Request, Options extends { readonly signal: AbortSignal }, Result>(
    call: (request: Request, options: Options) => Promise<Result>,
  ): ((request: Request, options: Options) => Promise<Result>) => {
    return async (request, options) => {
      try {
        return await call(request, options);
      } catch (error) {
        if (options.signal.aborted) throw error;
        report(error);
        const code = isContinuoError(error) ? error.code : "agent_failed";
        throw new ContinuoError(code, failureText({ ...failureOf(error), code }), { cause: error });
      }
    };
  };
  const { writePage, answer } = writer;
  return {
    name: writer.name,
    ...(writer.isFree === undefined ? {} : { isFree: writer.isFree }),
    write: guarded((request, options) => writer.write(request, options)),
    ...(writer.hasOpen === undefined ? {} : { hasOpen: (memory) => writer.hasOpen?.(memory) === true }),
    ...(writePage === undefined ? {} : { writePage: guarded(writePage.bind(writer)) }),
    ...(answer === undefined ? {} : { answer: guarded(answer.bind(writer)) }),
    ...(writer.end === undefined ? {} : { end: async (sessionId) => await writer.end?.(sessionId) }),
  };
}
